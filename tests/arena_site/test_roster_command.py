"""The roster and the price table from the terminal."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from arena_site.seed import seed
from battles.models import Agent, AgentMerge, Price
from tests.battles.factories import make_agent

pytestmark = pytest.mark.django_db

ADD = (
    "add",
    "acme-surfer-2",
    "--name=Acme Surfer 2",
    "--provider=Acme",
    "--adapter=openai",
    "--model-version=acme-surfer-2-20260901",
    "--key-variable=ACME_API_KEY",
)


def run(command: str, *words: str, status: int = 0) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    if status:
        with pytest.raises(SystemExit) as stopped:
            call_command(command, *words, stdout=out, stderr=err)
        assert stopped.value.code == status
    else:
        call_command(command, *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_an_agent_is_added_listed_checked_and_retired(monkeypatch):
    run("roster", *ADD, "--parameter=temperature=0.2", "--parameter=max_output_tokens=2048")
    row = json.loads(run("roster", "list", "--json")[0])[0]
    assert row["key"] == "acme-surfer-2"
    assert row["parameters"] == {"temperature": 0.2, "max_output_tokens": 2048}
    assert row["kind"] == "model"

    monkeypatch.delenv("ACME_API_KEY", raising=False)
    out, _ = run("roster", "check", status=1)
    assert "FAIL  key: ACME_API_KEY is not set" in out
    monkeypatch.setenv("ACME_API_KEY", "sentinel-key-value")
    out, _ = run("roster", "check", "acme-surfer-2", "--json")
    assert json.loads(out)[0]["ready"] is True
    assert "sentinel-key-value" not in out

    run("roster", "retire", "acme-surfer-2", "--cause=provider_request", "--reason=Asked for by its provider.")
    row = json.loads(run("roster", "list", "--json")[0])[0]
    assert (row["retirement_cause"], row["retirement_reason"]) == ("provider_request", "Asked for by its provider.")
    assert "It leaves the draw on" in run("roster", "check")[0]
    Agent.objects.update(retired_at=timezone.now())
    assert run("roster", "check")[0] == ""


def test_versions_are_joined_after_a_look_and_parted_again_and_a_stake_is_said():
    for number in (1, 2):
        make_agent(f"acme-{number}", provider="Acme")
    join = ("merge", "acme-1", "acme-2", "--reason=Only its address changed.")
    assert "Nothing was done." in run("roster", *join)[0]
    assert not AgentMerge.objects.exists()
    assert "acme-1 counts in the row of acme-2" in run("roster", *join, "--yes")[0]
    rows = {row["key"]: row["joined_with"] for row in json.loads(run("roster", "list", "--json")[0])}
    assert rows == {"acme-1": "acme-2", "acme-2": None}
    assert "joined with acme-2" in run("roster", "list")[0]
    assert "[is_merged]" in run("roster", *join, "--yes", status=2)[1]
    assert "[is_merged]" in run("roster", "affiliate", "acme-2", "--reason=Shares.", status=2)[1]
    assert "apart from acme-2" in run("roster", "unmerge", "acme-1", "--reason=It changed after all.")[0]
    assert "[not_merged]" in run("roster", "unmerge", "acme-1", "--reason=Again.", status=2)[1]
    assert "neither drawn nor ranked" in run("roster", "affiliate", "acme-2", "--reason=Shares.")[0]
    assert (
        "[instant_is_past]"
        in run("roster", "affiliate", "acme-1", "--from=2020-01-01T00:00Z", "--reason=Shares.", status=2)[1]
    )
    assert ", operator-affiliated" in run("roster", "list")[0]


def test_a_moving_name_is_entered_and_shares_of_the_draw_are_shown():
    run("roster", *ADD)
    out, _ = run("roster", "alias", "surfer", "acme-surfer-2", "--from=2023-06-27T07:00Z", "--source=its notes")
    assert "2023-06-27 07:00" in out
    assert run("roster", "shares")[0] == ""
    with pytest.raises(CommandError, match="offset"):
        call_command("roster", "alias", "surfer", "acme-surfer-2", "--from=2023-06-27T07:00", "--source=its notes")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*ADD, "--parameter=speed=3"), "There is no parameter 'speed'"),
        ((*ADD, "--key-variable=ARENA_SECRET_KEY"), "key"),
        (("check", "nobody"), 'There is no agent "nobody"'),
        (("retire", "nobody", "--cause=superseded", "--reason=Because."), 'There is no agent "nobody"'),
    ],
)
def test_a_refusal_says_what_to_change_and_exits_with_2(words, said):
    _, err = run("roster", *words, status=2)
    assert said in err
    assert not Agent.objects.exists()


@pytest.mark.parametrize("pair", ["temperature", "=3"])
def test_a_parameter_is_a_name_and_a_value(pair):
    with pytest.raises(CommandError, match="NAME=VALUE"):
        call_command("roster", *ADD, f"--parameter={pair}")


def test_the_reference_agents_are_ready_and_are_never_called_for_money():
    seed()
    report = json.loads(run("roster", "check", "--call", "--json")[0])
    assert [row["ready"] for row in report] == [True, True, True]
    assert [row["call"] for row in report] == [None, None, None]


def test_every_adapter_says_its_parameters():
    out, _ = run("roster", "adapters")
    for adapter in ("anthropic", "openai", "google", "openai-compatible", "reference-random"):
        assert adapter in out.splitlines()
    assert "max_output_tokens" in out


def test_prices_are_entered_listed_and_never_wrong_by_a_typo():
    run("prices", "add", "m-1", "--input=3", "--output=$15", "--source=price page", "--from=2026-11-01T00:00:00Z")
    table = json.loads(run("prices", "list", "--json")[0])
    assert table["prices"][0]["effective_from"] == "2026-11-01T00:00:00+00:00"
    assert len(table["version"]) == 64
    assert "input 3  output 15" in run("prices", "list")[0]
    for words in (("--input=three", "--output=1"), ("--input=1", "--output=-1")):
        with pytest.raises(CommandError, match="amount in USD"):
            call_command("prices", "add", "m-2", *words, "--source=page")
    with pytest.raises(CommandError, match="instant"):
        call_command("prices", "add", "m-2", "--input=1", "--output=1", "--source=page", "--from=2026-13-45T00:00:00Z")
    assert Price.objects.count() == 1


def test_what_was_spent_today_is_told():
    assert json.loads(run("prices", "spent", "--json")[0]) == {
        "unit": "USD",
        "by_provider": {},
        "total": "0",
        "unknown": 0,
    }
