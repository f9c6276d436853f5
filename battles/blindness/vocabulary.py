"""The maintained list of names: who makes models, what the models are called, and in which scripts.

Kept by hand, as data, so that a reader can check it. How far a name is trusted depends on its kind:

- ``maker``: makes models and little else (nobody says "openai" and means a city);
- ``house``: makes models and much else (Google, Amazon); naming it tells nothing by itself;
- ``family``: a line of models or a product with a name of its own;
- ``word``: a line of models whose name is also a person's, an animal's or an everyday word.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One name with its spellings.

    ``spellings`` are folded; a space stands for an optional separator. ``variants`` are what makes a full
    model name of it (``claude`` + ``sonnet``); ``whole`` says that a bare whole number after it does too
    (``grok 4``, but not ``gemini 8``, a spacecraft). ``common`` names are too everyday for our own messages to
    be searched for; they count only where something says that a model is meant. ``exact`` names mean one agent
    and nothing else, as a version does.
    """

    maker: str
    kind: str
    spellings: tuple[str, ...]
    variants: tuple[str, ...] = ()
    whole: bool = False
    common: bool = False
    exact: bool = False


def _entries(maker: str, kind: str, names: str, *, whole: bool = False, common: bool = False) -> list[Entry]:
    return [Entry(maker, kind, (name.strip(),), whole=whole, common=common) for name in names.split(",")]


def _line(
    maker: str, kind: str, spellings: str, variants: str = "", *, whole: bool = False, common: bool = False
) -> Entry:
    return Entry(
        maker,
        kind,
        tuple(name.strip() for name in spellings.split(",")),
        tuple(name.strip() for name in variants.split(",")) if variants else (),
        whole=whole,
        common=common,
    )


