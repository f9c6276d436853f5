"""What is wrong with each row of a table, if anything is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ratings.estimators.arrays import Flags, Floats, Integers
from ratings.estimators.comparisons import A_WINS, B_WINS
from ratings.votes_file.columns import CodedColumn
from ratings.votes_file.headers import CATEGORY, Key, StyleKey
from ratings.votes_file.labels import UNKNOWN, outcome_of
from ratings.votes_file.names import agent_name
from ratings.votes_file.rejections import is_writable
from ratings.votes_file.table import Table
from ratings.votes_file.times import seconds_of

#: Weights outside of these would drown, or drown in, the rounding of sums.
LEAST_WEIGHT, MOST_WEIGHT = 1e-9, 1e9
#: No measure of style is larger, and sums of two stay far from overflow.
MOST_STYLE = 1e100

#: Winner of a row: no agent at all.
NOBODY = -1


class Verdicts:
    """The first thing that is wrong with every row."""

    def __init__(self, rows: int) -> None:
        self.found: list[tuple[Key, str]] = []
        self.number = np.zeros(rows, dtype=np.int16)

    def reject(self, rows: Flags, key: Key, reason: str) -> None:
        new = rows & (self.number == 0)
        if new.any():
            self.found.append((key, reason))
            self.number[new] = len(self.found)

    @property
    def good(self) -> Flags:
        return np.asarray(self.number == 0)


class Names:
    """All names of a table, numbered."""

    def __init__(self, columns: Sequence[Sequence[str | None]]) -> None:
        self._number: dict[str, int] = {}
        self._name_of = {text: agent_name(text) for column in columns for text in column}
        for column in columns[:2]:
            for text in column:
                name = self._name_of[text]
                if name is not None:
                    self._number.setdefault(name, len(self._number))
        self.names = list(self._number)

    def numbers(self, column: CodedColumn) -> Integers:
        """(n,) number of the name in every row, ``NOBODY`` where it is no agent's."""
        by_value = [self._number.get(self._name_of[text] or "", NOBODY) for text in column.values]
        return np.array(by_value, dtype=np.int64)[column.codes()]


@dataclass(frozen=True, slots=True, eq=False)
class CheckedRows:
    """The (n,) columns of a table as numbers, None where the file has none, and what is wrong with its rows."""

    verdicts: Verdicts
    names: Names
    a: Integers
    b: Integers
    outcome: Integers
    judge: Integers | None
    battle: Integers | None
    weight: Floats | None
    time: Floats | None
    category: Integers | None
    measures: tuple[str, ...]
    sides: dict[str, Floats]
    not_numbers: tuple[str, ...]


def check_rows(table: Table) -> CheckedRows:
    """Every row by its first problem, in the order of this function."""
    columns = table.columns
    verdicts = Verdicts(len(table))
    for key, column in columns.items():
        halves = np.array([text is not None and not is_writable(text) for text in column.values], dtype=np.bool_)
        if halves.any():
            verdicts.reject(halves[column.codes()], key, "bad_unicode")
    names = Names([columns[key].values for key in ("model_a", "model_b", "winner")])
    a, b = names.numbers(columns["model_a"]), names.numbers(columns["model_b"])
    verdicts.reject(a == NOBODY, "model_a", "blank_name")
    verdicts.reject(b == NOBODY, "model_b", "blank_name")
    verdicts.reject(a == b, "model_b", "self_battle")
    outcome = _outcomes(columns["winner"], a, b, names, verdicts)
    judge = _ids(columns.get("judge"), "judge", "blank_judge", verdicts)
    weight = None
    if "weight" in columns:
        weight = _numbers(columns["weight"], _weight)
        verdicts.reject(np.isnan(weight), "weight", "bad_weight")
    time = None
    if "time" in columns:
        time = np.array([seconds_of(text) for text in columns["time"].values])[columns["time"].codes()]
        verdicts.reject(np.isnan(time), "time", "bad_time")
    battle = _ids(columns.get("battle"), "battle", "blank_battle", verdicts)
    category = _ids(columns.get(CATEGORY), CATEGORY, "blank_category", verdicts)
    measures, sides, not_numbers = _style(columns, verdicts)
    if battle is not None:
        _one_pair_a_battle(battle, a, b, verdicts)
    return CheckedRows(
        verdicts, names, a, b, outcome, judge, battle, weight, time, category, measures, sides, not_numbers
    )


