"""The pool: battles that their submitters let others judge, handed out one at a time.

A judge cannot tell what they are handed: a live battle with one seat or three, a gold battle, one of a calibration
round, or (but for the pages' swapped slots, which nobody remembers) one they judged before.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import models, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from battles.draws import SYSTEM_CHANCE
from battles.gold import known_winners
from battles.matchmaking import Randomness
from battles.models import Battle
from governance.consent import receipt_in_force
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge
from judging.access import NoSuchBattle, under_report
from judging.accounts import is_signed_in
from judging.models import Assignment, Offer, Vote
from judging.repeats import due_second_look
from judging.seats import LEASE, expire_leases, running_leases, seated_votes, seats_free
from judging.trust import State, trust_state

#: Enough to see a success, a failure and something in between before a vote counts.
PRACTICE_NEEDED = 3
#: One in twenty handed out has a known outcome: the twenty scored calls that trust needs come in 400 battles, or sooner
#: through redundant ones.
GOLD_SHARE = 0.05
#: One in twenty comes back with its slots swapped: a judge's own consistency, at 5% of their time.
FLIP_SHARE = 0.05
#: So many of the longest waiting are asked for at once; it is rare that as many judges take one in the same instant.
TRIED_AT_ONCE = 20

OPEN_STATES = (Battle.State.VOTABLE, Battle.State.RESOLVED)
#: How an assignment ended after which its battle is not handed to the same judge again.
DONE_WITH = (
    Assignment.Outcome.VOTED,
    Assignment.Outcome.SKIPPED,
    Assignment.Outcome.REPORTED,
    Assignment.Outcome.IMPOSSIBLE,
)


class OfferRefused(ArenaError):
    code = "offer_refused"
    status = 409


@dataclass(frozen=True, slots=True)
class NextBattle:
    """What a judge does next.

    Attributes:
        reason: ``handed_out``; ``in_hand``: the same battle as before, its lease still runs; ``practice_first``: the
            battle, if any, is a practice battle; ``sign_in_first``; ``suspended``; ``nothing_waits``.
        battle: what to judge, or None.
        assignment: the lease, or None for a practice battle.
        practice_done, practice_needed: progress towards the pool.
    """

    reason: str
    battle: Battle | None
    assignment: Assignment | None
    practice_done: int
    practice_needed: int


@done_again
def offer_battle(*, battle: Battle, judge: Judge) -> Offer:
    """Let others judge one's own battle. Offering twice is offering once.

    Raises:
        NoSuchBattle: it is not this judge's own live battle.
        OfferRefused: ``no_legal_name``: the operator has not said who they are, so nothing may leave its poster;
            ``names_seen``: the submitter's own vote is final, so they know whose battle it is.
        Conflict: ``over``: the battle is closed or void.
        ConsentNeeded: the sentence in force was not agreed to.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    battle = Battle.objects.select_for_update(no_key=True, of=("self",)).select_related("task").get(pk=battle.pk)
    if battle.kind != Battle.Kind.LIVE or battle.task.judge_id != judge.pk:
        raise NoSuchBattle
    offered = Offer.objects.filter(battle=battle).first()
    if offered is not None:
        return offered
    if not settings.ARENA_LEGAL_NAME:
        raise OfferRefused(
            "This installation's operator has set no legal name (ARENA_LEGAL_NAME), so tasks stay with whoever posted "
            "them and cannot be offered to other judges.",
            code="no_legal_name",
        )
    if battle.state in {Battle.State.CLOSED, Battle.State.VOID}:
        raise Conflict("This battle is over; it takes no more judges.", code="over")
    vote = Vote.objects.filter(battle=battle, judge=judge).first()
    if vote is not None and vote.is_locked():
        raise OfferRefused(
            "You have seen the names, so this battle can no longer be offered: nobody may choose what others judge "
            "after knowing whose it is.",
            code="names_seen",
        )
    offered = Offer.objects.create(battle=battle, judge=judge, receipt=receipt_in_force(judge))
    record(actor=f"judge:{judge.pk}", action="judging:battle:offer", subject=str(battle.pk))
    return offered


