"""Pages as a visitor finds them: what they say, what they refuse, what they never tell."""

import re

import pytest
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from battles.models import Agent, Battle
from governance.models import Judge
from judging.models import Vote
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.models import Board
from ratings.refit import refit
from tests.battles.factories import (
    lane_of,
    make_agent,
    make_battle,
    make_judge,
    make_votable,
    minutes_ago,
    race,
)

pytestmark = pytest.mark.django_db


def judge_of(client):
    """The judge whose cookie this client has."""
    return Judge.objects.get(pk=client.cookies["ringside_judge"].value.split(":")[0])


@pytest.fixture
def own_battle(visitor, post_task):
    """A battle that the visitor posted and that can be judged."""
    visitor_page = post_task(visitor)
    battle = Battle.objects.get(pk=visitor_page.url.rsplit("/", 1)[1])
    return race(battle)


def vote_fields(battle, slot="A", **fields):
    lanes = {slot: str(lane_of(battle, slot).pk) for slot in "AB"}
    values = {
        "choice": lanes[slot],
        f"completion_{lanes['A']}": "done",
        f"completion_{lanes['B']}": "not_done",
        "confidence": "high",
        "idempotency_key": "key-1",
    }
    return values | fields


PAGES = ("/", "/battles/new", "/judge", "/judge/me", "/standings", "/methods", "/methods/verbs", "/status", "/withdraw")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens_on_an_empty_installation(client, path):
    answer = client.get(path, follow=True)
    assert answer.status_code == 200
    assert "Content-Security-Policy" in answer.headers
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_reading_makes_nobody_a_judge(visitor):
    for path in ("/", "/battles/new", "/standings", "/judge"):
        visitor.get(path)
    assert Judge.objects.count() == 0


def test_every_link_leads_somewhere(visitor, own_battle):
    waiting, seen = list(PAGES), {}
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith(("/static/", "/admin/")):
            continue
        answer = visitor.get(path, follow=True)
        seen[path] = answer.status_code
        if answer.headers["Content-Type"].startswith("text/html"):
            waiting += re.findall(r'href="(/[^"#]*)', answer.content.decode())
    assert len(seen) > len(PAGES)
    assert set(seen.values()) == {200}, seen


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "Ringside: two agents, one task, judged blind"),
        ("/standings", "Standings · Ringside"),
        ("/nothing-of-that-name", "Nothing here · Ringside"),
    ],
)
def test_the_title_says_which_page_it_is(visitor, path, title):
    assert f"<title>{title}</title>" in visitor.get(path).content.decode()


def test_posting_a_task_leads_to_its_battle(visitor, post_task):
    answer = post_task(visitor)
    assert answer.status_code == 302
    page = visitor.get(answer.url)
    assert page.status_code == 200
    assert "town library" in page.content.decode()


def test_a_draft_draws_nothing_and_suggests_a_category(visitor):
    answer = visitor.post(
        "/battles/new",
        {"stage": "draft", "instruction": "Find the cheapest train from Bern to Basel.", "start_url": "example.org"},
    )
    assert answer.status_code == 200
    assert answer.context["form"]["category"].value() == "travel"
    assert answer.context["form"]["start_url"].value() == "https://example.org"
    assert Battle.objects.count() == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"instruction": ""}, "at least 10 characters"),
        ({"instruction": "x" * 3000}, "at most 2,000"),
        ({"instruction": "Do it now\x07 please, thank you"}, "control characters"),
        ({"start_url": "http://10.0.0.1/"}, "cannot start there"),
        ({"start_url": ""}, "give the address"),
        ({"consent": ""}, "consent sentence"),
        ({"consent_sha256": "0" * 64}, "has changed"),
    ],
)
def test_a_refused_task_keeps_what_was_typed_and_says_what_to_change(visitor, post_task, fields, words):
    answer = post_task(visitor, **fields)
    page = answer.content.decode()
    assert 400 <= answer.status_code < 500
    assert words in page
    if "instruction" not in fields:
        assert "town library opens" in page
    assert Battle.objects.count() == 0


