"""What came out, as plain JSON values. No number is ever NaN or infinite; where there is none, there is a reason."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations, pairwise
from typing import Any

from ratings.canonical import canonical, digest, published
from ratings.component_fits import ClusteredOn, ComponentFit, CoreFit
from ratings.estimators.covariance import Covariance
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT
from ratings.estimators.style import MOST_LOG_ODDS
from ratings.estimators.tie_models import LOG_NU, THRESHOLD
from ratings.headline import AgentRating, HeadlineFit
from ratings.inference.parameters import ParameterEstimate
from ratings.probes import Probe
from ratings.probes.probe import WORDS
from ratings.votes_file.checking import Votes
from ratings.votes_file.fitting import CategoryFit, Position, VoteFit, main_core
from ratings.votes_file.rejections import Rejection, is_writable
from ratings.votes_file.warnings import warnings_of

#: Rounding of every number: below any error of the arithmetic that matters, above what the order of rows changes.
DECIMALS = 10
#: What a terminal obeys and nobody sees, and halves of characters, which no file can hold.
_UNSEEN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
#: Up to so many agents every gap is listed, beyond only those of neighbours.
MOST_AGENTS_WITH_ALL_GAPS = 60

MODELS = {
    "half": "Bradley-Terry, ties half a win",
    "drop": "Bradley-Terry, ties left out",
    "davidson": "Davidson, ties by the geometric mean of the strengths",
    "rao-kupper": "Rao-Kupper, ties below a threshold",
}


def fit_document(fit: VoteFit) -> dict[str, Any]:
    """The fit as JSON values; ``docs/fit.md`` says what each is."""
    headline, core = fit.headline, fit.main
    controlled = ", style held equal" if fit.votes.measures else ""
    return {
        **_frame(fit.votes.read, fit.votes.rejected),
        "votes": {
            "read": fit.votes.read,
            "used": len(fit.used),
            "rejected": [_rejection(row) for row in fit.votes.rejected],
            "left_out": [{"reason": "tie", "votes": fit.left_out}] if fit.left_out else [],
            "judges": headline.judges if fit.clustered_on == "judge" else None,
            "effective_judges": _number(headline.effective_judges) if fit.clustered_on == "judge" else None,
        },
        "components": len(headline.components),
        "component_details": [
            _component(number, component, fit, fit.anchored == number)
            for number, component in enumerate(headline.components)
        ],
        "covariance": covariance_in_words(fit),
        "correction": correction_in_words(None if core is None else core.covariance, fit.clustered_on),
        "model": MODELS[fit.options.ties] + controlled,
        "gauge": gauge_in_words(fit, fit.anchored is not None),
        "confidence": headline.confidence,
        "seed": headline.seed,
        "ratings": _rows(fit.rows),
        "point_digest": digest(canonical({row.agent: published(row.rating) for row in fit.rows})),
        "gaps": _gaps(headline),
        "position": _position(fit.position),
        "ties": _ties(fit, core),
        "style": _style(fit) if fit.votes.measures else None,
        "categories": [_category(category) for category in fit.categories],
        "probes": [_probe(probe) for probe in fit.probes],
        "columns": fit.votes.headers,
        "warnings": [{"code": warning.code, "message": warning.message} for warning in warnings_of(fit)],
    }


def refusal_document(*, code: str, message: str, read: int = 0, rejected: Sequence[Rejection] = ()) -> dict[str, Any]:
    """A file that was not fitted, in the same shape: no ratings, and why."""
    return {**_frame(read, rejected), "error": {"code": code, "message": message}}


def document_text(document: dict[str, Any], *, only_ascii: bool = False) -> str:
    """A document as JSON, in which no character is invisible, or beyond ASCII if that is asked for.

    Halves of characters, such as bytes of a file's name that are no UTF-8, are named: they are no text in any encoding.
    """
    text = _UNSEEN.sub(_by_number, json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    return json.dumps(json.loads(text), allow_nan=False, indent=1) if only_ascii else text


def _by_number(match: re.Match[str]) -> str:
    return f"{'' if is_writable(match[0]) else chr(92)}\\u{ord(match[0]):04x}"


def covariance_in_words(fit: VoteFit) -> str:
    """What the standard errors allow to depend on each other."""
    if fit.clustered_on == "judge":
        shared = fit.used.has_shared_battles()
        return "two-way judge and battle" if shared else "clustered on judge"
    return "sandwich over battles" if fit.votes.by_battle else "sandwich over votes"


def correction_in_words(covariance: Covariance | None, clustered_on: ClusteredOn) -> str:
    """The small-sample correction in use, with its factor."""
    if clustered_on == "battle":
        return "none (HC0), normal quantiles"
    if covariance is None:
        return "G/(G-1), t at effective judges - 1"
    if covariance.clusters == 1:
        return "none: a single judge shows no error"
    return (
        f"G/(G-1) = {covariance.factor:.6f} for {covariance.clusters} judges, "
        f"t at effective judges - 1 = {covariance.degrees_of_freedom:.2f}"
    )


def gauge_in_words(fit: VoteFit, anchored: bool) -> str:
    """Where the scale is held."""
    if not anchored:
        return f"the mean of the rated agents of a component is {ANCHOR:g}"
    return (
        f"{fit.options.anchor} is {fit.options.anchor_points:g} by definition, and has no error; in a component "
        f"without it the mean of the rated agents is {ANCHOR:g}"
    )


def _frame(read: int, rejected: Sequence[Rejection]) -> dict[str, Any]:
    """The agreed keys of every document."""
    return {
        "votes": {"read": read, "used": 0, "rejected": [_rejection(row) for row in rejected], "left_out": []},
        "components": 0,
        "covariance": None,
        "correction": None,
        "ratings": [],
        "position": {"a_win_share": None, "lower": None, "upper": None, "log_odds": None},
        "ties": {"share": None, "nu": None},
        "probes": [],
    }


def _rejection(row: Rejection) -> dict[str, Any]:
    return asdict(row)


def _rows(rows: Sequence[AgentRating]) -> list[dict[str, Any]]:
    """Ratings, best first within a component; agents without one after them, by name."""
    return [_row(row) for row in in_order(rows)]


def in_order(rows: Sequence[AgentRating]) -> list[AgentRating]:
    """The order in which ratings are shown: by component, then by rating, the unrated last, then by name."""

    def key(row: AgentRating) -> tuple[float, bool, float, str]:
        component = math.inf if row.component is None else row.component
        rating = _number(row.rating) or 0.0
        return component, row.rating is None, -rating, row.agent

    return sorted(rows, key=key)


def _row(row: AgentRating) -> dict[str, Any]:
    bound = None if row.bound is None else {"side": row.bound.side, "points": _number(row.bound.points)}
    return {
        "agent": row.agent,
        "component": row.component,
        "rating": _number(row.rating),
        "se": _number(row.se),
        "lower": _number(row.lower),
        "upper": _number(row.upper),
        "sim_lower": _number(row.simultaneous_lower),
        "sim_upper": _number(row.simultaneous_upper),
        "rank_best": row.rank_best,
        "rank_worst": row.rank_worst,
        "place": row.place,
        "status": row.reason or str(row.status),
        "reason": row.reason,
        "stage": str(row.status),
        "bound": bound,
        "battles": row.battles,
    }


def _component(number: int, component: ComponentFit, fit: VoteFit, anchored: bool) -> dict[str, Any]:
    core = component.core
    names = fit.votes.agents
    return {
        "component": number,
        "agents": [names[agent] for agent in component.component.members.tolist()],
        "rated": 0 if core is None else len(core.members),
        "votes": 0 if core is None else core.votes,
        "failure": component.failure,
        "gauge": fit.options.anchor if anchored else "mean",
        "correction": correction_in_words(None if core is None else core.covariance, fit.clustered_on),
        "clusters": None if core is None else core.covariance.clusters,
        "effective_clusters": None if core is None else _number(core.covariance.effective_clusters),
        "factor": None if core is None else _number(core.covariance.factor),
        "simultaneous": None if core is None else core.critical.method,
        "parameters": [] if core is None else [_parameter(parameter) for parameter in core.parameters],
    }


def _parameter(parameter: ParameterEstimate) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "value": _number(parameter.value),
        "se": _number(parameter.se),
        "lower": _number(parameter.lower),
        "upper": _number(parameter.upper),
        "reason": parameter.reason,
    }


def _gaps(headline: HeadlineFit) -> list[dict[str, Any]]:
    """Gaps of all pairs, also of those that cannot be compared; of many agents only those of neighbours."""
    rows = in_order(headline.agents)
    every = len(rows) <= MOST_AGENTS_WITH_ALL_GAPS
    pairs = combinations(rows, 2) if every else pairwise(row for row in rows if row.rating is not None)
    return [_gap(headline, one.agent, other.agent) for one, other in pairs]


def _gap(headline: HeadlineFit, one: str, other: str) -> dict[str, Any]:
    gap = headline.gap(one, other)
    return {
        "agent": one,
        "other": other,
        "gap": _number(gap.gap),
        "se": _number(gap.se),
        "lower": _number(gap.lower),
        "upper": _number(gap.upper),
        "p_value": _number(gap.p_value),
        "p_holm": _number(gap.p_holm),
        "win_chance": _number(gap.win_chance),
        "reason": gap.reason,
    }


def _position(position: Position) -> dict[str, Any]:
    share, advantage = position.share, position.advantage
    return {
        "a_win_share": None if share is None else _number(share.value),
        "lower": None if share is None else _number(share.lower),
        "upper": None if share is None else _number(share.upper),
        "log_odds": None if advantage is None else _number(advantage.value),
        "log_odds_se": None if advantage is None else _number(advantage.se),
        "log_odds_lower": None if advantage is None else _number(advantage.lower),
        "log_odds_upper": None if advantage is None else _number(advantage.upper),
        "reason": position.reason,
    }


def _ties(fit: VoteFit, core: CoreFit | None) -> dict[str, Any]:
    parameters = {} if core is None else {parameter.name: parameter for parameter in core.parameters}
    log_nu, threshold = parameters.get(LOG_NU), parameters.get(THRESHOLD)
    return {
        "share": _number(fit.tie_share),
        "nu": None if log_nu is None else _exponential(log_nu.value),
        "nu_lower": None if log_nu is None else _exponential(log_nu.lower),
        "nu_upper": None if log_nu is None else _exponential(log_nu.upper),
        "threshold": None if threshold is None else _number(threshold.value),
        "both_bad": fit.both_bad,
        "rule": fit.options.ties,
    }


def _style(fit: VoteFit) -> dict[str, Any]:
    """Coefficients by component, and the ratings without them."""
    scale = dict(zip(fit.votes.measures, fit.style_scale.tolist(), strict=True))
    coefficients = [
        {
            **_parameter(parameter),
            "component": number,
            "scale": _number(scale[parameter.name]),
            "per_unit": _number(parameter.value / scale[parameter.name]),
        }
        for number, component in enumerate(fit.headline.components)
        for parameter in (() if component.core is None else component.core.parameters)
    ]
    return {
        "measures": list(fit.votes.measures),
        "coefficients": coefficients,
        "uncontrolled": _rows(fit.uncontrolled or ()),
        "caution": "Observational: what ratings would be at equal style, if style is not itself a sign of quality.",
        "points_per_unit_of_log_odds": _number(POINTS_PER_NAT),
    }


def _category(category: CategoryFit) -> dict[str, Any]:
    core = None if category.headline is None else main_core(category.headline)
    return {
        "category": category.name,
        "votes": category.votes,
        "refused": category.refused,
        "underpowered": category.underpowered,
        "components": 0 if category.headline is None else len(category.headline.components),
        "judges": None if core is None or core.covariance.kind == "sandwich" else core.covariance.clusters,
        "ratings": _rows(category.rows),
    }


def _probe(probe: Probe) -> dict[str, Any]:
    words = WORDS[probe.key]
    return {
        "key": probe.key,
        "fired": probe.fired,
        "value": _number(probe.value),
        "lower": _number(probe.lower),
        "upper": _number(probe.upper),
        "threshold": _number(probe.threshold),
        "reason": probe.reason,
        "about": list(probe.about),
        "title": words.title,
        "unit": words.unit,
        "meaning": words.meaning,
    }


def _number(value: float | None) -> float | None:
    """A number as it is written, without a negative zero; None where there is none."""
    if value is None or not math.isfinite(value):
        return None
    return round(float(value), DECIMALS) + 0.0


def _exponential(value: float | None) -> float | None:
    """None also where a double cannot hold it."""
    return None if value is None or value > MOST_LOG_ODDS else _number(math.exp(value))


def votes_in_words(votes: Votes) -> str:
    """How many rows there were and what became of them."""
    good = f"{len(votes):,} votes on {len(votes.agents):,} agents"
    return good if not votes.rejected else f"{good}, {len(votes.rejected):,} of {votes.read:,} rows rejected"
