"""From locked votes to a publication: which labels rate, what is published, and what a failure leaves alone."""

import json
import threading

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from battles.models import Agent, Battle, Lane
from judging.models import Vote
from ratings import rating_rows
from ratings.canonical import NotFinite, canonical, published
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board, Publication, Refit
from ratings.refit import refit
from tests.battles.factories import ended, lane_of, make_agent, make_battle, make_judge, race, started, step

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def pair():
    return make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)


def judged(pair, choice, *, judge=None, events=None, kind=Battle.Kind.PRACTICE, by_submitter=False, battle=None):
    """A raced battle with one locked vote. ``choice`` is an agent's key, tie or both_bad."""
    battle = battle or race(make_battle(kind=kind, agents=pair), events=events)
    judge = judge or make_judge()
    winner = Lane.objects.filter(attempt__battle=battle, agent=choice).first()
    vote = Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.get(),
        choice="lane" if winner else choice,
        winner=winner,
        by_submitter=by_submitter,
        locked_at=timezone.now(),
    )
    return battle, vote


def reasons(board=Board.DEMO):
    return [Reason(reason) for reason in read_corpus(board).reason]


def test_an_empty_corpus_is_read_as_one():
    corpus = read_corpus(Board.DEMO)
    assert (corpus.reason.size, corpus.weight.size, corpus.agents) == (0, 0, ())


def test_outcomes_are_those_of_the_lanes_whatever_the_slot(pair):
    for agents, choice in ((pair, "ada"), (pair[::-1], "ada"), (pair, "tie"), (pair, "both_bad")):
        judged(agents, choice)
    corpus = read_corpus(Board.DEMO)
    won = [
        (corpus.agents[a], corpus.agents[b], int(outcome))
        for a, b, outcome in zip(corpus.agent_a, corpus.agent_b, corpus.outcome, strict=True)
    ]
    assert won == [("ada", "bob", 2), ("bob", "ada", 0), ("ada", "bob", 1), ("ada", "bob", 3)]


def test_an_unlocked_vote_is_no_label_yet(pair):
    _, vote = judged(pair, "ada")
    Vote.objects.filter(pk=vote.pk).update(locked_at=None)
    assert reasons() == []


def test_practice_does_not_rate_in_the_headline(pair):
    judged(pair, "ada")
    assert reasons(Board.DEMO) == [Reason.RATED]
    assert reasons(Board.HEADLINE) == [Reason.NOT_LIVE]


def test_baselines_and_affiliated_agents_are_not_ranked_in_the_headline(pair):
    judged(pair, "ada", kind=Battle.Kind.LIVE)
    assert reasons(Board.HEADLINE) == [Reason.NOT_RANKED]
    Agent.objects.filter(pk="ada").update(affiliated_from=timezone.now())
    assert reasons(Board.DEMO) == [Reason.NOT_RANKED]


def test_judges_without_an_account_do_not_rate_in_the_headline():
    models = make_agent("m1"), make_agent("m2")
    judged(models, "m1", kind=Battle.Kind.LIVE)
    assert reasons(Board.HEADLINE) == [Reason.JUDGE_NOT_ADMISSIBLE]
    assert reasons(Board.DEMO) == [Reason.RATED]


def test_a_lane_without_a_step_never_ran(pair):
    events = [started("A"), ended("A"), started("B"), step("B"), ended("B")]
    judged(pair, "ada", events=events)
    assert reasons() == [Reason.NO_TRAJECTORY]


def test_a_void_battle_rates_nobody(pair):
    battle, _ = judged(pair, "ada")
    Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
    assert reasons() == [Reason.NO_TRAJECTORY]


def test_unequal_budgets_exclude(pair):
    battle, _ = judged(pair, "ada")
    Lane.objects.filter(pk=lane_of(battle, "B").pk).update(budget_steps=60)
    assert reasons() == [Reason.UNEQUAL_BUDGETS]


@pytest.mark.parametrize("scan", ["leaked", "unscannable"])
def test_whatever_is_not_clean_counts_as_leaked(pair, scan):
    battle, _ = judged(pair, "ada")
    Battle.objects.filter(pk=battle.pk).update(leak_scan=scan)
    assert reasons() == [Reason.IDENTITY_LEAKED]


def test_the_first_reason_that_applies_names_it(pair):
    battle, _ = judged(pair, "ada")
    Battle.objects.filter(pk=battle.pk).update(leak_scan="leaked", state="void", voided_at=timezone.now())
    assert reasons() == [Reason.NO_TRAJECTORY]


def test_independent_judges_outrank_the_submitter_and_share_one_comparison(pair):
    battle, _ = judged(pair, "ada", by_submitter=True)
    assert reasons() == [Reason.RATED]
    judged(pair, "bob", battle=battle)
    judged(pair, "bob", battle=battle)
    corpus = read_corpus(Board.DEMO)
    assert sorted(map(Reason, corpus.reason)) == [Reason.RATED, Reason.RATED, Reason.OUTRANKED]
    assert sorted(corpus.weight) == [0, 0.5, 0.5]


