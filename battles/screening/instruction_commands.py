"""What a task tells the agents to do, cut out of how people say it."""

from __future__ import annotations

import re

from battles.screening.canonical_wording import plain_text

_QUOTED = re.compile(r'"[^"]*"')
# Sentence ends, commas, and the words that join commands. A colon or full stop inside a number or address is no end.
_JOINT = re.compile(r"(?:[.!?;]+(?=\s|$)|,|:(?=\s)|\s-\s)\s*(?:and |or |but |then )*|\s(?:and then|and|then|or|but)\s")
# "Go to the shop to buy ..." commands the buying too.
_ERRAND = re.compile(r"(?:go|head|use|visit|open|navigate|return|proceed|take)\b")
_PURPOSE = re.compile(r"\sto\s(?=\w)")
# "how to find a seat and book it": what follows "and" is still part of the question.
_ASKS_HOW = re.compile(
    r"\b(?:how|where|when|ways?|steps?|possible|instructions?|able|allowed|whether (?:i|one|you))\s"
    r"(?:to|do|does|can|could|should|would|i can|one can|you can|for)\b"
)
_COURTESIES = (
    r"please|kindly|now|then|next|finally|also|first|second|third|lastly|just|afterwards|after that|immediately",
    r"quickly|automatically|task|goal|hey|hi|hello|so|ok|okay|quick one|for me|on my behalf|in that case|go ahead",
    r"let's|let us|can you|could you|would you|will you|can we|i(?: would|'d) (?:like|love|want) (?:you )?to",
    r"i (?:want|need|wish) (?:you )?to|you (?:should|must|need to|have to|are to)|your (?:task|job|goal) is to|i want",
    r"help me(?: to)?|try to|make sure (?:to|you)|be sure to|remember to|don't forget to|proceed to",
    r"if (?:so|yes|not|possible|available)",
)
# "on the market place place a bid": the place comes first, without a comma.
_PLACE_FIRST = (
    r"(?:on|at|in|from|via|using|with|through|inside|under) (?:the |my |this |our )?[\w.&'-]+(?: [\w.&'-]+){0,2}?"
    r"(?= (?:buy|order|book|pay|post|send|delete|cancel|reserve|purchase|submit|remove|reply|comment|write|leave|place)"
    r"\s)"
)
_COURTESY = re.compile(rf"^(?:{'|'.join(_COURTESIES)}|{_PLACE_FIRST})\b\s*")


def commands_in(instruction: str) -> list[str]:
    """The commands of a text in order, in plain lower case, courtesies off, what is quoted left out.

    Parts of a question ("how do I ...") are no commands; parts that begin with no verb are kept, since what they begin
    with is the rules' business.
    """
    commands: list[str] = []
    for line in instruction.splitlines():
        text = _QUOTED.sub('""', plain_text(line))
        start, asks_how = 0, False
        for joint in (*_JOINT.finditer(text), None):
            part = text[start : joint.start() if joint else len(text)].strip(" -*\u2022\"'()")
            asks_how = asks_how or bool(_ASKS_HOW.search(part))
            if part and not asks_how:
                commands.extend(_bare(part))
            if joint is None:
                break
            if joint.group().strip() not in {"and", "or"}:
                asks_how = False
            start = joint.end()
    return commands


def _bare(part: str) -> list[str]:
    """A command without its courtesies and, when it is an errand, what the errand may be for as well."""
    while (courtesy := _COURTESY.match(part)) and courtesy.end():
        part = part[courtesy.end() :].lstrip(" ,:")
    purposes = _PURPOSE.finditer(part) if _ERRAND.match(part) else ()
    return [command for command in (part, *(part[purpose.end() :] for purpose in purposes)) if command]