@done_again
def next_for_judge(*, judge: Judge, chance: Randomness = SYSTEM_CHANCE) -> NextBattle:
    """Hand a judge the next battle under a lease; the same one again while their lease on it runs.

    Raises:
        TooMany: the judge has reached a limit of labels, so that a battle would only be kept from others.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    now = timezone.now()
    done = practice_votes(judge)
    if trust_state(judge) == State.SUSPENDED:
        return NextBattle("suspended", None, None, done, PRACTICE_NEEDED)
    if done < PRACTICE_NEEDED:
        return NextBattle("practice_first", practice_battles(judge).first(), None, done, PRACTICE_NEEDED)
    if not is_signed_in(judge):
        return NextBattle("sign_in_first", None, None, done, PRACTICE_NEEDED)
    held = _in_hand(judge, now)
    if held is not None:
        return NextBattle("in_hand", held.battle, held, done, PRACTICE_NEEDED)
    check_label_limit(judge)
    assignment = _hand_out(judge, now, chance)
    if assignment is None:
        return NextBattle("nothing_waits", None, None, done, PRACTICE_NEEDED)
    record(
        actor=f"judge:{judge.pk}",
        action="judging:assignment:hand_out",
        subject=str(assignment.pk),
        battle=str(assignment.battle_id),
    )
    return NextBattle("handed_out", assignment.battle, assignment, done, PRACTICE_NEEDED)


def practice_votes(judge: Judge) -> int:
    """Practice battles a judge has voted on, at most as many as are needed."""
    cast = Vote.objects.filter(judge=judge, battle__kind=Battle.Kind.PRACTICE, withdrawn_at__isnull=True)
    return min(PRACTICE_NEEDED, cast.count())


def practice_battles(judge: Judge) -> QuerySet[Battle]:
    """Practice battles that a judge may still practise on, the longest waiting first."""
    return _not_met(Battle.objects.filter(kind=Battle.Kind.PRACTICE, state__in=OPEN_STATES), judge)


def shown_kind(battle: Battle) -> str:
    """The kind of a battle as its judges may know it: what is handed out is live to them."""
    return battle.kind if battle.kind == Battle.Kind.PRACTICE else Battle.Kind.LIVE


def _in_hand(judge: Judge, now: datetime) -> Assignment | None:
    """The judge's running lease; one that ran out, or whose battle is over or hidden, is closed."""
    expire_leases(judge, now)
    held = (
        Assignment.objects.select_related("battle__task").filter(judge=judge, outcome=Assignment.Outcome.OPEN).first()
    )
    if held is None:
        return None
    open_states = (*OPEN_STATES, Battle.State.CLOSED) if held.swapped else OPEN_STATES
    if Battle.objects.filter(~Q(under_report()), pk=held.battle_id, state__in=open_states).exists():
        return held
    held.outcome = Assignment.Outcome.TAKEN_BACK
    held.ended_at = now
    held.save(update_fields=["outcome", "ended_at"])
    return None


def _hand_out(judge: Judge, now: datetime, chance: Randomness) -> Assignment | None:
    """What comes first: a round or panel the judge belongs to, a second look, sometimes gold, then the pool."""
    asked_of_the_judge = _asked_of(judge).first()
    if asked_of_the_judge is not None:
        return _lease(asked_of_the_judge, judge, now)
    first = due_second_look(judge, now)
    if first is not None:
        return _lease(first.battle, judge, now, first=first)
    if chance.random() < GOLD_SHARE:
        gold = _gold(judge).first()
        if gold is not None:
            return _lease(gold, judge, now)
    return _from_the_pool(judge, now, chance)


def _asked_of(judge: Judge) -> QuerySet[Battle]:
    """Battles of open calibration rounds and panels that this judge belongs to."""
    in_round = Q(calibration__round__judges__judge=judge, calibration__round__ended_at__isnull=True)
    on_panel = Q(panel__panel__judges__judge=judge, panel__panel__closed_at__isnull=True)
    asked = Battle.objects.filter(in_round | on_panel, kind=Battle.Kind.CALIBRATION, state__in=OPEN_STATES)
    return _not_met(asked, judge)


