"""How a text says which model did the work, without saying "I"."""

import re

from battles.blindness.cues_first_person import SELF_NOUN
from battles.blindness.marks import ANY, FAMILY, FULL, MODEL, NAME, PLAIN_SIGN, START, SURE, WORD

_DONE_BY = (
    r"(?:answered|written|generated|made|done|completed|produced|summari[sz]ed|powered|executed|performed|ran|run|"
    r"created|translated|extracted|driven|solved|submitted|filled(?: in| out)?|typed|handled|prepared|checked|"
    r"reviewed|carried out|finished|controlled|operated|navigated|browsed|drafted|composed|compiled|brought to you|"
    r"assisted|automated|captured|reasoned|planned|processed|evaluated|verified|served|attempted)"
)
_WORK = (
    r"(?:task|run|answer|summary|notes?|report|search|response|work|steps?|session|job|text|results?|output|page|"
    r"reply|log|trajectory|trace|plan|message|booking|form)"
)
_CANNOT = (
    r"(?:could not|couldn't|cannot|can't|can not|failed to|was unable to|is unable to|did not|didn't|does not|"
    r"doesn't|won't|tried to|tries to|managed to|decided to|has to|had to|needs to|wants to)"
)
_TOOL_VERBS = (
    r"(?:click|find|load|open|read|complete|finish|see|access|log|submit|locate|solve|type|scroll|navigate|continue|"
    r"select|fill|reach|interact|search|proceed|parse|process|verify|extract|reliably|handle|detect|view|move|"
    r"do (?:this|that|it|the)|get (?:past|to)|answer (?:this|the|that))"
)
#: What only somebody working at a browser does; so it counts also where the name is an ordinary word.
_ACTED = (
    rf"(?:clicked|clicks|located|locates|scrolled|navigated|navigates|typed|filtered|"
    rf"{_CANNOT} (?:\w+ly )?{_TOOL_VERBS}|"
    r"finished (?:the (?:workflow|task|run|job|search|form|steps?)|in \d+|all|my|your|with \d+|after \d+)|"
    r"completed (?:the (?:search|task|form|workflow|run|job|steps?)|in \d+|all|step|your|my|this)|did (?:this|it|"
    r"that|the (?:task|search|work|job|run|whole)|all|everything|these|not (?:click|find))|took (?:\d+|\w+ty|\w+teen|"
    r"[a-z]+) (?:\w+ )?(?:steps|actions|clicks|turns|screenshots|seconds|attempts|tries)|(?:paused|stopped|ended|"
    r"aborted|resumed|started|handled|ran|solved) (?:the|this) (?:task|run|workflow|job|search)|predicted (?:the|a|"
    r"click)|answered\b(?! (?:the phone|the door|questions|a question|calls))|was used (?:for|to|here|in this)|"
    r"timed out|(?:is|was) (?:clicking|thinking|navigating|searching|browsing|scrolling|typing|driving|controlling|"
    r"executing|processing)|(?:wrote|generated|produced|created|prepared|filled in|filled out) (?:this|the (?:script|"
    r"summary|answer|text|note|report|plan|form|code|list|response|table))|(?:took|taken|taking|takes) (?:over|"
    r"control)|(?:has|have) taken (?:over|control)|grounded|tapped|swiped|replied|responded|summari[sz]ed|says hi|"
    r"says hello|signed off|self-reported|hit (?:the|its|a) (?:\w+ )?(?:limit|cap|budget)|was (?:driving|running|"
    r"controlling|asked to)|(?:has|have) (?:clicked|finished|completed|ended|answered|located|found the|filled|"
    r"submitted))"
)
_ACTED_WIDELY = (
    rf"(?:{_ACTED}|{_CANNOT} \w+|found\b|thinks\b|thought\b|reasoned|reasons\b|selected|opened|submitted|searched|"
    rf"extracted|"
    r"completed\b|finished\b|gave up|got stuck|ran into|ran out|looked at|looks at|concludes|concluded|notes that|"
    r"observes|observed|executed|performed|solved|filled|booked|checked|retrieved|fetched|recommends|suggests|"
    r"wrote\b|decided|chose\b|picked|tried\b|reads?\b|ran\b|is (?:done|ready|stuck|finished|waiting|working|confused|"
    r"unsure)|says (?:the|that|it|done)|said (?:the|that|it|done)|verified|identified|asks? (?:you|the user|for)\b|"
    r"asked (?:you|the user|for)\b|compared|downloaded|uploaded|returned|output\b|reported\b|encountered|detected|"
    r"hallucinated|interpreted|refused)"
)
_ADVERBS = (
    r"(?: (?:just|then|also|has|have|had|successfully|quickly|finally|already|now|again|correctly|here|only|first|"
    r"\w+ly))*"
)
_THOUGHTS = (
    r"(?:ai |final |own )*(?:assistant|agent|model|plan|reasoning|thoughts?|thinking|answer|summary|response|output|"
    r"notes?|action|actions|log|trace|step|steps|reply|report|analysis|observation|says|replies|answers|result|"
    r"conclusion|comment|task|decision|status|transcript|screenshot|attempt|run|session|turn|verdict|take|"
    r"chain of thought|prompt|tool call|mode|agent mode|speaking)"
)
_OPENING = (
    r"(?:i\b|i'|we\b|let me|let's|sure|here\b|task\b|done\b|ok\b|okay|the task|clicking|click|typing|scrolling|"
    r"opening|open the|searching|navigating|next|first,|thinking|looking|now\b|my\b|found\b|completed|finished|"
    r"step \d)"
)
_TROUBLE = (
    r"(?:error|limit|quota|exceed|balance|credit|unauthori|invalid|fail|time ?out|timed out|overload|unavailable|"
    r"denied|too low|\b(?:401|403|429|500|502|503|504|529)\b|exception|refused|expired|busy|down\b|not respond)"
)
_CALLING = (
    r"(?:error|limit|quota|exceeded|balance|credit|unauthori\w+|invalid|failed|timeout|timed out|overloaded|"
    r"unavailable|denied|too low|429|503|529|exception|refused|could not reach|connect|calling|calls? to|request to|"
    r"response from|reply from|answer from|waiting for|access)"
)
_SERVICE = (
    r"(?:api|sdk|endpoint|backend|client|quota|rate limits?|servers?|inference|model server|credits?|account|key)"
)


