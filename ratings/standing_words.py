"""What an order does and does not establish today, in sentences made from the numbers of a publication."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ratings.probes import WORDS
from ratings.standings import StandingRow
from ratings.variants import SCHEDULE

#: Where so small a share of the votes turns two neighbours who are told apart, it is said.
FRAGILE_SHARE = 0.05
#: More pairs than this make no sentence; the table has them all.
MOST_NAMED = 5


def what_it_establishes(rows: Sequence[StandingRow], document: Mapping[str, Any]) -> list[str]:
    """Paragraphs on which neighbours are told apart, by how much evidence, and what warns against the order.

    Args:
        rows: of the headline, best first.
        document: the public document they are from.
    """
    rated = [row for row in rows if row.rating is not None and row.rank_best is not None]
    if len(rated) < 2:
        return ["Too few agents have a rating for any order between them."]
    if all(row.lower is None for row in rated):
        return [
            "The points are the best single guess from the votes so far, and nothing more: there are not enough "
            "judges for an interval, so no order between these agents is established."
        ]
    paragraphs = [_order_words(rated, document), _warnings(document)]
    paragraphs.append(_population(document))
    return [paragraph for paragraph in paragraphs if paragraph]


def _order_words(rated: Sequence[StandingRow], document: Mapping[str, Any]) -> str:
    neighbours = [(above, below) for above, below in itertools.pairwise(rated) if above.component == below.component]
    adjusted = document.get("variants", {}).get(SCHEDULE)
    undone = adjusted is not None and adjusted["reason"] is None
    apart = [pair for pair in neighbours if _apart(*pair)]
    sure = [pair for pair in apart if not undone or _apart_adjusted(*pair)]
    torn = [pair for pair in apart if pair not in sure]
    together = [pair for pair in neighbours if pair not in apart]
    sentences = []
    if sure:
        sentences.append(f"Told apart, all at once at 95%: {_pairs(sure)}.")
    if torn:
        sentences.append(f"Told apart only as pairs were drawn, not with the schedule undone: {_pairs(torn)}.")
    if together:
        sentences.append(f"Not told apart by these votes: {_pairs(together, 'and')}.")
    if not undone:
        sentences.append("The schedule cannot be undone yet, so no rank is claimed: ranges are of the fit as judged.")
    sentences += _fragile(sure, document)
    return " ".join(sentences)


def _apart(above: StandingRow, below: StandingRow) -> bool:
    return above.rank_worst is not None and below.rank_best is not None and above.rank_worst < below.rank_best


def _apart_adjusted(above: StandingRow, below: StandingRow) -> bool:
    worst, best = above.adjusted_worst, below.adjusted_best
    return worst is not None and best is not None and worst < best


def _pairs(pairs: Sequence[tuple[StandingRow, StandingRow]], relation: str = "above") -> str:
    named = "; ".join(f"{above.agent_name} {relation} {below.agent_name}" for above, below in pairs[:MOST_NAMED])
    return f"{named}; and other neighbours, see their ranks" if len(pairs) > MOST_NAMED else named


def _fragile(sure: Sequence[tuple[StandingRow, StandingRow]], document: Mapping[str, Any]) -> Iterator[str]:
    """Pairs that look settled and hang on few votes."""
    shares = {(pair["upper"], pair["lower"]): pair["votes"]["share"] for pair in document.get("robustness", [])}
    for above, below in sure:
        share = shares.get((above.agent_key, below.agent_key))
        if share is not None and share < FRAGILE_SHARE:
            yield (
                f"Leaving out {100 * share:.1f}% of the votes, chosen for it, would put {below.agent_name} above "
                f"{above.agent_name}."
            )


def _warnings(document: Mapping[str, Any]) -> str:
    """What the probes that warn mean."""
    probes = document.get("audit", {}).get("probes", [])
    # Neighbours that are not told apart have been named already.
    warned = [WORDS[probe["key"]].meaning for probe in probes if probe["fired"] and probe["key"] != "separation"]
    return f"Beware: {' '.join(warned)}" if warned else ""


def _population(document: Mapping[str, Any]) -> str:
    measures = document.get("measures")
    if measures is None:
        return "The order speaks of what these judges preferred on these tasks, not of tasks nobody posted."
    return (
        f"The order speaks of what these judges ({measures['judge_pool']}) preferred on these tasks "
        f"({measures['task_population']}), not of tasks nobody posted."
    )
