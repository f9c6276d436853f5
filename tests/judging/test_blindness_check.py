"""The check finds a name wherever one is planted, and nothing where none is."""

import json
import struct

import pytest
from django.core.management import call_command
from django.http import HttpResponse

from battles.lanes.frame_store import store_frame
from battles.models import Agent, Battle, Frame, Step
from judging.accounts import bind_device
from judging.blindness_check import NOT_OPENED, SHOWN_TOO_EARLY, check_blindness
from judging.models import Vote
from judging.name_search import pattern_of
from judging.picture_metadata import metadata_of
from judging.site_crawl import crawl
from judging.site_visits import browser_of, rolled_back, site_addresses
from judging.visibility import SHOWN_CLOSED
from tests.battles.factories import PIXEL, lane_of, make_agent, make_judge, make_task, make_votable
from tests.judging import planting
from tests.judging.handing import hand_to, make_signed_in, offer, say, seated

pytestmark = pytest.mark.django_db

SENTINEL = "Zorblax Prime 9"


@pytest.fixture
def battle():
    agents = (
        make_agent("zorblax-prime-9", name=SENTINEL, provider="Umbrantis", model_version="zbx-2031-04"),
        make_agent("qued-7", name="Qued 7", provider="Ringside", model_version="qued-7-1"),
    )
    return make_votable(agents=agents)


@pytest.fixture
def nothing_else(monkeypatch):
    """Pages that are about no battle are left out where the battle's own pages prove the rule: they are many."""
    others = {address.name for address in site_addresses() if "battle_id" not in dict(address.converters)}
    monkeypatch.setattr("judging.site_crawl.BOARDS", others)


def verify(capsys, *options):
    with pytest.raises(SystemExit) as end:
        call_command("verify_blindness", "--json", *options)
    return end.value.code, json.loads(capsys.readouterr().out)


def surfaces(report):
    return {(found.viewer, found.surface) for found in report.found}


def test_an_empty_installation_is_searched_with_a_battle_that_is_gone_afterwards(capsys):
    status, report = verify(capsys)
    assert (status, report["battles"], report["found"]) == (0, 1, [])
    assert report["surfaces"] > 100
    assert not Battle.objects.exists()


def test_a_leak_is_found_on_an_empty_installation_too(plant, capsys):
    plant("/methods", in_the_title("verify-access-1-maker"))
    status, report = verify(capsys)
    assert status == 1
    assert {found["name"] for found in report["found"]} == {"verify-access-1-maker"}


def test_a_rule_that_hides_from_nobody_leaves_nobody_to_look_through_and_fails(
    nothing_else, battle, monkeypatch, capsys
):
    judge = seated(battle)
    monkeypatch.setattr("judging.blindness_check.identity_visibility", lambda battle, viewer: SHOWN_CLOSED)
    status, report = verify(capsys)
    assert status == 1
    assert {(found["viewer"], found["name"]) for found in report["found"]} == {
        (viewer, SHOWN_TOO_EARLY) for viewer in ("nobody", "stranger", "judge with a lease")
    }
    assert not Vote.objects.filter(judge=judge, battle=battle).exists()


def test_no_name_shows_to_anybody_who_may_not_know(battle, capsys):
    say(battle, seated(battle), "A", lock=False)
    seated(make_votable(judges_needed=3))
    make_votable(kind=Battle.Kind.PRACTICE)
    status, report = verify(capsys, "--all")
    assert (status, report["found"], report["battles"]) == (0, [], 3)
    assert report["surfaces"] > 100


def test_the_check_leaves_nothing_behind(nothing_else, battle):
    before = Battle.objects.count(), Vote.objects.count(), Agent.objects.count()
    check_blindness()
    assert (Battle.objects.count(), Vote.objects.count(), Agent.objects.count()) == before


@pytest.fixture
def plant(settings, monkeypatch):
    """Change every answer whose path ends in something, as a page or a server gone wrong would."""
    settings.MIDDLEWARE = [f"{planting.__name__}.PlantingMiddleware", *settings.MIDDLEWARE]

    def plant_with(ending, change):
        def defect(request, response):
            if request.path.endswith(ending) and response.status_code == 200:
                change(response)

        monkeypatch.setattr(planting, "defect", defect)

    return plant_with


def in_the_title(word):
    def change(response):
        response.content = response.content.replace(b"<title>", f"<title>{word}: ".encode())

    return change


def test_a_name_on_the_page_fails_the_check(nothing_else, battle, plant, capsys):
    plant(str(battle.pk), in_the_title(SENTINEL.upper()))
    status, report = verify(capsys)
    assert status == 1
    expected = {"viewer": "submitter", "surface": "GET battle", "name": SENTINEL.upper()}
    assert expected.items() <= report["found"][0].items()


@pytest.mark.parametrize("word", ["Umbrantis", "zbx-2031-04", "zorblax_prime_9", "qued-7", "zorblax&#45;prime%209"])
def test_providers_versions_and_keys_are_names_too_however_they_are_written(nothing_else, battle, word, plant):
    plant(str(battle.pk), in_the_title(word))
    assert check_blindness().found


