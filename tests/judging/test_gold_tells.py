"""Gold battles do not tell themselves apart: the same content is the same page, whether its outcome is known or not."""

import re

import pytest
import time_machine
from django.utils import timezone

from battles.models import Battle
from judging.gold_reading import read_gold
from judging.objections import mark_impossible, report_problem, skip
from judging.pool import next_for_judge, shown_kind
from judging.site_visits import battle_addresses, body_of, browser_of, rolled_back
from judging.votes import cast_vote, lock_vote
from tests.battles.factories import ended, lane_of, make_agent, make_battle, make_task, race, started, step
from tests.judging.handing import ballot_for, hand_to, make_signed_in, offer, say

pytestmark = [pytest.mark.django_db, pytest.mark.production]

IDENTIFIER = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
#: Tokens and digests, which differ between any two answers.
RANDOM = re.compile(rb'(?<=["=/])[\w-]{20,}(?=["?&])|(?<=value=")[0-9a-f]{16}(?=")')
PRACTICE_SITE = "http://shop.practice.test/"
WORDS = "Put the kettle in the basket."


def raced(agents, *, kind, task=None):
    """A battle on a practice site; only the one that is no person's has a check, and its lanes are told apart by it."""
    known = kind == Battle.Kind.GOLD
    events = []
    for slot in "AB":
        passed = (slot == "A") if known else None
        events += [started(slot), step(slot), ended(slot, passed=passed)]
    battle = race(make_battle(task=task, kind=Battle.Kind.PRACTICE if known else kind, agents=agents), events=events)
    Battle.objects.filter(pk=battle.pk).update(kind=kind)
    battle.refresh_from_db()
    return battle


@pytest.fixture(autouse=True)
def one_instant():
    with time_machine.travel(timezone.now(), tick=False):
        yield


@pytest.fixture
def both():
    """A person's battle and a gold one with the same words, site, agents and steps, each in a judge's hands."""
    agents = make_agent(), make_agent()
    task = make_task(instruction=WORDS, start_url=PRACTICE_SITE)
    ordinary = offer(raced(agents, kind=Battle.Kind.LIVE, task=task))
    gold = raced(agents, kind=Battle.Kind.GOLD)
    gold.task.category = task.category
    gold.task.save()
    hands = []
    for battle, chance in ((ordinary, 1.0), (gold, 0.0)):
        judge = make_signed_in(practised=3)
        handed = next_for_judge(judge=judge, chance=Chance(chance))
        assert handed.battle == battle
        hands.append((battle, judge, handed))
    return hands


class Chance:
    """A source that always says the same."""

    def __init__(self, value):
        self.value = value

    def random(self):
        return self.value


def answers(battle, judge, method="get"):
    """Every address of a battle as its judge gets it, with what is random in any answer blanked."""
    frame = lane_of(battle, "A").frames.first().pk
    said = {}
    for address in battle_addresses():
        with rolled_back():
            response = getattr(browser_of(judge), method)(address.path(battle.pk, frame))
        # Pictures show what the site showed, which no test can make alike.
        body = b"" if address.name in {"frame", "api_frame"} else body_of(response)
        body = RANDOM.sub(b"<random>", IDENTIFIER.sub(b"<id>", body))
        headers = {name: value for name, value in response.headers.items() if name not in {"ETag", "Content-Length"}}
        where = IDENTIFIER.sub(b"<id>", headers.pop("Location", "").encode())
        said[address.name] = (response.status_code, body, where, sorted(headers))
    return said


def _difference(name, mine, theirs):
    """The first place where two answers part, for whoever reads the failure."""
    if mine[1] == theirs[1]:
        return f"{name}: {mine[0]} {mine[2:]} against {theirs[0]} {theirs[2:]}"
    at = next(place for place in range(len(mine[1]) + 1) if mine[1][: place + 1] != theirs[1][: place + 1])
    return f"{name}: {mine[1][max(0, at - 60) : at + 60]!r} against {theirs[1][max(0, at - 60) : at + 60]!r}"


@pytest.mark.parametrize("method", ["get", "post"])
def test_every_address_answers_alike_while_it_is_in_hand(both, method):
    (ordinary, one, _), (gold, other, _) = both
    mine, theirs = answers(ordinary, one, method), answers(gold, other, method)
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert mine[name] == theirs[name], _difference(name, mine[name], theirs[name])


def test_every_address_answers_alike_after_a_vote_that_is_not_final(both):
    said = []
    for battle, judge, _ in both:
        say(battle, judge, "A", lock=False)
        battle.refresh_from_db()
        said.append(answers(battle, judge))
    for name in said[0]:
        assert said[0][name] == said[1][name], _difference(name, *[one[name] for one in said])


def test_what_is_handed_out_says_the_same_of_both(both):
    (ordinary, _, mine), (gold, _, theirs) = both
    assert (mine.reason, mine.practice_done) == (theirs.reason, theirs.practice_done)
    assert shown_kind(ordinary) == shown_kind(gold) == "live"
    spent = [handed.assignment.leased_until - handed.assignment.leased_at for handed in (mine, theirs)]
    assert spent[0] == spent[1]


@pytest.mark.parametrize(
    "act",
    [
        lambda battle, judge: skip(battle=battle, judge=judge, reason="too_long"),
        lambda battle, judge: report_problem(battle=battle, judge=judge, kind="broken"),
        lambda battle, judge: mark_impossible(battle=battle, judge=judge),
    ],
    ids=["skip", "report", "impossible"],
)
def test_passing_it_on_goes_alike(both, act):
    for battle, judge, _ in both:
        act(battle, judge)
        battle.refresh_from_db()
    assert {battle.state for battle, _, _ in both} == {Battle.State.VOTABLE}
    (ordinary, one, _), (gold, other, _) = both
    mine, theirs = answers(ordinary, one), answers(gold, other)
    for name in mine:
        assert mine[name] == theirs[name], _difference(name, mine[name], theirs[name])


def test_how_far_the_address_gives_it_away_is_read(both):
    (ordinary, one, _), (gold, other, _) = both
    elsewhere = offer(raced((make_agent(), make_agent()), kind=Battle.Kind.LIVE, task=make_task()))
    hand_to(elsewhere, make_signed_in())
    found = read_gold()
    assert (found.handed_out, found.gold, found.on_practice_sites, found.guess_right) == (3, 1, 2, 0.5)
    assert (found.right_on_gold, found.seconds_on_gold) == (None, None)
    for battle, judge, seconds in ((gold, other, 40), (ordinary, one, 20)):
        battle.refresh_from_db()
        cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, "A", focus_ms=seconds * 1000))
        lock_vote(battle=battle, judge=judge)
    found = read_gold()
    assert (found.right_on_gold, found.right_elsewhere) == (1.0, None)
    assert (found.seconds_on_gold, found.seconds_elsewhere) == (40.0, 20.0)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("http://library.practice.test/", True),
        ("http://Library.Practice.Test:80/hours", True),
        ("https://example.org/?from=shop.practice.test/", False),
        ("https://shop.practice.test.example.org/", False),
    ],
)
def test_a_practice_site_is_known_by_its_host(address, counted):
    task = make_task(start_url=address)
    hand_to(offer(raced((make_agent(), make_agent()), kind=Battle.Kind.LIVE, task=task)), make_signed_in())
    assert read_gold().on_practice_sites == counted
