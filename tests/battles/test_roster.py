"""The roster: what may join, under which name, and that nothing that was listed ever disappears."""

import unicodedata
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from battles.agent_names import look_alike, normalise_name
from battles.draws import drawable_agents
from battles.models import Agent, LexiconName
from battles.operator_text import TextRefused
from battles.roster import (
    ACTIVE_PER_PROVIDER,
    NOTICE,
    NoSuchAgent,
    RosterRefused,
    retire_agent,
    roster_agent,
    variants_tried,
)
from battles.roster_checks import call_once, check_agent
from governance.errors import Conflict
from governance.kept import Kept
from governance.models import JournalEntry
from tests.battles.factories import make_agent, make_votable

FIELDS = {
    "key": "acme-surfer-2",
    "name": "Acme Surfer 2",
    "provider": "Acme",
    "adapter": "reference-random",
    "model_version": "acme-surfer-2-20260901",
    "kind": Agent.Kind.MODEL,
    "actor": "operator:1",
}


def add(**fields) -> Agent:
    return roster_agent(**(FIELDS | fields))


@pytest.mark.django_db
def test_a_new_agent_can_be_drawn_is_journalled_and_its_names_are_scrubbed():
    agent = add()
    assert drawable_agents() == [agent.key]
    assert JournalEntry.objects.get(action="battles:agent:roster").subject == agent.key
    assert LexiconName.objects.filter(name="acme surfer 2").exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "   "}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": "Acme\u200bSurfer"}, "name"),
        ({"name": "Acme\u3164Surfer"}, "name"),
        ({"name": "Acme\u2800Surfer"}, "name"),
        ({"name": "Acme Surfer\ufe0f"}, "name"),
        ({"name": "Acme \u202eSurfer"}, "name"),
        ({"key": ""}, "key"),
        ({"key": "Acme Surfer"}, "key"),
        ({"key": "-acme"}, "key"),
        ({"key": "a" * 81}, "key"),
        ({"model_version": " "}, "model_version"),
        ({"model_version": "v\x001"}, "model_version"),
        ({"provider": ""}, "provider"),
        ({"provider": "M\udcff"}, "provider"),
        ({"provider": "\u202eemcA"}, "provider"),
        ({"name": "The"}, "name"),
        ({"name": "a"}, "name"),
        ({"name": "agent"}, "name"),
    ],
)
def test_what_cannot_be_listed_is_refused_with_the_field_it_is_about(fields, field):
    with pytest.raises((RosterRefused, TextRefused)) as refusal:
        add(**fields)
    assert refusal.value.field == field
    assert not Agent.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "fields",
    [
        {"adapter": "nobody"},
        {"parameters": {"speed": 3}},
        {"parameters": {"seed": 3}},
        {"base_url": "https://models.example.org/v1"},
        {"adapter": "anthropic", "parameters": {"temperature": 9}},
        {"adapter": "anthropic", "parameters": {"temperature": True}},
        {"adapter": "anthropic", "parameters": {"max_output_tokens": "many"}},
        {"adapter": "anthropic", "key_variable": "ARENA_SECRET_KEY"},
    ],
)
def test_a_row_that_its_adapter_cannot_use_is_refused(fields):
    with pytest.raises(RosterRefused):
        add(**fields)
    assert not Agent.objects.exists()


@pytest.mark.django_db
def test_one_agent_has_one_name_and_one_key():
    add()
    with pytest.raises(RosterRefused):
        add(key="another", name=" Acme  Surfer 2 ")
    with pytest.raises(RosterRefused):
        add(name="Another")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["\uff21cme", "\u0410cme", "acme", "Ac me", "\u00c0cme"])
def test_a_name_that_looks_like_another_is_refused_until_an_operator_confirms_it(name):
    add(name="Acme")
    with pytest.raises(RosterRefused) as refusal:
        add(key="twin", name=name)
    assert refusal.value.code == "looks_alike"
    assert add(key="twin", name=name, looks_alike_confirmed=True).name == unicodedata.normalize("NFC", name)


def test_decomposed_and_composed_spellings_are_one_name():
    assert normalise_name("Age\u0301nt ") == normalise_name("Ag\u00e9nt")
    assert normalise_name("\uff21gent") == "\uff21gent"


@given(st.text(max_size=40))
def test_no_name_looks_like_itself(name):
    assert look_alike(normalise_name(name), [normalise_name(name)]) is None


def retire(key, **fields):
    values = {"cause": Agent.Cause.SUPERSEDED, "reason": "Because.", "actor": "operator:1"}
    return retire_agent(key=key, **(values | fields))


