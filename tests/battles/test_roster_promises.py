"""Aliases by instant, promises before the first battle, and how often agents are drawn against what is expected."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from battles.aliases import AliasRefused, NoSuchAlias, agent_of_alias, enter_alias, resolve_alias
from battles.blindness.lexicon_table import stored_lexicon
from battles.blindness.scrubbing import scrub_narrow
from battles.draw_shares import Drawn, DrawShare, draw_shares, expected_draws
from battles.matchmaking import Standing, pair_of, select_match
from battles.models import AgentAlias, Battle, Preregistration, PreregistrationResult
from battles.preregistrations import (
    Outcome,
    PreregistrationRefused,
    PromisedMetric,
    preregister,
    register_promised_metric,
    settle_promises,
)
from battles.roster import NoSuchAgent, RosterRefused, roster_agent
from governance.errors import Conflict
from governance.ledger.changelog import changelog
from governance.models import LedgerEntry
from tests.battles.factories import make_agent, make_battle

CHANGE = datetime.fromtimestamp(1687849200, UTC)
PROMISE = {"metric": "coins", "size": 30, "analysis": "We expect heads.", "actor": "operator:1"}


@pytest.fixture(autouse=True)
def coins(monkeypatch):
    """A measure that can be promised."""
    monkeypatch.setattr("battles.preregistrations._metrics", {})
    register_promised_metric(PromisedMetric("coins", "How often heads come up.", lambda promise: None))


@pytest.mark.parametrize(("second", "version"), [(1687849199, "v1"), (1687849200, "v2"), (1687849201, "v2")])
def test_a_name_stands_for_a_version_from_an_instant_on_inclusive(second, version):
    """C07."""
    at = datetime.fromtimestamp(second, UTC)
    assert resolve_alias([(CHANGE, "v2"), (None, "v1")], at) == version


INSTANTS = st.integers(0, 2_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC))


@given(st.lists(INSTANTS, unique=True, max_size=8), INSTANTS)
def test_before_the_first_instant_a_name_stands_for_nothing(starts, at):
    found = resolve_alias([(start, start.isoformat()) for start in starts], at)
    before = [start for start in starts if start <= at]
    assert found == (max(before).isoformat() if before else None)


@pytest.mark.django_db
def test_an_alias_is_entered_once_per_instant_stays_and_is_in_the_changelog():
    one, other = make_agent("gpt-x-1", name="GPT X 1"), make_agent("gpt-x-2", name="GPT X 2")
    values = {"alias": "gpt-x", "source": "release notes, read 2026-11-30", "actor": "operator:1"}
    with pytest.raises(NoSuchAlias):
        agent_of_alias("gpt-x", CHANGE)
    enter_alias(agent_key=one.pk, effective_from=None, **values)
    enter_alias(agent_key=other.pk, effective_from=CHANGE, **values)
    assert agent_of_alias(" gpt-x ", CHANGE - timedelta(seconds=1)) == one
    assert agent_of_alias("gpt-x", CHANGE) == other
    for start in (None, CHANGE):
        with pytest.raises(Conflict):
            enter_alias(agent_key=one.pk, effective_from=start, **values)
    with pytest.raises(AliasRefused):
        enter_alias(agent_key=one.pk, effective_from=CHANGE, **(values | {"alias": "GPT X 2"}))
    with pytest.raises(NoSuchAgent):
        enter_alias(agent_key="nobody", effective_from=CHANGE, **values)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AgentAlias.objects.update(agent=one)
    newest = changelog(newest=1)[0]
    said = f'"gpt-x" stands for agent "gpt-x-2", from {CHANGE.isoformat()}. Source: release notes, read 2026-11-30'
    assert newest.words == said


@pytest.mark.django_db
def test_a_promise_is_in_the_ledger_by_what_it_says_and_stays():
    agents = [make_agent().pk, make_agent().pk]
    preregister(agents=agents, **PROMISE)
    entry = LedgerEntry.objects.get(kind="battles:preregistration:enter")
    assert '"metric":"coins"' in entry.text
    assert '"subject":"' in entry.text
    assert settle_promises() == []
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Preregistration.objects.update(size=31)


@pytest.mark.django_db
def test_what_began_already_cannot_be_promised_and_what_comes_later_can():
    battle = make_battle()
    agents = [battle.agent_b_id, battle.agent_a_id]
    with pytest.raises(Conflict) as refusal:
        preregister(agents=agents, starts_at=timezone.now() - timedelta(hours=1), **PROMISE)
    assert refusal.value.code == "began_already"
    # Of another category, of other agents, or from now on: nothing of it was drawn.
    preregister(agents=agents, starts_at=timezone.now() - timedelta(hours=1), category="maps", **PROMISE)
    preregister(agents=[agents[0], make_agent().pk], starts_at=timezone.now() - timedelta(hours=1), **PROMISE)
    preregister(agents=agents, **PROMISE)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("agents", {"agents": ["only-one"]}),
        ("metric", {"metric": "luck"}),
        ("size", {"size": 29}),
        ("analysis", {"analysis": " "}),
        ("category", {"category": "everything"}),
    ],
)
def test_a_promise_says_everything(field, fields):
    make_agent("only-one")
    agents = [make_agent().pk, make_agent().pk]
    with pytest.raises(PreregistrationRefused) as refusal:
        preregister(**({"agents": agents} | PROMISE | fields))
    assert refusal.value.field == field


@pytest.mark.django_db
def test_what_came_out_is_read_once_and_stays():
    came_out = iter(["30 heads", "29 heads"])
    register_promised_metric(PromisedMetric("coins", "Heads.", lambda promise: Outcome(next(came_out))))
    promise = preregister(agents=[make_agent().pk, make_agent().pk], **PROMISE)
    assert [result.words for result in settle_promises()] == ["30 heads"]
    assert settle_promises() == []
    promise.refresh_from_db()
    assert promise.result.words == "30 heads"
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        PreregistrationResult.objects.update(words="31 heads")


def drawn_by_the_rule(agents, draws, seed, *, never=()):
    """So many draws by the arena's own rule; those who are never drawn are passed over in secret."""
    chance = random.Random(seed)
    battles, meetings, found = dict.fromkeys(agents, 0), {}, []
    for _ in range(draws):
        pool = [agent for agent in agents if agent not in never]
        match = select_match(Standing(pool, battles, meetings, {}), chance)
        pair = pair_of(match.slot_a, match.slot_b)
        meetings[pair] = meetings.get(pair, 0) + 1
        for agent in pair:
            battles[agent] += 1
        found.append(Drawn(CHANGE, pair, tuple(agents)))
    return found


