"""From races in a real browser and votes through the use cases to published measures, the whole way.

A few battles are raced in Chromium by the reference agents on the practice sites. As many rows as the floors ask for
stand beside them: what they hold besides is what those agents never do, such as calling a model.
"""

import json
from decimal import Decimal

import pytest

from arena_site.seed import seed
from battles.costs import TokenPrices
from battles.lanes.race import run_battle
from battles.models import Agent, Battle, Lane, LaneFacts, Step
from battles.practice import create_practice_battle
from battles.prices import enter_price
from judging.models import Completion, Vote
from judging.votes import Ballot, cast_vote, lock_vote
from metrics.catalog import CATALOG
from metrics.models import latest_measures
from metrics.publishing import publish_measures
from ratings.models import Board, Refit
from ratings.refit import refit
from tests.battles.factories import make_judge
from tests.metrics.rows import ran, step, steps
from tests.metrics.test_worked_steps import USAGE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: One task each of two sites, of few steps.
RACED = ("shop-kettle-price", "library-saturday")
#: Battles that no browser ran: as many as the floor of lanes asks for.
BUILT = 20
#: Judges of each battle, all of whom vote on each.
CROWD = 3


def built(number: int, pair: tuple[Agent, Agent]) -> Battle:
    """A battle with all that the reference agents do not meet or do."""
    taken = [
        *steps("click", 3 + number % 4, target="Add"),
        step("click", target="Gone", ok=False, code="not_found", after="x"),
        step("type", before="y", after="z"),
        step("navigate", overlay="dialog", url_after="https://elsewhere.example/"),
        step("scroll"),
        step("wait"),
        step("tab"),
        step("read", model_ms=400, **USAGE),
        step("answer", model_ms=300 + number, **USAGE),
    ]
    walled = [step(wall="challenge"), *taken]
    words = "The kettle costs 19.90 and arrives on Monday. " * (1 + number % 3)
    return ran(pair, walled, taken, lane_a={"answer": words, "seconds": 20.0 + number}, lane_b={"answer": "Done."})


def judge_by_all(battle: Battle, crowd, number: int) -> None:
    """Everybody votes before anybody locks, since the first lock closes a battle with one seat."""
    lanes = list(Lane.objects.filter(attempt__battle=battle, attempt__outcome="finished").order_by("slot"))
    for place, judge in enumerate(crowd):
        choice = [str(lanes[0].pk), str(lanes[1].pk), str(lanes[0].pk), Vote.Choice.TIE, Vote.Choice.BOTH_BAD]
        ballot = Ballot(
            choice=choice[(number + place * (1 + number % 2)) % len(choice)],
            completions={
                str(lanes[0].pk): Completion.Verdict.DONE if number % 4 else Completion.Verdict.NOT_DONE,
                str(lanes[1].pk): Completion.Verdict.NOT_DONE if number % 3 else Completion.Verdict.DONE,
            },
            reasons=["correct"] if place else [],
            focus_ms=20_000 + 1_000 * number,
            steps_opened=4,
        )
        cast_vote(battle=battle, judge=judge, ballot=ballot)
    for judge in crowd:
        lock_vote(battle=battle, judge=judge)


def published():
    """The public document of the measures, by key."""
    stored = latest_measures(Board.DEMO)
    return {measure["key"]: measure["values"] for measure in json.loads(stored.public_document)["measures"]}


def test_real_races_judged_through_the_use_cases_give_sixty_measures():
    seed()
    raced = [create_practice_battle(key=key, actor="system:test") for key in RACED]
    for battle in raced:
        run_battle(battle.pk, worker="test:1")
        battle.refresh_from_db()
        assert battle.state == Battle.State.VOTABLE
    assert Step.objects.filter(lane__attempt__battle__in=raced, frame__isnull=False).count() > len(RACED)
    assert LaneFacts.objects.filter(lane__attempt__battle__in=raced).count() == 2 * len(RACED)

    pair = tuple(Agent.objects.order_by("key")[:2])
    price = TokenPrices(Decimal(1), Decimal(10))
    enter_price(model_version="version-1", tokens=price, source="a price list", actor="operator:test")
    battles = [*raced, *(built(number, pair) for number in range(BUILT))]
    crowd = [make_judge() for _ in range(CROWD)]
    for number, battle in enumerate(battles):
        judge_by_all(battle, crowd, number)
    assert Vote.objects.filter(locked_at__isnull=False).count() == CROWD * len(battles)

    assert refit(board=Board.DEMO, actor="system:test").outcome == Refit.Outcome.PUBLISHED
    publish_measures(board=Board.DEMO, actor="system:test")
    found = published()
    nothing = {
        key: {value["reason"] for value in values}
        for key, values in found.items()
        if all(value["value"] is None for value in values)
    }
    assert len(found) == len(CATALOG)
    assert len(found) - len(nothing) >= 60, nothing
