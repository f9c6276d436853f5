"""Leases, attempts and the recorder: nothing half-run is ever judged, nothing is written by a worker thought dead."""

import errno
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from battles.blindness.lexicon_table import sync_lexicon
from battles.finishing import finish_battle
from battles.lanes.endings import Ending
from battles.lanes.frame_store import FrameStoreFull, frame_storage
from battles.lanes.race import run_battle
from battles.lanes.recorder import Recorder
from battles.models import Attempt, Battle, Frame, Lane, Step
from battles.racing import BUDGET, MAX_ATTEMPTS, AttemptLost, hand_back, reap_lost_battles, renew_lease, start_attempt
from battles.roster import roster_names
from tests.battles.factories import ended, make_agent, make_battle, race, started, step

pytestmark = [pytest.mark.django_db, pytest.mark.production]


def begin(battle=None):
    battle = battle or make_battle()
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    return battle, ticket, Recorder(attempt_id=ticket.attempt_id, token=ticket.token)


def expire(battle):
    Battle.objects.filter(pk=battle.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_budgets_are_on_both_rows_before_anything_runs():
    _, ticket, _ = begin()
    lanes = Lane.objects.filter(attempt_id=ticket.attempt_id)
    assert [(lane.budget_steps, lane.budget_seconds, lane.state) for lane in lanes] == [
        (BUDGET.steps, BUDGET.seconds, "waiting")
    ] * 2


def test_a_battle_is_raced_by_one_worker():
    battle, _, _ = begin()
    assert start_attempt(battle_id=battle.pk, worker="test:2") is None
    assert battle.attempts.count() == 1


def test_a_finished_race_is_votable_with_its_record():
    battle = race(make_battle())
    assert battle.state == Battle.State.VOTABLE
    assert battle.leak_scan == Battle.Leak.CLEAN
    assert battle.starts_differ is False
    assert Step.objects.filter(lane__attempt__battle=battle, number=1).count() == 2
    assert all(frame_storage().size(f"{f.sha256[:2]}/{f.sha256[2:4]}/{f.sha256}.webp") for f in Frame.objects.all())


def test_lanes_that_began_from_different_pages_say_so():
    events = [started("A", digest="a" * 64), started("B", digest="b" * 64)]
    events += [event for slot in "AB" for event in (step(slot), ended(slot))]
    assert race(make_battle(), events=events).starts_differ is True


def test_an_answer_that_names_its_model_is_a_leak():
    agent = make_agent("zorbulon-nine", name="Zorbulon Nine")
    sync_lexicon(roster_names())
    events = [started("A"), step("A"), ended("A", answer="I am Zorbulon Nine and this is the answer.")]
    events += [started("B"), step("B"), ended("B")]
    battle = race(make_battle(agents=(agent, make_agent())), events=events)
    assert battle.leak_scan == Battle.Leak.LEAKED
    assert "Zorbulon" not in Lane.objects.get(attempt__battle=battle, slot="A").answer


@pytest.mark.parametrize("ending", [Ending.BROWSER_ERROR, Ending.PROVIDER_ERROR])
def test_a_lane_that_failed_through_no_fault_of_its_agent_voids_the_battle_with_the_reason(ending):
    events = [started("A"), step("A"), ended("A", ending=ending, answer="", detail="It went dark.")]
    events += [started("B"), step("B"), ended("B")]
    battle = race(make_battle(), events=events)
    assert battle.state == Battle.State.VOID
    assert "It went dark." in battle.void_reason


def test_a_lost_worker_means_a_new_attempt_with_the_same_pair_and_slots():
    battle, ticket, recorder = begin()
    recorder.write(started("A"))
    expire(battle)
    assert reap_lost_battles() == [battle.pk]
    with pytest.raises(AttemptLost):
        recorder.write(step("A"))
    with pytest.raises(AttemptLost):
        renew_lease(ticket.token)
    with pytest.raises(AttemptLost):
        finish_battle(attempt_id=ticket.attempt_id, token=ticket.token)
    again = start_attempt(battle_id=battle.pk, worker="test:2")
    slots = [tuple(Lane.objects.filter(attempt=a).values_list("slot", "agent")) for a in battle.attempts.all()]
    assert slots[0] == slots[1]
    first, second = battle.attempts.all()
    assert (first.outcome, second.outcome) == (Attempt.Outcome.BROKEN, Attempt.Outcome.RUNNING)
    assert set(first.lanes.values_list("ended", flat=True)) == {Ending.LOST}
    assert again.token != ticket.token


def test_after_the_last_attempt_the_battle_is_void():
    battle = make_battle()
    for _ in range(MAX_ATTEMPTS):
        assert start_attempt(battle_id=battle.pk, worker="test:1") is not None
        expire(battle)
        reap_lost_battles()
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    assert start_attempt(battle_id=battle.pk, worker="test:1") is None


def test_a_renewed_lease_is_not_reaped():
    battle, ticket, _ = begin()
    expire(battle)
    renew_lease(ticket.token)
    assert reap_lost_battles() == []


def test_a_stopped_worker_hands_back_at_once():
    battle, _, _ = begin()
    assert hand_back(worker="test:1") == [battle.pk]
    battle.refresh_from_db()
    assert battle.state == Battle.State.QUEUED


def test_a_queued_battle_that_nobody_took_rings_again():
    battle = make_battle()
    assert reap_lost_battles() == []
    Battle.objects.filter(pk=battle.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    assert reap_lost_battles() == [battle.pk]


def test_a_battle_is_not_finished_before_both_lanes_have_ended():
    _, ticket, recorder = begin()
    recorder.write(started("A"))
    recorder.write(ended("A"))
    with pytest.raises(AttemptLost):
        finish_battle(attempt_id=ticket.attempt_id, token=ticket.token)


def test_no_agent_battles_itself_in_the_database():
    agent = make_agent()
    with pytest.raises(IntegrityError, match="no_agent_battles_itself"), transaction.atomic():
        make_battle(agents=(agent, agent))


def test_hostile_text_of_a_page_is_recorded_without_harm():
    nasty = "nul \0 lone \ud800 surrogate \u202e and \U0010ffff"
    events = [started("A"), step("A", title=nasty, url_after=nasty, reasoning=nasty), ended("A", answer=nasty)]
    events += [started("B"), step("B"), ended("B")]
    battle = race(make_battle(), events=events)
    stored = Step.objects.get(lane__attempt__battle=battle, lane__slot="A", number=1)
    assert "surrogate" in stored.title
    assert "\0" not in stored.title


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_voids_the_battle_in_words_and_keeps_the_task(monkeypatch):
    monkeypatch.setattr(type(frame_storage()), "_save", full)
    battle = make_battle()

    def lane(order, emit, barrier, stop, folder):
        emit(started(order.slot))
        stop.wait(timeout=20)
        emit(ended(order.slot, ending=Ending.LOST))

    assert run_battle(battle.pk, worker="test:1", lane=lane)
    battle.refresh_from_db()
    assert battle.state == Battle.State.VOID
    assert "No space left" in battle.void_reason
    assert battle.task.instruction
    assert Frame.objects.count() == 0


def test_a_frame_that_cannot_be_stored_writes_nothing(monkeypatch):
    _, _, recorder = begin()
    monkeypatch.setattr(type(frame_storage()), "_save", full)
    with pytest.raises(FrameStoreFull):
        recorder.write(started("A"))
    assert Step.objects.count() == 0
