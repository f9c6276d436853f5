"""What of a full document is public: everything that is named here, in the form that is named, and nothing else.

No sample size leaves: no count, total or tally of labels, battles or judges. The projection is exhaustive: a key it
does not know stops it, so that a new number is never public by being new. What precision would give away goes too:
standard errors (with an interval they give the number of judges), ends of intervals beyond whole points, shares beyond
a hundredth, intervals that are made from a count alone, shares of a few judges. What is left, the width of an interval,
says roughly how much was measured; ``docs/publications.md`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ratings.audit import SHARE_FLOOR

Leaf: TypeAlias = Callable[[Any], Any]
Shape: TypeAlias = "Leaf | dict[str, Any] | list[Any] | Each"


class UnknownShape(Exception):
    """A document has something that nobody has decided about."""


class Dropped:
    """Marks what is not public."""


class Each:
    """A mapping whose keys are names, each with a value of one shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


DROP = Dropped()
#: The name of the parameter that is no points.
NU = "nu"
_CODE = re.compile(r"[a-z][a-z_]*")


def text(value: Any) -> Any:
    """Words, yes and no, or nothing."""
    if value is None or isinstance(value, str | bool):
        return value
    raise UnknownShape(f"{value!r} is no text")


def words(value: Any) -> Any:
    """A sentence; one with a number in it could be counting."""
    if value is not None and any(letter.isdigit() for letter in text(value)):
        return "Too few votes or judges to answer."
    return text(value)


def number(value: Any) -> Any:
    """A figure that is no count, as it is."""
    if value is None or isinstance(value, float):
        return value
    raise UnknownShape(f"{value!r} is no figure")


def whole(value: Any) -> Any:
    """The end of an interval, to a whole point."""
    return None if number(value) is None else float(round(value))


def hundredth(value: Any) -> Any:
    """A figure that a finer one would trace back to counts."""
    return None if number(value) is None else round(value, 2) + 0.0


def share(value: Any) -> Any:
    """A part of one; what is larger has been counted."""
    if number(value) is None or 0 <= value <= 1:
        return value
    raise UnknownShape(f"{value!r} is no share")


def code(value: Any) -> Any:
    """A word of the code: a reason, a status, the key of a probe."""
    if value is None or (isinstance(value, str) and _CODE.fullmatch(value)):
        return value
    raise UnknownShape(f"{value!r} is no word of the code")


def parameter(value: Any) -> Any:
    """A further parameter of a fit. Its ends are whole points; nu is no points, and small."""
    is_nu = isinstance(value, Mapping) and value.get("name") == NU
    end = hundredth if is_nu else whole
    return project(value, {**PARAMETER, "lower": end, "upper": end}, "parameter")