def test_a_refused_field_is_marked_and_reached_from_the_top(visitor, post_task):
    page = post_task(visitor, start_url="http://10.0.0.1/").content.decode()
    assert '<a href="#id_start_url">Where do they start?</a>' in page
    marked = re.search(r'<input[^>]*name="start_url"[^>]*>', page)[0]
    assert 'aria-invalid="true"' in marked
    assert "id_start_url_error" in marked


def test_a_refusal_for_want_of_consent_is_beside_the_box_and_makes_nobody_a_judge(visitor, post_task):
    page = post_task(visitor, consent="").content.decode()
    assert 'id="id_consent_error"' in page
    assert '<a href="#id_consent">' in page
    assert Judge.objects.count() == 0


def test_the_category_is_told_from_the_text_unless_somebody_says_so(visitor, post_task):
    post_task(visitor, category="", instruction="Find the cheapest train from Bern to Basel.")
    post_task(visitor, category="maps", instruction="Find the cheapest train from Bern to Thun.")
    assert [battle.task.category for battle in Battle.objects.order_by("created_at")] == ["travel", "maps"]


def test_double_submitting_the_form_makes_one_battle(visitor, post_task):
    first = post_task(visitor, idempotency_key="form-1")
    assert post_task(visitor, idempotency_key="form-1").url == first.url
    assert Battle.objects.count() == 1


def test_a_strangers_battle_and_none_at_all_are_the_same_404(visitor, own_battle):
    stranger = Client()
    missing = "/battles/018f0000-0000-7000-8000-000000000000"
    for suffix in ("", "/live"):
        hidden = stranger.get(f"/battles/{own_battle.pk}{suffix}")
        none = stranger.get(f"{missing}{suffix}")
        assert hidden.status_code == none.status_code == 404
        assert hidden.content == none.content
        # Every answer has a number of its own.
        assert hidden.headers.pop("X-Request-ID") != none.headers.pop("X-Request-ID")
        assert hidden.headers == none.headers


def test_a_strangers_frames_are_hidden_too(visitor, own_battle):
    frame = own_battle.attempts.get().lanes.first().frames.first()
    url = reverse("frame", kwargs={"battle_id": own_battle.pk, "frame_id": frame.pk})
    assert visitor.get(url).headers["Content-Type"] == "image/webp"
    assert Client().get(url).status_code == 404