ENTRIES: tuple[Entry, ...] = (
    # Anthropic
    *_entries(
        "anthropic", "maker", "anthropic, антропик, 앤트로픽, 앤스로픽, アンソロピック, アンスロピック, أنثروبيك"
    ),
    _line(
        "anthropic",
        "word",
        "claude, клод, клода, クロード, 克劳德, 클로드, كلود, क्लाउड, קלוד, clawd",
        "sonnet, opus, haiku, instant, code, cowork, desktop, in chrome, for chrome, computer use",
        whole=True,
    ),
    _line("anthropic", "word", "sonnet, opus, haiku"),
    # OpenAI
    *_entries("openai", "maker", "open ai, опенаи, опен аи, オープンai, 오픈ai, 오픈에이아이"),
    _line(
        "openai",
        "family",
        "chat gpt, чат гпт, чат джипити, chat jippity, chat gippity, chat gee pee tee, jippity, "
        "チャットgpt, チャットジーピーティー, 챗gpt, 챗지피티, شات جي بي تي, تشات جي بي تي, चैटजीपीटी, צ'אט gpt, "
        "chat g p t",
        "agent, atlas",
    ),
    _line("openai", "word", "gpt, гпт", "oss, image, realtime, turbo", whole=True, common=True),
    _line("openai", "word", "o1, o3, o4", "mini, pro, preview, deep research", common=True),
    *_entries(
        "openai",
        "family",
        "gpt oss, computer use preview, computer using agent, openai operator, openai codex, codex cli, dall e",
    ),
    *_entries("openai", "word", "codex, sora, operator, davinci, cua", common=True),
    # Google
    *_entries("google", "house", "google, гугл, 谷歌, グーグル, 구글, جوجل, गूगल, alphabet inc"),
    *_entries("google", "maker", "deep mind, google deepmind, google ai studio, vertex ai, ディープマインド"),
    _line(
        "google",
        "word",
        "gemini, джемини, жемини, гемини, ジェミニ, 제미나이, 제미니, 双子座模型, جيميني, जेमिनी",
        "pro, flash, ultra, nano, cli, live, deep research, deep think, computer use, robotics, robotics er",
    ),
    _line("google", "word", "gemma", "it", whole=True),
    _line("google", "word", "bard, mariner, jules", common=True),
    *_entries("google", "family", "project mariner, medgemma, notebook lm, palm 2, google bard, google assistant"),
    # Meta
    *_entries("meta", "house", "meta platforms"),
    _line("meta", "house", "meta", common=True),
    *_entries("meta", "family", "meta ai, meta llama, llama guard, code llama"),
    _line("meta", "word", "llama, лама, ラマ, 라마, 羊驼", "scout, maverick, behemoth, instruct, vision", whole=True),
    # Mistral
    *_entries("mistral", "maker", "mistral ai, mistralai"),
    _line(
        "mistral", "word", "mistral, мистраль, ミストラル, 미스트랄", "large, medium, small, nemo, instruct, saba, tiny"
    ),
    *_entries("mistral", "family", "mixtral, pixtral, ministral, codestral, devstral, magistral, voxtral, le chat"),
    # xAI
    *_entries("xai", "maker", "x ai, x.ai"),
    _line("xai", "word", "grok, грок, グロック, 그록", "fast, code fast, heavy, mini, vision", whole=True),
    # Alibaba
    *_entries("alibaba", "house", "alibaba, 阿里巴巴, 阿里"),
    *_entries("alibaba", "maker", "alibaba cloud, 阿里云, tongyi lab, aliyun, dash scope, 达摩院"),
    _line(
        "alibaba",
        "family",
        "qwen, квен, 通义千问, 千问, 通义, tongyi qianwen, tongyi, qianwen, キューウェン, 큐원",
        "vl, coder, max, plus, turbo, omni, agent",
        whole=True,
    ),
    *_entries("alibaba", "family", "qwq, qvq, gui owl, mobile agent v3, mai ui"),
    # DeepSeek
    _line(
        "deepseek",
        "family",
        "deep seek, дипсик, ディープシーク, 深度求索, 딥시크, ديب سيك",
        "r1, r2, v2, v3, v4, chat, coder, reasoner, vl, vl2, prover",
        whole=True,
    ),
    # Moonshot, Zhipu, MiniMax, StepFun, 01.AI, Baichuan and others in China
    *_entries("moonshot", "maker", "moonshot ai, 月之暗面"),
    _line("moonshot", "word", "kimi, 키미", "k1, k1.5, k2, k2.5, k3, vl, dev, researcher"),
    *_entries("zhipu", "maker", "zhipu ai, zhipu, 智谱, 智谱ai, 智谱清言, bigmodel, z.ai"),
    *_entries("zhipu", "family", "chat glm, cog agent, cog vlm, auto glm, 清言"),
    _line("zhipu", "word", "glm", "air, flash, plus, edge", whole=True, common=True),
    _line("minimax", "family", "mini max, hailuo, 海螺", "m1, m2, text, vl, abab", whole=True),
    *_entries("stepfun", "family", "step fun, 阶跃星辰, 跃问, step gui, step 1v, step 1o, step r1, step3 vl"),
    *_entries("01ai", "maker", "01.ai, 零一万物"),
    _line("01ai", "word", "yi", "lightning, large, vision, 34b, 6b, 9b", common=True),
    *_entries("baichuan", "family", "baichuan, 百川"),
    *_entries("baidu", "house", "baidu, 百度, байду"),
    _line("baidu", "family", "ernie bot, wenxin, 文心一言, 文心, yiyan, 文心大模型", whole=True),
    _line("baidu", "word", "ernie", "bot, x1, turbo, speed", common=True),
    *_entries("tencent", "house", "tencent, 腾讯"),
    *_entries("tencent", "family", "hunyuan, 混元, yuanbao, 元宝"),
    *_entries("iflytek", "family", "iflytek, 讯飞, 科大讯飞, 讯飞星火, 星火大模型, sparkdesk"),
    *_entries("sensetime", "family", "sensetime, 商汤, sensenova, 日日新"),
    *_entries("huawei", "family", "pangu, 盘古大模型, 华为盘古"),
    *_entries("shanghai", "family", "internlm, internvl, 书生, os atlas, os copilot"),
    # ByteDance
    *_entries("bytedance", "maker", "byte dance, 字节跳动, volc engine, volcano engine, 火山引擎"),
    _line("bytedance", "family", "doubao, 豆包, дубао", "pro, lite, seed, vision"),
    *_entries("bytedance", "family", "ui tars, bytedance seed, seed oss, seed vl"),
    _line("bytedance", "word", "seed", "vl, oss", common=True),
    # Microsoft, Amazon, Apple, Nvidia, IBM
    *_entries("microsoft", "house", "microsoft, майкрософт, 微软, マイクロソフト, 마이크로소프트"),
    *_entries(
        "microsoft",
        "family",
        "microsoft copilot, github copilot, azure openai, azure ai, bing chat, omni parser, bing ai",
    ),
    _line("microsoft", "word", "copilot, コパイロット, 코파일럿"),
    _line("microsoft", "word", "phi", "mini, vision, multimodal, silica, medium, small", whole=True, common=True),
    _line("microsoft", "word", "fara, magma, orca, sydney", common=True),
    *_entries("amazon", "house", "amazon, амазон, 亚马逊, アマゾン, 아마존"),
    _line("amazon", "family", "amazon nova", "pro, lite, micro, premier, sonic, act, canvas, omni"),
    *_entries("amazon", "family", "nova act, amazon titan, amazon bedrock, amazon q, aws bedrock"),
    _line("amazon", "word", "nova, bedrock, alexa", "act, pro, micro, premier, sonic, canvas", common=True),
    *_entries("apple", "house", "apple"),
    *_entries("apple", "family", "apple intelligence, ferret ui, openelm"),
    *_entries("nvidia", "house", "nvidia, 英伟达"),
    _line("nvidia", "family", "nemotron, cosmos reason, nvidia nim", "nano, super, ultra"),
    *_entries("ibm", "family", "watsonx, ibm granite"),
    _line("ibm", "word", "granite", "instruct", common=True),
    # Cohere, Reka, Inflection, AI21 and others
    *_entries("cohere", "maker", "cohere ai, cohere labs, cohere for ai"),
    _line("cohere", "word", "cohere", common=True),
    _line("cohere", "family", "cohere command, command r+, command r plus, command r7b, command a+, c4ai, aya vision"),
    _line("cohere", "word", "command r, command a, aya", "plus, vision, expanse, reasoning", common=True),
    *_entries("perplexity", "family", "perplexity ai, perplexity comet, comet assistant, sonar pro, sonar reasoning"),
    _line("perplexity", "word", "perplexity, comet", common=True),
    *_entries("reka", "family", "reka ai, reka core, reka flash, reka edge, reka spark"),
    _line("reka", "word", "reka", "core, flash, edge", common=True),
    *_entries("inflection", "maker", "inflection ai"),
    _line("inflection", "word", "pi, inflection", common=True),
    *_entries("ai21", "maker", "ai21, ai21 labs"),
    _line("ai21", "word", "jamba, jurassic", "large, mini, instruct", common=True),
    *_entries("hcompany", "maker", "h company, hcompany"),
    *_entries("hcompany", "family", "runner h, surfer h, holo1"),
    _line("hcompany", "word", "holo", "instruct", common=True),
    *_entries("yandex", "house", "yandex, яндекс"),
    *_entries("yandex", "family", "yandex gpt, яндекс gpt, yandex alice, яндекс алиса"),
    *_entries("sber", "family", "giga chat, гигачат, сбер"),
    *_entries("naver", "house", "naver, 네이버"),
    *_entries("naver", "family", "hyper clova, hyperclova x, clova x, 하이퍼클로바, 클로바x"),
    *_entries("lg", "family", "exaone, 엑사원"),
    *_entries("upstage", "family", "upstage solar, solar pro, solar mini"),
    *_entries("tii", "family", "falcon llm, falcon 7b, falcon 40b, falcon 180b, falcon h1, falcon 11b"),
    _line("tii", "word", "falcon", "instruct, mamba", common=True),
    *_entries("databricks", "family", "dbrx, mosaic ml"),
    *_entries("snowflake", "family", "snowflake arctic"),
    *_entries("allenai", "family", "allen ai, molmo, tulu 3, olmo"),
    *_entries("huggingface", "maker", "hugging face"),
    *_entries("huggingface", "family", "smol vlm, smol lm, smolagents"),
    *_entries("stability", "maker", "stability ai, stable lm"),
    *_entries("liquid", "maker", "liquid ai"),
    *_entries("adept", "maker", "adept ai"),
    *_entries("adept", "family", "fuyu 8b, act 1 model"),
    *_entries("aleph", "maker", "aleph alpha"),
    *_entries("nous", "family", "nous hermes, nous research, hermes 3, hermes 4"),
    *_entries("lmsys", "family", "vicuna, wizard lm"),
    *_entries("salesforce", "family", "xgen small, salesforce xlam"),
    *_entries("servicenow", "family", "apriel, ui vision"),
    *_entries("microsoft research", "family", "gui actor, agent s2, agent s3, simular ai"),
    # Agents and tools that are products of their own
    *_entries("cognition", "maker", "cognition labs, cognition ai"),
    _line("cognition", "word", "devin, manus, genspark, skywork, yutori, fellou, lindy", common=True),
    *_entries(
        "agents",
        "family",
        "manus ai, manus agent, devin ai, browser use agent, browseruse, multi on, agent q, agent e, "
        "open cua, opencua, show ui, aguvis, os genesis, infigui, gui r1, ui venus, gelato, gta1, evocua, northstar "
        "cua, "
        "rabbit r1, open interpreter, open manus, step gui, cursor agent, cursor ai, windsurf ai, replit agent, "
        "lumen agent, skyvern, stagehand agent, web voyager agent",
    ),
    # Where models are served
    *_entries(
        "servers",
        "maker",
        "open router, groq, together ai, fireworks ai, ollama, vllm, sglang, llama.cpp, lm studio, "
        "cerebras, silicon flow, novita ai, deep infra, lite llm, replicate ai, lang chain, baseten, sambanova, "
        "ai foundry, cloudflare workers ai",
    ),
)

#: Plain words that lie about being names: what our own messages and sites say all the time. A roster name that is
#: one of these, or only digits and separators, does not join the lexicon.
EVERYDAY = frozenset(
    """agent agents arena assistant baseline browser custom default demo dummy example fake first human internal
    latest lexical local main model models none null open operator other private public practice random reference
    ringside second self server site source stable test unknown user version web""".split()
)