@pytest.mark.django_db
def test_a_retired_agent_races_through_its_notice_is_drawn_no_more_after_it_and_keeps_everything():
    battle = make_votable()
    cause = Agent.Cause.PROVIDER_REQUEST
    agent = retire(battle.agent_a_id, cause=cause, reason=" Asked for by\nits provider. ")
    assert agent.key in drawable_agents()
    assert (agent.retirement_cause, agent.retirement_reason) == (cause, "Asked for by its provider.")
    assert agent.retired_at - agent.retirement_noticed_at == NOTICE == timedelta(days=14)
    assert agent.races(agent.retired_at - timedelta(seconds=1))
    assert not agent.races(agent.retired_at)
    Agent.objects.filter(pk=agent.pk).update(retired_at=timezone.now())
    assert agent.key not in drawable_agents()
    battle.refresh_from_db()
    assert battle.agent_a == agent
    assert battle.state == battle.State.VOTABLE
    with pytest.raises(Conflict):
        retire(agent.key)


@pytest.mark.django_db
def test_short_names_with_a_digit_are_names():
    assert add(name="o3").name == "o3"


@pytest.mark.django_db
def test_retiring_needs_a_cause_a_reason_and_an_agent():
    agent = make_agent()
    for reason in ("x" * 301, "Broken \udcff"):
        with pytest.raises(TextRefused):
            retire(agent.key, reason=reason)
    for fields in ({"reason": " \n"}, {"cause": ""}, {"cause": "too weak"}):
        with pytest.raises(RosterRefused):
            retire(agent.key, **fields)
    with pytest.raises(NoSuchAgent):
        retire("nobody")
    agent.refresh_from_db()
    assert agent.state == Agent.State.ACTIVE


@pytest.mark.django_db
@pytest.mark.parametrize(
    "ask", [lambda agent: agent.delete(), lambda agent: Agent.objects.filter(pk=agent.pk).delete()]
)
def test_a_listed_agent_is_deleted_by_nothing(ask):
    agent = make_agent()
    with pytest.raises(Kept):
        ask(agent)
    assert Agent.objects.filter(pk=agent.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["DELETE FROM battles_agent", "TRUNCATE battles_agent CASCADE"])
def test_the_database_deletes_no_agent_either(statement):
    make_agent()
    with pytest.raises(IntegrityError, match="stay for good"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.django_db
@pytest.mark.parametrize("spelled", ["Acme", " ACME ", "\uff21cme", "\u0410cme"])
def test_three_agents_of_a_provider_race_at_once_however_it_is_spelled(spelled):
    for number in range(ACTIVE_PER_PROVIDER):
        add(key=f"acme-{number}", name=f"Acme {number}")
    fourth = {"key": "acme-more", "name": "Acme 4", "provider": spelled}
    with pytest.raises(RosterRefused) as refusal:
        add(**fourth)
    assert refusal.value.code == "provider_is_full"
    add(key="other", name="Other 1", provider="Other")
    retire("acme-0")
    with pytest.raises(RosterRefused):
        add(**fourth)
    Agent.objects.filter(pk="acme-0").update(retired_at=timezone.now())
    add(**fourth)
    assert variants_tried("acme") == ACTIVE_PER_PROVIDER + 1


@pytest.mark.django_db
def test_an_agent_of_the_operator_is_neither_drawn_nor_counted_among_a_providers():
    own = add(key="own", name="Own 1", operator_affiliated=True)
    assert drawable_agents() == []
    assert not own.races()
    for number in range(ACTIVE_PER_PROVIDER):
        add(key=f"acme-{number}", name=f"Acme {number}")
    assert variants_tried("Acme") == ACTIVE_PER_PROVIDER


@pytest.mark.django_db
def test_a_check_without_a_call_says_what_is_missing(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    agent = add(adapter="anthropic")
    findings = {finding.what: finding for finding in check_agent(agent)}
    assert findings["settings"].ok
    assert findings["key"].ok is False
    assert "ANTHROPIC_API_KEY" in findings["key"].words
    assert findings["blindness"].ok
    assert findings["price"].ok is None
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-secret-key")
    findings = {finding.what: finding for finding in check_agent(agent)}
    assert findings["key"].ok
    assert "a-secret-key" not in " ".join(finding.words for finding in findings.values())


@pytest.mark.django_db
def test_a_check_notices_names_that_are_not_scrubbed():
    agent = add()
    LexiconName.objects.filter(name="acme surfer 2").delete()
    findings = {finding.what: finding for finding in check_agent(agent)}
    assert findings["blindness"].ok is False


@pytest.mark.django_db
def test_the_one_call_asks_the_agent_about_an_empty_page():
    call = call_once(add(adapter="reference-explorer"))
    assert call.ok
    assert call.words.startswith("It chose ")
