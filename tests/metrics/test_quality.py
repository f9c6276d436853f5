"""Each rule of the quality report fires on what it is there for and is silent where the claim is earned."""

import json
from dataclasses import replace

import pytest
from django.core.management import call_command

from metrics.quality import RULES, Figures, report
from metrics.quality_figures import read_figures
from ratings.models import Board
from ratings.refit import refit
from tests.metrics.rows import baselines, ran, vote

#: Everything earned.
GOOD = Figures(
    people_judged=True,
    alpha=0.8,
    alpha_lower=0.75,
    alpha_upper=0.85,
    statuses={"ada": "stable", "bob": "stable"},
    refusals={},
    components=1,
    judges_effective=80.0,
    judge_most=0.05,
    self_judged=0.2,
    categories={"research": 2000},
    leak_recall=0.96,
    leak_days=3,
    redaction_recall=0.97,
    redaction_days=3,
    imagery_recall=0.95,
    imagery_days=3,
    overlap_current=True,
    withdrawals_overdue=0,
    withdrawals_on_time=1.0,
    style_accuracy=0.52,
    style_chance=0.5,
    style_lower=0.49,
    pair_coverage=0.9,
    offer_ratio=0.8,
    drop_to_flip=0.05,
    void=0.01,
    one_sided=0.02,
    usage_missing=0.01,
    leaks=0.02,
)
#: For each rule, what makes it fire: a bad figure, and one that is not known.
FIRES = {
    "headline": [{"people_judged": False}],
    "agreement": [
        {"alpha": None},
        {"alpha_lower": None},
        {"alpha_lower": 0.5},
        {"alpha_lower": 0.65, "alpha_upper": 0.8},
    ],
    "stable_ratings": [{"statuses": {"ada": "stable", "bob": "settling"}}, {"statuses": {}}],
    "identified_intervals": [{"refusals": {"ada": "not_identified"}}],
    "one_board": [{"components": 2}],
    "many_judges": [{"judges_effective": 12.0}, {"judge_most": 0.4}, {"judges_effective": None, "judge_most": None}],
    "independent_judges": [{"self_judged": 0.886}, {"self_judged": None}],
    "powered_categories": [{"categories": {"research": 2000, "travel": 968}}, {"categories": {}}],
    "leak_scan": [{"leak_recall": 0.9}, {"leak_recall": None}, {"leak_days": 120}, {"leak_days": None}],
    "redaction": [
        {"redaction_recall": 0.9},
        {"redaction_recall": None},
        {"redaction_days": 91},
        {"redaction_days": None},
    ],
    "imagery": [{"imagery_recall": 0.9}, {"imagery_recall": None}, {"imagery_days": 91}, {"imagery_days": None}],
    "novel_tasks": [{"overlap_current": False}],
    "kept_withdrawals": [{"withdrawals_overdue": 1}, {"withdrawals_on_time": 0.9}, {"withdrawals_overdue": None}],
    "blind_by_style": [{"style_accuracy": 0.7, "style_lower": 0.6}, {"style_accuracy": None}],
    "pairs_met": [{"pair_coverage": 0.7}, {"pair_coverage": None}],
    "even_offers": [{"offer_ratio": 0.4}, {"offer_ratio": None}],
    "robust_top": [{"drop_to_flip": 0.004}, {"drop_to_flip": None}],
    "even_races": [{"void": 0.1}, {"one_sided": 0.2}, {"void": None}],
    "known_cost": [{"usage_missing": 0.5}, {"usage_missing": None}],
    "clean_texts": [{"leaks": 0.1}, {"leaks": None}],
}


def test_where_everything_is_earned_the_report_is_empty():
    assert report(GOOD) == []


def test_every_rule_is_tried():
    assert set(FIRES) == set(RULES)


@pytest.mark.parametrize(("key", "wrong"), [(key, wrong) for key, several in FIRES.items() for wrong in several])
def test_a_rule_fires_alone_on_what_it_is_there_for(key, wrong):
    entries = report(replace(GOOD, **wrong))
    assert [entry.key for entry in entries] == [key]
    assert all(len(words) > 10 for words in (entries[0].claim, entries[0].why, entries[0].earned_by))


def test_a_withdrawal_that_nobody_asked_for_is_no_broken_promise():
    assert report(replace(GOOD, withdrawals_on_time=None)) == []


@pytest.mark.django_db
def test_an_empty_arena_is_entitled_to_next_to_nothing():
    found = {entry.key for entry in report(read_figures(Board.HEADLINE))}
    assert found >= {"headline", "agreement", "stable_ratings", "many_judges", "powered_categories", "known_cost"}
    assert "novel_tasks" not in found


@pytest.mark.django_db
def test_the_figures_are_those_of_the_records(capsys):
    pair = baselines()
    for number in range(33):
        vote(ran(pair), "AB"[number % 2], by_submitter=number < 11)
    refit(board=Board.DEMO, actor="system:test")
    figures = read_figures(Board.DEMO)
    assert figures.self_judged == pytest.approx(0.33)
    assert figures.categories == {"shopping": 33}
    assert figures.judge_most == pytest.approx(1 / 33)
    assert set(figures.statuses) == {"ada", "bob"}
    assert not figures.people_judged
    call_command("quality", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["board"] == "demo"
    assert {entry["key"] for entry in told["not_entitled"]} == {entry.key for entry in report(figures)}