def test_a_name_in_a_fragment_fails_the_check(nothing_else, battle, plant, monkeypatch):
    def defect(request, response):
        if request.path.endswith("/live"):
            response.content += b"<!-- umbrantis -->"

    plant("", lambda response: None)
    monkeypatch.setattr(planting, "defect", defect)
    assert ("submitter", "GET battle_live") in surfaces(check_blindness())


def test_a_judge_whose_pages_do_not_open_was_not_checked(nothing_else, battle, plant, monkeypatch):
    plant("", lambda response: None)
    monkeypatch.setattr(planting, "defect", lambda request, response: HttpResponse(status=503))
    assert {(found.viewer, found.name) for found in check_blindness().found} == {("submitter", NOT_OPENED)}


def test_a_judge_of_an_account_is_looked_through_too(nothing_else, battle):
    judge = bind_device(device=make_judge(), account="account:0f4e", actor="system:test")
    hand_to(offer(battle), judge)
    assert check_blindness().found == ()
    assert judge.account.account == "account:0f4e"


def test_a_name_that_a_step_carries_is_found(nothing_else, battle):
    Step.objects.filter(lane=lane_of(battle, "A"), number=1).update(arguments={"text": "umbrantis"}, verb="type")
    assert ("submitter", "GET battle") in surfaces(check_blindness())


def test_a_name_in_a_header_fails_the_check(nothing_else, battle, plant):
    plant(str(battle.pk), lambda response: response.headers.setdefault("X-Served-For", "umbrantis"))
    assert ("submitter", "GET battle") in surfaces(check_blindness())


def test_a_name_in_a_pictures_metadata_fails_the_check(nothing_else, battle):
    words = f"made for {SENTINEL}".encode("utf-16-le")
    chunk = b"EXIF" + struct.pack("<I", len(words)) + words
    body = PIXEL[8:] + chunk
    image = b"RIFF" + struct.pack("<I", len(body)) + body
    Frame.objects.filter(lane=lane_of(battle, "B")).update(sha256=store_frame(image, "image/webp"), size=len(image))
    assert ("submitter", "GET frame") in surfaces(check_blindness())


def test_whoever_locked_may_know_and_is_not_looked_at(nothing_else, battle):
    say(battle, battle.task.judge, "A")
    assert {found.viewer for found in check_blindness().found} == set()


def test_what_the_submitter_said_tells_nothing(nothing_else, battle):
    named = make_votable(
        task=make_task(make_judge(), instruction=f"Read what people write about {SENTINEL}."),
        agents=(battle.agent_a, battle.agent_b),
    )
    assert str(named.pk) not in {found.battle for found in check_blindness().found}


@pytest.mark.parametrize(
    ("text", "hit"),
    [
        ("by zorblaxprime9.", True),
        ("ZORBLAX-PRIME_9", True),
        ("xzorblaxprime9", False),
        ("zorblax prime 91", False),
    ],
)
def test_names_are_words_in_any_spelling(text, hit):
    assert bool(pattern_of([SENTINEL]).search(text)) is hit


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (PIXEL, b""),
        (PIXEL + b"after", b"after"),
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 4, b"tEXt") + b"name" + bytes(4), b"tEXtname"),
        (b"\xff\xd8\xff\xfe\x00\x06name\xff\xd9", b"name\n"),
        (b"GIF89a", b"GIF89a"),
    ],
)
def test_what_a_picture_says_besides_its_pixels(image, said):
    assert metadata_of(image) == said


def second_look_pending(battle):
    """A closed battle whose only judge is to look at it again: everybody may know the names but they."""
    judge = make_signed_in()
    hand_to(offer(battle), judge, comes_back=True)
    say(battle, judge, "A")
    battle.refresh_from_db()
    assert battle.state == Battle.State.CLOSED
    return judge


def test_a_closed_battle_is_searched_for_the_judge_who_is_to_look_again(nothing_else, battle, plant, capsys):
    second_look_pending(battle)
    status, report = verify(capsys)
    assert (status, report["battles"], report["found"]) == (0, 1, [])
    plant(str(battle.pk), in_the_title(SENTINEL))
    _, report = verify(capsys)
    assert {found["viewer"] for found in report["found"]} == {"judge who voted"}


def test_ones_own_words_on_ones_other_pages_are_no_name_that_leaked(battle):
    submitter = battle.task.judge
    make_votable(
        agents=(make_agent(), make_agent()),
        task=make_task(submitter, instruction=f"Read what people write about {SENTINEL}."),
    )
    assert check_blindness().found == ()


def test_what_a_viewer_was_shown_already_is_not_visited_again(battle):
    browser = browser_of(battle.task.judge)
    with rolled_back():
        surfaces = list(crawl(battle.pk, browser, pictures=1))
        site = {surface.path for surface in surfaces if not surface.of_battle}
        again = list(crawl(battle.pk, browser, pictures=1, known=site))
    assert site
    assert {surface.path for surface in again} == {surface.path for surface in surfaces} - site
