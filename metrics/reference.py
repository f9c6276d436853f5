"""The catalogue as a page of the documentation."""

from __future__ import annotations

from metrics.catalog import CATALOG
from metrics.measure import Measure, Section
from ratings.inference.status import items_to_resolve

_HEAD = f"""# Measures

Every measure that `/benchmark` and `/api/metrics` publish. The definitions are those of `metrics/catalog`; this page is
written by `manage.py measures --reference`.

- A value is a number with its interval, or nothing with a reason: `no_data`, `below_floor`, `not_measured`,
  `no_variation`, `not_connected`, `unbounded`, `not_identified`, `degenerate_interval`. What is not known is never 0 or
  1. A number without an interval names the reason for that.
- Void lanes are left out of what is said of agents. Lanes of the headline board are those of people's tasks raced by
  two models; the demo board has practice tasks and baselines as well.
- Neutral measures rank nothing. Measures are never blended into one score, and what a practice site's own check found
  enters none of them but the one that holds judges against it.
- A share marked `underpowered` rests on fewer than {items_to_resolve()} independent items: its level is published, but
  a difference of three points could not be told from none.
- Sample sizes are withheld from everybody but staff unless `ARENA_PUBLISH_SAMPLE_SIZES` is set. Values are rounded, and
  so are the ends of their intervals. What is left, the width of an interval, says roughly how much stands behind it.

Measures are published every night after the refit, as an immutable document with its digest and that of the one before;
`manage.py measures --publish` does it now. `manage.py quality` says what the record does not entitle anybody to claim.
"""


def reference() -> str:
    """The page, in Markdown."""
    chapters = []
    for section in Section:
        entries = [_entry(measure) for measure in CATALOG if measure.section == section]
        chapters.append("\n".join([f"\n## {section.value}\n", *entries]))
    return _HEAD + "\n".join(chapters) + "\n"


def _entry(measure: Measure) -> str:
    floor = f"; not below {measure.floor.least} {measure.floor.of}" if measure.floor.of else ""
    return (
        f"**{measure.name}** (`{measure.key}`, {measure.scope.value}, {measure.unit.value}, "
        f"{measure.direction.value}{floor}). Counted: {measure.counted}. Over: {measure.over}. {measure.caveat} "
        f"Interval: {measure.interval}. From: {', '.join(measure.records)}.\n"
    )
