"""Every kind of viewer walks the whole site around a battle in every state: names show exactly where they may."""

import base64
import hashlib
import re

import pytest
import time_machine
from django.utils import timezone

from battles.blindness.lexicon_table import sync_lexicon
from battles.lanes.recorder import Recorder
from battles.models import Battle
from battles.racing import start_attempt
from battles.roster import roster_names
from judging.access import may_read
from judging.blindness_check import searched_names
from judging.name_search import NameSearch
from judging.repeats import cast_repeat, lock_repeat
from judging.site_crawl import crawl, links_in
from judging.site_visits import browser_of, rolled_back
from judging.visibility import identity_visibility
from judging.votes import Ballot
from tests.battles.factories import ended, make_agent, make_battle, race, started, step
from tests.judging.handing import hand_to, make_signed_in, offer, say, seated

pytestmark = pytest.mark.django_db

#: Letters outside ASCII show whether escapes are read.
SENTINELS = (
    {
        "key": "zorblax-prime-9",
        "name": "Zörblax Prime 9",
        "provider": "Umbrantis",
        "model_version": "zbx-2031-04",
        "base_url": "https://models.umbrantis-cloud.example/v1",
        "key_variable": "UMBRANTIS_SECRET",
    },
    {
        "key": "qued-velour-7",
        "name": "Qued Velour 7",
        "provider": "Ostrakine Labs",
        "model_version": "qvl-1999-12",
        "base_url": "https://api.ostrakine.example/",
        "key_variable": "OSTRAKINE_TOKEN",
    },
)
#: Long and short, for answers that must be of one length.
NAMES_OF_ALL_LENGTHS = (("kiv", "Kiv"), ("rostropol-lantern-grande-12", "Rostropol Lantern Grande 12"))
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
#: What differs between any two battles, on pages that do not tell them apart: identifiers, and what comes of them.
RANDOM = re.compile(
    rf'{UUID.pattern}|(?<=ringside_session=)\w+|(?<=id="live-seen" value=)"[^"]*"|(?<=name="seen" value=)"[^"]*"'
    r"|(?<=recovery code is <code>)[^<]+"
)
RACED = ["votable", "resolved", "closed", "void", "practice", "gold", "calibration", "three seats", "leaked"]
STATES = ["queued", "racing", *RACED, "repeat"]
WATCHING = ["nobody", "submitter", "in hand", "lease ran out", "stranger"]
VIEWERS = [*WATCHING, "voted", "locked", "others locked"]


@pytest.fixture(autouse=True)
def names_of_the_roster(settings):
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"


@pytest.fixture
def agents():
    made = tuple(make_agent(**fields) for fields in SENTINELS)
    sync_lexicon(roster_names())
    return made


def recording(slot, *, leaked=False):
    """What one lane leaves, the model naming itself in it or not."""
    said = "I am Zörblax Prime 9 by Umbrantis. Opening the page." if leaked else "Opening the page with the hours."
    return [
        started(slot),
        step(slot, reasoning=said),
        step(slot, 2, reasoning="The hours are listed in a table."),
        ended(slot, steps=2, answer=f"{said} It opens at 9:00."),
    ]


def raced(agents, *, kind=Battle.Kind.LIVE, leaked=False, **fields):
    asked = Battle.Kind.PRACTICE if kind in {Battle.Kind.GOLD, Battle.Kind.CALIBRATION} else kind
    events = [event for slot in "AB" for event in recording(slot, leaked=leaked)]
    battle = race(make_battle(agents=agents, kind=asked, **fields), events=events)
    if kind != asked:
        Battle.objects.filter(pk=battle.pk).update(kind=kind)
        battle.refresh_from_db()
    return battle


def racing(agents):
    battle = make_battle(agents=agents)
    ticket = start_attempt(battle_id=battle.pk, worker="test:1")
    recorder = Recorder(attempt_id=ticket.attempt_id, token=ticket.token)
    for event in [event for slot in "AB" for event in recording(slot)[:2]]:
        recorder.write(event)
    battle.refresh_from_db()
    return battle


MAKE = {
    "queued": lambda agents: make_battle(agents=agents),
    "racing": racing,
    "votable": raced,
    "resolved": raced,
    "closed": raced,
    "void": raced,
    "practice": lambda agents: raced(agents, kind=Battle.Kind.PRACTICE),
    "gold": lambda agents: raced(agents, kind=Battle.Kind.GOLD),
    "calibration": lambda agents: raced(agents, kind=Battle.Kind.CALIBRATION),
    "three seats": lambda agents: raced(agents, judges_needed=3),
    "leaked": lambda agents: raced(agents, leaked=True),
    "repeat": raced,
}


