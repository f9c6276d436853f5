"""Panels on the standings page: an order of their own when nobody judges blind any more, else why there is none."""

import re

import pytest
from django.test import Client

from battles.models import Agent
from governance.models import Judge
from judging.panels import admit_judge, close_panel, open_panel, race_panel
from judging.trust import hold_label
from ratings import panel_figure
from ratings.panel_figure import JUDGING, NO_LABELS, panel_figures
from tests.battles.factories import make_agent, make_votable, race
from tests.judging.handing import hand_to, make_signed_in, offer, say

OPERATOR = "operator:1"


@pytest.fixture(autouse=True)
def plain_storage(settings):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture
def panel(db):
    task = offer(make_votable(agents=(make_agent("ada"), make_agent("bob")))).task
    panel = open_panel(name="Librarians", qualification="Runs a library", tasks=[task], actor=OPERATOR)
    for _ in range(3):
        admit_judge(panel=panel, judge=make_signed_in(), actor=OPERATOR)
    return panel


def experts(panel):
    return list(Judge.objects.filter(panels__panel=panel).order_by("panels__pk"))


def judged(panel, *choices):
    """One raced battle of the panel; each of its experts prefers an agent."""
    battle = race(race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)[0])
    votes = []
    for expert, choice in zip(experts(panel), choices, strict=True):
        hand_to(battle, expert)
        votes.append(say(battle, expert, "A" if battle.agent_a_id == choice else "B"))
        battle.refresh_from_db()
    return votes


def page():
    return Client().get("/standings").content.decode()


def test_while_experts_judge_blind_no_number_is_shown(panel):
    judged(panel, "ada", "ada", "bob")
    assert [figure.refusal for figure in panel_figures()] == [JUDGING]
    handed = race(race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)[0])
    hand_to(handed, experts(panel)[0])
    close_panel(panel=panel, actor=OPERATOR)
    assert [(figure.refusal, figure.rows) for figure in panel_figures()] == [(JUDGING, ())]
    say(handed, experts(panel)[0], "A")
    assert not panel_figures()[0].refusal
    assert len(panel_figures()[0].rows) == 2


def test_a_panel_without_labels_says_so(panel):
    close_panel(panel=panel, actor=OPERATOR)
    assert [figure.refusal for figure in panel_figures()] == [NO_LABELS]
    assert NO_LABELS in page()


def test_the_page_shows_the_order_with_its_words_and_without_a_count(panel):
    for choices in (("ada", "ada", "bob"), ("ada", "bob", "ada"), ("bob", "ada", "ada"), ("ada", "ada", "bob")):
        judged(panel, *choices)
    close_panel(panel=panel, actor=OPERATOR)
    text = page()
    section = text[text.index('id="panels-title"') :]
    section = re.sub(r"<div class=\"definition\".*?</dl>", "", section[: section.index("</table>")], flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", section)
    assert "Librarians" in words
    assert "Runs a library" in words
    assert words.index(Agent.objects.get(pk="ada").name) < words.index(Agent.objects.get(pk="bob").name)
    # 1000 plus and minus half of 400 log10(2).
    assert {"1060", "940"} <= set(re.findall(r"\d+", words))
    # Four battles, three judges, twelve labels: only ranks, ratings, ends of intervals and the rubric have digits.
    assert not re.search(r"\b(4|12) (battles|labels|votes)|\b3 judges", words)
    for key in ("rank", "rating", "interval"):
        assert text.count(f'popovertarget="def-panel-{key}"') >= 1
        assert text.count(f'id="def-panel-{key}"') == 1


def test_what_was_put_aside_leaves_the_order_at_once(panel):
    votes = judged(panel, "ada", "ada", "bob")
    close_panel(panel=panel, actor=OPERATOR)
    assert [row.agent_key for row in panel_figures()[0].rows] == ["ada", "bob"]
    for vote in votes:
        hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
    assert panel_figures()[0].refusal == NO_LABELS


def test_the_same_labels_are_fitted_once(panel, monkeypatch):
    judged(panel, "ada", "ada", "bob")
    close_panel(panel=panel, actor=OPERATOR)
    first = panel_figures()
    monkeypatch.setattr(panel_figure, "fit_headline", None)
    assert panel_figures() == first