def test_a_publication_is_made_stored_and_chained(pair):
    for choice in ("ada", "bob", "ada"):
        judged(pair, choice)
    first = refit(board=Board.DEMO, actor="system:test")
    assert first.outcome == Refit.Outcome.PUBLISHED
    assert refit(board=Board.DEMO, actor="system:test").outcome == Refit.Outcome.UNCHANGED
    judged(pair, "ada")
    second = refit(board=Board.DEMO, actor="system:test").publication
    assert second.previous == first.publication
    assert Publication.objects.count() == 2
    rows = json.loads(second.public_document)["ratings"]
    gap = rows[0]["rating"] - rows[1]["rating"]
    # 3 to 1 between two is 400 log10(3).
    assert gap == pytest.approx(190.85, abs=0.02)


def test_the_public_document_holds_no_counts_and_the_audit_adds_up(pair):
    judged(pair, "ada")
    judged(pair, "bob")
    judged(pair, "tie", kind=Battle.Kind.GOLD)
    stored = refit(board=Board.DEMO, actor="system:test").publication
    audit = json.loads(stored.document)["audit"]
    assert audit["labels_seen"] == sum(audit["labels"].values()) == 3
    assert audit["labels"]["rated"] == 2
    public = json.loads(stored.public_document)
    assert not {"labels_seen", "labels", "judges", "battles"} & public["audit"].keys()
    assert not {"battles", "votes", "se"} & public["ratings"][0].keys()


def test_two_judges_give_points_but_no_interval(pair):
    judge, other = make_judge(), make_judge()
    for choice in ("ada", "ada", "ada", "bob"):
        judged(pair, choice, judge=judge)
    row = json.loads(refit(board=Board.DEMO, actor="system:test").publication.public_document)["ratings"][0]
    assert row["rating"] is not None
    assert (row["lower"], row["reason"]) == (None, "not_identified")
    judged(pair, "bob", judge=other)


def test_an_agent_that_never_lost_is_bounded_and_not_a_huge_number(pair):
    for _ in range(4):
        judged(pair, "ada")
    rows = json.loads(refit(board=Board.DEMO, actor="system:test").publication.public_document)["ratings"]
    assert {row["rating"] for row in rows} == {None}
    assert {row["reason"] for row in rows} == {"unbounded"}


def test_nothing_rated_publishes_nothing_and_says_why():
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.FAILED
    assert "No label" in run.reason
    assert Publication.objects.count() == 0


def test_a_failed_refit_changes_nothing_public(pair, monkeypatch):
    judged(pair, "ada")
    judged(pair, "bob")
    good = refit(board=Board.DEMO, actor="system:test").publication
    judged(pair, "bob")
    monkeypatch.setattr(rating_rows, "published", lambda value, decimals=2: float("nan"))
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.FAILED
    assert run.reason
    assert list(Publication.objects.all()) == [good]
    monkeypatch.undo()
    assert refit(board=Board.DEMO, actor="system:test").outcome == Refit.Outcome.PUBLISHED


def test_labels_that_vanish_without_a_withdrawal_hold_the_publication_back(pair):
    judged(pair, "ada")
    _, vote = judged(pair, "bob")
    refit(board=Board.DEMO, actor="system:test")
    Vote.objects.filter(pk=vote.pk).update(locked_at=None)
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.FAILED
    assert "1 labels stand, 2 stood" in run.reason


def test_a_publication_cannot_be_edited(pair):
    judged(pair, "ada")
    refit(board=Board.DEMO, actor="system:test")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Publication.objects.update(public_document="{}")


def test_the_draw_learns_the_published_rating(pair):
    for choice in ("ada", "bob", "ada"):
        judged(pair, choice)
    refit(board=Board.DEMO, actor="system:test")
    ratings = dict(Agent.objects.values_list("key", "published_rating"))
    assert ratings["ada"] > 1000 > ratings["bob"]


@pytest.mark.django_db(transaction=True)
def test_two_refits_at_once_make_one_publication():
    agents = make_agent("ada", kind=Agent.Kind.BASELINE), make_agent("bob", kind=Agent.Kind.BASELINE)
    judged(agents, "ada")
    judged(agents, "bob")
    outcomes = []

    def run():
        try:
            outcomes.append(refit(board=Board.DEMO, actor="system:test").outcome)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == ["published", "unchanged", "unchanged", "unchanged"]
    assert Publication.objects.count() == 1


def test_canonical_json_refuses_what_json_has_no_word_for():
    assert canonical({"b": 1, "a": [None, 0.5]}) == '{"a":[null,0.5],"b":1}'
    assert published(-0.001) == 0.0
    with pytest.raises(NotFinite):
        canonical({"a": float("inf")})
    with pytest.raises(NotFinite):
        published(float("nan"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"budget_steps": 999}, Reason.UNEQUAL_BUDGETS),
        ({"budget_seconds": 9_999}, Reason.UNEQUAL_BUDGETS),
        ({"ended": "lost"}, Reason.NO_TRAJECTORY),
        ({}, Reason.RATED),
    ],
)
def test_a_battle_that_ended_counts_under_the_reason_of_its_labels(pair, change, reason):
    battle, _ = judged(pair, "ada")
    if change:
        Lane.objects.filter(pk=lane_of(battle, "A").pk).update(**change)
    corpus = read_corpus(Board.DEMO)
    assert corpus.ended.reason.tolist() == corpus.reason.tolist() == [reason]