def _rule(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


#: Asked of what a model says and types, not of what a page shows.
ACTING: dict[str, re.Pattern[str]] = {
    "acted": _rule(
        rf"{SURE}(?: (?:agent|assistant|model|bot))?(?: \([^)\n]{{0,30}}\))?{_ADVERBS} {_ACTED_WIDELY}",
        rf"(?<!the ){WORD}{_ADVERBS} {_ACTED}",
        rf"\bthe {MODEL} (?:agent|model|assistant|bot|lane|run|session){_ADVERBS} {_ACTED_WIDELY}",
    ),
    "did_something": _rule(
        rf"{FAMILY}{_ADVERBS} (?!used|based|named|called|owned|backed|listed|priced|updated|discontinued|trained|"
        rf"hosted|"
        r"headquartered|located in|valued)\w+ed (?:the|an?|on|in|to|my|this|that|it|all|\d+|both|every|each|its)\b"
    ),
    "done_by_model": _rule(
        rf"(?:{START}|\bthis (?:\w+ )?(?:was |is |run was |answer was |note was )?|\b{_WORK} (?:was |were |is |"
        rf"has been |got )?){_DONE_BY}(?: \w+)?(?: (?:entirely|automatically|here|today|end to end))? (?:by|with|"
        rf"using|via|through|on|under|in) (?:the |an? )?(?:ai |model |agent |assistant )*[\"'`*_(]{{0,2}}{MODEL}"
    ),
    "running": _rule(
        rf"(?:{START}|\bi'm |\bi am |\bwe are |\bnow |\bhere )(?:running|run|using|via|powered by|calling|"
        rf"switching to|querying|"
        r"invoking|prompting|asking|loading|driven by|thinking with|falling back to|handing over to|delegating to|"
        r"deferring to|"
        rf"sent to|routed to) (?:the )?(?:model )?[\"'`]?{SURE}"
    ),
    "thoughts": _rule(rf"{START}{PLAIN_SIGN}{{0,4}}(?<!the ){MODEL}(?:'s)?(?: {_THOUGHTS})+\b(?! costs?| pric)"),
    "thoughts_label": _rule(rf"{START}{PLAIN_SIGN}{{0,4}}(?<!the ){MODEL}(?:'s)?(?: {_THOUGHTS})+\s?[:>]"),
    "label": _rule(rf"(?:^|\n){PLAIN_SIGN}{{0,4}}{MODEL}\W{{0,3}}[:>|]\W{{0,3}}{_OPENING}"),
    "model_label": _rule(
        r"\b(?:model|agent|assistant|llm|engine|bot|author|by|from|source|provider|backend|deployment|driver|runner|"
        rf"identity|produced by|prepared by|written by)(?: \w+)?\"?\s?[:=]\s?[\"'`*_]{{0,3}}{NAME}"
    ),
    "work_by": _rule(
        r"\b(?:summary|answer|report|notes?|plan|text|translation|list|analysis|reply|response|steps?|results?|run|"
        r"search|actions?|clicks?|decision|reasoning|thoughts?|draft|execution|navigation|task|output|code|script|"
        r"screenshot|trajectory|work) (?:is |was )?(?:by|via|from|courtesy of|(?:made|done|written|provided|given|"
        r"sent) by) "
        rf"{MODEL}(?=\W*$|[.,;:!)\n])"
    ),
    "by_name": _rule(rf"(?:^|\n|[-–—(\[] ?)(?:by|from|via|per|courtesy of) {SURE}\W{{0,3}}(?:$|\n|[)\]])"),
    "in_brackets": _rule(rf"\b(?:assistant|agent|chatbot|bot|llm|language model)\W? ?[(\[]{NAME}[)\]]"),
    "your_own": _rule(
        r"\byour (?:very )?(?:friendly|own|helpful|faithful|humble|trusty|loyal|personal|ai|favou?rite|dedicated|"
        r"tireless|"
        rf"devoted|digital|virtual) (?:\w+ )?{MODEL}"
    ),
    "thanks": _rule(
        rf"\b(?:thanks|thank you) for (?:choosing|using|asking|trusting|trying|chatting with|working with) {NAME}"
    ),
    "toolkit": _rule(
        rf"{NAME}(?: \w+){{0,2}} (?:sdk|python client|cli|adk|tool ?use|function calling|extended thinking|"
        rf"computer use|"
        r"connector)\b"
    ),
    "api_trouble": _rule(
        rf"{NAME}(?:'s)?(?: \w+)? {_SERVICE}\b[^\n]{{0,60}}{_TROUBLE}",
        rf"{_CALLING}[^\n]{{0,60}}{NAME}(?:'s)?(?: \w+)? (?:api|sdk|endpoint|backend|model server|inference)\b",
        r"(?:error|limit|quota|exceeded|failed|timeout|overloaded|unavailable|not found|not exist|not available)"
        rf"[^\n]{{0,60}}\b(?:model|deployment|engine)\W{{1,3}}{NAME}",
        rf"\b(?:model|deployment|engine)\W{{1,3}}{NAME}\W{{0,3}}(?:is |was |does )?(?:not found|not exist|overloaded|"
        r"unavailable|deprecated|at capacity|currently)",
        rf"(?:error|exception|timeout|failure|refusal|\b(?:429|500|502|503|529)) (?:\w+ )?(?:from|by|at) {NAME}",
        rf"\b(?:requests?|calls?|connection|prompt|query) (?:sent )?to {NAME}[^.\n]{{0,30}}(?:timed out|failed|refused|"
        r"rejected|returned|aborted|dropped)",
        rf"{MODEL} (?:is|was) (?:overloaded|at capacity|rate.?limited|unavailable|not responding|currently)",
    ),
    "ours": _rule(
        rf"(?:^|[.!?,(\n-] ?)an? {ANY}(?:'s)? {SELF_NOUN}\W{{0,2}}(?:$|[.!,)\n])",
        rf"^\W{{0,3}}{MODEL}\W{{0,3}}, (?:an?|the|your) (?:[\w-]+ ){{0,3}}{SELF_NOUN}\b",
    ),
}

#: Rules that hold although the sentence speaks of models as things of the world: the rest of it is about the task.
WHATEVER_THE_SUBJECT = frozenset({"acted", "done_by_model", "api_trouble", "thoughts_label", "label"})
#: Rules about a thing that belongs to the model, where that thing is its own thoughts and nothing on the page.
ABOUT_THOUGHTS = frozenset({"thoughts", "thoughts_label"})

#: A full model name tells by itself, unless the sentence is about models as things of the world.
ON_SIGHT = re.compile(FULL)

#: A sentence with one of these speaks of models as things of the world.
SUBJECT_WORDS = frozenset(
    """cost costs costing price prices priced pricing monthly subscribe subscription subscribers eur usd gbp star
    stars review reviews rating ratings rated article articles headline headlines news press blog announce
    announced announces announcement launch launched launches release released releases raised funding valuation
    incident incidents career careers benchmark benchmarks leaderboard leaderboards score scores scored rank
    ranks ranked ranking paper papers arxiv pretraining parameters license licensed licence licensing downloads
    docs documentation wikipedia compare compared compares comparing comparison versus vs million billion
    trillion weights support supports introduce introduced introduces introducing founded ceo users share shares
    stock product products deprecated tutorial github repository huggingface changelog""".split()
)
SUBJECT_PHRASE = _rule(
    r"[$€£¥]\d",
    r"\b(?:(?:per|a) month|(?:play|app) store|according to|reports? (?:that|lists|says|states|shows|gives|mentions)|"
    r"status page|open roles?|trained on|context (?:window|length)|model card|per 1m tokens|available (?:on|in|for|"
    r"to|from)|market share|search results?|how (?:many|much|to)|what is|hugging face|version history|details of)\b",
    r"\b(?:the|this) (?:page|site|website|table|list|chart|post|author|card|repo|section|video|listing) (?:says|"
    r"lists|shows|mentions|states|describes|names|gives|claims|reads)\b",
)
_WORD = re.compile("[a-z]+")


def about_models(sentence: str) -> bool:
    """Whether a skeleton speaks of models as things of the world: prices, articles, benchmarks."""
    return not SUBJECT_WORDS.isdisjoint(_WORD.findall(sentence)) or SUBJECT_PHRASE.search(sentence) is not None


#: Right after a name these make it the name of a thing on the page.
THING = _rule(
    r"(?:'s)? (?:status|pricing|prices?|website|web ?site|site|pages?|blog|docs?|documentation|apps?|store|login|"
    r"log-in|sign-?up|account|careers?|help cent(?:er|re)|support|homepage|newsletter|subscription|plans?|tier|logo|"
    r"link|tab|button|article|channel|profile|press|report|paper|post)\b"
)
