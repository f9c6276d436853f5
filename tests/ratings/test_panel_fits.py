"""A panel's own fit: its admissible labels, by the headline's estimator, pooled with nothing."""

import uuid

import numpy as np
import pytest

from battles.models import Battle
from judging.panels import PanelLabel, admit_judge, open_panel, race_panel, read_panel
from judging.trust import hold_label, suspend_judge
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE
from ratings.headline import fit_headline
from ratings.panel_fits import fit_panel, panel_comparisons
from tests.battles.factories import make_agent, make_votable, race
from tests.judging.handing import hand_to, make_signed_in, offer, say

OPERATOR = "operator:1"


def label(verdict, *, battle=None, judge="j1", agents=("ada", "bob")):
    return PanelLabel("panel-1", battle or uuid.uuid4(), judge, *agents, verdict)


def test_labels_become_comparisons_and_labels_of_one_battle_share_it():
    shared = uuid.uuid4()
    labels = [
        label("ada", battle=shared),
        label("bob", battle=shared, judge="j2"),
        label("bob"),
        label("tie"),
        label("both_bad", agents=("bob", "cyd")),
    ]
    votes, agents = panel_comparisons(labels)
    assert agents == ("ada", "bob", "cyd")
    assert votes.outcome.tolist() == [A_WINS, B_WINS, B_WINS, TIE, TIE]
    assert votes.weight.tolist() == [0.5, 0.5, 1, 1, 1]
    assert votes.judge.tolist() == [0, 1, 0, 0, 0]
    assert len(set(votes.battle.tolist())) == 4


def test_without_labels_there_is_no_fit():
    assert panel_comparisons([]) == (None, ())


@pytest.fixture
def panel(db):
    task = offer(make_votable(agents=(make_agent("ada"), make_agent("bob")))).task
    return open_panel(name="Librarians", qualification="Runs a library", tasks=[task], actor=OPERATOR)


def judged(panel, experts, choices):
    """One raced battle of the panel; each expert prefers an agent."""
    battle = race(race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)[0])
    votes = []
    for expert, choice in zip(experts, choices, strict=True):
        hand_to(battle, expert)
        slot = "A" if battle.agent_a_id == choice else "B"
        votes.append(say(battle, expert, slot))
        battle.refresh_from_db()
    return votes


def test_the_fit_is_the_headline_s_estimator_on_the_panel_s_labels_alone(panel):
    experts = [make_signed_in() for _ in range(3)]
    for expert in experts:
        admit_judge(panel=panel, judge=expert, actor=OPERATOR)
    for choices in (("ada", "ada", "bob"), ("ada", "bob", "ada"), ("bob", "ada", "ada")):
        judged(panel, experts, choices)
    outside = offer(make_votable())
    judge = make_signed_in()
    hand_to(outside, judge)
    say(outside, judge, "A")
    found = fit_panel(panel)
    assert (found.label, found.labels, found.judges, found.battles) == (panel.fit_label, 9, 3, 3)
    rows = {row.agent: row.rating for row in found.fit.agents}
    # Two wins to one is 400 log10(2).
    assert rows["ada"] - rows["bob"] == pytest.approx(400 * np.log10(2), abs=0.01)
    votes, agents = panel_comparisons([label("ada"), label("bob"), label("ada")])
    expected = fit_headline(votes, agents)
    assert rows["ada"] == pytest.approx(expected["ada"].rating, abs=0.01)


def test_what_was_put_aside_and_who_was_suspended_do_not_count(panel):
    experts = [make_signed_in() for _ in range(3)]
    for expert in experts:
        admit_judge(panel=panel, judge=expert, actor=OPERATOR)
    votes = judged(panel, experts, ("ada", "ada", "bob"))
    hold_label(vote=votes[0], actor=OPERATOR, reason="Odd.")
    suspend_judge(judge=experts[1], actor=OPERATOR, reason="A script.")
    assert (fit_panel(panel).labels, fit_panel(panel).judges) == (1, 1)


def test_an_operator_reads_who_is_still_to_judge_what(panel):
    experts = [make_signed_in() for _ in range(2)]
    for expert in experts:
        admit_judge(panel=panel, judge=expert, actor=OPERATOR)
    judged(panel, experts[:1], ["ada"])
    race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)
    reading = read_panel(panel)
    assert reading.battles == {Battle.State.QUEUED: 1, Battle.State.RESOLVED: 1}
    assert reading.missing == {experts[1].pk: 1}
    assert reading.agreement.votes.reason == "no pairable items"
