"""docs/agents.md says what the code does: the rows, the parameters, the rules and the numbers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from battles.agents.hosted import agent, conversation, wording
from battles.agents.hosted.troubles import PASSING_STATUSES
from battles.agents.registry import ADAPTERS, check_settings, parameters_of

DOCUMENT = (Path(__file__).parents[4] / "docs" / "agents.md").read_text(encoding="utf-8")
HOSTED = sorted(name for name, adapter in ADAPTERS.items() if adapter.hosted)


def section(title: str) -> str:
    return re.split(r"\n#{2,3} ", DOCUMENT.partition(f"\n### {title}\n")[2])[0]


@pytest.mark.parametrize("adapter", HOSTED)
def test_the_table_of_parameters_is_the_adapter_s(adapter):
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section(f"`{adapter}`"), re.MULTILINE)
    assert rows == [(parameter.name, parameter.help) for parameter in parameters_of(adapter)]


@pytest.mark.parametrize("adapter", HOSTED)
def test_the_row_that_is_shown_can_be_used(adapter):
    (command,) = re.findall(r"```sh\n(manage\.py roster add .+?)\n```", section(f"`{adapter}`"), re.DOTALL)
    words = shlex.split(command.replace("\\\n", " "))
    options = dict(zip(words[4::2], words[5::2], strict=True))
    name, value = options["--parameter"].split("=")
    assert options["--adapter"] == adapter
    check_settings(
        adapter,
        {
            "model_version": options["--model-version"],
            "base_url": options.get("--base-url", ""),
            "key_variable": options.get("--key-variable", ""),
            "parameters": {name: json.loads(value) if value[0] in "0123456789tf" else value},
        },
    )


def test_the_rules_stand_there_in_the_words_that_models_get():
    assert f"```text\n{wording.SYSTEM}\n```" in DOCUMENT
    assert wording.WITHOUT_IMAGES in DOCUMENT


def test_the_numbers_are_those_of_the_code():
    text = " ".join(DOCUMENT.split())
    first, then = conversation.SHORTER
    assert f"Screenshots stay for the last {conversation.SCREENSHOTS_KEPT} observations" in text
    assert f"brought back for the last {conversation.READINGS_KEPT} turns" in text
    assert conversation.ELEMENTS_KEPT == 1
    assert f"all but its last {first} turns are left out, then all but its last {then}." in text
    assert f"silent for {agent.SILENCE_SECONDS:.0f} seconds" in text
    assert f"at most {agent.MOST_TRIES} times" in text
    assert f"In the last {agent.LAST_SECONDS:.0f} seconds" in text
    waits = [f"{agent.FIRST_WAIT * 2**place:.0f}" for place in range(agent.MOST_TRIES - 1)]
    assert f"after {', '.join(waits[:-1])} and {waits[-1]} seconds" in text
    assert f"Limits ({', '.join(map(str, sorted(PASSING_STATUSES)))})" in text
