"""Which rows are votes, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.comparisons import MAX_AGENTS, TIE, Comparisons
from ratings.estimators.style import normalized_difference
from ratings.votes_file.columns import CodedColumn
from ratings.votes_file.headers import CATEGORY
from ratings.votes_file.labels import BOTH_BAD
from ratings.votes_file.names import LookAlike, agent_name, look_alikes
from ratings.votes_file.rejections import Rejection, VotesFileError, shortened
from ratings.votes_file.rows import Names, Verdicts, check_rows
from ratings.votes_file.table import Table

#: How many times the smallest weight the largest may be: sums of both must keep the digits of each.
MOST_APART = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What files of votes say. Arrays run over the n good rows, in the order of the files.

    Attributes:
        comparisons: the votes; ties and both bad are ties. Judges are numbered by name, or every vote is by a judge of
            its own; battles likewise. The weight is the file's, or 1/k for the k votes on one battle.
        agents: (M,) names of the agents, sorted.
        both_bad: (n,) which of the ties are both bad.
        judged: whether the files say who judged.
        by_battle: whether the files say which votes are on one battle.
        weighted: whether the weights are the files' own.
        measures: (K,) measures of style.
        covariates: (K, n) normalized differences of style, not scaled yet.
        categories: names of the categories, sorted; None where none were asked for.
        category: (n,) index of the category; None likewise.
        time: (n,) seconds since 1970 at which each vote was cast; None where the files do not say or nobody asked.
        read: number of rows in the files.
        rejected: rows that are no votes, in the order of the files.
        look_alikes: names that a reader would take for another.
        not_numbers: measures of style that no row gives as a number, and which are therefore none.
        headers: what each column is read for, by the header of the first file.
    """

    comparisons: Comparisons
    agents: tuple[str, ...]
    both_bad: Flags
    judged: bool
    by_battle: bool
    weighted: bool
    measures: tuple[str, ...]
    covariates: Floats
    categories: tuple[str, ...] | None
    category: Integers | None
    time: Floats | None
    read: int
    rejected: tuple[Rejection, ...]
    look_alikes: tuple[LookAlike, ...]
    not_numbers: tuple[str, ...]
    headers: dict[str, str]

    def __len__(self) -> int:
        return len(self.comparisons)


def check_table(table: Table) -> Votes:
    """Turn rows into votes.

    Raises:
        VotesFileError: more agents than can be rated, or weights too far apart to be added up.
    """
    checked = check_rows(table)
    good = checked.verdicts.good
    present, a, b = _renumbered(checked.a[good], checked.b[good])
    agents, order = _sorted_names(checked.names, present)
    if len(agents) > MAX_AGENTS:
        raise VotesFileError(
            f"{len(agents)} different agents are more than the {MAX_AGENTS} that can be rated. Is "
            f"{table.headers[0]['model_a']} the right column?",
            code="too_many_agents",
        )
    weight = None if checked.weight is None else checked.weight[good]
    if weight is not None and len(weight) and weight.max() > MOST_APART * weight.min():
        raise VotesFileError(
            f"Weights between {weight.min():g} and {weight.max():g} are too far apart: the largest may be "
            f"{MOST_APART:,} times the smallest.",
            code="weights_too_far_apart",
        )
    said = checked.outcome[good]
    comparisons = _comparisons(
        max(1, len(agents)),
        order[a],
        order[b],
        np.where(said == BOTH_BAD, TIE, said).astype(np.int8),
        judge=_of_rows(checked.judge, good),
        battle=_of_rows(checked.battle, good),
        weight=weight,
    )
    of_a, of_b = (checked.sides[side][:, good] for side in "ab")
    categories, category = _categories(table.columns.get(CATEGORY), _of_rows(checked.category, good))
    met = comparisons.battles_per_agent().tolist()
    return Votes(
        comparisons=comparisons,
        agents=agents,
        both_bad=said == BOTH_BAD,
        judged=checked.judge is not None,
        by_battle=checked.battle is not None,
        weighted=checked.weight is not None,
        measures=checked.measures,
        covariates=normalized_difference(of_a, of_b),
        categories=categories,
        category=category,
        time=None if checked.time is None else checked.time[good],
        read=len(table) + len(table.rejections),
        rejected=_rejections(table, checked.verdicts),
        look_alikes=tuple(look_alikes(dict(zip(agents, met[: len(agents)], strict=True)))),
        not_numbers=checked.not_numbers,
        headers={str(key): header for key, header in table.headers[0].items()},
    )


