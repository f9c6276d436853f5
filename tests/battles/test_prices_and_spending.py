"""The dated price table, and the operator's limits on what the arena may spend."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from battles.costs import TokenPrices
from battles.intake import submit_task
from battles.lanes.events import Usage
from battles.models import Agent, Battle, Price
from battles.operator_text import TextRefused
from battles.prices import PriceRefused, enter_price, price_at, price_table_version
from battles.racing import start_attempt
from battles.spending import SpendLimitReached, check_spending, spent_since
from governance.models import JournalEntry
from tests.battles.factories import ended, make_agent, make_battle, make_judge, race, started, step

pytestmark = pytest.mark.django_db

CHEAP = TokenPrices(input_plain=Decimal(1), output=Decimal(2))
DEAR = TokenPrices(input_plain=Decimal(10), output=Decimal(20))
#: A million plain tokens in, half a million out: 1 + 1 USD when cheap.
USAGE = Usage(input_plain=1_000_000, input_cache_read=0, input_cache_write=0, output=500_000)


def price(version: str, tokens: TokenPrices = CHEAP, **fields) -> Price:
    values = {"source": "price page, read today", "actor": "operator:1"} | fields
    return enter_price(model_version=version, tokens=tokens, **values)


def race_with_usage(*agents: Agent, usage: Usage | None = USAGE) -> Battle:
    events = [
        event for slot in "AB" for event in (started(slot), step(slot, model_called=True, usage=usage), ended(slot))
    ]
    return race(make_battle(agents=agents), events=events)


def test_a_price_holds_from_its_instant_on_until_the_next():
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    price("m-1", CHEAP, effective_from=noon)
    price("m-1", DEAR, effective_from=noon + timedelta(days=30))
    second = timedelta(seconds=1)
    assert price_at("m-1", noon - second) is None
    assert price_at("m-1", noon) == CHEAP
    assert price_at("m-1", noon + timedelta(days=30) - second) == CHEAP
    assert price_at("m-1", noon + timedelta(days=30)) == DEAR
    assert price_at("m-2", noon) is None


def test_prices_are_entered_and_never_changed():
    entered = price("m-1")
    for change in (entered.delete, lambda: Price.objects.update(output=0)):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    assert JournalEntry.objects.get(action="battles:price:enter").subject == "m-1"


@pytest.mark.parametrize(("fields", "field"), [({"model_version": " "}, "model_version"), ({"source": "  "}, "source")])
def test_a_price_says_what_for_and_from_where(fields, field):
    values = {"model_version": "m-1", "tokens": CHEAP, "source": "page", "actor": "operator:1"} | fields
    with pytest.raises(PriceRefused) as refusal:
        enter_price(**values)
    assert refusal.value.field == field
    assert not Price.objects.exists()


@pytest.mark.parametrize("year", [1, 1999, 9999])
def test_a_mistyped_date_is_refused_since_no_row_can_be_taken_back(year):
    with pytest.raises(PriceRefused, match="mistyped"):
        price("m-1", effective_from=datetime(year, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize("fields", [{"version": "m\n\x1b[31m"}, {"version": "m\udcff"}, {"version": "m" * 121}])
def test_a_version_is_a_line_that_can_be_read(fields):
    with pytest.raises(TextRefused):
        price(fields["version"])


def test_a_long_source_is_refused_rather_than_cut():
    with pytest.raises(TextRefused):
        price("m-1", source="x" * 301)


def test_two_prices_of_one_instant_are_refused():
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    price("m-1", effective_from=noon)
    with pytest.raises(PriceRefused):
        price("m-1", DEAR, effective_from=noon)


def test_the_version_of_the_table_changes_with_every_price():
    versions = {price_table_version()}
    for name in ("m-1", "m-2"):
        price(name)
        versions.add(price_table_version())
    assert len(versions) == 3


def test_spending_adds_up_by_provider_at_the_prices_of_the_lane_s_start():
    one, other = make_agent(provider="North"), make_agent(provider="South")
    price(one.model_version, CHEAP, effective_from=timezone.now() - timedelta(days=2))
    price(one.model_version, DEAR, effective_from=timezone.now() + timedelta(days=2))
    price(other.model_version, DEAR, effective_from=timezone.now() - timedelta(days=2))
    race_with_usage(one, other)
    spent = spent_since(timezone.now() - timedelta(hours=1))
    assert spent.by_provider == {"North": Decimal(2), "South": Decimal(20)}
    assert spent.total == 22
    assert spent.unknown_calls == 0
    assert spent_since(timezone.now() + timedelta(hours=1)).total == 0


def test_calls_without_usage_are_unknown_not_free():
    one, other = make_agent(), make_agent()
    price(one.model_version)
    race_with_usage(one, other, usage=None)
    spent = spent_since(timezone.now() - timedelta(hours=1))
    assert spent.total == 0
    assert spent.unknown_calls == 2


def submit() -> Battle:
    return submit_task(
        judge=make_judge(),
        instruction="Find out when the town library opens on Saturdays.",
        start_url="https://library.example.org/",
        doorbell=lambda battle: None,
    )


@pytest.fixture
def models():
    agents = [make_agent(provider="North"), make_agent(provider="South")]
    for agent in agents:
        price(agent.model_version, effective_from=timezone.now() - timedelta(days=2))
    return agents


def test_without_a_limit_nothing_is_asked(models):
    make_agent()
    check_spending()


@pytest.mark.parametrize(
    ("setting", "amount", "refused"),
    [
        ("ARENA_SPEND_PER_DAY", "4.01", False),
        ("ARENA_SPEND_PER_DAY", "4", True),
        ("ARENA_SPEND_PER_PROVIDER_DAY", "2.01", False),
        ("ARENA_SPEND_PER_PROVIDER_DAY", "2", True),
    ],
)
def test_a_reached_limit_refuses_new_tasks_and_loses_nothing(models, settings, setting, amount, refused):
    race_with_usage(*models)
    setattr(settings, setting, Decimal(amount))
    before = Battle.objects.count()
    if refused:
        with pytest.raises(SpendLimitReached) as refusal:
            submit()
        assert refusal.value.status == 503
        assert Battle.objects.count() == before
    else:
        assert submit().state == Battle.State.QUEUED


def test_yesterday_s_spending_does_not_count(models, settings):
    race_with_usage(*models)
    settings.ARENA_SPEND_PER_DAY = Decimal(1)
    with pytest.raises(SpendLimitReached):
        check_spending()
    check_spending(now=timezone.now() + timedelta(days=1))


def test_a_limit_that_cannot_be_kept_refuses(models, settings):
    make_agent(provider="Unpriced")
    settings.ARENA_SPEND_PER_BATTLE = Decimal(1)
    with pytest.raises(SpendLimitReached, match="no price"):
        check_spending()


def test_a_lane_is_told_its_half_of_the_battle_s_limit(models, settings):
    settings.ARENA_SPEND_PER_BATTLE = Decimal("0.50")
    ticket = start_attempt(battle_id=make_battle(agents=models).pk, worker="test:1")
    for order in ticket.orders:
        assert order.agent_settings["spending"] == {
            "limit": "0.25",
            "prices": CHEAP.as_settings()
            | {
                "input_plain": "1.000000",
                "output": "2.000000",
            },
        }


def test_without_a_limit_a_lane_is_told_of_none(models):
    ticket = start_attempt(battle_id=make_battle(agents=models).pk, worker="test:1")
    assert all("spending" not in order.agent_settings for order in ticket.orders)
