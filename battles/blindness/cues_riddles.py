"""How a speaker lets the reader guess who it is: by its maker, its relatives or its name."""

import re
from collections.abc import Set


def _rule(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_PEOPLE = (
    r"(?:company|lab|team|people|firm|startup|start-up|organi[sz]ation|folks|group|researchers|engineers|giant|"
    r"corporation|person|man|guy|ones?|billionaire)"
)
_SELF = (
    r"(?:model|models|assistant|ai|llm|chatbot|bot|agent|system|one|product|creation|successor|version|sibling|rival)"
)
_NOT_A_THING = r"(?! an?\b| the\b| this\b| some\b)"

#: Somebody made the speaker, whoever it was; with a hint in the same sentence it can be guessed.
PROVENANCE = _rule(
    r"\bmy (?:own )?(?:developers?(?! tools| console| mode| account)|siblings?|brothers?|sisters?|cousins?|"
    r"namesakes?|logo|mascot|founders?|ceo|headquarters|lab|family|company)\b",
    r"\bmy (?:own )?(?:makers?|creators?|inventors?|parent company|trainers)'?s?\b",
    rf"\bmade me\b{_NOT_A_THING}",
    r"\bi (?:was|am|have been|got)(?: \w+){0,2} (?:made|designed|named|born|released|raised|trained) (?:by|at|in|"
    r"after|for|from)\b",
    r"\bi (?:come|hail|originate) from\b",
    r"\bsame (?:lab|company|team|makers?|people|family|creators?|house|firm|developers?|folks|parents?|group) (?:as|"
    r"that|who|which|behind|of)\b",
    r"\bi(?:'m| am) (?:from|by) (?:the )?(?:makers?|creators?|people|company|team|lab|house|folks|inventors?)\b",
    rf"\bi(?:'m| am) (?:the|that|an?|your|one of)(?: [\w'-]+){{0,5}} {_SELF}(?: (?:from|named|called|with|whose|that|"
    rf"which|"
    r"who|everybody|everyone|people|by|made|built|of|to|behind|out of|whom)\b|,)",
    r"\bi(?:'m| am) named (?:after|for|like)\b|\bnamed (?:me|my)\b|\bi belong to\b",
    r"\bi(?:'m| am) (?:the )?(?:\w+ )?(?:successor|sibling|rival|answer) (?:of|to)\b",
)
#: Nobody but a program says these of itself, so they tell without a hint.
ORIGIN = _rule(
    r"\bmy (?:own )?(?:makers?|creators?|inventors?|parent company|trainers|developers) (?!tools|console|mode|"
    r"account)(?:\w+ )?(?:is|are|was|were|has|have|also|calls?|named|gave|taught|asked|trained|owns?|sells?|makes?|"
    r"made|at|in|lives?|works?|runs?|built|released|told|wants?|says?|believes?|sits?|started|founded|publish|"
    r"publishes|trains?)\b",
    r"\bmy siblings (?:are|were|include|is|have)\b",
    rf"\b{_PEOPLE}(?: \w+){{0,3}}? (?:made|built|created|trained|developed|designed|runs|owns|released|founded) me\b",
    rf"\b(?:built|created|trained|developed|designed|programmed|invented|engineered) me\b{_NOT_A_THING}",
    r"\bi (?:was|am|have been|got)(?: \w+){0,2} (?:built|created|trained|developed|invented|engineered|"
    r"programmed) (?:by|at)\b",
)
#: Riddles that need no hint.
OPEN_RIDDLE = _rule(
    r"\bi share (?:my|a|the) (?:\w+ )?name with\b",
    r"\bguess who (?:made|built|trained|i am)\b",
    r"\bi(?:'m| am) (?:not )?allowed to say (?:who|which)\b",
    r"\b(?:you can guess|guess) (?:which|what) (?:model|lab|company)\b",
)
#: What is said of one's own name only counts with a riddle about it.
OWN_NAME = _rule(
    r"\b(?:my|our) (?:\w+ )?names?\b|\bname (?:of mine|i bear|i carry|i go by)\b",
    r"\bi(?:'m| am) (?:named|called)\b|\bi share\b|\bwhat i'm called\b",
)
RIDDLE = _rule(
    r"\brhymes?\b|\b(?:starts?|begins?) with (?:the letter |an? )?\w\b|\bends? (?:with|in)\b|\b(?:\w+|\d+) letters\b|"
    r"\bzodiac\b",
    r"\bconstellation\b|\btwins\b|\bpoems?\b|\bpoetry\b|\bfrench\b|\bfirst name\b|\banimal\b|\bwind\b|\bstar sign\b",
    r"\bhitchhiker\b|\bheinlein\b|\bshannon\b|\bspells?\b|\banagram\b|\bacronym\b|\babbreviation\b|\binitials\b|"
    r"\bsounds like\b",
    r"\bfather of\b|\binformation theory\b|\bhomophone\b|\bconsonants?\b|\bvowels?\b|\bwhale\b|\bcamel\w*\b|"
    r"\bmusical\b",
    r"\bjapanese verse\b|\bmasterpiece\b|\bmeans\b",
)
_PLACES = (
    r"\b(?:san francisco|mountain view|menlo park|redmond|hangzhou|beijing|shenzhen|shanghai|seattle|cupertino|"
    r"palo alto|paris(?:ian)?|toronto|tel aviv|bay area|silicon valley|santa clara|london|heidelberg|moscow|seoul|"
    r"armonk|chin(?:a|ese)|france|french|canad(?:a|ian)|russian?|korean?|israeli?|abu dhabi|california|american?)\b"
)
_FOUNDERS = (
    r"\b(?:amodei|dario|daniela|altman|sutskever|brockman|musk|elon|zuckerberg|zuck|hassabis|demis|pichai|sundar|"
    r"nadella|satya|bezos|jassy|arthur mensch|liang wenfeng|lecun|suleyman|jensen|aidan gomez|murati|shazeer|jack ma|"
    r"robin li|karpathy|brin|larry page|jeff dean|gates|jared kaplan|yang zhilin)\b"
)
_PRODUCTS = (
    r"\b(?:dall-?e|sora|whisper|alphago|alphafold|tiktok|douyin|facebook|instagram|whatsapp|windows|office|xbox|"
    r"gmail|youtube|android|search (?:engine|company|giant)|twitter|tesla|spacex|rockets?|aws|prime|taobao|iphones?|"
    r"bird|bird app|photoshop|midjourney|imagen|veo|waymo|chrome|maps|threads|metaverse|quest|linkedin|github|bing|"
    r"clippy|cortana|siri|alexa|kindle|wechat|qq|books|cloud|servers?|smartphones?|electric cars?|ads|video app|"
    r"short videos?|gpus?|graphics cards?)\b"
)
_LORE = (
    r"\b(?:hitchhiker|zodiac|constellation|twins|whales?|poems?|poetry|haikus?|sonnets?|animal|llamas?|wind|"
    r"hedge fund|constitution\w*|rhymes?|e-?commerce|online (?:retailer|bookstore|store)|social network|tech giant|"
    r"big blue|software giant|nonprofit|non-profit|capped-profit|public benefit|safety (?:lab|company)|ai safety|"
    r"frontier lab|big ?tech)\b"
)
#: What lets a reader guess the maker.
HINT = _rule(_PLACES, _FOUNDERS, _PRODUCTS, _LORE)

#: Words without which none of the rules can hold. "One", "from" and the like are too common to be of use alone.
_WORDS = frozenset(
    """made built created trained developed designed programmed invented engineered runs owns named born released
    raised founded maker makers creator creators developer developers inventor inventors sibling siblings
    brother brothers sister sisters cousin cousins namesake namesakes logo mascot founder founders ceo
    headquarters lab family company companies trainers parent come hail originate belong model models assistant
    ai llm chatbot bot agent system product creation successor version rival people team house folks firm group
    parents answer name names called share guess allowed""".split()
)
_OWN = frozenset({"i", "me", "my", "same", "our"})


def may_riddle(runs: Set[str]) -> bool:
    """Whether a text with these runs of letters can hold a riddle at all."""
    return not _WORDS.isdisjoint(runs) and not _OWN.isdisjoint(runs)
