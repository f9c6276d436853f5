"""The ways to fit, as toggles and words: what each undoes, and what it cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratings.variants import (
    CATEGORY,
    DAVIDSON_TIES,
    FEWEST_BATTLES,
    PROCESS_CONTROLLED,
    SCHEDULE,
    STYLE_CONTROLLED,
    WITHOUT_BOTH_BAD,
)

HEADLINE = "headline"

#: Label of the toggle and what the variant is, in the order of the toggles.
VARIANTS: Mapping[str, tuple[str, str]] = {
    HEADLINE: ("As judged", ""),
    SCHEDULE: (
        "Schedule undone",
        "Pairs are drawn unequally often. Here every battle is weighted by how unlikely its draw was, as if all pairs "
        "had met equally often. A rank is claimed only where this and the first order agree.",
    ),
    STYLE_CONTROLLED: (
        "Style held equal",
        "What the order would be if answers were equally long and used as many headings, lists and bold words. The "
        "control is observational: where a long answer is long because it is better, it takes too much away.",
    ),
    PROCESS_CONTROLLED: (
        "Steps and time held equal",
        "What the order would be if runs took equally many steps and equally long. Both are results as much as style: "
        "an agent that is quick is also better for it. The control is observational.",
    ),
    DAVIDSON_TIES: (
        "Ties of their own",
        "A tie is a result of its own here (Davidson 1970) and not half a win for each. Gaps are larger on this scale; "
        "compare orders, not points.",
    ),
    WITHOUT_BOTH_BAD: (
        "Both bad left out",
        "Battles that judges called bad on both sides are left out here; in the first order they are half a win each.",
    ),
}

#: Why a variant has no order, in words.
REFUSALS: Mapping[str, str] = {
    "no_votes": "No vote is left to fit.",
    "too_few_draws": "No pair has been available in enough draws to undo the schedule.",
    "probability_below_floor": "A stored probability is lower than the draw allows, so its weight cannot be believed.",
    "no_variation": "Nothing varies in what would be held equal, or there are no ties.",
    "no_both_bad": "No battle was called bad on both sides, so this is the first order again.",
    "too_few_comparisons": f"A category is fitted from {FEWEST_BATTLES} rated battles on.",
    "unbounded": "Without these votes nobody has a finite rating.",
    "not_identified": "What would be held equal cannot be told from who the agents are.",
    "not_converged": "The fit did not settle.",
}

#: Names of what is held equal, for people.
PARAMETER_NAMES: Mapping[str, str] = {
    "length": "length of the answer",
    "headers": "headings",
    "lists": "list items",
    "bold": "bold words",
    "steps": "steps",
    "seconds": "time",
    "nu": "nu: how readily judges call a tie",
}


@dataclass(frozen=True, slots=True)
class Toggle:
    """A link to one way to fit."""

    label: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Toggles:
    """Links to the ways to fit, to the categories, and the names of categories without comparisons enough."""

    ways: tuple[Toggle, ...]
    categories: tuple[Toggle, ...]
    too_small: tuple[str, ...]


def toggles(document: Mapping[str, Any], current: str, base: str) -> Toggles:
    """Those of a public document; one from before variants were published has none.

    Args:
        document: a public document.
        current: name of the way that is shown.
        base: address of the page.
    """
    variants = document.get("variants", {})
    if not variants:
        return Toggles((), (), ())
    names = [HEADLINE, *(name for name in VARIANTS if name in variants)]
    ways = tuple(Toggle(VARIANTS[name][0], _address(base, name), name == current) for name in names)
    categories = [name for name in sorted(variants) if name.startswith(CATEGORY)]
    shown = tuple(
        Toggle(category_name(name), _address(base, name), name == current)
        for name in categories
        if variants[name]["reason"] is None or name == current
    )
    too_small = tuple(category_name(name) for name in categories if variants[name]["reason"] is not None)
    return Toggles(ways, shown, too_small)


def _address(base: str, name: str) -> str:
    return base if name == HEADLINE else f"{base}?fit={slug_of(name)}"


def slug_of(name: str) -> str:
    """A variant in an address."""
    return name.replace(CATEGORY, "category-").replace(" ", "-")


def variant_named(document: Mapping[str, Any], slug: str) -> str | None:
    """The variant that an address asks for; None where the document has none of that name."""
    if slug in {"", HEADLINE}:
        return HEADLINE
    return next((name for name in document.get("variants", {}) if slug_of(name) == slug), None)


def category_name(name: str) -> str:
    return name.removeprefix(CATEGORY)


def words_of(name: str) -> str:
    """What a variant is, for the page."""
    if name.startswith(CATEGORY):
        return f"Votes on tasks of one kind alone: {category_name(name)}. Fewer votes, wider intervals."
    return VARIANTS[name][1]


def parameter_rows(variant: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was held equal, with its effect and interval."""
    return [{**row, "label": PARAMETER_NAMES.get(row["name"], row["name"])} for row in variant.get("parameters", [])]
