"""Operators judge like everybody else: no page of theirs names who raced before they could know it as a judge."""

import re
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from battles.blindness.lexicon_table import sync_lexicon
from battles.models import Battle
from battles.roster import roster_names
from judging.models import Offer, Report, Vote
from judging.trust import hold_label
from judging.visibility import identity_visibility
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import lane_of, make_agent, make_judge, make_votable
from tests.ratings.test_trust_reaches_the_ranking import judged

pytestmark = pytest.mark.django_db

#: Names that occur nowhere else.
NAMES = {"zorbanax": "Zorbanax Nine", "quillifer": "Quillifer Two"}
LINK = re.compile(r'(?:href|src|action)="(/[^"#]*)')
#: Pages that name agents by right and say of no battle who raced.
BOARDS = ("/admin/battles/agent/", "/admin/battles/price/", "/standings", "/benchmark", "/methods", "/publications")


def blind_battle():
    """A battle that is judged, with a vote that is held and a report, both of which say who raced."""
    one, other = (make_agent(key, name=name, provider="Xyloquent") for key, name in NAMES.items())
    sync_lexicon(roster_names())
    battle = make_votable(agents=(one, other), judges_needed=3)
    poster = battle.task.judge
    Offer.objects.create(battle=battle, judge=poster, receipt=poster.receipts.first())
    judge = make_judge()
    vote = Vote.objects.create(
        battle=battle,
        judge=judge,
        receipt=judge.receipts.first(),
        choice="lane",
        winner=lane_of(battle, "A"),
        by_submitter=False,
        locked_at=timezone.now(),
        note="This was Zorbanax Nine.",
    )
    hold_label(vote=vote, actor="system:sequence", reason="Zorbanax Nine gets more than it earns from others.")
    Report.objects.create(battle=battle, judge=judge, kind="identity", note="It is quillifer-1.", due_at=timezone.now())
    return battle, vote


def crawl(client, start="/admin/"):
    """Every page of operators that links lead to, with what it says."""
    waiting, seen = [start], set()
    while waiting:
        path = waiting.pop()
        if path in seen or not path.startswith("/admin/") or path.startswith(BOARDS):
            continue
        seen.add(path)
        answer = client.get(path)
        text = answer.content.decode(errors="replace")
        yield path, answer, text
        waiting += [link.replace("&amp;", "&") for link in LINK.findall(text)]
        if "/act/" in path and answer.status_code == 200:
            chosen = re.findall(r'name="ids" value="([^"]*)"', text)
            refused = client.post(urlsplit(path).path, {"ids": chosen})
            yield f"POST {path}", refused, refused.content.decode(errors="replace")


def test_no_page_of_operators_says_who_raced_while_it_is_hidden(client):
    battle, vote = blind_battle()
    sign_in_operator(client)
    pages = {path: (answer, text) for path, answer, text in crawl(client)}
    for expected in (f"/admin/battles/battle/{battle.pk}/change/", f"/admin/judging/vote/{vote.pk}/change/"):
        assert pages[expected][0].status_code == 200
    assert len(pages) > 25
    for path, (answer, text) in pages.items():
        assert answer.status_code in {200, 422}, path
        for name in (*NAMES, *NAMES.values(), "Xyloquent", "zorbanax-1", "quillifer-1"):
            assert name not in text, f"{name} on {path}"


def test_a_preview_of_what_would_be_names_nobody_either(client):
    battle, vote = blind_battle()
    # What rates is in the effect, and this vote of the same judge does.
    judged((battle.agent_a, battle.agent_b), battle.agent_a_id, vote.judge)
    sign_in_operator(client, "moderator")
    previews = {
        "battles/battle/act/exclude": battle,
        "judging/vote/act/exclude": vote,
        "judging/vote/act/hold": vote,
        "governance/judge/act/suspend": vote.judge,
        "judging/report/act/void": battle.reports.get(),
    }
    for path, row in previews.items():
        page = client.post(f"/admin/{path}/", {"ids": [row.pk], "reason": "It was staged."})
        assert page.status_code == 200
        assert "What it would do to the ranks" in page.content.decode()
        assert not any(name in page.content.decode() for name in NAMES.values())
    assert not battle.exclusions.exists()


def test_an_operator_who_could_know_as_a_judge_is_shown(client):
    battle, _vote = blind_battle()
    Battle.objects.filter(pk=battle.pk).update(state="closed", closed_at=timezone.now())
    battle.refresh_from_db()
    assert identity_visibility(battle, None).names
    sign_in_operator(client, "viewer")
    page = client.get(f"/admin/battles/battle/{battle.pk}/change/").content.decode()
    assert "Zorbanax Nine" in page


def test_a_battle_that_was_offered_to_nobody_stays_its_posters(client):
    battle = make_votable()
    sign_in_operator(client)
    page = client.get(f"/admin/battles/battle/{battle.pk}/change/").content.decode()
    assert battle.task.instruction not in page
    assert "/frames/" not in page
    frame = lane_of(battle, "A").frames.first()
    assert client.get(f"/admin/battles/battle/{battle.pk}/frames/{frame.pk}").status_code == 404
