"""What the defences make of a campaign, and how it is told."""

from __future__ import annotations

import io
import json
from dataclasses import fields, replace

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from judging.trust_rule import CALLS_NEEDED
from ratings.estimators.comparisons import A_WINS, B_WINS, TIE, Comparisons
from ratings.steering.campaign import MODE_WORDS, Arena, Mode, Votes, run_campaign
from ratings.steering.defences import defend, rank_of
from ratings.steering.oracle import ceiling
from ratings.steering.simulation import (
    FLAGGED_TARGET,
    HELD_TARGET,
    MOVED_TARGET,
    Run,
    SteeringResult,
    simulate_steering,
    steering_document,
)

RUNS = 4


@pytest.fixture(scope="module")
def result() -> SteeringResult:
    return simulate_steering(runs=RUNS, seed=3)


def of(result: SteeringResult, mode: Mode) -> dict[str, float]:
    (found,) = [found for found in result.modes if found.mode == mode]
    return {
        field.name: value.value
        for field in fields(found)
        if hasattr(value := getattr(found, field.name), "value") and field.name != "mode"
    } | {"worst_moved": found.worst_moved}


@pytest.mark.parametrize("mode", [Mode.TARGET_ONLY, Mode.AGAINST_RIVALS])
def test_campaigns_that_leave_a_trace_are_stopped(result: SteeringResult, mode: Mode) -> None:
    found = of(result, mode)
    assert found["held"] >= HELD_TARGET
    assert found["moved"] <= MOVED_TARGET
    assert found["moved"] < found["moved_undefended"]


def test_without_defences_a_campaign_on_one_agent_moves_it_far(result: SteeringResult) -> None:
    assert of(result, Mode.TARGET_ONLY)["moved_undefended"] > 4


@pytest.mark.parametrize("mode", list(Mode))
def test_honest_judges_are_spared(result: SteeringResult, mode: Mode) -> None:
    assert of(result, mode)["flagged"] <= FLAGGED_TARGET


@pytest.mark.parametrize("mode", [Mode.EVERYWHERE, Mode.CAMOUFLAGED])
def test_campaigns_that_cannot_be_told_hardly_move_anybody(result: SteeringResult, mode: Mode) -> None:
    found = of(result, mode)
    # Not even an observer who knows the campaign reaches the target from so few votes.
    assert found["holdable"] < HELD_TARGET
    assert found["moved"] <= MOVED_TARGET


def test_nobody_holds_more_than_the_observer_who_knows(result: SteeringResult) -> None:
    for found in result.modes:
        assert found.held.value <= found.holdable.value + 0.05


def test_the_observer_sees_through_what_is_plain() -> None:
    arena = Arena()
    votes = run_campaign(arena, Mode.TARGET_ONLY, seed=1)
    assert ceiling(arena, Mode.TARGET_ONLY, votes, flagged=0.02, seed=1) == 1.0
    honest = replace(arena, taste=0.0)
    same = run_campaign(honest, Mode.CAMOUFLAGED, seed=1)
    assert ceiling(honest, Mode.CAMOUFLAGED, same, flagged=0.0, seed=1) < 0.5


def test_trust_marks_who_calls_wrong_and_needs_its_calls() -> None:
    votes = run_campaign(Arena(), Mode.CAMOUFLAGED, seed=2)
    wrong = (False,) * CALLS_NEEDED
    calls = (wrong, wrong[1:], *votes.calls[2:])
    held = defend(Votes(votes.comparisons, votes.honest, calls))
    assert held.trust[:2].tolist() == [True, False]
    assert held.any()[0]


def test_a_held_vote_leaves_its_battle_to_the_others() -> None:
    columns = {"judge": [0, 1, 2, 3], "a": [0, 0, 0, 1], "b": [1, 1, 1, 0], "outcome": [A_WINS, B_WINS, TIE, A_WINS]}
    battle = np.array([0, 0, 1, 2])
    votes = Comparisons(2, *map(np.array, columns.values()), np.array([0.5, 0.5, 1.0, 1.0]), battle)
    rank, points = rank_of(0, votes, np.array([False, True, True, True]))
    assert rank == 2
    # One tie and two whole losses: half a point of three.
    assert points == pytest.approx(400 * np.log10(0.5 / 2.5) / 2)


def test_the_same_seed_gives_the_same_result() -> None:
    one, two = (simulate_steering(runs=1, seed=9, modes=[Mode.TARGET_ONLY]) for _ in range(2))
    assert one == two
    assert one.modes[0].held.lower is None


def test_progress_is_told_run_by_run() -> None:
    told: list[tuple[Mode, int]] = []
    simulate_steering(runs=2, modes=[Mode.TARGET_ONLY], told=lambda mode, done: told.append((mode, done)))
    assert told == [(Mode.TARGET_ONLY, 1), (Mode.TARGET_ONLY, 2)]


def test_the_document_is_plain_json(result: SteeringResult) -> None:
    document = steering_document(result)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["reached"] == all(mode["holds_enough"] and mode["keeps_the_rank"] for mode in document["modes"])
    assert [mode["mode"] for mode in document["modes"]] == [mode.value for mode in MODE_WORDS]
    assert set(document["modes"][0]["by_defence"]) == {"trust", "surprise", "liking", "choice", "coalition"}
    assert {field.name for field in fields(Run)} - {"by_defence"} <= set(document["modes"][0])


def test_what_cannot_be_simulated_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        simulate_steering(runs=0)
    with pytest.raises(CommandError, match="--runs"):
        call_command("steering", runs=0, stdout=io.StringIO(), stderr=io.StringIO())


def test_the_command_prints_every_campaign_and_ends_well_even_if_red() -> None:
    out, progress = io.StringIO(), io.StringIO()
    call_command("steering", runs=1, stdout=out, stderr=progress)
    printed = out.getvalue()
    assert all(f"{mode}: {words}" in printed for mode, words in MODE_WORDS.items())
    assert "MISSED" in printed
    assert progress.getvalue().count("1 of 1 runs") == len(Mode)
    with pytest.raises(SystemExit) as ended:
        call_command("steering", "--check", "--json", runs=1, stdout=(plain := io.StringIO()), stderr=io.StringIO())
    assert ended.value.code == 1
    assert json.loads(plain.getvalue())["runs"] == 1