def someone(battle, kind):
    """Whoever looks, after what they did."""
    if kind == "nobody":
        return None
    if kind == "submitter":
        return battle.task.judge
    if kind == "stranger":
        return make_signed_in()
    if kind == "lease ran out":
        judge = make_signed_in()
        hand_to(battle, judge, minutes=-10, outcome="expired", ended_at=timezone.now())
        return judge
    if kind == "others locked":
        say(battle, seated(battle), "B")
    judge = seated(battle)
    if kind in {"voted", "locked"}:
        say(battle, judge, "A", lock=kind == "locked")
    return judge


def looking_again(battle, kind):
    """A judge to whom a battle comes back with its slots swapped; everybody else knows of nothing."""
    if kind in {"nobody", "submitter", "stranger"}:
        return someone(battle, kind)
    judge, now = make_signed_in(), timezone.now()
    first = hand_to(battle, judge, comes_back=True)
    say(battle, judge, "A")
    first.refresh_from_db()
    ran_out = {"minutes": -10, "outcome": "expired", "ended_at": now} if kind == "lease ran out" else {}
    hand_to(battle, judge, swapped=True, first=first, **ran_out)
    if kind in {"voted", "locked"}:
        cast_repeat(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
    if kind == "locked":
        lock_repeat(battle=battle, judge=judge)
    return judge


def arrange(state, kind, agents):
    """A battle in this state, and its viewer."""
    battle = MAKE[state](agents)
    if battle.kind == Battle.Kind.LIVE:
        offer(battle)
    if state == "resolved":
        say(battle, battle.task.judge, "A")
    if state == "three seats":
        say(battle, seated(battle), "A")
    viewer = looking_again(battle, kind) if state == "repeat" else someone(battle, kind)
    now = timezone.now()
    if state == "closed":
        Battle.objects.filter(pk=battle.pk).update(state="closed", closed_at=now)
    if state == "void":
        Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=now, void_reason="A lane was lost.")
    battle.refresh_from_db()
    return battle, viewer


def viewers_of(state):
    if state in {"queued", "racing"}:
        return WATCHING
    unsubmitted = {"practice", "gold", "calibration"}
    return [kind for kind in VIEWERS if not (kind == "submitter" and state in unsubmitted)]


def pairs():
    """Every state with every viewer. The ordinary tests walk a few that hold each of both; ``make soak`` walks all."""
    walked = {(state, viewers_of(state)[place % len(viewers_of(state))]) for place, state in enumerate(STATES)}
    walked |= {("votable", "locked"), ("three seats", "others locked"), ("leaked", "voted")}
    for state in STATES:
        for kind in viewers_of(state):
            marks = () if (state, kind) in walked else (pytest.mark.soak,)
            yield pytest.param(state, kind, marks=marks, id=f"{state}-{kind}")


def walk(battle, viewer):
    return list(crawl(battle.pk, browser_of(viewer)))


@pytest.mark.parametrize(("state", "kind"), list(pairs()))
def test_names_show_exactly_where_they_may(state, kind, agents):
    search = NameSearch(searched_names())
    battle, viewer = arrange(state, kind, agents)
    shows = may_read(battle, viewer) and identity_visibility(battle, viewer).names
    with rolled_back():
        surfaces = walk(battle, viewer)
    # Where the battle may be read its pages opened, so that seeing nothing is no success.
    assert any(surface.opened for surface in surfaces) == may_read(battle, viewer)
    said = {
        (surface.name, name)
        for surface in surfaces
        for name in search.found_in(surface.text)
        # The lock shows names by right; that it opens the page of a reveal is not what anybody sees before.
        if shows or "POST lock" not in surface.name
    }
    if not shows:
        assert said == set()
        return
    on_the_page = {name for surface, name in said if surface == "GET battle"}
    assert {agent.name for agent in agents} <= on_the_page
    # And nothing but what a reveal is made of, on no other surface than the battle's own.
    assert on_the_page <= {word for agent in agents for word in (agent.name, agent.key, agent.model_version)}


def test_everything_was_walked(agents):
    """The crawl reaches every address that needs nothing but the battle, and every picture that a page names."""
    battle, viewer = arrange("three seats", "voted", agents)
    with rolled_back():
        surfaces = walk(battle, viewer)
    walked = {surface.name.split()[1] for surface in surfaces}
    assert {"battle", "battle_live", "vote", "judge_me", "methods", "account", "withdraw", "action_map"} <= walked
    assert {"api_battle", "api_vote", "api_lock", "api_annotations", "api_judge_next", "api_frame"} <= walked
    frames = {surface.path for surface in surfaces if surface.name == "GET frame" and surface.status == 200}
    assert len(frames) == 6
    assert {surface.name: surface.status for surface in surfaces if surface.status >= 500} == {}


