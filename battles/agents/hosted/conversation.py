"""The conversation of a lane with a model, apart from any provider's wire format, and how it is trimmed.

One policy for every model, so that no adapter remembers more than another:

- the instruction stays, whole, for good;
- every exchange keeps what the model said, what it asked for and what came of it;
- screenshots stay for the last :data:`SCREENSHOTS_KEPT` observations, lists of elements for the last
  :data:`ELEMENTS_KEPT`, and what a ``read`` brought back for the last :data:`READINGS_KEPT` exchanges; in the place
  of an older one stands a line that says so;
- when a model says that the conversation no longer fits, older exchanges are left out by :data:`SHORTER`, and the
  opening says how many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

#: Screenshots are most of a conversation's tokens; what is older than three turns is on the page again or gone.
SCREENSHOTS_KEPT = 3

#: References are only good for the newest observation.
ELEMENTS_KEPT = 1

#: A reading can be 20,000 characters; three of them leave room for the rest in the smallest window we know of.
READINGS_KEPT = 3

#: Exchanges that stay when the conversation did not fit: first these many, then these.
SHORTER = (8, 2)

#: Of a name that is no tool's, as much as tells what was meant.
CALL_NAME_CHARACTERS = 60

LEFT_OUT_READING = "[What was read here is left out: it is older than the last readings.]"
LEFT_OUT_ELEMENTS = "[The elements that were in view are left out.]"
LEFT_OUT_SCREENSHOT = "[The screenshot is left out.]"


@dataclass(frozen=True, slots=True)
class Shown:
    """One observation as a model gets it: a heading, the elements in view, and the screenshot.

    ``without_screenshot`` says that there was one which is left out by now.
    """

    heading: str
    elements: str
    image: bytes | None
    mime: str
    without_screenshot: bool = False

    @property
    def text(self) -> str:
        """The words of it."""
        note = LEFT_OUT_SCREENSHOT if self.without_screenshot else ""
        return "\n".join(part for part in (self.heading, self.elements, note) if part)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asked for.

    ``arguments`` is whatever came over the wire: an object, or the text that should have been one.
    ``answerable`` is false for calls that were not made through the tools we offered (written out as text, or a
    vendor's own kind of call): their outcome goes back as words, since the wire has no place for it.
    """

    identifier: str
    name: str
    arguments: Any
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one call: our line, and what a ``read`` brought back."""

    message: str
    reading: str = ""

    @property
    def text(self) -> str:
        """The words of it."""
        return f"{self.message}\n{self.reading}" if self.reading else self.message


@dataclass(frozen=True, slots=True)
class Exchange:
    """One reply of the model with what came of it.

    ``native`` is the reply in its provider's own form, sent back as it was (signatures and hidden reasoning
    included); ``None`` when it cannot be sent back. ``results`` has one entry for each call, or a single one when
    there was no call. ``shown`` is the observation afterwards.
    """

    native: Any
    calls: tuple[ToolCall, ...]
    results: tuple[Result, ...]
    shown: Shown

    @property
    def loose_words(self) -> str:
        """Results that have no place of their own on the wire."""
        if not self.calls:
            return "\n".join(result.text for result in self.results)
        return "\n".join(
            f"{call.name[:CALL_NAME_CHARACTERS]}: {result.text}"
            for call, result in zip(self.calls, self.results, strict=True)
            if not call.answerable
        )

    @property
    def answered(self) -> list[tuple[ToolCall, Result]]:
        """Calls that have a place for their result on the wire, in order."""
        return [pair for pair in zip(self.calls, self.results, strict=True) if pair[0].answerable] if self.calls else []

    @property
    def words(self) -> str:
        """What is told beside the results of calls: loose ones, and the observation."""
        return "\n".join(part for part in (self.loose_words, self.shown.text) if part)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is sent to a model: the rules, the task with the first observation, and the exchanges since."""

    system: str
    task: str
    first: Shown
    exchanges: tuple[Exchange, ...]
    left_out: int = 0

    @property
    def opening(self) -> str:
        """The first message's words."""
        note = f"\n\n[The first {self.left_out} of your turns are left out here.]" if self.left_out else ""
        return f"{self.task}{note}\n\n{self.first.text}"


def trimmed(
    *, system: str, task: str, first: Shown, exchanges: Sequence[Exchange], at_most: int | None = None
) -> Conversation:
    """The conversation under the policy of this module.

    Args:
        at_most: exchanges to keep, for a model whose window was too small; all of them when ``None``.
    """
    kept = list(exchanges if at_most is None else exchanges[-at_most:])
    left_out = len(exchanges) - len(kept)
    newest = len(kept)
    return Conversation(
        system=system,
        task=task,
        first=_faded(first, age=len(exchanges)),
        exchanges=tuple(
            replace(
                exchange,
                shown=_faded(exchange.shown, age=newest - 1 - place),
                results=_without_old_readings(exchange.results, age=newest - 1 - place),
            )
            for place, exchange in enumerate(kept)
        ),
        left_out=left_out,
    )


def _faded(shown: Shown, *, age: int) -> Shown:
    """An observation as it is remembered ``age`` observations later."""
    if age >= SCREENSHOTS_KEPT and shown.image is not None:
        shown = replace(shown, image=None, without_screenshot=True)
    if age >= ELEMENTS_KEPT:
        shown = replace(shown, elements=LEFT_OUT_ELEMENTS)
    return shown


def _without_old_readings(results: tuple[Result, ...], *, age: int) -> tuple[Result, ...]:
    if age < READINGS_KEPT:
        return results
    return tuple(replace(result, reading=LEFT_OUT_READING) if result.reading else result for result in results)
