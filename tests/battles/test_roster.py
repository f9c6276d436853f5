"""The roster: what may join, under which name, and that nothing that was listed ever disappears."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.agent_names import look_alike, normalise_name
from battles.draws import drawable_agents
from battles.models import Agent, LexiconName
from battles.operator_text import TextRefused
from battles.roster import NoSuchAgent, RosterRefused, retire_agent, roster_agent
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


@pytest.mark.django_db
def test_a_retired_agent_is_not_drawn_and_keeps_everything():
    battle = make_votable()
    agent = retire_agent(key=battle.agent_a_id, reason=" Asked for by\nits provider. ", actor="operator:1")
    assert agent.key not in drawable_agents()
    assert agent.retirement_reason == "Asked for by its provider."
    assert agent.retired_at is not None
    battle.refresh_from_db()
    assert battle.agent_a == agent
    assert battle.state == battle.State.VOTABLE
    with pytest.raises(Conflict):
        retire_agent(key=agent.key, reason="Again.", actor="operator:1")


@pytest.mark.django_db
def test_short_names_with_a_digit_are_names():
    assert add(name="o3").name == "o3"


@pytest.mark.django_db
def test_retiring_needs_a_reason_and_an_agent():
    agent = make_agent()
    for reason in ("x" * 301, "Broken \udcff"):
        with pytest.raises(TextRefused):
            retire_agent(key=agent.key, reason=reason, actor="operator:1")
    with pytest.raises(RosterRefused):
        retire_agent(key=agent.key, reason=" \n", actor="operator:1")
    with pytest.raises(NoSuchAgent):
        retire_agent(key="nobody", reason="Because.", actor="operator:1")
    assert drawable_agents() == [agent.key]


@pytest.mark.django_db
def test_an_agent_that_raced_cannot_be_deleted():
    with pytest.raises(Kept):
        make_votable().agent_a.delete()


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
