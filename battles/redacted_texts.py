"""The words of a task, a lane and its steps with personal details replaced.

What leaves the building has every kind replaced. The pool's judges read names and addresses all the same
(:data:`SHOWN_TO_JUDGES`): pages are full of authors and shops, which are often what a task asks for.

What was typed into a field for something personal, and what the task itself says, in its start address too, is known to
be personal wherever it comes again, in whatever spelling: in a later address, in the agent's reasoning, in its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from governance.redaction import (
    BEST_EFFORT,
    EVERY_KIND,
    JSON,
    Kind,
    KnownDetails,
    address_details,
    field_kind_of,
    find_details,
    read_as,
    redact_value,
)
from governance.remembering import remembered

if TYPE_CHECKING:
    from battles.models import Lane, Step, Task

Details: TypeAlias = Mapping[str, Kind]
"""Texts known to be personal, and their kinds."""

SHOWN_TO_JUDGES = BEST_EFFORT
HIDDEN_FROM_JUDGES = EVERY_KIND - SHOWN_TO_JUDGES

STEP_WORDS = (
    "verb",
    "arguments",
    "reasoning",
    "result",
    "page_text",
    "changes",
    "target",
    "refusals",
    "url_before",
    "url_after",
    "title",
)
"""Columns of a step that hold words: everything that a person, an agent or a page can have written."""

SHORTEST_DETAIL = 4
"""Characters of a detail that is looked for elsewhere; shorter ones are everywhere."""

_TYPED = ("text", "option", "keys")
#: Those whose words are what the field holds; the names of keys are not.
_WHOLE = ("text", "option")
#: An address in a sentence, without the signs that end the sentence.
_ADDRESS = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://\S*[^\s.,;:!?)\]}>\"'”»]")


def known_details(task: Task, steps: Iterable[Step], *, kinds: frozenset[Kind] = EVERY_KIND) -> dict[str, Kind]:
    """Details that the task or its start address states, or that an agent typed into a field which asks for one.

    Args:
        steps: all steps of a lane, or of several.
    """
    found = dict(_details_of_address(task.start_url, kinds))
    for text in (task.instruction, *(str(step.arguments.get(key, "")) for step in steps for key in _TYPED)):
        found |= _details_in(text, kinds)
    for step in steps:
        kind = field_kind_of(step.target) if isinstance(step.target, Mapping) else None
        if kind in kinds:
            found |= {str(step.arguments[key]).strip(): kind for key in _WHOLE if step.arguments.get(key)}
    return {text: kind for text, kind in found.items() if min(len(text), len(read_as(text))) >= SHORTEST_DETAIL}


@remembered(most=1000)
def _details_in(text: str, kinds: frozenset[Kind]) -> dict[str, Kind]:
    """Details that stand in a text. An instruction is read for each lane, and the same words are typed in many."""
    addresses = list(_ADDRESS.finditer(text))
    found = {
        text[span.start : span.end]: span.kind
        for span in find_details(text, kinds)
        if not any(one.start() <= span.start < one.end() for one in addresses)
    }
    for one in addresses:
        found |= address_details(one[0], kinds)
    return found


@remembered(most=1000)
def _details_of_address(address: str, kinds: frozenset[Kind]) -> dict[str, Kind]:
    return address_details(address, kinds)


def redacted_step(step: Step, *, known: Details | None = None, kinds: frozenset[Kind] = EVERY_KIND) -> dict[str, JSON]:
    """Every word of a step (:data:`STEP_WORDS`) with personal details replaced, as JSON values by column.

    It holds for every verb: arguments are read together with the element they were aimed at, so that a word typed into
    a field for a password is a password; addresses are read parameter by parameter. Numbers, times and digests of a
    step hold no words and are not in it.

    Args:
        step: its row; nothing is written to it.
        known: what :func:`known_details` found in the whole lane; without it a step is read by itself.
        kinds: kinds to replace; all of them for what leaves the building.
    """
    words = {name: getattr(step, name) for name in STEP_WORDS}
    return cast("dict[str, JSON]", redacted_words(words, known, kinds))


def redacted_lane(lane: Lane, *, known: Details | None = None, kinds: frozenset[Kind] = EVERY_KIND) -> dict[str, JSON]:
    """``answer`` and ``detail`` of a lane. Arguments as for :func:`redacted_step`."""
    return cast("dict[str, JSON]", redacted_words({"answer": lane.answer, "detail": lane.detail}, known, kinds))


def redacted_task(task: Task, *, kinds: frozenset[Kind] = EVERY_KIND) -> dict[str, JSON]:
    """``instruction`` and ``start_url`` of a task: what one of them states is hidden in the other too.

    Arguments as for :func:`redacted_step`.
    """
    words = {"instruction": task.instruction, "start_url": task.start_url}
    return cast("dict[str, JSON]", redacted_words(words, known_details(task, (), kinds=kinds), kinds))


def redacted_words(words: JSON, known: Details | None = None, kinds: frozenset[Kind] = EVERY_KIND) -> JSON:
    """Words of a row by column with personal details replaced. Arguments as for :func:`redacted_step`."""
    redacted = redact_value(words, kinds).value
    return _hidden(redacted, tuple(known.items())) if known else redacted


def hidden_row(words: Mapping[str, Any], known: Mapping[str, str]) -> Mapping[str, Any]:
    """What :func:`redacted_words` does with ``known``, for words that are redacted already.

    Args:
        known: details with the names of their kinds, as JSON has them.
    """
    return cast("Mapping[str, Any]", _hidden(words, tuple((text, Kind(kind)) for text, kind in known.items())))


def _hidden(value: JSON, known: tuple[tuple[str, Kind], ...]) -> JSON:
    """The same without what is known; names of columns, which are ours, stay."""
    details = _known(known)
    if isinstance(value, Mapping):
        return {column: _without(held, details) for column, held in value.items()}
    return _without(value, details)


@remembered(most=16)
def _known(known: tuple[tuple[str, Kind], ...]) -> KnownDetails:
    """A lane has one set for all of its words."""
    return KnownDetails(known, shortest=SHORTEST_DETAIL)


def _without(value: JSON, known: KnownDetails) -> JSON:
    if isinstance(value, str):
        return known.hidden(value)
    if isinstance(value, Mapping):
        return {known.hidden(name, in_names=True): _without(held, known) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_without(held, known) for held in value]
    return value
