"""How a speaker says who it is, in English."""

import re

from battles.blindness.marks import ANY, HOUSE, LOOSE, MODEL, NAME, SMALL

MADE = (
    r"(?:pre-?|fine-?|co-?)?(?:made|built|created|developed|trained|designed|engineered|programmed|invented|powered|"
    r"produced|tuned|hosted|deployed|founded|released|provided|offered|raised|taught|brought to life|put together|"
    r"owned|operated)"
)
#: Words that describe a program that talks; nothing else may stand between "I am" and "made by".
_SELF_WORDS = (
    r"an?|the|your|one|just|also|actually|originally|proudly|only|of|ai|a\.i\.|artificial|intelligence|large|small|"
    r"language|model|models|assistant|assistants|agent|agents|llm|system|systems|chatbot|bot|helpful|multimodal|"
    r"digital|virtual|software|program|machine|computer|computer-use|neural|network|conversational|generative|"
    r"general-purpose|web|browser|browsing|vision|vision-language|foundation|that|which|who|was|were|been|being|is|"
    r"and|fully|based|new|latest|friendly|open|open-source|open-weight|product|creation|family|series|member|here|"
    r"called|named|currently"
)
SELF_NOUN = r"(?:ai|assistant|model|models|agent|llm|chatbot|bot|language model|system|neural network|product|creation)"
_RULES = r"(?:polic(?:y|ies)|guidelines?|rules|terms|constitution|principles|instructions|values|spec)"
_RULE_KIND = r"(?:own |usage |use |content |safety |acceptable |responsible |ai |model )"
_ROLE = r"\b(?:speaking|answer|answering|acting|act|writing|responding|respond|working|serving|posing|here) "