@pytest.fixture
def at_one_instant():
    """Leases, clocks and headers say the same of two battles."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


def answers(kind, make_pair):
    """What one viewer gets of a battle alone on the site, what is random blanked: (name, path) to (size, text)."""
    with rolled_back():
        battle, viewer = arrange("three seats", kind, make_pair())
        return {
            (surface.name, RANDOM.sub("#", surface.path)): (surface.size, RANDOM.sub("#", surface.text))
            for surface in walk(battle, viewer)
            # The lock shows names by right; a proof of work is a riddle of random numbers; the ledger's head is a
            # digest over random identifiers.
            if surface.name.split()[1] not in {"lock", "frame", "api_frame", "account_proof", "ledger_checkpoint"}
        }


#: Whoever may look before the lock. The ordinary tests ask two of them for lengths and the other two for slots, and
#: ``make soak`` all four for both.
UNLOCKED = ["submitter", "in hand", "voted", "others locked"]


def some_now(now):
    return [pytest.param(kind, marks=() if kind in now else pytest.mark.soak) for kind in UNLOCKED]


@pytest.mark.usefixtures("at_one_instant")
@pytest.mark.parametrize("kind", some_now(UNLOCKED[:2]))
def test_no_answer_before_the_lock_is_longer_for_a_longer_name(kind):
    def pair(key, name):
        return make_agent(key, name=name), make_agent(f"{key}-too", name=f"{name} Too", provider=name)

    short, long = (answers(kind, lambda names=names: pair(*names)) for names in NAMES_OF_ALL_LENGTHS)
    assert short.keys() == long.keys()
    assert {surface: size for surface, (size, _) in short.items() if size != long[surface][0]} == {}


@pytest.mark.usefixtures("at_one_instant")
@pytest.mark.parametrize("kind", some_now(UNLOCKED[2:]))
def test_no_answer_before_the_lock_tells_which_agent_is_in_which_slot(kind):
    """The same recordings with the agents exchanged give the same pages."""

    def pair():
        return tuple(make_agent(**fields) for fields in SENTINELS)

    one, other = answers(kind, pair), answers(kind, lambda: pair()[::-1])
    assert one.keys() == other.keys()
    assert {surface: text for surface, text in one.items() if text != other[surface]} == {}


def test_identifiers_on_a_page_are_random_but_for_the_battles_own(agents):
    battle, viewer = arrange("votable", "in hand", agents)
    with rolled_back():
        text = next(surface.text for surface in walk(battle, viewer) if surface.name == "GET battle")
    found = {found.group(0): found.group(1) for found in UUID.finditer(text)}
    assert found.pop(str(battle.pk))
    assert len(found) >= 8
    assert set(found.values()) == {"4"}
    assert text.index('class="slot of-a"') < text.index('class="slot of-b"')


@pytest.mark.parametrize(
    "said",
    [
        "by ZÖRBLAX_prime 9.",
        "z%C3%B6rblax%20prime%209",
        "z%C3%B6rblax+prime+9",
        '{"name": "Z\\u00f6rblax Prime 9"}',
        "Z&#246;rblax&nbsp;Prime 9",
        "etag: WsO2cmJsYXggUHJpbWUgOQ==",
        "x" + "=WsO2cmJsYXggUHJpbWUgOQ",
        "/frames/5ac3b672626c6178205072696d652039.webp",
    ],
)
def test_a_name_is_known_however_it_is_coded(said):
    assert NameSearch(["Zörblax Prime 9"]).found_in(said)


@pytest.mark.parametrize("before", ["", "a", "ab", "abc"])
def test_base64_is_known_at_any_offset(before):
    coded = base64.b64encode(f"{before}umbrantis, and more".encode()).decode()
    assert NameSearch(["Umbrantis"]).found_in(coded) == ["Umbrantis"]


def test_digests_of_a_key_are_known_and_other_words_are_not():
    search = NameSearch(["zorblax-prime-9"])
    assert search.found_in(hashlib.sha256(b"zorblax-prime-9").hexdigest()[:16]) == ["zorblax-prime-9"]
    assert search.found_in(hashlib.sha256(b"zorblax-prime-8").hexdigest()) == []
    assert search.found_in("zorblax-prime-91 and zorblax") == []


def test_links_are_whatever_reads_like_an_address_of_this_site():
    text = """<a href="/a?x=1&amp;y=2#z"> <i hx-get='/b'> {"frame": "/c"} "//elsewhere" "https://elsewhere/d" """
    assert links_in(text, "/e#top") == {"/a?x=1&y=2", "/a?x=1&amp;y=2", "/b", "/c", "/e"}
