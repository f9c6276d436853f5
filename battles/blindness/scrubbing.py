"""Taking names out of text: bluntly out of our own words, narrowly out of a model's."""

from __future__ import annotations

from dataclasses import dataclass

from battles.blindness.database_reading import database_would_refuse
from battles.blindness.lexicon import Lexicon
from battles.blindness.self_identification import Trace, Voice, traces_in
from governance.remembering import remembered

#: Of the rules: it goes into the stamp of every narrow column, so it rises whenever the same text would be scrubbed
#: differently, together with a migration that renews the guards.
SCRUBBER_VERSION = 2

#: What stands where our own message named somebody.
BLUNT_MARK = "[name withheld]"
#: What stands where a model said who it is. Different, because only this one counts as a leak.
NARROW_MARK = "[identity withheld]"

#: Taking one thing out can bring two others together; real texts need a second look at most.
MOST_PASSES = 4
#: Texts scrubbed lately. The field asks twice for each write: once for the object, once for the database.
REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Replaced:
    """One piece that was taken out and the rule that found it."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text fit to be seen by a judge, and what it took."""

    text: str
    replaced: tuple[Replaced, ...] = ()


def scrub_blunt(text: str, lexicon: Lexicon) -> Scrubbed:
    """Replace every name, SDK exception, request identifier and user-agent token in words of our own.

    What comes out passes the database's own look for names.
    """
    scrubbed = _scrub(text, lexicon, Voice.OURS, BLUNT_MARK)
    if not text.isascii() and database_would_refuse(scrubbed.text, lexicon):
        return Scrubbed(BLUNT_MARK, (*scrubbed.replaced, Replaced(scrubbed.text, "as the database reads it")))
    return scrubbed


def scrub_narrow(text: str, lexicon: Lexicon, voice: Voice = Voice.SPOKEN) -> Scrubbed:
    """Replace what tells which model wrote the text, and leave alone what it merely talks about.

    ``voice`` is :attr:`Voice.SPOKEN` for reasoning and answers, :attr:`Voice.TYPED` for what is typed into pages.
    """
    return _scrub(text, lexicon, voice, NARROW_MARK)


@remembered(most=REMEMBERED)
def _scrub(text: str, lexicon: Lexicon, voice: Voice, mark: str) -> Scrubbed:
    """Scrubbing what comes out changes nothing more; at most ``len(mark)`` characters are added for each piece."""
    replaced: list[Replaced] = []
    for _ in range(MOST_PASSES):
        traces = traces_in(text, lexicon, voice)
        if not traces:
            return Scrubbed(text, tuple(replaced))
        replaced.extend(Replaced(text[trace.start : trace.end], trace.reason) for trace in traces)
        text = _without(text, traces, mark)
    if traces_in(text, lexicon, voice):
        replaced.append(Replaced(text, "unsettled"))
        text = mark
    return Scrubbed(text, tuple(replaced))


def _without(text: str, traces: list[Trace], mark: str) -> str:
    pieces: list[str] = []
    position = 0
    for trace in traces:
        pieces.extend((text[position : trace.start], mark))
        position = trace.end
    pieces.append(text[position:])
    return "".join(pieces)
