"""Does a task ask for an answer, or for something to be done? A first guess that the submitter can correct."""

from __future__ import annotations

import re

from battles.screening.canonical_wording import plain_text
from battles.screening.instruction_commands import commands_in

ANSWER = "answer"
ACTION = "action"

# A sentence that ends in a question mark, but "could you ...?" is a request.
_QUESTION = re.compile(
    r"(?:^|[.!?]\s)(?!(?:please )?(?:can|could|would|will) you\b)[^.!?]*\?"
    r"|^(?:what|which|who|whose|whom|where|when|why|how|is|are|was|were|does|do you|did|has|have you|can i|may i)\b"
)
# Whatever else is to be done, somebody wants to be told something in the end.
_REPORTS = (
    r"tell|quote|name|list|report|say|state|describe|summari[sz]e|explain|count|compare|compute|calculate|work out",
    r"determine|identify|find out|figure out|look up|note|write (?:down|out)|answer|output|extract|collect|gather",
    r"translate|transcribe|let me know|provide|verify|spell|convert|rank|see (?:if|whether|which|how|what)",
    r"check (?:if|whether|for|how|what|which|the|that|when|where)|make (?:me )?a (?:list|table)",
    r"i (?:want|need|would like) (?:to know|the|an?)|i'd like (?:to know|the|an?)|i(?:'m| am) looking for",
    r"(?:give|send|show|read) (?:me|us|out)",
    r"give (?:the|its|all|only|at|both|two|three|your|an?|their) (?!\w+ (?:an?|one|two|three|four|five|\d))",
    r"show (?:how|which)|read (?:the|off|it)|copy (?:the|its|out)(?!.*\binto\b)",
    r"return (?:its|a list|only|the (?:\w+ )?(?:names?|number|list|title|price|result|answer|url|link))",
)
_REPORT = re.compile(rf"(?:{'|'.join(_REPORTS)})\b")
_SEARCH = re.compile(r"(?:find|search|look|locate|browse|get|discover|explore|investigate|research)\b")
_PREPARES = re.compile(
    r"(?:go|visit|open|navigate|log|sign in|use|scroll|click|take|start|choose|filter|sort|select)\b"
)

_DEED = re.compile(
    r"(?:add|set|fill|enter|type|press|drag|drop|draw|move|create|make|build|play|pause|stop|mark|switch|turn|toggle|"
    r"remove|delete|clear|rename|change|edit|update|upload|download|save|export|import|put|buy|order|book|reserve|pay|"
    r"post|send|reply|comment|submit|register|apply|schedule|cancel|follow|like|share|vote|subscribe|rate|borrow|return|"
    r"renew|complete|assign|attach|bookmark|join|leave|write|highlight)\b"
)


def guess_task_kind(instruction: str) -> str:
    """:data:`ANSWER` when the text asks a question or to be told something, or only to find something (what was found
    is the answer); :data:`ACTION` when anything else is to be done.
    """
    commands = commands_in(instruction)
    if _QUESTION.search(plain_text(instruction)) or any(_REPORT.match(command) for command in commands):
        return ANSWER
    deeds = [command for command in commands if not _PREPARES.match(command)]
    return ANSWER if deeds and _SEARCH.match(deeds[0]) and not any(map(_DEED.match, deeds[1:])) else ACTION