def test_practice_battles_are_public_and_can_be_judged_by_a_newcomer(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    page = visitor.get(f"/battles/{battle.pk}")
    assert page.context["may_vote"]
    consent = {"consent": "yes", "consent_sha256": page.context["consent"]["sha256"]}
    answer = visitor.post(f"/battles/{battle.pk}/lock", vote_fields(battle) | consent)
    assert answer.status_code == 303
    assert Vote.objects.get().judge == judge_of(visitor)


def test_a_newcomer_who_does_not_agree_is_told_and_can_try_again(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    answer = visitor.post(f"/battles/{battle.pk}/vote", vote_fields(battle))
    assert answer.status_code == 403
    assert "consent" in answer.content.decode()
    assert Vote.objects.count() == 0


def test_a_refused_vote_keeps_what_was_picked(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    answer = visitor.post(
        f"/battles/{battle.pk}/vote", vote_fields(battle, "B", note="Stops early.", reasons=["wrong", "careful"])
    )
    picked = re.findall(r'<input [^>]*name="([^"]+)" value="([^"]+)"[^>]* checked>', answer.content.decode())
    lanes = {slot: str(lane_of(battle, slot).pk) for slot in "AB"}
    assert set(picked) == {
        ("choice", lanes["B"]),
        (f"completion_{lanes['A']}", "done"),
        (f"completion_{lanes['B']}", "not_done"),
        ("confidence", "high"),
        ("reasons", "wrong"),
        ("reasons", "careful"),
    }
    assert "Stops early." in answer.content.decode()
    assert Judge.objects.count() == 0


@pytest.mark.parametrize("form", ["vote", "lock"])
def test_the_address_of_a_form_opened_as_a_page_leads_to_the_battle(visitor, own_battle, form):
    assert visitor.get(f"/battles/{own_battle.pk}/{form}").url == f"/battles/{own_battle.pk}"


def test_a_battle_that_closed_without_ones_vote_says_so_and_takes_none(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    Battle.objects.filter(pk=battle.pk).update(state="closed", closed_at=battle.votable_at)
    page = visitor.get(f"/battles/{battle.pk}").content.decode()
    assert "This battle has its judges and is closed." in page
    assert "vote-form" not in page


def test_a_waiting_battle_has_its_lanes_already_and_says_when_it_waits_long(visitor, post_task):
    url = post_task(visitor).url
    page = visitor.get(url).content.decode()
    assert page.count("Waiting for a free browser.") == 2
    assert "The race starts by itself" in page
    Battle.objects.update(created_at=minutes_ago(10))
    assert 'href="/status">Is something wrong?' in visitor.get(url).content.decode()


def test_live_answers_only_when_something_changed_and_stops_when_it_is_over(visitor, post_task):
    answer = post_task(visitor)
    battle = Battle.objects.get(pk=answer.url.rsplit("/", 1)[1])
    seen = visitor.get(f"/battles/{battle.pk}/live").context["live_version"]
    assert visitor.get(f"/battles/{battle.pk}/live?seen={seen}").status_code == 204
    race(battle)
    assert visitor.get(f"/battles/{battle.pk}/live?seen={seen}").status_code == 286


def test_vote_revise_lock_reveal(visitor, own_battle):
    url = f"/battles/{own_battle.pk}"
    names = [own_battle.agent_a.name, own_battle.agent_b.name]
    assert visitor.post(f"{url}/vote", vote_fields(own_battle)).status_code == 302
    visitor.post(f"{url}/vote", vote_fields(own_battle, "B", idempotency_key="key-2"))
    vote = Vote.objects.get()
    assert vote.winner == lane_of(own_battle, "B")
    assert vote.revisions.count() == 1
    assert not any(name in visitor.get(url).content.decode() for name in names)
    answer = visitor.post(f"{url}/lock", vote_fields(own_battle, "B", idempotency_key="key-3"))
    assert answer.url == f"{url}#reveal"
    page = visitor.get(url)
    assert all(name in page.content.decode() for name in names)
    assert not page.context["may_vote"]


def test_a_vote_by_htmx_answers_with_the_bar_and_a_new_key(visitor, own_battle):
    answer = visitor.post(f"/battles/{own_battle.pk}/vote", vote_fields(own_battle), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.context["idempotency_key"] != "key-1"
    assert answer.context["vote"].choice == str(lane_of(own_battle, "A").pk)


def test_a_forged_or_missing_csrf_token_is_refused(own_battle):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(f"/battles/{own_battle.pk}/vote", vote_fields(own_battle)).status_code == 403
    assert Vote.objects.count() == 0


def test_a_forged_judge_cookie_is_nobody(visitor, own_battle):
    forger = Client()
    forger.cookies["ringside_judge"] = f"{judge_of(visitor).pk}:forged"
    assert forger.get(f"/battles/{own_battle.pk}").status_code == 404


SENTINELS = ("Quillbreeze", "Fennimore Labs", "quillbreeze-7", "qb-2031-01", "Marrowgate", "marrowgate-2", "mg-9")


def test_nothing_reachable_before_the_vote_names_an_agent(visitor, post_task):
    """A crawl of everything a judge can reach: pages, fragments, data, frames and headers."""
    Agent.objects.all().update(state="retired", retired_at="2026-01-01T00:00Z")
    make_agent("quillbreeze-7", name="Quillbreeze", provider="Fennimore Labs", model_version="qb-2031-01")
    make_agent("marrowgate-2", name="Marrowgate", provider="Fennimore Labs", model_version="mg-9")
    answer = post_task(visitor)
    battle = race(Battle.objects.get(pk=answer.url.rsplit("/", 1)[1]))
    found = _crawl(visitor, f"/battles/{battle.pk}")
    assert len(found) >= 6
    for path, answer in found.items():
        text = answer.content.decode("utf-8", "replace") + repr(answer.headers)
        assert not [name for name in SENTINELS if name in text], path


def _crawl(client, start):
    waiting, found = [start, f"{start}/live"], {}
    while waiting:
        path = waiting.pop()
        if path in found or not path.startswith(start):
            continue
        found[path] = client.get(path)
        if found[path].headers["Content-Type"].startswith("text/html"):
            waiting += re.findall(r'(?:href|src|hx-get)="([^"#]+)"', found[path].content.decode())
            waiting += re.findall(r'"(/battles/[^"]+)"', found[path].content.decode())
    return found


def test_standings_show_what_was_published_and_nothing_else(visitor):
    agents = tuple(Agent.objects.filter(kind="baseline")[:2])
    for slot in "AAB":
        battle = make_votable(kind=Battle.Kind.PRACTICE, agents=agents)
        client = Client()
        page = client.get(f"/battles/{battle.pk}")
        consent = {"consent": "yes", "consent_sha256": page.context["consent"]["sha256"]}
        client.post(f"/battles/{battle.pk}/lock", vote_fields(battle, slot) | consent)
    assert "Nothing has been published yet" in visitor.get("/standings").content.decode()
    assert refit(board=Board.DEMO, actor="system:test").outcome == "published"
    page = visitor.get("/standings")
    text = page.content.decode()
    assert all(agent.name in text for agent in agents)
    publication = page.context["publication"]
    stored = visitor.get(publication.json_href)
    assert stored.headers["ETag"] == f'"{publication.digest}"'
    assert visitor.get(publication.json_href, headers={"If-None-Match": stored.headers["ETag"]}).status_code == 304
    assert b'"labels_seen"' not in stored.content
    assert b'"battles"' not in stored.content
    assert visitor.get(publication.csv_href).content.decode().startswith("agent_key,")
    assert visitor.get(publication.href).status_code == 200


def test_an_agents_page_shows_its_history_and_its_gaps_from_the_publication(visitor):
    agents = tuple(Agent.objects.filter(kind="baseline").order_by("key")[:2])
    judges = [make_judge() for _ in range(4)]
    for slots in ("AAB", "ABA"):
        for judge, slot in zip(judges, [*slots, "A"], strict=True):
            battle = make_votable(kind=Battle.Kind.PRACTICE, agents=agents)
            cast_vote(battle=battle, judge=judge, ballot=Ballot(choice=str(lane_of(battle, slot).pk)))
            lock_vote(battle=battle, judge=judge)
        refit(board=Board.DEMO, actor="system:test")
    one, other = (visitor.get(f"/standings/{agent.key}").context for agent in agents)
    assert len(one["history"].points) == 2
    assert one["history"].points[-1].rating == one["row"].rating
    assert one["opponents"][0].gap == -other["opponents"][0].gap > 0
    assert one["opponents"][0].gap_lower == -other["opponents"][0].gap_upper
    assert one["opponents"][0].gap == pytest.approx(one["row"].rating - other["row"].rating, abs=0.02)


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "429", "500"])
def test_every_error_page_can_be_made_from_nothing(name):
    page = render_to_string(f"{name}.html")
    assert "Nothing" in page or "safe" in page or "nothing" in page
    assert 'href="/"' in page


def test_an_agents_page_opens_and_an_unknown_one_does_not(visitor):
    assert visitor.get("/standings/reference-lexical").status_code == 200
    assert visitor.get("/standings/nobody").status_code == 404


def test_health_says_ok(visitor):
    assert visitor.get("/api/health").json() == {"status": "ok"}


def test_the_lanes_of_a_void_battle_can_be_looked_at_with_the_reason(visitor, post_task):
    battle = make_battle(kind=Battle.Kind.PRACTICE)
    Battle.objects.filter(pk=battle.pk).update(
        state="void", voided_at="2026-01-01T00:00Z", void_reason="The disk was full."
    )
    assert "The disk was full." in visitor.get(f"/battles/{battle.pk}").content.decode()


def test_taking_back_needs_a_choice_and_then_leaves_nothing_on_ones_page(visitor, own_battle):
    visitor.post(f"/battles/{own_battle.pk}/lock", vote_fields(own_battle))
    assert visitor.post("/withdraw").status_code == 422
    assert "town library" in visitor.get("/judge/me").content.decode()
    assert visitor.post("/withdraw", {"what": "everything"}).status_code == 302
    assert "town library" not in visitor.get("/judge/me").content.decode()
    # Nobody is known by this browser any more, so that the battle is nobody's here.
    assert visitor.get(f"/battles/{own_battle.pk}").status_code == 404


def test_a_double_click_in_a_new_browser_is_one_person(visitor):
    battle = make_votable(kind=Battle.Kind.PRACTICE, agents=tuple(Agent.objects.filter(kind="baseline")[:2]))
    page = visitor.get(f"/battles/{battle.pk}")
    fields = vote_fields(battle) | {"consent": "yes", "consent_sha256": page.context["consent"]["sha256"]}
    first, second = Client(), Client()
    for client in (first, second):
        client.cookies["ringside_judge"] = visitor.cookies["ringside_judge"].value
        assert client.post(f"/battles/{battle.pk}/vote", fields).status_code == 302
    assert Judge.objects.count() == Vote.objects.count() == 1


def test_a_key_that_no_form_of_ours_sends_is_no_error(visitor, post_task):
    assert post_task(visitor, idempotency_key="nul \0 and bell \a bits").status_code == 302


@pytest.mark.parametrize("charset", ["utf-16", "utf-7"])
def test_a_body_in_a_charset_we_do_not_take_is_a_readable_400(charset):
    strict = Client(enforce_csrf_checks=True)
    content_type = f"application/x-www-form-urlencoded; charset={charset}"
    answer = strict.post("/battles/new", data=b"instruction=x", content_type=content_type)
    assert 400 <= answer.status_code < 500
    assert b"<h1>" in answer.content


@pytest.mark.parametrize("path", ["/", "/battles/new", "/standings", "/judge", "/withdraw", "/api/health"])
def test_head_is_answered_like_get(visitor, path):
    assert visitor.head(path).status_code == visitor.get(path).status_code


def test_what_does_not_exist_matches_no_etag(visitor):
    assert visitor.get("/publications/zz.json", headers={"If-None-Match": '"zz"'}).status_code == 404


def test_while_the_database_is_away_pages_say_when_to_come_back(client, monkeypatch):
    def away(*args, **kwargs):
        raise OperationalError("the database system is shutting down")

    client.raise_request_exception = False
    monkeypatch.setattr("arena_site.views.home.board_in_force", away)
    answer = client.get("/")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Back in a moment" in answer.content.decode()


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k-1"}], ids=["once", "under a key"])
def test_a_lock_and_a_deletion_that_are_refused_make_nobody_a_judge(client, headers):
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    client.get("/battles/new")
    before = Judge.objects.count()
    asked = client.post(f"/api/battles/{battle.pk}/lock", {}, content_type="application/json", headers=headers)
    assert (asked.status_code, asked.json()["code"]) == (409, "no_vote")
    assert client.post(f"/battles/{battle.pk}/lock", {}).status_code == 409
    assert client.post(f"/battles/{battle.pk}/annotations/delete", {"annotation": str(battle.pk)}).status_code == 404
    assert Judge.objects.count() == before
