"""Racing a battle: who may start, how long they may hold it, and what happens when they vanish.

The broker is only a doorbell. The battle's row holds the lease; a worker that does not renew it is
thought dead, its attempt is marked broken, and another worker starts again from the beginning. Leases
are written and read by the database's clock alone: those of the hosts may differ, and jump.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from battles.lanes.allowlist import operator_allowlist
from battles.lanes.endings import Ending
from battles.lanes.events import Budget, LaneOrder
from battles.models import Attempt, Battle, Lane
from battles.roster import settings_of
from battles.spending import lane_spending
from governance.errors import ArenaError
from governance.journal import record

#: A worker renews every few seconds; thirty without a word and it is thought dead.
LEASE = timedelta(seconds=30)
#: The first run and two more. After that the fault is not chance and the battle is void.
MAX_ATTEMPTS = 3
#: A queued battle nobody started in this time rings the doorbell again: the message may have been lost.
RING_AGAIN_AFTER = timedelta(seconds=60)
#: Steps and seconds for both lanes, the same for everybody.
BUDGET = Budget(steps=30, seconds=300.0)


class AttemptLost(Exception):
    """This attempt is no longer the one that counts: stop, and write nothing more."""


@dataclass(frozen=True, slots=True)
class RaceTicket:
    """What a worker needs to run an attempt it has won."""

    battle_id: uuid.UUID
    attempt_id: uuid.UUID
    token: uuid.UUID
    orders: tuple[LaneOrder, LaneOrder]


@transaction.atomic
def start_attempt(*, battle_id: uuid.UUID, worker: str) -> RaceTicket | None:
    """Claim a queued battle: a new attempt with two lanes whose budgets are written before anything runs.

    Returns None when there is nothing to do: somebody else races it, or it is over.
    """
    battle = Battle.objects.select_for_update(no_key=True).filter(pk=battle_id, state=Battle.State.QUEUED).first()
    if battle is None:
        return None
    number = battle.attempts.count() + 1
    attempt = Attempt.objects.create(battle=battle, number=number, worker=worker[:120])
    lanes = [
        Lane.objects.create(
            attempt=attempt,
            slot=slot,
            agent=agent,
            agent_version=agent.model_version,
            budget_steps=BUDGET.steps,
            budget_seconds=BUDGET.seconds,
        )
        for slot, agent in ((Lane.Slot.A, battle.agent_a), (Lane.Slot.B, battle.agent_b))
    ]
    battle.state = Battle.State.RACING
    battle.lease_token = attempt.token
    battle.lease_until = Now() + LEASE
    battle.save(update_fields=["state", "lease_token", "lease_until"])
    record(
        actor=f"worker:{worker}"[:80],
        action="battles:battle:start_attempt",
        subject=str(battle.pk),
        attempt=number,
    )
    one, other = (_order(battle, lane) for lane in lanes)
    return RaceTicket(battle_id=battle.pk, attempt_id=attempt.pk, token=attempt.token, orders=(one, other))


def _order(battle: Battle, lane: Lane) -> LaneOrder:
    agent = lane.agent
    return LaneOrder(
        slot=lane.slot,
        instruction=battle.task.instruction,
        start_url=battle.task.start_url,
        agent_key=agent.key,
        adapter=agent.adapter,
        agent_settings={**settings_of(agent), **lane_spending(agent)},
        budget=Budget(steps=lane.budget_steps, seconds=lane.budget_seconds),
        practice_key=battle.task.practice_key,
        egress_allow=operator_allowlist(),
    )


def renew_lease(token: uuid.UUID) -> None:
    """Say that the worker is alive.

    Raises:
        AttemptLost: the battle was given to another attempt, or is over.
    """
    renewed = Battle.objects.filter(lease_token=token, state=Battle.State.RACING).update(lease_until=Now() + LEASE)
    if not renewed:
        raise AttemptLost


@transaction.atomic
def break_attempt(*, battle: Battle, reason: str, actor: str) -> bool:
    """Mark the running attempt broken and hand the battle back, or void it after the last try.

    The caller holds the battle's row lock. Returns whether the battle is queued again.
    """
    now = timezone.now()
    attempt = battle.attempts.filter(outcome=Attempt.Outcome.RUNNING).first()
    if attempt is not None:
        attempt.outcome = Attempt.Outcome.BROKEN
        attempt.ended_at = now
        attempt.save(update_fields=["outcome", "ended_at"])
        _end_open_lanes(attempt, reason)
    battle.lease_token = None
    battle.lease_until = None
    again = battle.attempts.count() < MAX_ATTEMPTS
    if again:
        battle.state = Battle.State.QUEUED
    else:
        battle.state = Battle.State.VOID
        battle.voided_at = now
        battle.void_reason = f"The race was interrupted {MAX_ATTEMPTS} times, so it was given up. {reason}"
    battle.save(update_fields=["state", "lease_token", "lease_until", "voided_at", "void_reason"])
    record(
        actor=actor,
        action="battles:battle:hand_back" if again else "battles:battle:void",
        subject=str(battle.pk),
        reason=reason,
    )
    return again


def _end_open_lanes(attempt: Attempt, reason: str) -> None:
    attempt.lanes.exclude(state=Lane.State.ENDED).update(
        state=Lane.State.ENDED, ended=Ending.LOST, ended_at=timezone.now(), detail=reason
    )


def reap_lost_battles() -> list[uuid.UUID]:
    """Hand back every battle whose lease ran out; returns the battles that want a worker now.

    Queued battles that nobody picked up for a while are among them.
    """
    wanting: list[uuid.UUID] = []
    expired = Battle.objects.filter(state=Battle.State.RACING, lease_until__lt=Now())
    for battle_id in list(expired.values_list("pk", flat=True)):
        with transaction.atomic():
            battle = (
                Battle.objects.select_for_update(no_key=True, skip_locked=True)
                .filter(pk=battle_id, state=Battle.State.RACING, lease_until__lt=Now())
                .first()
            )
            if battle is None or _held_by_a_session(battle):
                continue
            if break_attempt(battle=battle, reason="Its worker stopped answering.", actor="system:reaper"):
                wanting.append(battle.pk)
    waiting = Battle.objects.filter(state=Battle.State.QUEUED, created_at__lt=timezone.now() - RING_AGAIN_AFTER)
    wanting.extend(waiting.exclude(pk__in=wanting).values_list("pk", flat=True))
    return wanting


def _held_by_a_session(battle: Battle) -> bool:
    """Whether somebody is writing into the running attempt, or was when they vanished and the server has yet to notice.

    Waiting for them would keep every other lost battle waiting; the next look is a few seconds away.
    """
    running = battle.attempts.filter(outcome=Attempt.Outcome.RUNNING)
    free = running.select_for_update(no_key=True, skip_locked=True)
    return running.exists() and not free.exists()


def racing_workers() -> list[str]:
    """Host and process of every worker that races, as far as the database knows."""
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    return list(running.order_by("worker").values_list("worker", flat=True).distinct())


def hand_back(*, worker: str = "", reason: str = "Its worker was stopped.") -> list[uuid.UUID]:
    """Expire the leases of a stopped worker's battles at once; all workers' when none is named."""
    handed: list[uuid.UUID] = []
    running = Attempt.objects.filter(outcome=Attempt.Outcome.RUNNING)
    if worker:
        running = running.filter(worker=worker)
    for battle_id in list(running.values_list("battle_id", flat=True)):
        with transaction.atomic():
            battle = (
                Battle.objects.select_for_update(no_key=True).filter(pk=battle_id, state=Battle.State.RACING).first()
            )
            if battle is not None and break_attempt(battle=battle, reason=reason, actor="system:supervisor"):
                handed.append(battle_id)
    return handed


@transaction.atomic
def void_battle(*, battle_id: uuid.UUID, reason: str, actor: str) -> None:
    """Take a battle out for good, with the reason shown to people.

    Raises:
        ArenaError: the battle is void already.
    """
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle_id)
    if battle.state == Battle.State.VOID:
        raise ArenaError("This battle is void already.", code="already_void")
    battle.state = Battle.State.VOID
    battle.voided_at = timezone.now()
    battle.void_reason = reason
    battle.lease_token = None
    battle.lease_until = None
    battle.save(update_fields=["state", "voided_at", "void_reason", "lease_token", "lease_until"])
    for attempt in battle.attempts.filter(outcome=Attempt.Outcome.RUNNING):
        attempt.outcome = Attempt.Outcome.BROKEN
        attempt.ended_at = battle.voided_at
        attempt.save(update_fields=["outcome", "ended_at"])
        _end_open_lanes(attempt, reason)
    record(actor=actor, action="battles:battle:void", subject=str(battle.pk), reason=reason)
