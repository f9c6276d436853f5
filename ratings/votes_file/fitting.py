"""The ratings that votes from elsewhere give, by the same fit that publications are made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from ratings.component_fits import ClusteredOn, CoreFit
from ratings.estimators.arrays import Flags, Floats
from ratings.estimators.bradley_terry import fit_bradley_terry
from ratings.estimators.clusters import cluster
from ratings.estimators.comparisons import TIE, Comparisons, tabulate
from ratings.estimators.covariance import battle_covariance, judge_covariance
from ratings.estimators.estimate import NoFiniteMaximum
from ratings.estimators.style import scaled
from ratings.estimators.threads import one_blas_thread
from ratings.headline import AgentRating, HeadlineFit, fit_headline
from ratings.inference.parameters import ParameterEstimate, parameter_estimates
from ratings.inference.position import slot_a_share
from ratings.inference.shares import Share
from ratings.inference.status import SETTLING_BATTLES, underpowered
from ratings.likelihoods import DAVIDSON, HEADLINE, RAO_KUPPER, Likelihood, styled
from ratings.probes import Probe, run_probes
from ratings.votes_file.anchor import anchor_component, anchored
from ratings.votes_file.checking import Votes, canonical_numbers
from ratings.votes_file.options import FitOptions, TieRule
from ratings.votes_file.rejections import VotesFileError

_LIKELIHOODS: Mapping[TieRule, Likelihood] = MappingProxyType(
    {"half": HEADLINE, "drop": HEADLINE, "davidson": DAVIDSON, "rao-kupper": RAO_KUPPER}
)


@dataclass(frozen=True, slots=True)
class Position:
    """Whether the side mattered.

    Attributes:
        share: of slot A among the votes that prefer a side; None where none does.
        advantage: of slot A in nats, with the strengths accounted for; None with a reason.
        reason: why there is no advantage.
    """

    share: Share | None
    advantage: ParameterEstimate | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class CategoryFit:
    """The fit of one category, or why there is none.

    Attributes:
        name: of the category.
        votes: on it.
        headline: its fit; None where it is refused.
        rows: its ratings.
        refused: why.
        underpowered: it has too few votes to resolve a difference of three points in a hundred.
    """

    name: str
    votes: int
    headline: HeadlineFit | None
    rows: tuple[AgentRating, ...]
    refused: str | None
    underpowered: bool


@dataclass(frozen=True, slots=True, eq=False)
class VoteFit:
    """What came out.

    Attributes:
        votes: what was read.
        options: how it was fitted.
        used: the comparisons that were fitted; without ties where those were left out.
        clustered_on: whose votes may depend on each other.
        headline: the fit, in its own gauge.
        rows: the ratings, with the anchor where it was asked for.
        uncontrolled: the ratings without style control; None where no style was controlled.
        style_scale: (K,) root mean square of every measure of style, by which its coefficient is scaled.
        anchored: the component whose scale the anchor holds, or None.
        position: whether the side mattered, in the component with most votes.
        tie_share: ties, both bad among them, by weight among all good rows; None where there are none.
        both_bad: number of votes for neither.
        categories: a fit for each, if they were asked for.
        probes: the audit, if it was asked for.
    """

    votes: Votes
    options: FitOptions
    used: Comparisons
    clustered_on: ClusteredOn
    headline: HeadlineFit
    rows: tuple[AgentRating, ...]
    uncontrolled: tuple[AgentRating, ...] | None
    style_scale: Floats
    anchored: int | None
    position: Position
    tie_share: float | None
    both_bad: int
    categories: tuple[CategoryFit, ...]
    probes: tuple[Probe, ...]

    @property
    def left_out(self) -> int:
        """Ties that were left out."""
        return len(self.votes) - len(self.used)

    @property
    def main(self) -> CoreFit | None:
        """The rated agents of the component with most votes."""
        return main_core(self.headline)


def fit_votes(votes: Votes, options: FitOptions | None = None) -> VoteFit:
    """Rate the agents of files of votes.

    Measures of style that were read are controlled for: ratings are then those at equal style.

    Args:
        votes: from :func:`ratings.votes_file.reading.read_votes`.
        options: how.

    Raises:
        VotesFileError: there is nothing to fit, or the options ask for what the files do not have.
    """
    options = options or FitOptions()
    _check(votes, options)
    clustered_on: ClusteredOn = options.cluster or ("judge" if votes.judged else "battle")
    kept, used = _kept(votes, options.ties)
    if not len(used):
        raise VotesFileError("All votes are ties, and ties are left out: nothing is left to fit.", code="no_votes")
    if clustered_on == "battle":
        used = _by_battle(used)
    covariates = votes.covariates[:, kept]
    fitter = _Fitter(votes, options, clustered_on)
    headline = fitter.fit(used, votes.agents, covariates)
    ties, weight = votes.comparisons.outcome == TIE, votes.comparisons.weights()
    categories: list[CategoryFit] = []
    if votes.categories is not None and votes.category is not None:
        for number, name in enumerate(votes.categories):
            rows = np.flatnonzero(votes.category[kept] == number)
            categories.append(fitter.category(name, used.take(rows), votes.agents, covariates[:, rows]))
    return VoteFit(
        votes=votes,
        options=options,
        used=used,
        clustered_on=clustered_on,
        headline=headline,
        rows=anchored(headline, options),
        uncontrolled=fitter.uncontrolled(used, votes.agents),
        style_scale=np.sqrt(np.square(covariates).mean(axis=1)),
        anchored=anchor_component(headline, options),
        position=_position(used, headline, clustered_on),
        tie_share=float(weight[ties].sum() / weight.sum()),
        both_bad=int(np.count_nonzero(votes.both_bad)),
        categories=tuple(categories),
        probes=_audit(used, votes, kept, options.seed) if options.audit else (),
    )


def main_core(headline: HeadlineFit) -> CoreFit | None:
    """The rated agents of the component with most votes; None where nobody is rated."""
    cores = [component.core for component in headline.components if component.core is not None]
    return max(cores, key=lambda core: core.votes, default=None)


def _check(votes: Votes, options: FitOptions) -> None:
    if not len(votes):
        raise VotesFileError("There is no vote to fit.", code="no_votes", rejected=votes.rejected)
    if options.cluster == "judge" and not votes.judged:
        raise VotesFileError(
            "Votes cannot be clustered on the judge: no column says who judged. Name it with --column judge=NAME.",
            code="no_judges",
        )
    if options.anchor is not None and options.anchor not in votes.agents:
        raise VotesFileError(f'There is no agent "{options.anchor}" to anchor the scale at.', code="no_such_anchor")
    if not math.isfinite(options.anchor_points):
        raise VotesFileError("The points of the anchor must be a finite number.", code="bad_anchor")
    if votes.measures and options.ties not in {"half", "drop"}:
        raise VotesFileError(
            "Style is controlled for with ties as half a win, or left out: --ties half or --ties drop.",
            code="style_needs_half",
        )


def _kept(votes: Votes, ties: TieRule) -> tuple[Flags, Comparisons]:
    """Which votes are fitted, and they; a battle some of whose votes are left out still counts as one."""
    everything = np.ones(len(votes), dtype=np.bool_)
    if ties != "drop":
        return everything, votes.comparisons
    kept = votes.comparisons.outcome != TIE
    own = votes.comparisons.take(kept)
    if votes.by_battle and not votes.weighted and own.battle is not None and len(own):
        own = replace(own, weight=1 / np.bincount(own.battle)[own.battle])
    return kept, own


def _by_battle(votes: Comparisons) -> Comparisons:
    """The votes with battles in the place of judges: a battle each, where files do not say which belong together."""
    battle = votes.battle
    if battle is None:
        battle = canonical_numbers(votes.a, votes.b, votes.outcome, votes.weight)
    return replace(votes, judge=battle, battle=battle)


def _position(votes: Comparisons, headline: HeadlineFit, clustered_on: ClusteredOn) -> Position:
    share = slot_a_share(votes)
    core = main_core(headline)
    if core is None:
        return Position(share, None, "unbounded")
    own, _ = votes.between(core.members)
    with one_blas_thread():
        try:
            estimate = fit_bradley_terry(tabulate(own), position=True)
        except NoFiniteMaximum as refusal:
            return Position(share, None, refusal.reason)
        groups = cluster(own, own.judge)
        cover = judge_covariance if clustered_on == "judge" else battle_covariance
        (advantage,) = parameter_estimates(estimate, cover(own, estimate, groups))
    return Position(share, advantage, advantage.reason)


class _Fitter:
    """Fits parts of the votes in one and the same way."""

    def __init__(self, votes: Votes, options: FitOptions, clustered_on: ClusteredOn) -> None:
        self._measures = votes.measures
        self._options = options
        self.clustered_on = clustered_on

    def fit(self, votes: Comparisons, agents: tuple[str, ...], covariates: Floats) -> HeadlineFit:
        """The fit that was asked for, with (K, n) differences of style held equal if there are any."""
        how = _LIKELIHOODS[self._options.ties]
        if self._measures:
            how = styled("style-controlled", scaled(covariates), self._measures)
        return self._rate(votes, agents, how)

    def uncontrolled(self, votes: Comparisons, agents: tuple[str, ...]) -> tuple[AgentRating, ...] | None:
        """The ratings without style control; None where there is none."""
        return anchored(self._rate(votes, agents, HEADLINE), self._options) if self._measures else None

    def category(self, name: str, votes: Comparisons, agents: tuple[str, ...], covariates: Floats) -> CategoryFit:
        if not len(votes):
            return CategoryFit(name, 0, None, (), "all of its votes are ties, and ties are left out", True)
        present = np.flatnonzero(votes.battles_per_agent())
        own, _ = votes.between(present)
        battles = int(own.battles_per_agent().sum()) // 2
        few = underpowered(battles)
        if 2 * battles < SETTLING_BATTLES * len(present):
            refused = f"its {len(present)} agents have fewer than {SETTLING_BATTLES} comparisons each on average"
            return CategoryFit(name, len(votes), None, (), refused, few)
        fitted = self.fit(own, tuple(agents[agent] for agent in present), covariates)
        return CategoryFit(name, len(votes), fitted, anchored(fitted, self._options), None, few)

    def _rate(self, votes: Comparisons, agents: tuple[str, ...], how: Likelihood) -> HeadlineFit:
        anchor = self._options.anchor
        ranked = np.array([name == anchor for name in agents]) if anchor in agents else None
        seed = self._options.seed
        return fit_headline(votes, agents, ranked=ranked, likelihood=how, seed=seed, clustered_on=self.clustered_on)


def _audit(used: Comparisons, votes: Votes, kept: Flags, seed: int) -> tuple[Probe, ...]:
    return run_probes(
        used,
        votes.agents,
        covariates=votes.covariates[:, kept] if votes.measures else None,
        covariate_names=votes.measures,
        times=None if votes.time is None else _order(used, votes.time[kept]),
        seed=seed,
    )


def _order(votes: Comparisons, time: Floats) -> Floats | None:
    """(n,) place of each vote in the order of time, votes of one instant by what they say; None where all are of one.

    So the order of rows changes nothing here either.
    """
    if time.min() == time.max():
        return None
    said = canonical_numbers(votes.a, votes.b, votes.outcome, votes.weight)
    place = np.empty(len(time))
    place[np.lexsort((votes.judge, said, time))] = np.arange(len(time))
    return place
