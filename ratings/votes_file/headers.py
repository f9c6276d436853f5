"""Which column of a file is which."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ratings.votes_file.rejections import MISSING_COLUMN, Rejection, VotesFileError

#: Headers by which a column is found, the first that a file has. Case, spaces, dots and hyphens do not count.
ALIASES: dict[str, tuple[str, ...]] = {
    "model_a": ("model_a", "agent_a", "model_left", "left_model", "left", "a"),
    "model_b": ("model_b", "agent_b", "model_right", "right_model", "right", "b"),
    "winner": ("winner", "outcome", "result", "preference", "vote"),
    "judge": ("judge", "judge_id", "annotator", "annotator_id", "rater", "worker", "user", "user_id", "voter"),
    "battle": ("battle", "battle_id", "comparison", "comparison_id"),
    "weight": ("weight",),
    "time": ("timestamp", "tstamp", "time", "at"),
}
REQUIRED = ("model_a", "model_b", "winner")
CATEGORY = "category"

_SEPARATORS = re.compile(r"[\s._-]+")


@dataclass(frozen=True, slots=True)
class StyleKey:
    """One side, ``a`` or ``b``, of a measure of style."""

    measure: str
    side: str

    def __str__(self) -> str:
        return f"{self.measure}_{self.side}"


#: What a column is read for: a key of :data:`ALIASES`, ``category`` or one side of a measure of style.
Key = str | StyleKey


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What the caller said about columns.

    Attributes:
        named: header by role, for roles whose header is not one of :data:`ALIASES`.
        category: header of the categories, or None for no categories.
        times: whether it is read when votes were cast, where a column says so.
        style: whether measures of style are read: all pairs of columns ``X_a`` and ``X_b``.
        measures: only these measures ``X``, each of which must then be there.
    """

    named: Mapping[str, str] = field(default_factory=dict)
    category: str | None = None
    times: bool = False
    style: bool = False
    measures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = sorted(set(self.named) - set(ALIASES))
        if unknown:
            raise VotesFileError(
                f'There is no column "{unknown[0]}" to name: choose among {", ".join(ALIASES)}.', code="unknown_role"
            )

    def find(self, names: Sequence[str], file: str, line: int = 1) -> dict[Key, str]:
        """The columns to read among a file's headers.

        Args:
            names: headers, as the file spells them.
            file, line: where they stand, for errors.

        Raises:
            VotesFileError: a column that is needed or was asked for is not there, or is there twice.
        """
        spelled = _by_spelling(names)
        found: dict[Key, str] = {}
        missing: list[str] = []
        for role, aliases in ALIASES.items():
            if role == "time" and not self.times and role not in self.named:
                continue
            wanted = (spelling(self.named[role]),) if role in self.named else aliases
            header = next((name for name in wanted if name in spelled), None)
            if header is not None:
                found[role] = _only(spelled, header, file, line)
            elif role in self.named or role in REQUIRED:
                missing.append(self.named.get(role, role))
        if self.category is not None:
            if spelling(self.category) in spelled:
                found[CATEGORY] = _only(spelled, spelling(self.category), file, line)
            else:
                missing.append(self.category)
        for measure in self._measures(spelled):
            for side in "ab":
                header = f"{spelling(measure)}_{side}"
                if header in spelled:
                    found[StyleKey(spelling(measure), side)] = _only(spelled, header, file, line)
                else:
                    missing.append(f"{measure}_{side}")
        if missing:
            raise _missing(list(dict.fromkeys(missing)), names, file, line)
        return found

    def _measures(self, spelled: Mapping[str, list[str]]) -> Sequence[str]:
        if self.measures:
            return self.measures
        if not self.style:
            return ()
        sides = {alias for role in ("model_a", "model_b") for alias in ALIASES[role]}
        sides.update(spelling(self.named[role]) for role in ("model_a", "model_b") if role in self.named)
        pairs = (name[:-2] for name in spelled if name.endswith("_a") and f"{name[:-2]}_b" in spelled)
        return [measure for measure in pairs if measure and not {f"{measure}_a", f"{measure}_b"} & sides]


def spelling(header: str) -> str:
    """A header without what people vary: case, width, white space, dots, hyphens."""
    return _SEPARATORS.sub("_", unicodedata.normalize("NFKC", header).casefold().strip())


def _by_spelling(names: Sequence[str]) -> dict[str, list[str]]:
    spelled: dict[str, list[str]] = {}
    for name in names:
        if name.strip():
            spelled.setdefault(spelling(name), []).append(name)
    return spelled


def _only(spelled: Mapping[str, list[str]], header: str, file: str, line: int) -> str:
    names = spelled[header]
    if len(names) > 1:
        raise VotesFileError(
            f'{file}, line {line}: the column "{names[0]}" is there {len(names)} times. Rename all but one.',
            code="duplicate_column",
            rejected=[Rejection(file, line, names[0], None, MISSING_COLUMN)],
        )
    return names[0]


def _missing(missing: Sequence[str], names: Sequence[str], file: str, line: int) -> VotesFileError:
    there = ", ".join(name.strip() for name in names if name.strip()) or "none"
    roles = [name for name in missing if name in ALIASES]
    hint = f" If it has another name, say which: --column {roles[0]}=NAME." if roles else ""
    return VotesFileError(
        f"{file} has no column {' and no column '.join(missing)}. Its columns: {there}.{hint}",
        code=MISSING_COLUMN,
        rejected=[Rejection(file, line, name, None, MISSING_COLUMN) for name in missing],
    )