def _rule(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


#: These hold for what is typed and for what is posted, too.
FIRST_PERSON: dict[str, re.Pattern[str]] = {
    "i_am": _rule(
        r"\b(?:i'm|i am|im|i was)(?: (?:just|actually|really|only|still|indeed|in fact|of course|called|named|"
        r"known as|based on|running on|run on|powered by|built on|built upon|basically|essentially|proudly|currently|"
        r"not human,? i am))*(?: (?:an? |the )?(?:instance|version|copy|variant|build|snapshot|member) of)?(?: the|"
        r" an?| your)?"
        rf"(?: (?:ai|new|large|language|latest|friendly|real|original|assistant|model|"
        rf"agent)){{0,3}},? ?[\"'*_(]{{0,3}}{NAME}",
        rf"\bi, {NAME},",
        rf"\b(?:i'm|i am) (?:actually |just )?{SMALL}(?=[,.!;:)]|$| and i| an? | by )",
    ),
    "i_am_of_house": _rule(rf"\b(?:i'm|i am) (?:the |an? )?{HOUSE}(?:'s)?(?: [\w-]+){{0,3}} {SELF_NOUN}\b"),
    "as_name": _rule(
        rf"(?:^|[.,;:(!?\n-] ?|\band |\bbut |{_ROLE})(?:as|being) (?:an? |the |your )?(?:{ANY}'s )?(?:ai |assistant |"
        rf"model |agent )*{NAME}(?:'s [\w-]+| (?:model|assistant|agent|ai|llm))?(?:,(?! ?(?:and |or )?{ANY})| i\b|"
        rf" i'| myself| we\b| my\b)",
        rf"\b(?:speak|answer|act|write|respond|work|serve|run|reply)(?:ing)? as {NAME}",
        rf"\bas (?:an? |the )?{LOOSE}(?:,? (?:i|myself)\b|,? i')",
    ),
    "as_made_by": _rule(
        rf"\bas an? (?:[\w,-]+ ){{0,8}}{SELF_NOUN}(?:,? [\w,-]+){{0,4}}? (?:by|from|of|at) (?:[\w'-]+ ){{0,4}}{ANY}"
    ),
    "name_here": _rule(
        rf"{NAME}(?:'s)?(?: \w+){{0,2}} (?:here\b(?!'s| is\b| are\b| you\b| and\b| in\b| at\b)|speaking\b|reporting\b|"
        r"signing (?:off|in|on|out)\b|at your service|was here(?=[.!]|$)|over and out)",
        rf"(?:^|[.!?\n] ?){SMALL} (?:here|speaking|reporting)\b(?!'s| is| are)",
    ),
    "my_name": _rule(
        r"\b(?:my (?:real |full |own |model |given |true )?name(?: is|'s|:)|name's|i'm called|i am called|i go by|"
        r"i call myself|i respond to|i answer to|you can call me|you may call me|just call me|call me|(?:everybody|"
        r"everyone|people|users|they|folks|most)(?: usually| often)? calls? me|call sign:?|"
        rf"(?:better )?known (?:to \w+ )?as)(?: the)?(?: name)? [\"'*_(]{{0,2}}{LOOSE}",
        rf"\bassistant (?:that )?(?:everybody|everyone|people|users|they|folks|most(?: people)?) (?:calls?|"
        rf"knows? as) {NAME}",
        rf"\b(?:this|that) (?:is|was) {NAME}(?:[.!)]|,(?! ?(?:and |or )?{ANY})|$)",
        rf"\b(?:it's|it is|it was|that's|this is) (?:only |just )?(?:me|i)[,:]? {NAME}",
        rf"{NAME}[,:]? (?:that is|that's|which is|meaning|also known as) (?:me|myself)\b",
    ),
    "you_face": _rule(
        r"\byou(?:'re| are| were|'ve been| have been) (?:now |currently |still |really |actually )?(?:talking|"
        r"chatting|speaking|writing|working|interacting|dealing|reading|messaging) (?:to |with )?(?:an? |the )?"
        rf"(?:instance of )?{NAME}",
        r"\b(?:agent|assistant|model|ai|bot|llm|one)(?: \w+)? (?:behind|running|doing|handling|driving|answering|"
        r"executing|you are|you're|that did|that ran|for|in|on|of) "
        rf"[^.!?\n]{{0,30}}\b(?:is|was|:) (?:called |named )?(?:the )?{NAME}(?=[.,;!)]|$| by\b| from\b)",
    ),
    "signed": _rule(
        r"(?:\bsigned(?: by)?[:,]?|\bregards,?|\bcheers,?|\bsincerely,?|\byours(?: truly)?,?|\bbest wishes,?|"
        r"\bgreetings from)"
        rf"\s*(?:[-–—~] ?)?(?:your )?{NAME}",
        rf"(?:\n|[.!?] ?)[-–—~]{{1,3}} ?{MODEL}[.!]?\s*$",
        rf"^\s*(?:--+|[–—~]+) ?{MODEL}[.!]?\s*$",
    ),
    "i_was_made_by": _rule(
        rf"\bi(?:'m| am| was| have been|'ve been| got)(?: (?:{_SELF_WORDS}),?){{0,14}} ?{MADE}(?: [\w'-]+){{0,4}}? "
        rf"(?:by|at|from|in|with)(?: [\w'-]+){{0,7}}? {ANY}",
        rf"\bi(?:'m| am)(?: (?:{_SELF_WORDS}),?){{0,10}} (?:from|by|of) (?:the )?(?:(?:team|company|lab|people|folks|"
        rf"makers|house) (?:at|of|behind) )?{ANY}(?=[.,;!]|$|'s? \w+ (?:team|lab)| and i)",
    ),
    "made_me": _rule(
        rf"{NAME}(?:'s)?(?: [\w-]+){{0,3}} (?:trained|built|created|developed|programmed|designed|engineered|taught|"
        rf"released) me\b",
        rf"{ANY}(?:'s)?(?: [\w-]+){{0,2}} (?:trained|built|created|developed|programmed) me\b",
        rf"{NAME} made me(?=[.,;!)]|$| and\b| to be\b)",
        rf"\b(?:trained|built|created|developed|designed|made) me[^.!?\n]{{0,40}} (?:at|by|is|was|called|"
        rf"named) (?:[\w'-]+ ){{0,3}}{ANY}",
    ),
    "my_maker": _rule(
        r"\bmy (?:own )?(?:makers?|creators?|developers?|inventors?|parent company|constitution|training|trainers?|"
        r"lab|guidelines|system prompt|weights|siblings?|predecessors?|successors?|older brother|knowledge|"
        r"architecture|backend|underlying model|base model|model card|foundation model|boss(?:es)?|designers?|"
        r"engineers?)\b"
        rf"[^.!?\n]{{0,80}}?{NAME}",
        r"\bmy (?:own )?(?:makers?|creators?|developers?|inventors?|parent company|trainers?|designers?)\b"
        rf"[^.!?\n]{{0,40}}?{HOUSE}",
        rf"\bmy (?:model )?(?:family|relatives|sisters|brothers|cousins)\b[^.!?\n]{{0,40}}?{NAME}",
        rf"\bmy (?:own )?{NAME}(?:'s)? (?:training|model|weights|constitution|guidelines|polic\w+|knowledge|roots|"
        rf"instructions|"
        r"brain|backend|heritage|values|principles)\b",
        rf"{ANY}(?: is|,| are|, who is)? (?:my|our) (?:own )?(?:makers?|creators?|developers?|parent company|"
        rf"inventors?|lab)\b",
        r"\bi(?:'m| am) (?:the |an? )?(?:\w+ )?(?:successor|predecessor|sibling|sister|brother|cousin|rival|"
        r"competitor|version|"
        rf"variant|replacement|heir|child|offspring) (?:of|to|for) (?:[\w'-]+ ){{0,3}}{ANY}",
        rf"\bmy (?:model|model name|model id|engine|version|identity|llm|brain) (?:is|:|=) ?(?:an? |the )?{NAME}",
    ),
    "policy": _rule(
        r"\b(?:following|per|under|due to|because of|given|as|according to|violat\w+|against|respect\w*|in line with|"
        r"bound by|"
        rf"with|by|of) (?:the )?{NAME}(?:'s)? {_RULE_KIND}*{_RULES}\b[^.!?\n]{{0,60}}\b(?:i|me|my|i'm|i'll|i've)\b",
        rf"\b(?:i|i'm|i'll|my)\b[^.!?\n]{{0,60}} {NAME}(?:'s)? {_RULE_KIND}+{_RULES}\b",
    ),
    "made_and_i": _rule(
        rf"(?:^|[.!?\n] ?){MADE}(?: \w+)? (?:by|at) (?:[\w'-]+ ){{0,4}}?{ANY}[^.!?\n]{{0,100}}\b(?:i|i'm|i'll|i've|"
        rf"my)\b"
    ),
    "spoken": _rule(rf"(?:^|[.!?\n] ?){MODEL}[,:]? (?:i'm|i am|i've|i'll|i was|i have|my)\b"),
}

#: In a sentence where somebody says who they are, these name the maker.
CREDIT = _rule(
    rf"(?:{MADE}|{SELF_NOUN})\b[^.!?\n]{{0,30}}?\b(?:by|at|from|of)(?: [\w'-]+){{0,5}}? {ANY}",
    rf"\ban? {ANY}(?:'s)?(?: [\w-]+){{0,2}} {SELF_NOUN}\b",
    rf"\bcalled {ANY}",
    rf"{NAME},? (?:by|from|of) (?:the )?{ANY}",
)