def rank(value: Any) -> Any:
    """A rank, a place or the number of a component."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise UnknownShape(f"{value!r} is no rank")


#: A constant of the code, or the seed.
constant = rank

ROW: dict[str, Any] = {
    "agent": text,
    "component": rank,
    "rating": number,
    "se": DROP,
    **{f"{kind}{end}": whole for kind in ("", "sim_", "anytime_") for end in ("lower", "upper")},
    # There only while judges are fewer than forty.
    "wild_lower": DROP,
    "wild_upper": DROP,
    "rank_best": rank,
    "rank_worst": rank,
    "place": rank,
    "status": code,
    "bound": {"side": code, "points": whole},
    "reason": code,
    "battles": DROP,
}
HEADLINE_ROW = {**ROW, "adjusted_best": rank, "adjusted_worst": rank, "rank_claimed": text}
PARAMETER = {"component": rank, "name": text, "value": number, "reason": code}
VARIANT = {
    "reason": code,
    "ratings": [ROW],
    "parameters": [parameter],
    "never_differs": [text],
    "largest_weight": number,
    "effective_votes": DROP,
    "pairs_left_out": [[text]],
    "fewest_draws": constant,
}
FLIP = {"to_tie": DROP, "to_flip": DROP, "of": DROP, "share": share, "labels": DROP}
PROBE = {
    "key": code,
    "fired": text,
    "value": hundredth,
    "lower": hundredth,
    "upper": hundredth,
    "threshold": number,
    "reason": words,
    "about": [text],
}
#: Probes whose figure is a count.
COUNTING_PROBES = frozenset({"connectivity"})
#: Probes whose figure is a ratio of counts and nothing else, so that the ends of its interval give the counts.
COUNTED_ENDS = frozenset({"coverage_imbalance"})
#: Probes in points: the ends of their intervals are as whole as those of ratings.
POINT_PROBES = frozenset({"separation", "drift"})
#: Probes whose figure is as small as 0.5%, and is written with a digit more.
FINE_PROBES = frozenset({"drop_to_flip"})
AUDIT = {
    "labels_seen": DROP,
    "labels": DROP,
    "label_shares": Each(share),
    "battles": DROP,
    "judges": DROP,
    "judges_effective": DROP,
    "top_judge_share": share,
    "self_judged_share": share,
    "tie_share": share,
    "both_bad_share": share,
    "exclusions": Each(
        {"battles_ended": DROP, "excluded": DROP, "rates": Each(share), "point_rank": rank, "point_rank_if_lost": rank}
    ),
    "probes": [PROBE],
}
PUBLIC: dict[str, Any] = {
    "audit": AUDIT,
    "board": text,
    "code_version": text,
    "corpus_digest": text,
    "corrects": text,
    "definitions": Each(Each(text)),
    "drifting": DROP,
    "estimator": text,
    "gaps": Each(
        Each({"gap": number, "lower": whole, "upper": whole, "p_holm": DROP, "win_chance": share, "reason": code})
    ),
    "joined": [{"agent": text, "into": text, "at": text, "reason": text}],
    "ledger": {"size": constant, "root": text},
    "libraries": Each(text),
    "licensees": [{"licensee": text, "agents": [text]}],
    "measures": {
        "task_population": text,
        "judge_pool": text,
        "interface_version": text,
        "rubric_versions": [text],
    },
    "position": {
        "slot_a_share": share,
        "slot_a_lower": share,
        "slot_a_upper": share,
        "effective_votes": DROP,
        "advantage": [parameter],
        "reason": code,
    },
    "previous": text,
    "ratings": [HEADLINE_ROW],
    "robustness": [{"upper": text, "lower": text, "votes": FLIP, "judges": FLIP}],
    "seed": constant,
    "variants": Each(VARIANT),
    "win_shares": Each(Each(share)),
}


def public_document(full: Mapping[str, Any]) -> dict[str, Any]:
    """The public form of a full document.

    Raises:
        UnknownShape: it has a key or a value that nobody has decided about.
    """
    document: dict[str, Any] = project(full, PUBLIC, "document")
    for probe, full_probe in zip(document["audit"]["probes"], full["audit"]["probes"], strict=True):
        probe.update(_probe_figures(full_probe))
    for pair, full_pair in zip(document["robustness"], full["robustness"], strict=True):
        if full_pair["judges"]["of"] < SHARE_FLOOR:
            pair["judges"]["share"] = None
    return document


def public_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The public form of the rows of a fit that is in no document.

    Raises:
        UnknownShape: they have a key or a value that nobody has decided about.
    """
    found: list[dict[str, Any]] = project(rows, [ROW], "rows")
    return found


def _probe_figures(probe: Mapping[str, Any]) -> dict[str, Any]:
    """What a probe shows otherwise than to a hundredth."""
    if probe["key"] in COUNTING_PROBES:
        return {"value": None, "lower": None, "upper": None}
    if probe["key"] in COUNTED_ENDS:
        return {"lower": None, "upper": None}
    if probe["key"] in POINT_PROBES:
        return {"lower": whole(probe["lower"]), "upper": whole(probe["upper"])}
    if probe["key"] in FINE_PROBES and probe["value"] is not None:
        return {"value": round(probe["value"], 3)}
    return {}


def project(value: Any, shape: Any, path: str) -> Any:
    """What of a value may be public by its shape; ``path`` names the place in refusals.

    Raises:
        UnknownShape: something in it that the shape does not know.
    """
    if isinstance(shape, Each):
        if not isinstance(value, Mapping):
            raise UnknownShape(f"{path} is no mapping")
        if not all(isinstance(key, str) for key in value):
            raise UnknownShape(f"{path} has a key that is no name")
        return {key: project(each, shape.shape, f"{path}.{key}") for key, each in value.items()}
    if isinstance(shape, dict):
        return None if value is None else _project_mapping(value, shape, path)
    if isinstance(shape, list):
        if not isinstance(value, list | tuple):
            raise UnknownShape(f"{path} is no list")
        return [project(each, shape[0], f"{path}[{place}]") for place, each in enumerate(value)]
    try:
        return shape(value)
    except UnknownShape as problem:
        raise UnknownShape(f"{path}: {problem}") from None


def _project_mapping(value: Any, shape: dict[str, Any], path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise UnknownShape(f"{path} is no mapping")
    unknown = sorted(set(value) - set(shape))
    if unknown:
        raise UnknownShape(f"nobody has decided whether {path}.{unknown[0]} is public")
    return {key: project(each, shape[key], f"{path}.{key}") for key, each in value.items() if shape[key] is not DROP}
