"""What the pages about methods ask for: numbers and choices with limits, read from the address.

The same limits stand in the form, so that a browser refuses what the server would refuse.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

#: Decimal numbers as people write them: no exponents, no infinities, no spaces.
_NUMBER = re.compile(r"-?[0-9]{1,7}(\.[0-9]{1,6})?")


class Unreadable(ValueError):
    """What was given is none of what may be given; the message says what may."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number.

    Attributes:
        name: in the address.
        label: what people see.
        default: where nothing is given.
        lowest, highest: limits, which are allowed.
        step: of the form; whole numbers where it is a whole number.
        slider: drawn as one.
    """

    name: str
    label: str
    default: float
    lowest: float
    highest: float
    step: float = 1
    slider: bool = False

    @property
    def whole(self) -> bool:
        return isinstance(self.step, int)

    def read(self, text: str) -> float:
        """The number.

        Raises:
            Unreadable: it is none, or outside of its limits.
        """
        kind = "a whole number" if self.whole else "a number"
        needed = f"{self.name} must be {kind} from {self.lowest:g} to {self.highest:g}"
        if not _NUMBER.fullmatch(text) or (self.whole and "." in text):
            raise Unreadable(f"{needed}, written like {self.default:g}.")
        value = int(text) if self.whole else float(text)
        if not self.lowest <= value <= self.highest:
            raise Unreadable(f"{needed}; {value:g} is outside.")
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few.

    Attributes:
        name: in the address.
        label: what people see.
        options: value in the address and label, each.
        default: value where nothing is given.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str

    def read(self, text: str) -> str:
        """The value.

        Raises:
            Unreadable: it is none of the options.
        """
        values = [value for value, _ in self.options]
        if text not in values:
            raise Unreadable(f"{self.name} must be one of: {', '.join(values)}.")
        return text


Field: TypeAlias = Number | Choice


@dataclass(frozen=True, slots=True)
class Reading:
    """What was asked for.

    Attributes:
        values: of every field by name; the default where nothing was given or it could not be read.
        given: the text of the fields that were given.
        problems: name of the field and what to change, in the order of the fields.
    """

    values: Mapping[str, Any]
    given: Mapping[str, str]
    problems: tuple[tuple[str, str], ...]


def read(fields: Sequence[Field], query: Mapping[str, str]) -> Reading:
    """Read all fields; an empty one counts as not given."""
    values: dict[str, Any] = {}
    given, problems = {}, []
    for field in fields:
        values[field.name] = field.default
        text = query.get(field.name, "")
        if not text:
            continue
        given[field.name] = text
        try:
            values[field.name] = field.read(text)
        except Unreadable as refused:
            problems.append((field.name, str(refused)))
    return Reading(values, given, tuple(problems))