def _gold(judge: Judge) -> QuerySet[Battle]:
    gold = Battle.objects.filter(kind=Battle.Kind.GOLD, state__in=OPEN_STATES)
    return _not_met(gold.filter(pk__in=known_winners(list(gold.values_list("pk", flat=True)))), judge)


def _not_met(battles: QuerySet[Battle], judge: Judge) -> QuerySet[Battle]:
    """Those that are not hidden, not the judge's own, and that the judge has neither voted on nor turned down."""
    mine = Assignment.objects.filter(battle=OuterRef("pk"), judge=judge)
    return (
        battles.filter(
            ~Q(under_report()),
            ~Exists(Vote.objects.filter(battle=OuterRef("pk"), judge=judge)),
            ~Exists(mine.filter(outcome__in=DONE_WITH)),
        )
        .exclude(task__judge=judge)
        .select_related("task")
        .order_by("votable_at", "pk")
    )


def pool_of(judge: Judge, now: datetime) -> QuerySet[Battle]:
    """Offered live battles with a free seat for this judge, the longest waiting first.

    A battle in which an agent was named is not handed out: it would rate nobody and teach its judge a name.
    """
    offered = Battle.objects.filter(
        kind=Battle.Kind.LIVE,
        state__in=OPEN_STATES,
        offer__isnull=False,
        leak_scan=Battle.Leak.CLEAN,
        task__withdrawn_at__isnull=True,
    ).annotate(
        taken=_counted(seated_votes().filter(battle=OuterRef("pk")))
        + _counted(running_leases(now).filter(battle=OuterRef("pk")))
    )
    return _not_met(offered.filter(taken__lt=F("judges_needed")), judge)


def _counted(rows: QuerySet[Vote] | QuerySet[Assignment]) -> Coalesce:
    counted = rows.order_by().values("battle").annotate(counted=Count("pk")).values("counted")
    return Coalesce(Subquery(counted, output_field=models.IntegerField()), 0)


def _from_the_pool(judge: Judge, now: datetime, chance: Randomness) -> Assignment | None:
    """A seat that is free for certain: it is counted again under the battle's lock.

    First whatever nobody else is handling at this moment, then, where that gave nothing, waiting for each in turn.
    """
    for wait in (False, True):
        tried: list[uuid.UUID] = []
        while some := list(pool_of(judge, now).exclude(pk__in=tried).values_list("pk", flat=True)[:TRIED_AT_ONCE]):
            for battle_id in some:
                assignment = _try_seat(battle_id, judge, now, chance, wait=wait)
                if assignment is not None:
                    return assignment
            tried += some
    return None


def _try_seat(
    battle_id: uuid.UUID, judge: Judge, now: datetime, chance: Randomness, *, wait: bool
) -> Assignment | None:
    """Lock one battle and lease it if a seat is free.

    The savepoint lets go of a battle that was full after all, so nobody ever holds one and waits for another.
    """
    savepoint = transaction.savepoint()
    locked = Battle.objects.select_for_update(no_key=True, skip_locked=not wait, of=("self",)).select_related("task")
    battle = locked.filter(pk=battle_id, state__in=OPEN_STATES).first()
    # Asked anew: whoever waited for the lock saw what was true before somebody else reported the battle.
    hidden = Battle.objects.filter(under_report(), pk=battle_id).exists()
    if battle is None or hidden or not seats_free(battle, now=now):
        transaction.savepoint_rollback(savepoint)
        return None
    transaction.savepoint_commit(savepoint)
    return _lease(battle, judge, now, comes_back=chance.random() < FLIP_SHARE)


def _lease(
    battle: Battle, judge: Judge, now: datetime, *, first: Assignment | None = None, comes_back: bool = False
) -> Assignment:
    """A new lease; a second look whose lease had run out gets its row back, since there is one."""
    until = now + LEASE
    if first is not None:
        assignment, _ = Assignment.objects.update_or_create(
            first=first,
            defaults={
                "battle": battle,
                "judge": judge,
                "swapped": True,
                "leased_at": now,
                "leased_until": until,
                "outcome": Assignment.Outcome.OPEN,
                "ended_at": None,
            },
        )
        return assignment
    return Assignment.objects.create(
        battle=battle, judge=judge, leased_at=now, leased_until=until, comes_back=comes_back
    )