def _outcomes(winner: CodedColumn, a: Integers, b: Integers, names: Names, verdicts: Verdicts) -> Integers:
    """(n,) outcomes by label or by the winner's name; where both say something they must say the same."""
    by_label = np.array([outcome_of(text) for text in winner.values], dtype=np.int8)[winner.codes()]
    agent = names.numbers(winner)
    by_name = np.where(agent == a, A_WINS, np.where(agent == b, B_WINS, UNKNOWN))
    by_name[agent == NOBODY] = UNKNOWN
    known = by_name != UNKNOWN
    verdicts.reject(known & (by_label != UNKNOWN) & (by_label != by_name), "winner", "ambiguous_winner")
    outcome = np.where(known, by_name, by_label)
    verdicts.reject(outcome == UNKNOWN, "winner", "unknown_winner")
    return outcome


def _ids(column: CodedColumn | None, key: Key, reason: str, verdicts: Verdicts) -> Integers | None:
    """(n,) numbers of the names in a column, in the order of the names, so that rows may come in any order."""
    if column is None:
        return None
    names = [agent_name(text) for text in column.values]
    numbers = {name: number for number, name in enumerate(sorted({name for name in names if name is not None}))}
    ids = np.array([NOBODY if name is None else numbers[name] for name in names], dtype=np.int32)[column.codes()]
    verdicts.reject(ids == NOBODY, key, reason)
    return ids


def _numbers(column: CodedColumn, parse: Callable[[str], float]) -> Floats:
    """(n,) numbers, NaN where there is none."""
    return np.array([np.nan if text is None else parse(text) for text in column.values])[column.codes()]


def _number(text: str) -> float:
    # Python's own numbers may have underscores, nobody else's.
    try:
        return float("nan" if "_" in text else text)
    except ValueError:
        return float("nan")


def _weight(text: str) -> float:
    value = _number(text)
    return value if LEAST_WEIGHT <= value <= MOST_WEIGHT else float("nan")


def _quantity(text: str) -> float:
    value = _number(text)
    return value + 0.0 if 0 <= value <= MOST_STYLE else float("nan")


def _style(
    columns: dict[Key, CodedColumn], verdicts: Verdicts
) -> tuple[tuple[str, ...], dict[str, Floats], tuple[str, ...]]:
    """Measures of style, their (K, n) values by side, and the pairs of columns that hold no numbers at all."""
    found: list[str] = []
    words: list[str] = []
    sides: dict[str, list[Floats]] = {"a": [], "b": []}
    for measure in dict.fromkeys(key.measure for key in columns if isinstance(key, StyleKey)):
        values = {side: _numbers(columns[StyleKey(measure, side)], _quantity) for side in "ab"}
        if len(verdicts.number) and all(np.isnan(of_side).all() for of_side in values.values()):
            words.append(measure)
            continue
        found.append(measure)
        for side, of_side in values.items():
            verdicts.reject(np.isnan(of_side), StyleKey(measure, side), "bad_style")
            sides[side].append(of_side)
    empty = np.empty((0, len(verdicts.number)))
    return tuple(found), {side: np.stack(rows) if rows else empty for side, rows in sides.items()}, tuple(words)


def _one_pair_a_battle(battle: Integers, a: Integers, b: Integers, verdicts: Verdicts) -> None:
    """Reject rows whose battle an earlier good row gave to other agents."""
    rows = np.flatnonzero(verdicts.good)
    pair = np.minimum(a[rows], b[rows]) * (1 << 32) + np.maximum(a[rows], b[rows])
    _, first, number = np.unique(battle[rows], return_index=True, return_inverse=True)
    others = np.zeros(len(battle), dtype=np.bool_)
    others[rows[pair != pair[first][number]]] = True
    verdicts.reject(others, "battle", "battle_of_others")
