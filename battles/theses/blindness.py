"""Beliefs about blindness where texts are written, and before the first judge arrives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection

from battles.blindness.fields import NarrowScrubbedTextField
from battles.blindness.guards import guard_faults
from battles.blindness.leak_scan import LeakReport, LeakResult, SeenText
from battles.blindness.lexicon import Lexicon, current_lexicon
from battles.blindness.scrubbing import NARROW_MARK
from battles.blindness.self_identification import Voice
from battles.matchmaking import REDUNDANT_SHARE, Randomness
from battles.theses.matchmaking import DRAW, Grid
from governance.theses import Cited, CodeMutation, DatabaseMutation, Section, Thesis, thesis

SPEAKS_OF_ITSELF = "I am Claude, a model made by Anthropic, and I cannot see the page."


def _scrubs(column: type[NarrowScrubbedTextField]) -> bool:
    """A name does not survive a write of the ORM, and what goes round the ORM meets a trigger that fires."""
    written = column().scrubbed(SPEAKS_OF_ITSELF) or ""
    return NARROW_MARK in written and "Claude" not in written and guard_faults(connection) == []


class _KeepsNames(NarrowScrubbedTextField):
    """A column that keeps what it is given."""

    def scrubbed(self, value: Any) -> str | None:
        return None if value is None else str(value)


thesis(
    Thesis(
        section=Section.BLINDNESS,
        key="scrubbed-at-the-write",
        belief="No name of an agent is stored where a judge could read it, whatever writes.",
        why="What was never stored cannot be shown by a page that forgets to hide it.",
        mechanism="Declared column types scrub in the one place that every write passes; triggers of the database "
        "refuse what went round them (scrubber version {version}).",
        cites=Cited("battles.blindness.fields", "NarrowScrubbedTextField"),
        figures={"version": Cited("battles.blindness.scrubbing", "SCRUBBER_VERSION")},
        predicate=_scrubs,
        broken=_KeepsNames,
        mutations=(
            CodeMutation(
                "the scrubbing of what models write",
                "battles/blindness/fields.py",
                "scrub_narrow(storable(text), current_lexicon()).text\n\n    def digest(self, value: Any) -> bytes:",
                "storable(text)\n\n    def digest(self, value: Any) -> bytes:",
            ),
            DatabaseMutation(
                "the guard of lanes' answers",
                ('ALTER TABLE "battles_lane" DISABLE TRIGGER "battles_lane_answer_guard"',),
            ),
            DatabaseMutation(
                "what the guard of steps' reasoning does",
                (
                    'CREATE OR REPLACE FUNCTION "battles_step_reasoning_guard"() RETURNS trigger LANGUAGE plpgsql '
                    "AS 'BEGIN RETURN NEW; END'",
                ),
            ),
        ),
    )
)


def _fails_closed(scan: Callable[..., LeakReport]) -> bool:
    """Clean is only what was scanned and found clean; what was missing, late or broken is not."""

    def result(text: str | None, **fields: Any) -> LeakResult:
        return scan([SeenText("a step", Voice.SPOKEN, text)], current_lexicon(), **fields).result

    def breaks() -> Iterable[SeenText]:
        raise OSError
        yield

    unclear = (
        result(None),
        result("Fine.", seconds=-1.0),
        scan(breaks(), current_lexicon()).result,
        scan([], current_lexicon()).result,
    )
    return (
        result("The library opens at nine.") is LeakResult.CLEAN
        and result(SPEAKS_OF_ITSELF) is LeakResult.LEAKED
        and set(unclear) == {LeakResult.UNSCANNABLE}
    )


def _takes_silence_for_clean(texts: Iterable[SeenText], lexicon: Lexicon, *, seconds: float = 1.0) -> LeakReport:
    """A scan that calls clean what it could not look at."""
    try:
        named = any("Claude" in (seen.text or "") for seen in texts)
    except OSError:
        named = False
    return LeakReport(LeakResult.LEAKED if named else LeakResult.CLEAN)


thesis(
    Thesis(
        section=Section.BLINDNESS,
        key="scanned-before-the-first-judge",
        belief="Every text of a battle is scanned for names before its first judge, and what cannot be scanned counts "
        "as named.",
        why="A judge who knows who raced does not judge blind.",
        mechanism="The scan runs when both lanes have ended, before the battle can be judged; whatever fails in it, or "
        "takes longer than {seconds:.0f} seconds, is no clean result.",
        cites=Cited("battles.blindness.leak_scan", "scan_texts"),
        figures={"seconds": Cited("battles.blindness.leak_scan", "MOST_SECONDS")},
        predicate=_fails_closed,
        broken=_takes_silence_for_clean,
        mutations=(
            CodeMutation(
                "that what could not be scanned is not clean",
                "battles/blindness/leak_scan.py",
                "    return LeakReport(LeakResult.UNSCANNABLE if trouble else LeakResult.CLEAN, trouble=trouble)\n",
                "    return LeakReport(LeakResult.CLEAN, trouble=trouble)\n",
            ),
            CodeMutation(
                "the look for names",
                "battles/blindness/leak_scan.py",
                "            findings.extend(_findings(seen, lexicon))\n",
                "            findings.extend(())\n",
            ),
        ),
    )
)


def _redundant(draw: Callable[[Randomness], int]) -> bool:
    """The stated share of a fine grid of chances needs several judges, and nothing but chance is asked."""
    several = sum(draw(Grid((step + 0.5) / 1000)) == 3 for step in range(1000))
    return several == round(1000 * REDUNDANT_SHARE) and len(inspect.signature(draw).parameters) == 1


thesis(
    Thesis(
        section=Section.BLINDNESS,
        key="redundant-judging-drawn-at-creation",
        belief="A random {share:.0%} of battles is judged by several people, drawn before anybody saw the battle.",
        why="Agreement of judges who chose to agree, or of battles chosen for them, says nothing.",
        mechanism="The number of judges is drawn from chance alone when the battle is made, and a constraint keeps "
        "it to what can be drawn.",
        cites=Cited("battles.matchmaking", "draw_judges_needed"),
        figures={"share": Cited("battles.matchmaking", "REDUNDANT_SHARE")},
        predicate=_redundant,
        broken=lambda rng: 1,
        mutations=(
            CodeMutation(
                "the draw of battles for several judges",
                DRAW,
                "    return 3 if rng.random() < REDUNDANT_SHARE else 1\n",
                "    return 1\n",
            ),
        ),
    )
)
