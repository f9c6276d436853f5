"""``manage.py proving_ground``: who may run, what it needs, and what it prints."""

import io
import json
from importlib import metadata

import pytest
from django.core.management import CommandError, call_command

from battles.agents.registry import ADAPTERS
from battles.management.commands import proving_ground
from battles.proving_ground import pages
from battles.proving_ground.agents import AGENTS, ORACLE, NotABaseline, check_agent
from battles.proving_ground.runner import run


def told(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command("proving_ground", "miniwob", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def nothing_runs(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("a run was started")

    monkeypatch.setattr(proving_ground, "run", refuse)


@pytest.mark.parametrize("agent", ["anthropic", "openai", "google", "openai-compatible", "some-model"])
def test_a_model_agent_is_refused_before_anything_starts(agent, nothing_runs):
    with pytest.raises(CommandError, match="races in battles only"):
        told("--agent", agent)


def test_the_runner_itself_refuses_too():
    with pytest.raises(NotABaseline) as refusal:
        run("anthropic", ["click-test"], 1, lambda result: None)
    assert refusal.value.code == "not_a_baseline"


def test_only_the_reference_agents_and_the_oracle_may_run():
    for agent in AGENTS:
        check_agent(agent)
    assert set(AGENTS) == {"reference-explorer", "reference-lexical", "reference-random", "oracle"}


def test_the_oracle_is_no_adapter_so_that_no_roster_can_draw_it():
    assert ORACLE not in ADAPTERS


def test_without_the_pages_it_says_what_to_install(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(pages.metadata, "files", missing)
    with pytest.raises(CommandError, match=r"pip install --no-deps miniwob"):
        told("--agent", "reference-lexical")
    with pytest.raises(CommandError, match=r"pip install --no-deps miniwob"):
        told("--list")


def test_a_distribution_without_its_pages_is_as_good_as_none(monkeypatch):
    monkeypatch.setattr(pages.metadata, "files", lambda name: [])
    with pytest.raises(pages.PagesMissing):
        pages.pages_folder()


def test_an_unknown_task_is_named(nothing_runs):
    with pytest.raises(pages.UnknownTask, match="no-such-task"):
        pages.chosen_tasks(["click-test", "no-such-task"])


@pytest.mark.parametrize("seeds", ["0", "-1", "many", "101"])
def test_the_number_of_seeds_has_bounds(seeds, nothing_runs):
    with pytest.raises(CommandError, match="whole number"):
        told("--seeds", seeds)


def test_the_list_names_every_page_and_what_the_oracle_can():
    out, _ = told("--list", "--json")
    listed = {entry["task"]: entry["oracle"] for entry in json.loads(out)}
    assert len(listed) == len(pages.task_names()) >= 125
    assert sum(listed.values()) >= 60
    assert listed["click-button"]


@pytest.mark.browser
def test_a_run_prints_one_document_and_its_progress_beside_it():
    out, err = told("--agent", "reference-lexical", "--task", "click-test", "--seeds", "2", "--json")
    data = json.loads(out)
    assert data["agent"] == "reference-lexical"
    assert [episode["seed"] for episode in data["episodes"]] == [1, 2]
    assert data["summary"]["tasks"] == 1
    assert len([line for line in err.splitlines() if line.startswith("click-test")]) == 2