def _renumbered(a: Integers, b: Integers) -> tuple[Integers, Integers, Integers]:
    """The numbers that occur, ascending, and both columns as indices into them."""
    both = np.concatenate([a, b])
    present = np.flatnonzero(np.bincount(both)) if len(both) else both
    place = np.zeros(int(present.max(initial=0)) + 1, dtype=np.int64)
    place[present] = np.arange(len(present))
    return present, place[a], place[b]


def _sorted_names(names: Names, present: Integers) -> tuple[tuple[str, ...], Integers]:
    """The names that occur, sorted, and the sorted place of each."""
    own = [names.names[number] for number in present.tolist()]
    by_name = sorted(range(len(own)), key=own.__getitem__)
    place = np.empty(len(own), dtype=np.int32)
    place[by_name] = np.arange(len(own))
    return tuple(own[index] for index in by_name), np.asarray(place)


def _comparisons(
    agents: int,
    a: Integers,
    b: Integers,
    outcome: Integers,
    *,
    judge: Integers | None,
    battle: Integers | None,
    weight: Floats | None,
) -> Comparisons:
    """The votes, numbered so that neither the order of rows nor the sides of agents change any number."""
    if weight is None and battle is not None:
        size = np.bincount(battle)[battle] if len(battle) else battle
        weight = None if len(size) == 0 or int(size.max()) == 1 else 1 / size
    if judge is None:
        judge = canonical_numbers(a, b, outcome, weight)
    return Comparisons(agents, judge, a, b, outcome, weight, battle)


def canonical_numbers(a: Integers, b: Integers, outcome: Integers, weight: Floats | None) -> Integers:
    """(n,) a number for every vote by what it says: by its pair, then who won, then its weight."""
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b)
    key = (low << 32) | (high.astype(np.int64) << 2) | np.where(a < b, outcome, 2 - outcome)
    order = np.argsort(key, kind="stable") if weight is None else np.lexsort((weight, key))
    number = np.empty(len(key), dtype=np.int32)
    number[order] = np.arange(len(key), dtype=np.int32)
    return number


def _of_rows(column: Integers | None, rows: Flags) -> Integers | None:
    return None if column is None else column[rows]


def _categories(column: CodedColumn | None, ids: Integers | None) -> tuple[tuple[str, ...] | None, Integers | None]:
    """The categories that good rows have, and the (n,) index of each row's."""
    if column is None or ids is None:
        return None, None
    names = sorted({name for name in map(agent_name, column.values) if name is not None})
    present, place = np.unique(ids, return_inverse=True)
    return tuple(names[number] for number in present.tolist()), place


def _rejections(table: Table, verdicts: Verdicts) -> tuple[Rejection, ...]:
    rows = np.flatnonzero(verdicts.number)
    lines, files = table.lines(), table.file_numbers(rows)
    values = {key: column.values for key, column in table.columns.items()}
    found = list(table.rejections)
    for row, file in zip(rows.tolist(), files.tolist(), strict=True):
        key, reason = verdicts.found[verdicts.number[row] - 1]
        value = values[key][table.columns[key].codes()[row]]
        found.append(
            Rejection(table.files[file], int(lines[row]), table.headers[file].get(key), shortened(value), reason)
        )
    order = {name: number for number, name in enumerate(table.files)}
    return tuple(sorted(found, key=lambda rejection: (order[rejection.file], rejection.line)))
