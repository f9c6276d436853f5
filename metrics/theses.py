"""What the measures are believed to be: defined, modest, refused where they say nothing, and no more than earned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from governance.asking import frozen
from governance.models import Judge
from governance.theses import Cited, CodeMutation, DatabaseMutation, Section, Thesis, thesis
from metrics.catalog import CATALOG
from metrics.measure import Measure
from metrics.quality import RULES, Figures, NotEntitled
from metrics.reading import Floor, Published, Reading, Why

DEFINED = ("name", "numerator", "denominator", "unit", "direction", "caveat", "interval")
#: A caveat of fewer words says nothing about anything.
SHORTEST_CAVEAT = 3


def _ships_definitions(define: Callable[[Measure], dict[str, Any]]) -> bool:
    """Whatever is published of a measure carries every part of its definition, in words."""
    return all(define(measure).get(part) for measure in CATALOG for part in DEFINED)


thesis(
    Thesis(
        section=Section.MEASURES,
        key="definitions-ship-with-numbers",
        belief="Every number comes with its definition, in the same document.",
        why="A number that travels without its meaning is given another.",
        mechanism="One function writes definition and value of a measure together; there is no other way to publish.",
        cites=Cited("metrics.documents", "definition"),
        predicate=_ships_definitions,
        broken=lambda measure: {"name": measure.name},
        mutations=(
            CodeMutation(
                "the denominator in a definition",
                "metrics/documents.py",
                '        "denominator": measure.over,\n',
                "",
            ),
        ),
    )
)


def _says_what_it_does_not_show(catalog: Sequence[Measure]) -> bool:
    """Every measure says what it does not establish, in words of its own."""
    caveats = [measure.caveat for measure in catalog]
    shortest = min((len(caveat.split()) for caveat in caveats), default=0)
    return shortest >= SHORTEST_CAVEAT and len(set(caveats)) > len(caveats) // 2


thesis(
    Thesis(
        section=Section.MEASURES,
        key="every-measure-is-a-proxy",
        belief="Every measure is a proxy, and says what it does not establish.",
        why="What is counted is never quite what is meant.",
        mechanism="A measure cannot be declared without its caveat, which is published beside every value of it.",
        cites=Cited("metrics.catalog", "CATALOG"),
        predicate=_says_what_it_does_not_show,
        broken=tuple(replace(measure, caveat="") for measure in CATALOG),
        mutations=(
            CodeMutation(
                "the caveats of one chapter",
                "metrics/catalog/__init__.py",
                "    *OUTCOMES,\n",
                "    *(__import__('dataclasses').replace(one, caveat='') for one in OUTCOMES),\n",
            ),
        ),
    )
)


def _refuses(publish: Callable[[Reading, Floor, int], Published]) -> bool:
    """Below the floor nothing but the reason; above it, that it is underpowered where it is."""
    reading = Reading(value=0.5, lower=0.4, upper=0.6, size=Floor.VOTES.least - 1, effective=25.0)
    below = publish(reading, Floor.VOTES, 2)
    above = publish(replace(reading, size=Floor.VOTES.least), Floor.VOTES, 2)
    unknown = publish(Reading(), Floor.NONE, 2)
    return (
        (below.value, below.lower, below.reason) == (None, None, Why.BELOW_FLOOR)
        and (above.value, above.underpowered) == (0.5, True)
        and (unknown.value, unknown.reason) == (None, Why.NO_DATA)
    )


thesis(
    Thesis(
        section=Section.MEASURES,
        key="refused-below-power",
        belief="Where too little was measured there is no number but a reason: below {votes.least} rated votes, say, "
        "or {lanes.least} lanes.",
        why="A share of a handful jumps with every vote, and tells how few they are.",
        mechanism="Every value passes one function that holds it to the floor of its measure and marks what is "
        "underpowered.",
        cites=Cited("metrics.reading", "publishable"),
        figures={
            "votes": Cited("metrics.reading", "Floor.VOTES"),
            "lanes": Cited("metrics.reading", "Floor.LANES"),
        },
        predicate=_refuses,
        broken=lambda reading, floor, decimals: Published(reading.value, reading.lower, reading.upper, None, None),
        mutations=(
            CodeMutation(
                "the floor under which nothing is published",
                "metrics/reading.py",
                "    if reading.size < floor.least:\n",
                "    if reading.size < 0:\n",
            ),
        ),
    )
)

thesis(
    Thesis(
        section=Section.MEASURES,
        key="published-measures-stay",
        belief="Published measures are never changed; the next ones stand beside them.",
        why="A number that can be mended later was never published.",
        mechanism="The table is append-only by triggers of the database, and the ledger has every digest.",
        cites=Cited("metrics.models", "MeasuresPublication"),
        predicate=frozen,
        broken=Judge,
        mutations=(
            DatabaseMutation(
                "the trigger that keeps published measures",
                ('ALTER TABLE "metrics_measurespublication" DISABLE TRIGGER "metrics_measurespublication_no_change"',),
            ),
        ),
    )
)


def _figures(**known: Any) -> Figures:
    """Figures of which nothing is known but these."""
    empty: dict[str, Any] = {each.name: None for each in fields(Figures)}
    plain = {"people_judged": False, "statuses": {}, "refusals": {}, "components": 0, "categories": {}}
    return Figures(**(empty | plain | {"overlap_current": False} | known))


def _owns_up(report: Callable[[Figures], list[NotEntitled]]) -> bool:
    """Of an arena about which nothing is known hardly anything can be claimed; what is earned lifts its own."""
    nothing = {one.key for one in report(_figures())}
    earned = {one.key for one in report(_figures(people_judged=True, self_judged=0.1))}
    return len(nothing) >= len(RULES) - 2 and nothing - earned == {"headline", "independent_judges"}


thesis(
    Thesis(
        section=Section.CLAIMS,
        key="what-is-not-earned-is-computed",
        belief="What this record does not entitle anybody to claim is computed and published beside it.",
        why="A reader sees what is claimed; only its author knows what was left unsaid.",
        mechanism="Rules over the figures of the day, for which an unknown figure is never a good one; among them "
        "{judges} equally busy judges and an agreement of {alpha:g}.",
        cites=Cited("metrics.quality", "report"),
        figures={
            "judges": Cited("metrics.quality", "JUDGES_NEEDED"),
            "alpha": Cited("metrics.quality", "ALPHA_TENTATIVE"),
        },
        predicate=_owns_up,
        broken=lambda figures: [],
        mutations=(
            CodeMutation(
                "what the rules found",
                "metrics/quality.py",
                "    return [NotEntitled(key, *told) for key, told in found if told is not None]\n",
                "    return [NotEntitled(key, *told) for key, told in found if told is None]\n",
            ),
            CodeMutation(
                "that an unknown share of self-judged battles is not a good one",
                "metrics/quality.py",
                "    if share is not None and share <= SELF_JUDGED_MOST:\n",
                "    if share is None or share <= SELF_JUDGED_MOST:\n",
            ),
        ),
    )
)
