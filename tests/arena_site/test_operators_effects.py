"""On a large board a worker works out what an exclusion would do, for exactly these rows, and nothing comes before."""

from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from governance.models import JournalEntry
from judging.exclusions import exclude_vote
from judging.models import Exclusion
from ratings import foreseen_effects
from ratings.foreseen_effects import ASKED, FAILED, FOUND, WorkersAway, effect_of_exclusions, foresee, work_out
from tests.arena_site.operators import sign_in_operator
from tests.arena_site.test_operators_acts import seal_on
from tests.battles.factories import make_agent, make_judge
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db
WHO = "operator:1"
EXCLUDE = "/admin/judging/vote/act/exclude/"


@pytest.fixture
def rung(monkeypatch):
    """What workers are asked, on a board that is large already."""
    asked = []
    monkeypatch.setattr(foreseen_effects, "VOTES_AT_MOST", 3)
    monkeypatch.setattr(foreseen_effects, "_ring", asked.append)
    return asked


@pytest.fixture
def votes():
    agents = make_agent("m1"), make_agent("m2")
    return [judged(agents, "m1" if number % 3 else "m2", make_judge()) for number in range(9)]


def answer(entry):
    return work_out(JournalEntry.objects.get(pk=entry))


def test_a_page_shows_it_is_worked_out_and_then_the_effect_and_only_then_it_can_be_confirmed(
    client, votes, rung, django_capture_on_commit_callbacks
):
    sign_in_operator(client, "moderator")
    asked = {"ids": [votes[0].pk], "reason": "Staged."}
    with django_capture_on_commit_callbacks(execute=True):
        first = client.post(EXCLUDE, asked)
    assert "It waits for a worker." in first.content.decode()
    assert seal_on(first) == ""
    client.post(EXCLUDE, asked | {"confirmed": "1"})
    # Looking again asks nobody anew.
    assert len(rung) == 1
    assert not Exclusion.objects.exists()
    answer(*rung)
    found = client.post(EXCLUDE, asked)
    assert "9 labels rate now, 8 would." in found.content.decode()
    other = client.post(EXCLUDE, {"ids": [votes[1].pk], "reason": "Staged.", "confirmed": seal_on(found)})
    assert "being worked out" in other.content.decode()
    client.post(EXCLUDE, asked | {"confirmed": seal_on(found)})
    assert Exclusion.objects.get().vote == votes[0]


def test_a_worker_finds_what_a_page_would(votes, rung, monkeypatch, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        foresee([votes[0].battle], votes[3:4], WHO)
    answer(*rung)
    by_worker = foresee([votes[0].battle], votes[3:4], WHO)
    monkeypatch.setattr(foreseen_effects, "VOTES_AT_MOST", 100)
    assert by_worker.boards == foresee([votes[0].battle], votes[3:4], WHO).boards
    assert by_worker.boards[0].agents


def test_an_answer_is_given_once_and_its_order_is_no_other_question(votes, rung, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        foresee([], votes[:2], WHO)
    answer(*rung)
    assert answer(*rung) is None
    assert foresee([], votes[1::-1], WHO).seal
    assert JournalEntry.objects.filter(action=ASKED).count() == 1


def test_an_answer_ends_with_the_next_exclusion_and_with_the_day(votes, rung, monkeypatch):
    def ask():
        shown = foresee([], votes[:1], WHO)
        return shown.seal or (answer(JournalEntry.objects.filter(action=ASKED).latest("at").pk) and "")

    assert ask() == ""
    assert ask()
    exclude_vote(vote=votes[5], actor=WHO, reason="Another.")
    assert ask() == ""
    assert ask()
    monkeypatch.setattr(foreseen_effects, "LASTS", timedelta(0))
    assert ask() == ""


def test_a_worker_that_fails_or_is_lost_is_asked_anew_and_one_that_is_away_is_told(
    votes, rung, monkeypatch, django_capture_on_commit_callbacks
):
    def broken(*_):
        raise ValueError

    with django_capture_on_commit_callbacks(execute=True):
        foresee([], votes[:1], WHO)
    monkeypatch.setattr(foreseen_effects, "effect_of_exclusions", broken)
    assert answer(*rung).action == FAILED
    assert "It failed (ValueError)" in foresee([], votes[:1], WHO).progress
    monkeypatch.setattr(foreseen_effects, "effect_of_exclusions", effect_of_exclusions)
    late = timezone.now() + foreseen_effects.PATIENCE + timedelta(seconds=1)
    monkeypatch.setattr(timezone, "now", lambda: late)
    foresee([], votes[:1], WHO)
    assert JournalEntry.objects.filter(action=ASKED).count() == 3


def test_workers_that_cannot_be_reached_are_a_refusal(votes, monkeypatch, django_capture_on_commit_callbacks):
    def away(*_, **__):
        raise OperationalError

    monkeypatch.setattr(foreseen_effects, "VOTES_AT_MOST", 3)
    monkeypatch.setattr(foreseen_effects.current_app, "send_task", away)
    with pytest.raises(WorkersAway), django_capture_on_commit_callbacks(execute=True):
        foresee([], votes[:1], WHO)


def test_the_journal_shows_no_operator_which_agents_would_move(client, votes, rung):
    foresee([], votes[:1], WHO)
    found = answer(JournalEntry.objects.get(action=ASKED).pk)
    assert found.action == FOUND
    sign_in_operator(client, "administrator")
    page = client.get(f"/admin/governance/journalentry/{found.pk}/change/").content.decode()
    assert "[withheld]" in page
    assert "rating_before" not in page
