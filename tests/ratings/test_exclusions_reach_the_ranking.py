"""What an operator leaves out rates nobody from the next fit on, comes back, and is told before it is done."""

import pytest
from django.db.utils import IntegrityError

from battles.models import Battle
from governance.errors import ArenaError, Conflict
from governance.models import JournalEntry
from judging.exclusions import (
    exclude_battle,
    exclude_vote,
    is_left_out,
    not_left_out,
    readmit_battle,
    readmit_vote,
)
from judging.models import Exclusion, Vote
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.exclusion_effect import effect_of_exclusions
from ratings.models import Board
from tests.battles.factories import make_agent, make_judge
from tests.ratings.test_trust_reaches_the_ranking import judged, reasons

pytestmark = pytest.mark.django_db
OPERATOR = {"actor": "operator:1", "reason": "It was staged."}


@pytest.fixture
def models():
    return make_agent("m1"), make_agent("m2")


def demo():
    return reasons(Board.DEMO)


def test_a_battle_that_was_left_out_never_ran_and_comes_back(models):
    vote = judged(models, "m1", make_judge())
    assert demo() == [Reason.RATED]
    before = read_corpus(Board.DEMO)
    exclude_battle(battle=vote.battle, **OPERATOR)
    assert demo() == [Reason.NO_TRAJECTORY]
    assert read_corpus(Board.DEMO).ended.reason.tolist() in ([Reason.NO_TRAJECTORY], [])
    readmit_battle(battle=vote.battle, **OPERATOR)
    assert read_corpus(Board.DEMO).digest == before.digest


def test_a_label_that_was_left_out_is_not_admissible_and_comes_back(models):
    vote, other = judged(models, "m1", make_judge()), judged(models, "m2", make_judge())
    exclude_vote(vote=vote, **OPERATOR)
    assert demo() == [Reason.JUDGE_NOT_ADMISSIBLE, Reason.RATED]
    assert set(not_left_out(Vote.objects.all())) == {other}
    readmit_vote(vote=vote, **OPERATOR)
    assert demo() == [Reason.RATED, Reason.RATED]
    assert set(not_left_out(Vote.objects.all())) == {vote, other}


def test_an_earlier_corpus_is_read_as_it_was(models):
    vote = judged(models, "m1", make_judge())
    change = exclude_battle(battle=vote.battle, **OPERATOR)
    early = read_corpus(Board.DEMO, at=change.at - (change.at - vote.locked_at) / 2)
    assert [Reason(reason) for reason in early.reason] == [Reason.RATED]


def test_each_decision_is_one_row_in_the_journal_and_none_is_made_twice(models):
    vote = judged(models, "m1", make_judge())
    exclude_battle(battle=vote.battle, **OPERATOR)
    with pytest.raises(Conflict):
        exclude_battle(battle=vote.battle, **OPERATOR)
    with pytest.raises(Conflict):
        readmit_vote(vote=vote, **OPERATOR)
    with pytest.raises(ArenaError):
        exclude_vote(vote=vote, actor="operator:1", reason=" ")
    entry = JournalEntry.objects.get(action="judging:battle:exclude")
    assert (entry.subject, entry.actor, entry.reason) == (str(vote.battle_id), "operator:1", "It was staged.")
    assert is_left_out(vote.battle)
    assert not is_left_out(vote)


def test_decisions_stay_as_they_were_made(models):
    change = exclude_battle(battle=judged(models, "m1", make_judge()).battle, **OPERATOR)
    with pytest.raises(IntegrityError):
        Exclusion.objects.filter(pk=change.pk).update(excluded=False)


def test_the_effect_is_what_the_next_fit_says_and_leaves_nothing_behind(models):
    votes = [judged(models, "m1" if number % 3 else "m2", make_judge()) for number in range(9)]
    lost = [vote for vote in votes if vote.winner.agent_id == "m2"]
    (effect,) = [board for board in effect_of_exclusions([], lost[:2]).boards if board.title == Board.DEMO.label]
    assert (effect.labels_before, effect.labels_after) == (9, 7)
    best = effect.agents[0]
    assert best.name == models[0].name
    assert best.rating_after > best.rating_before
    assert effect.largest_move > 0
    assert not Exclusion.objects.exists()
    assert demo() == [Reason.RATED] * 9


def test_the_effect_of_what_does_not_rate_is_none(models):
    battle = judged(models, "m1", make_judge()).battle
    Battle.objects.filter(pk=battle.pk).update(leak_scan="leaked")
    assert effect_of_exclusions([battle], []).boards == []
