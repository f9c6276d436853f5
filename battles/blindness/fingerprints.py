"""Shapes that give a provider away whatever the sentence says: errors, identifiers, tool tokens, user agents, keys.

Each shape has *anchors*: runs of letters (or, starting with ``*``, any piece of text) without which it cannot
match. Looking for anchors is what keeps the scan of an ordinary text cheap: only shapes with one are tried.
All shapes are matched against folded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

LETTER_RUN = re.compile("[a-z]+")

#: Python packages of providers whose dotted errors show up in tracebacks.
_PACKAGES = (
    r"openai|anthropic|cohere|groq|mistralai|ollama|vllm|litellm|together|fireworks|replicate|huggingface_hub|"
    r"xai_sdk|dashscope|zhipuai|qianfan|deepseek|vertexai|google\.(?:genai|generativeai|api_core|ai|"
    r"cloud\.aiplatform)|botocore|boto3|aiobotocore|azure\.(?:ai|core)|volcenginesdk\w*|langchain\w*|llama_cpp|"
    r"cerebras|perplexity|reka|ai21|writerai|moonshot|minimax|nova_act|browser_use"
)
_PACKAGE_ANCHORS = (
    "openai anthropic cohere groq mistralai ollama vllm litellm together fireworks replicate huggingface xai "
    "dashscope zhipuai qianfan deepseek vertexai google botocore boto aiobotocore azure *volcenginesdk *langchain "
    "llama cerebras perplexity reka ai writerai moonshot minimax nova browser"
)
_ERROR_WORDS = (
    r"error|exception|exhausted|unavailable|timeout|denied|invalid\w+|not_?found|exceeded|unauthenticated|forbidden|"
    r"argument"
)
#: SDKs whose exception classes carry the name, with or without the package.
_ERROR_CLASSES = (
    "openai|anthropic|cohere|mistral|googlegenerativeai|gemini|vertexai|bedrock|groq|deepseek|xai|azure|togetherai|"
    "ollama"
)
_PROVIDER_KEYS = (
    "anthropic|openai|azure_openai|gemini|google|google_ai|google_genai|xai|grok|mistral|groq|deepseek|cohere|co|"
    "dashscope|qwen|moonshot|kimi|zhipuai|zhipu|glm|minimax|openrouter|together|fireworks|perplexity|pplx|hf|"
    "huggingface|replicate|cerebras|nvidia|bedrock|vertex|vertexai|nova_act|claude|chatgpt|ollama|volc|ark|yandex|"
    "gigachat|hai|reka|ai21"
)
_AGENT_TOKENS = (
    r"chatgpt-user|chatgpt[ -]agent|gptbot|oai-searchbot|oai-adsbot|claudebot|claude-(?:user|searchbot|web|code|cli)|"
    r"anthropic-ai|anthropic-sdk[-\w]*|perplexitybot|perplexity-user|google-extended|googleagent[-\w]*|google-agent|"
    r"google-cloudvertexbot|google-notebooklm|google-genai-sdk|gemini-deep-research|gemini-cli|bytespider|doubaobot|"
    r"meta-external\w+|meta-webindexer|amazonbot|novaact|amzn-(?:searchbot|user)|bedrockbot|cohere-ai|"
    r"cohere-training[-\w]*|mistralai-user|mistralbot|deepseek(?:bot|-user)|grok(?:bot|-user)|xai-(?:grok|bot)|"
    r"qwen(?:bot|-user)|tongyibot|kimi(?:bot|-user)|moonshotbot|youbot|applebot-extended|copilot(?:bot|-user)|"
    r"manus(?:bot|-user)|operator-user|chatglm-spider|yandexgpt|yandexadditional|gigabot|duckassistbot|phindbot|"
    r"codex_cli_rs|openai-(?:python|node)|ai2bot|pangubot|timpibot|devin(?=/)"
)
_AGENT_ANCHORS = (
    "chatgpt gptbot oai claudebot claude anthropic perplexitybot perplexity google googleagent gemini bytespider "
    "doubaobot meta amazonbot novaact amzn bedrockbot cohere mistralai mistralbot deepseekbot deepseek grokbot grok "
    "xai qwenbot qwen tongyibot kimibot kimi moonshotbot youbot applebot copilotbot copilot manusbot manus operator "
    "chatglm yandexgpt yandexadditional gigabot duckassistbot phindbot codex openai bot pangubot timpibot devin"
)
_LINK_NAMES = (
    r"openai|oai|chat-?gpt|claude|anthropic|gemini|bard|perplexity|copilot|grok|x\.ai|deepseek|qwen|tongyi|kimi|"
    r"doubao|mistral|le-?chat|meta\.?ai|operator|mariner|manus|devin|nova-?act|gpt|llama|cohere|minimax|hailuo|"
    r"yandexgpt|gigachat|poe\.com|phind|you\.com|genspark|comet"
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """One shape. ``kind`` is the reason reported; ``shape`` is what gives the provider away.

    Where the anchors are names that occur in any talk of models, one of the pieces in ``needs`` must be there, too.
    """

    kind: str
    anchors: tuple[str, ...]
    shape: re.Pattern[str]
    needs: tuple[str, ...] = ()


def _shape(kind: str, anchors: str, *patterns: str, needs: str = "") -> Fingerprint:
    return Fingerprint(kind, tuple(anchors.split()), re.compile("|".join(patterns)), tuple(needs.split()))


#: Identifiers that providers put on requests, answers, files and tool calls.
_IDENTIFIERS = (
    _shape(
        "request_id",
        "cmpl chatcmpl resp req fp toolu srvtoolu mcptoolu msg ftjob gen cntr",
        r"\b(?:chat)?cmpl-[a-z0-9_-]{6,}",
        r"\bresp_(?=[a-z]*\d)[0-9a-z]{12,}",
        r"\breq_(?=[a-z_]*\d)[a-z0-9_]{6,}",
        r"\bfp_(?=[a-z]*\d)[0-9a-f]{8,}",
        r"\b(?:srv|mcp)?toolu_[\w-]{6,}",
        r"\bmsg_(?:bdrk_|vrtx_)?(?=[a-z_]*\d)[a-z0-9]{12,}",
        r"\bftjob-\w{6,}",
        r"\bgen-\d{10}-\w{8,}",
        r"\bcntr_[0-9a-f]{16,}",
    ),
    _shape(
        "request_id",
        "thread asst vs batch rs cu ctc fc ws call org proj evt",
        r"\b(?:thread|asst|vs|batch|rs|cu|ctc|fc|ws|call|evt)_(?=[a-z]*\d)[a-z0-9]{16,}",
        r"\b(?:org-|proj_)(?=[a-z]*\d)[a-z0-9]{16,}",
    ),
    _shape("request_id", "fingerprint", r'"?\bsystem_fingerprint\b"?(?:\s*[:=]\s*"?[\w-]+"?)?'),
    _shape("request_id", "file", r"\bfile-service:/*[\w./-]*", r"\bfile-(?=[a-z]*\d)[a-z0-9]{20,}\b"),
    _shape("request_id", "request", r"\b(?:x-)?request-id: ?req_\w+"),
    _shape(
        "request_id",
        "openai anthropic groq goog amzn stainless dashscope ds apim",
        r"\bopenai-(?:organization|processing-ms|version|project|model|beta)\b(?:\s*:\s*[\w./-]+)?",
        r"\banthropic[-_](?:version|beta|ratelimit|organization|dangerous)[\w-]*\"?(?:\s*[:=]\s*\"?[\w.,-]+\"?)?",
        r"\bx-(?:groq|goog|amzn-bedrock|stainless|dashscope|ds)-[\w-]+(?:\s*:\s*[\w./-]+)?",
        r"\bapim-request-id\b",
        needs="openai- anthropic- anthropic_ x-g x-a x-s x-d apim-",
    ),
)

#: Errors of SDKs and the sentences of providers' own error pages.
_ERRORS = (
    _shape(
        "sdk_error",
        _PACKAGE_ANCHORS,
        rf"\b(?:{_PACKAGES})(?:\.\w+){{0,6}}\.\w*(?:{_ERROR_WORDS})\w*",
        needs="error exception exhaust unavail timeout denied invalid found exceed unauth forbid argument",
    ),
    _shape(
        "sdk_error",
        "*aierror *aiexception *anthropice *coheree *mistrale *geminie *bedrocke *groqe *seeke *azuree *openai "
        "*ollamae",
        rf"\b(?:async)?(?:{_ERROR_CLASSES})\w*(?:error|exception)\b",
        r"\b(?:async)?azureopenai\w*|\basyncopenai\b",
        needs="error exception azureopenai asyncopenai",
    ),
    _shape(
        "sdk_error",
        "apistatuserror apiconnectionerror apitimeouterror apiresponsevalidationerror overloadederror "
        "lengthfinishreasonerror contentfilterfinishreasonerror",
        r"\bapi(?:status|connection|timeout|responsevalidation)error\b|\boverloadederror\b",
        r"\b(?:length|contentfilter)finishreasonerror\b",
    ),
    _shape(
        "sdk_error",
        "resource generate generatecontent streamgeneratecontent *generaterequestsper",
        r"\b(?:\d{3} )?resource_exhausted\b",
        r"\b(?:stream)?generate_?content\w*",
        r"\bgeneraterequestsper\w+",
    ),
    _shape(
        "sdk_error",
        "overloaded invalid rate insufficient authentication context content permission not",
        r"\b(?:overloaded|invalid_request|rate_limit|authentication|not_found|permission|billing)_error\b",
        r"\b(?:rate_limit_exceeded|insufficient_quota|context_length_exceeded|content_policy_violation)\b",
        r"\b(?:402 )?insufficient balance\b",
        r"\bthe model is overloaded\b[^\n.]*",
    ),
    _shape(
        "sdk_error",
        "quota maximum prompt credit",
        r"\byou exceeded your current quota\b[^\n.]*",
        r"\bthis model's maximum context length\b[^\n.]*",
        r"\bprompt is too long: \d+ tokens[^\n]*",
        r"\byour credit balance is too low\b[^\n.]*",
    ),
    _shape(
        "sdk_error",
        "throttlingexception modelerrorexception modelstreamerrorexception modeltimeoutexception "
        "modelnotreadyexception *invokemodel converse conversestream datainspectionfailed data arrearage "
        "deploymentnotfound",
        r"\b(?:throttling|modelerror|modelstreamerror|modeltimeout|modelnotready)exception\b",
        r"\b(?:when calling the )?(?:invokemodel\w*|converse(?:stream)? operation)(?: operation)?",
        r"\b(?:data_?inspection_?failed|arrearage|deploymentnotfound)\b",
    ),
    _shape(
        "sdk_error",
        "finish stop finishreason stopreason",
        r'"?\b(?:finish|stop)_?reason\b"?\s*[:=]\s*"?(?:stop|length|end_turn|tool_use|tool_calls|max_tokens|'
        r"content_filter|"
        r'function_call|pause_turn|refusal|malformed_function_call|stop_sequence)\b"?',
    ),
    _shape(
        "sdk_error",
        "usagemetadata prompttokencount candidatestokencount cache prompt completion reasoning safetyratings harm "
        "blockreason",
        r"\b(?:usagemetadata|(?:prompt|candidates)tokencount|safetyratings|blockreason)\b",
        r"\b(?:cache_(?:creation|read)_input|reasoning)_tokens\b",
        r"\b(?:prompt|completion)_tokens_details\b|\bprompt_cache_(?:hit|miss)_tokens\b|\bharm_category_\w+",
    ),
    _shape(
        "sdk_error",
        "vllm ollama llama text",
        r"\bvllm serve\b(?: [\w./:-]+)?|\bollama (?:run|pull|serve)\b(?: [\w./:-]+)?",
        r"\bllama-server\b|\btext-generation-inference\b",
    ),
)

#: Where providers' APIs and consoles live.
_HOSTS = (
    _shape(
        "provider_host",
        "openai oaiusercontent oaistatic anthropic claude",
        r"\b(?:https?://)?(?:api|platform|help|cdn|auth|files)\.openai\.com(?:/[\w./-]*)?",
        r"\+?(?:https?://)?\bopenai\.com/(?:bot|gptbot|searchbot)\b|\b[\w-]+\.(?:oaiusercontent|oaistatic)\.com\b",
        r"\b[\w-]+\.openai\.azure\.com[\w./-]*",
        r"\b(?:https?://)?(?:api|console|support)\.anthropic\.com(?:/[\w./-]*)?",
        r"\b(?:https?://)?(?:api|platform|console)\.claude\.com(?:/[\w./-]*)?",
        needs=".com",
    ),
    _shape(
        "provider_host",
        "googleapis generativelanguage aistudio makersuite",
        r"\b(?:[\w-]*aiplatform|cloudaicompanion|cloudcode-pa)\.googleapis\.com[\w./:-]*",
        r"\bgenerativelanguage\b[\w./-]*|\b(?:aistudio|makersuite)\.google\.com[\w./-]*",
    ),
    _shape(
        "provider_host",
        "api console platform dashboard",
        r"\b(?:https?://)?(?:api|console|platform|dashboard)\.(?:x\.ai|deepseek\.com|mistral\.ai|cohere\.(?:ai|com)|"
        r"groq\.com|moonshot\.(?:cn|ai)|minimaxi?\.\w+|together\.(?:xyz|ai)|fireworks\.ai|perplexity\.ai|"
        r"cerebras\.ai|stepfun\.com|baichuan-ai\.com|inflection\.ai|reka\.ai|ai21\.com|z\.ai|hcompany\.ai|"
        r"siliconflow\.\w+|manus\.im|lingyiwanwu\.com)[\w./:-]*",
    ),
    _shape(
        "provider_host",
        "openrouter dashscope bigmodel volces huggingface nvidia azure github yandex gigachat baidubce "
        "tencentcloudapi nova bedrock agentcore",
        r"\bopenrouter\.ai[\w./:-]*|\bdashscope[\w-]*\.aliyuncs\.com[\w./:-]*|\b(?:open\.bigmodel\.cn|"
        r"[\w.-]*volces\.com)",
        r"\b(?:api-inference|router)\.huggingface\.co[\w./:-]*|\bintegrate\.api\.nvidia\.com[\w./:-]*",
        r"\b(?:[\w-]+\.)?(?:inference|services|models)\.ai\.azure\.com[\w./:-]*|\bmodels\.github\.ai\b",
        r"\bllm\.api\.cloud\.yandex\.net\b|\bgigachat\.devices\.\w+\.ru\b|\b(?:qianfan|aip)\.baidubce\.com\b",
        r"\bhunyuan\.tencentcloudapi\.com\b|\bnova\.amazon\.com\b|\bbedrock-(?:runtime|agent)\w*[\w.:/-]*|"
        r"\bagentcore\b",
        needs=". bedrock- agentcore",
    ),
    _shape("provider_host", "localhost *127.0.0.1:", r"\b(?:localhost|127\.0\.0\.1):(?:11434|1234/v1)\b[\w./-]*"),
)

#: Tools, protocol tokens and templates of particular models.
_TOOLS = (
    _shape(
        "tool_token",
        "computer bash text web code memory browser tool str function invoke antthinking antartifact antml",
        r"\b(?:computer|bash|text_editor|web_search|web_fetch|code_execution|memory|browser_toolset|computer_toolset|"
        r"tool_search\w*)_20\d{6}\b",
        r"\bstr_replace_(?:based_edit_tool|editor)\b|</?antml:\w+[^>\n]*>?|\bantml:\w+|</?function_calls>",
        r"<invoke name=[^>\n]*>|</?ant(?:thinking|artifact)\b[^>\n]*>",
    ),
    _shape(
        "tool_token",
        "computer safety function web code previous",
        r"\bcomputer_call(?:_output)?\b|\bcomputer[-_]use[-_]preview(?:-\d{4}-\d\d-\d\d)?\b|"
        r"\bcomputer-use-20\d\d-\d\d-\d\d\b",
        r"\b(?:pending|acknowledged)_safety_checks\b|\bfunction_call_output\b|\b(?:web_search|code_interpreter)_call\b",
        r"\bprevious_response_id\b|\bcomputer_screenshot\b",
    ),
    _shape("tool_token", "*<|", r"<\|[^\s|<>]{1,40}(?: [^\s|<>]{1,20}){0,4}\|>"),
    _shape(
        "tool_token",
        "inst sys tool available system think start end arg minimax seed",
        r"\[/?inst\]|<</?sys>>|\[/?(?:tool_calls|available_tools|tool_results|system_prompt|tool_content)\]",
        r"</?(?:start|end)_of_\w+>|</?tool_(?:call|response|code)>|</?think>|</?arg_(?:key|value)>",
        r"\bstart_box\s*=\s*['\"]?[^\s'\")]*|</?(?:start|end)_function_(?:call|declaration|response)>",
        r"</?(?:minimax|seed):\w+[^>\n]*>",
    ),
    _shape(
        "tool_token",
        "functioncall functionresponse functiondeclarations thoughtsignature thought",
        r"\b(?:functioncall|functionresponse|functiondeclarations|thought_?signature)\b(?:\s*[:=]\s*\"?[\w+/=-]*\"?)?",
    ),
    _shape(
        "tool_token",
        "click type hover scroll open wait key pause",
        r"\b(?:click_at|type_text_at|hover_at|scroll_at|scroll_document|open_web_browser|wait_5_seconds|"
        r"key_combination|pause_and_memorize_fact)\b",
    ),
    _shape(
        "tool_token",
        "left right mouse cursor double triple",
        r"\baction\"?\s*[:=]?\s*['\"]?(?:left_click(?:_drag)?|right_click|left_mouse_(?:down|up)|mouse_move|"
        r"cursor_position|double_click|triple_click)\b",
        r"\bleft_click_drag\b|\bleft_mouse_(?:down|up)\b|\bleft_double\(",
    ),
    _shape(
        "tool_token",
        "call finished hotkey agentclick agenttype agentscroll agenthover",
        r"\bcall_user\(\)|\bfinished\(content\s*=[^)\n]*\)?|\bhotkey\(key\s*=[^)\n]*\)?|\bagent(?:click|type|scroll|"
        r"hover)\(",
    ),
    _shape(
        "tool_token",
        "qwen nova novaact mobile *nousfncall",
        r"\b(?:from )?(?:qwen_agent|nova[_-]act|novaact|mobile_use|nousfncall\w*)\b[\w.]*(?: import \w+)?",
    ),
    _shape(
        "tool_token",
        "openai anthropic genai mistral cohere groq",
        r"\b(?:openai|anthropic|genai|mistral|cohere|groq)\.(?:beta\.)?(?:responses|messages|chat|completions|models|"
        r"images|assistants|threads|client)\.\w+(?:\.\w+){0,4}",
        needs="openai. anthropic. genai. mistral. cohere. groq.",
    ),
    _shape(
        "tool_token",
        "anthropic amazon meta mistral cohere deepseek",
        r"\b(?:(?:us|eu|apac|global|jp)\.)?(?:anthropic\.claude|amazon\.(?:nova|titan)|meta\.llama\d*|mistral\.mi\w+|"
        r"cohere\.command|deepseek\.\w+)-[\w.:-]+",
        needs="anthropic. amazon. meta. mistral. cohere. deepseek.",
    ),
)

#: What user agents, keys, links and copied markup carry.
_TRACES = (
    _shape(
        "user_agent",
        _AGENT_ANCHORS,
        rf"\b(?:{_AGENT_TOKENS})\b(?:/[\w.-]+)?",
        needs="bot -user -search -web -code -cli -ai -sdk agent -extended -genai -gemini -deep -training spider "
        "external novaact yandexgpt yandexadditional codex_cli -python -node devin/ notebooklm",
    ),
    _shape("user_agent", "spider signature *bot-auth", r"\bspider-feedback@\w+\.com\b|\bweb-bot-auth\b"),
    _shape("user_agent", "signature", r"\bsignature-agent\b\s*:?\s*\"?[\w:/.-]*\"?"),
    _shape(
        "user_agent",
        "openai anthropic asyncopenai asyncanthropic cohere mistralai mistral groq genai ollama vllm litellm "
        "dashscope xai bedrock",
        r"\b(?:async)?(?:openai|anthropic|cohere|mistralai|mistral-client-python|groq|google-genai|genai|ollama|"
        r"ollama-python|vllm|litellm|dashscope|xai-sdk(?:-python)?|bedrock)/(?:python|js|node|java|go|"
        r"v?\d[\w.]*)(?: [\d.]+)?",
        needs="openai/ anthropic/ cohere/ ai/ python/ groq/ genai/ ollama/ vllm/ litellm/ dashscope/ sdk/ bedrock/",
    ),
    _shape("secret", "sk", r"\bsk-(?:ant|proj|or|svcacct|admin|lf)-[\w-]+|\bsk-[a-z0-9]{20,}"),
    _shape(
        "secret",
        "*aizasy xai gsk hf *r8_ pplx nvapi tgp fw csk *absk",
        r"\baizasy[\w-]{10,}|\b(?:xai-|gsk_|hf_|r8_|pplx-|nvapi-|tgp_v1_|fw_|csk-|absk)(?=[a-z_-]*\d|"
        r"[a-z]{16})[\w-]{12,}",
    ),
    _shape(
        "secret",
        "api token auth base secret credentials iam access",
        rf"\b(?:{_PROVIDER_KEYS})_(?:api_key|api_token|access_token|api_base|base_url|auth_token|iam_token|secret_key|"
        r"credentials)\b(?:\s*=\s*['\"]?[^\s'\"]*)?|\baws_bearer_token_bedrock\b",
    ),
    _shape(
        "referrer",
        "*?utm_ *&utm_ *?ref *&ref *?source= *&source= *?src= *&src= *?via= *&via= *?from= *&from= *?origin= "
        "*&origin= *campaign= *?bot= *&bot= *?agent= *&agent= *oai-",
        r"[?&](?:utm_\w+|ref|referrer|referer|source|src|via|from|origin|aff\w*|\w*campaign|bot|agent|chat_?source)="
        rf"[\w.-]*(?:{_LINK_NAMES})[\w.-]*",
        r"[?&]oai[-_]\w+=[\w.-]*",
    ),
    _shape("referrer", "utm", rf"\butm_\w+=[\w.-]*(?:{_LINK_NAMES})[\w.-]*"),
    _shape(
        "copied_markup",
        "turn citeturn fileciteturn navciteturn iciteturn",
        r"(?:(?:file|nav|i)?cite\s?)?turn\d{1,3}(?:search|view|news|image|fetch|file|click|forecast|finance|sports|"
        r"product|academia|calculator|maps|reddit|youtube)\d{1,3}\w*",
    ),
    _shape("copied_markup", "*【", r"【\d+[†:][^】\n]{0,200}】"),
    _shape(
        "copied_markup",
        "contentreference oaicite oai",
        r":*contentreference\[oaicite:?\d*\](?:\{[^}\n]*\})?|\boai_?cit\w+(?::\d+)?",
    ),
    _shape("copied_markup", "grok xai", r"</?grok[-:_]\w[^>\n]*>|\bgrok_render_\w+|</?xai:\w+[^>\n]*>"),
    _shape("copied_markup", "cite", r"\[cite_(?:start|end)\]|\[cite: ?[\d, ]+\]"),
    _shape("copied_markup", "attached web", r"\[(?:attached_file|web|chart):\d+\]|\battached_file:\d+"),
    _shape(
        "copied_markup",
        "claude gemini qwen codex grok copilot",
        r"\b(?:claude|gemini|qwen|codex|grok)(?:\.local)?\.md\b|(?:~?/)?\.(?:claude|gemini|codex|qwen|grok)/[\w./-]*",
        r"\bcopilot-instructions\.md\b",
        needs=".md .claude/ .gemini/ .codex/ .qwen/ .grok/",
    ),
    _shape(
        "copied_markup",
        "authored generated mnt mistakes",
        r"\bco-authored-by: (?:claude|gemini|copilot|codex|chatgpt|qwen|grok|devin)[^\n]*",
        r"\bgenerated (?:with|by) \[?(?:claude code|gemini cli|codex)\b[^\n]{0,60}",
        r"(?:sandbox:)?/mnt/(?:data|user-data)/[\w./-]*",
        r"\b\w+ can make mistakes\. (?:check|please|consider|verify)[^\n]{0,60}",
    ),
    _shape(
        "copied_markup",
        "noreply",
        r"\bnoreply@(?:openai|anthropic|x|deepseek|mistral|bytedance)\.(?:com|ai)\b",
    ),
)

FINGERPRINTS: tuple[Fingerprint, ...] = (*_IDENTIFIERS, *_ERRORS, *_HOSTS, *_TOOLS, *_TRACES)

_BY_RUN: dict[str, list[int]] = {}
_BY_PIECE: dict[str, list[int]] = {}
for _number, _fingerprint in enumerate(FINGERPRINTS):
    for _anchor in _fingerprint.anchors:
        _index = _BY_PIECE if _anchor.startswith("*") else _BY_RUN
        _index.setdefault(_anchor.removeprefix("*"), []).append(_number)


def fingerprints_in(text: str, runs: Set[str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of every shape in a folded text whose runs of letters are ``runs``."""
    numbers: set[int] = set()
    for run in _BY_RUN.keys() & runs:
        numbers.update(_BY_RUN[run])
    for piece, shapes in _BY_PIECE.items():
        if piece in text:
            numbers.update(shapes)
    for number in sorted(numbers):
        fingerprint = FINGERPRINTS[number]
        if fingerprint.needs and not any(piece in text for piece in fingerprint.needs):
            continue
        for found in fingerprint.shape.finditer(text):
            yield found.start(), found.end(), fingerprint.kind
