"""The measure that can be promised: arithmetic by hand, and a promise that is read once its size is reached."""

import numpy as np
import pytest
from scipy import stats

from battles.models import Agent
from battles.preregistrations import preregister, settle_promises
from ratings.promised_preference import preference
from tests.battles.factories import make_agent, make_task, make_votable
from tests.judging.handing import make_signed_in, say


def test_a_share_with_the_interval_that_is_worked_out_by_hand():
    """Judges 1 and 2: wins 1, 1 and 0, 0.5. Share 5/8; scores 3/4 and -3/4; G = 2."""
    found = preference(np.array([1, 1, 0, 0.5]), np.ones(4), np.array([1, 1, 2, 2]))
    assert found.share == 5 / 8
    error = np.sqrt(2 * (0.75**2 + 0.75**2)) / 4
    reach = stats.t.ppf(0.975, 1) * error
    assert (found.lower, found.upper) == (max(0, 5 / 8 - reach), min(1, 5 / 8 + reach))


def test_one_judge_alone_has_no_interval():
    found = preference(np.array([1.0, 0.0]), np.ones(2), np.array([7, 7]))
    assert (found.share, found.lower, found.upper) == (0.5, None, None)


@pytest.mark.django_db
def test_a_promise_is_read_over_exactly_the_battles_it_was_made_for(monkeypatch):
    monkeypatch.setattr("battles.preregistrations.SMALLEST", 2)
    first, other = make_agent("first"), make_agent("other")
    values = {"metric": "preference", "size": 2, "analysis": "The first is preferred.", "actor": "operator:1"}
    preregister(agents=[other.pk, first.pk], **values)
    judges = [make_signed_in(), make_signed_in()]

    def battle(number, choice):
        agents = (first, other) if number % 2 else (other, first)
        say(make_votable(agents=agents, task=make_task(judges[number % 2])), judges[number % 2], choice)

    battle(0, "A")
    assert settle_promises() == []
    battle(1, "B")
    battle(2, "B")
    [result] = settle_promises()
    assert result.words.startswith("100.0%")
    assert Agent.objects.count() == 2
