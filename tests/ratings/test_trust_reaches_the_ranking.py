"""What is decided about a judge or a label reaches the ranking at the next fit, in both directions."""

import json

import pytest
from django.utils import timezone

from battles.models import Agent, Battle, Lane
from governance.consent import current_text, give_consent
from governance.models import Judge
from judging.accounts import bind_device
from judging.models import Vote
from judging.trust import decide_hold, hold_label, reinstate_judge, settle_trust, suspend_judge
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board, Refit
from ratings.refit import refit
from tests.battles.factories import make_agent, make_battle, make_judge, race
from tests.judging.test_trust import call_gold

pytestmark = [pytest.mark.django_db, pytest.mark.production]

OPERATOR = "operator:1"


@pytest.fixture
def models():
    return make_agent("m1"), make_agent("m2")


def judged(agents, choice, judge, *, battle=None, by_submitter=False, kind=Battle.Kind.LIVE):
    battle = battle or race(make_battle(kind=kind, agents=agents))
    return Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.first(),
        choice="lane",
        winner=Lane.objects.get(attempt__battle=battle, agent=choice),
        by_submitter=by_submitter,
        locked_at=timezone.now(),
    )


def reasons(board=Board.HEADLINE):
    return [Reason(reason) for reason in read_corpus(board).reason]


def signed_in(judge=None):
    judge = judge or make_judge()
    return bind_device(device=judge, account=f"account-{judge.pk}", actor="system:test")


def test_signing_in_makes_the_labels_of_a_device_rate_in_the_headline(models):
    device = make_judge()
    judged(models, "m1", device)
    assert reasons() == [Reason.JUDGE_NOT_ADMISSIBLE]
    assert reasons(Board.DEMO) == [Reason.RATED]
    account = signed_in()
    bind_device(device=device, account=account.account.account, actor="system:test")
    assert reasons() == [Reason.RATED]


@pytest.mark.parametrize("board", list(Board))
def test_a_suspension_takes_labels_out_of_both_boards_and_reinstating_brings_them_back(models, board):
    judge = signed_in()
    judged(models, "m1", judge)
    assert reasons(board) == [Reason.RATED]
    suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
    assert reasons(board) == [Reason.JUDGE_NOT_ADMISSIBLE]
    reinstate_judge(judge=judge, actor=OPERATOR, reason="No script.")
    assert reasons(board) == [Reason.RATED]


def test_a_judge_found_untrusted_is_out_and_one_who_recovers_is_in_again(models):
    judge = signed_in()
    judged(models, "m1", judge)
    call_gold(judge, *[False] * 20)
    settle_trust(judge=judge)
    assert reasons().count(Reason.RATED) == 0
    call_gold(judge, *[True] * 20)
    settle_trust(judge=judge)
    assert reasons().count(Reason.RATED) == 1


def test_a_held_label_does_not_rate_until_it_is_released(models):
    vote = judged(models, "m1", signed_in())
    held = hold_label(vote=vote, actor="system:anomaly", reason="Improbable.")
    assert reasons() == [Reason.JUDGE_NOT_ADMISSIBLE]
    decide_hold(held=held, decision="released", actor=OPERATOR, reason="A careful judge.")
    assert reasons() == [Reason.RATED]
    again = hold_label(vote=vote, actor="system:anomaly", reason="Improbable again.")
    decide_hold(held=again, decision="excluded", actor=OPERATOR, reason="A script.")
    assert reasons() == [Reason.JUDGE_NOT_ADMISSIBLE]


def test_when_the_independent_judge_is_out_the_submitters_label_decides_again(models):
    battle = race(make_battle(agents=models))
    submitter, judge = signed_in(battle.task.judge), signed_in()
    judged(models, "m1", submitter, battle=battle, by_submitter=True)
    judged(models, "m2", judge, battle=battle)
    assert reasons() == [Reason.OUTRANKED, Reason.RATED]
    suspend_judge(judge=judge, actor=OPERATOR, reason="A script.")
    assert reasons() == [Reason.RATED, Reason.JUDGE_NOT_ADMISSIBLE]
    reinstate_judge(judge=judge, actor=OPERATOR, reason="No script.")
    assert reasons() == [Reason.OUTRANKED, Reason.RATED]


def test_an_unsigned_independent_judge_does_not_outrank_in_the_headline(models):
    battle = race(make_battle(agents=models))
    judged(models, "m1", signed_in(battle.task.judge), battle=battle, by_submitter=True)
    judged(models, "m2", make_judge(), battle=battle)
    assert reasons() == [Reason.RATED, Reason.JUDGE_NOT_ADMISSIBLE]
    assert reasons(Board.DEMO) == [Reason.OUTRANKED, Reason.RATED]


def test_the_next_publication_differs_and_is_not_held_back():
    agents = make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)
    judges = [signed_in() for _ in range(3)]
    for judge in judges:
        for choice in ("ada", "bob"):
            judged(agents, choice, judge, kind=Battle.Kind.PRACTICE)
    judged(agents, "ada", judges[0], kind=Battle.Kind.PRACTICE)
    first = refit(board=Board.DEMO, actor="system:test")
    suspend_judge(judge=judges[0], actor=OPERATOR, reason="A script.")
    second = refit(board=Board.DEMO, actor="system:test")
    reinstate_judge(judge=judges[0], actor=OPERATOR, reason="No script.")
    third = refit(board=Board.DEMO, actor="system:test")
    assert {run.outcome for run in (first, second, third)} == {Refit.Outcome.PUBLISHED}
    labels = [json.loads(run.publication.document)["audit"]["labels"] for run in (first, second, third)]
    assert [label["rated"] for label in labels] == [7, 4, 7]
    assert [label["judge_not_admissible"] for label in labels] == [0, 3, 0]


def test_one_persons_second_vote_from_another_device_rates_nowhere(models):
    account, device = signed_in(), make_judge()
    battle = race(make_battle(agents=models, judges_needed=3))
    judged(models, "m1", account, battle=battle)
    judged(models, "m2", device, battle=battle)
    bind_device(device=device, account=account.account.account, actor="system:test")
    for board in Board:
        assert sorted(reasons(board)) == [Reason.RATED, Reason.WITHDRAWN]
    assert Judge.objects.filter(pk=device.pk).exists()


def test_consent_given_later_changes_no_label(models, settings):
    judge = signed_in()
    vote = judged(models, "m1", judge)
    settings.ARENA_LEGAL_NAME = "Ringside Example Ltd"
    text = current_text()
    give_consent(judge=judge, text=text, rendered=text.sentence)
    vote.refresh_from_db()
    assert vote.receipt.text != text
    assert reasons() == [Reason.RATED]
