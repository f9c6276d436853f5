"""Agreement as the database knows it: which labels go into the arithmetic of :mod:`judging.agreement`."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet

from battles.models import Battle
from judging.agreement import Coefficient, Label, PairKappa, cohen_kappas, krippendorff_alpha, percent_agreement
from judging.models import Completion, Vote

#: Verdicts on a lane from low to high. Somebody who cannot tell has given none.
COMPLETION_ORDER = (Completion.Verdict.NOT_DONE, Completion.Verdict.PARTLY, Completion.Verdict.DONE)
#: Any number: the same labels give the same interval.
SEED = 30


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far independent judges agree; every undefined coefficient says why.

    Attributes:
        votes: alpha of the votes, nominal, with a bootstrap interval over battles.
        votes_equal: percent agreement of the votes.
        completion: alpha of the verdicts on lanes, ordinal.
        kappas: Cohen's kappa of the votes for each two judges.
    """

    votes: Coefficient
    votes_equal: Coefficient
    completion: Coefficient
    kappas: tuple[PairKappa, ...]


def final_votes() -> QuerySet[Vote]:
    """Locked, independent and not withdrawn."""
    return Vote.objects.filter(locked_at__isnull=False, withdrawn_at__isnull=True, by_submitter=False)


def live_agreement() -> Agreement:
    """Agreement of independent judges on live battles: the headline."""
    return agreement_of(final_votes().filter(battle__kind=Battle.Kind.LIVE).exclude(battle__state=Battle.State.VOID))


def agreement_of(votes: QuerySet[Vote]) -> Agreement:
    """Agreement over the labels of these votes."""
    said = vote_labels(votes)
    return Agreement(
        votes=krippendorff_alpha(said, seed=SEED),
        votes_equal=percent_agreement(said),
        completion=krippendorff_alpha(completion_labels(votes), level="ordinal", order=COMPLETION_ORDER, seed=SEED),
        kappas=tuple(cohen_kappas(said)),
    )


def vote_labels(votes: QuerySet[Vote]) -> list[Label]:
    """One label a vote: the better lane's slot, tie or both bad.

    Slots, since chance agreement is about what can be said of every battle: with a value for each lane, no two battles
    would have one in common.
    """
    said = votes.values_list("battle_id", "judge_id", "choice", "winner__slot")
    return [Label(battle, judge, slot or choice) for battle, judge, choice, slot in said]


def completion_labels(votes: QuerySet[Vote] | Collection[Vote]) -> list[Label]:
    """One label a lane: how far it got."""
    verdicts = Completion.objects.filter(vote__in=votes, verdict__in=COMPLETION_ORDER)
    return [
        Label(lane, judge, verdict) for lane, judge, verdict in verdicts.values_list("lane", "vote__judge", "verdict")
    ]