def shares_of(draws):
    return {
        agent: DrawShare(agent, drawn, expected, drawn / could, expected / could)
        for agent, (drawn, could, expected) in expected_draws(draws, {}, {}).items()
    }


def test_an_honest_draw_raises_no_alarm():
    shares = shares_of(drawn_by_the_rule(["a", "b", "c", "d"], 400, 1))
    assert sum(share.expected for share in shares.values()) == pytest.approx(800)
    assert not any(share.alarming for share in shares.values())
    assert all(0.8 < share.ratio < 1.2 for share in shares.values())


def test_an_agent_that_is_passed_over_in_secret_raises_one():
    shares = shares_of(drawn_by_the_rule(["a", "b", "c", "d"], 400, 1, never={"d"}))
    assert shares["d"].drawn == 0
    assert [agent for agent, share in shares.items() if share.alarming] == ["d"]


def test_too_few_draws_alarm_nobody():
    shares = shares_of(drawn_by_the_rule(["a", "b", "c", "d"], 20, 1, never={"d"}))
    assert not any(share.alarming for share in shares.values())


@pytest.mark.django_db
def test_shares_are_of_live_battles_that_count_and_of_agents_while_they_could_be_drawn():
    agents = [make_agent(key) for key in ("a", "b", "c")]
    gone = make_agent("gone", state="retired", retired_at=timezone.now() - timedelta(days=1))
    for _ in range(4):
        make_battle(agents=(agents[0], agents[1]))
    Battle.objects.filter(pk=make_battle(agents=(agents[0], agents[2])).pk).update(
        state="void", voided_at=timezone.now()
    )
    make_battle(agents=(agents[0], agents[2]), kind=Battle.Kind.PRACTICE)
    shares = {share.agent: share for share in draw_shares()}
    assert gone.pk not in shares
    assert (shares["a"].drawn, shares["b"].drawn, shares["c"].drawn) == (4, 4, 0)
    assert shares["c"].expected > 2


@pytest.mark.django_db
def test_a_moving_name_is_withheld_from_judges_and_is_no_agents_own():
    agent = make_agent()
    enter_alias(alias="zorblax-latest", agent_key=agent.pk, effective_from=None, source="a page", actor="operator:1")
    assert "zorblax" not in scrub_narrow("I am zorblax-latest.", stored_lexicon()).text
    with pytest.raises(RosterRefused) as refusal:
        roster_agent(
            key="zorblax",
            name=" zorblax-latest ",
            provider="Nebulon",
            adapter="reference-lexical",
            model_version="9",
            kind="model",
            actor="operator:1",
        )
    assert refusal.value.code == "moving_name"


@pytest.mark.django_db
def test_a_promise_never_speaks_of_what_was_drawn_while_it_was_written_down():
    agents = [make_agent().pk, make_agent().pk]
    long_ago = timezone.now() - timedelta(days=1)
    before = timezone.now()
    promise = preregister(agents=agents, starts_at=long_ago, **PROMISE)
    assert promise.starts_at >= before
