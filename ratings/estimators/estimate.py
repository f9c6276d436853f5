"""What every likelihood of this package returns, and what every covariance and interval is made from."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.estimators.arrays import Floats


class NoFiniteMaximum(ValueError):
    """The votes leave the likelihood without a maximum.

    Args:
        message: what is missing.
        reason: ``not_connected``, ``unbounded``, ``not_identified`` or ``no_variation``.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """The maximum of a likelihood of votes between M agents, with E further parameters; P = M + E.

    The score of a vote, the gradient of its log-likelihood, has two entries among the strengths, equal and opposite,
    and one for every further parameter. So a score is stored as a residual for agent a (b has its negative) and E
    extras: by cell (a, b, outcome) where that is all they depend on, by vote where covariates enter.

    Attributes:
        model: name of the likelihood.
        strengths: (M,) nats, adding to zero.
        extras: (E,) further parameters.
        extra_names: their names.
        log_likelihood: at the maximum.
        bread: (P, P) generalized inverse of the information, for strengths that add to zero.
        residual: (M, M, 3), or (n,) where ``by_vote``; of a vote of weight one.
        extra_scores: (E, M, M, 3), or (E, n) where ``by_vote``; of a vote of weight one.
        steps: Newton steps taken.
        converged: whether the search ended at a maximum; if not, nothing here may be published.
    """

    model: str
    strengths: Floats
    extras: Floats
    extra_names: tuple[str, ...]
    log_likelihood: float
    bread: Floats
    residual: Floats
    extra_scores: Floats
    steps: int
    converged: bool

    @property
    def by_vote(self) -> bool:
        return self.residual.ndim == 1

    @property
    def free_parameters(self) -> int:
        """Parameters that the votes must determine: strengths up to a constant, and the extras."""
        return len(self.strengths) - 1 + len(self.extras)

    def extra(self, name: str) -> float:
        """The further parameter of that name."""
        return float(self.extras[self.extra_names.index(name)])
