"""What a run comes to: counted by task, with nothing left out."""

import json

from hypothesis import given
from hypothesis import strategies as st

from battles.proving_ground.report import SOLVED_FROM, EpisodeResult, Report, result_line, summary_lines


def result(task="a-task", seed=1, reward=1.0, steps=2, peeks=0):
    return EpisodeResult(task, seed, reward, "episode_over", steps, 0.5, peeks)


def report(*results):
    return Report(agent="oracle", pages="1.1.0", seeds=2, results=results)


def test_a_task_is_solved_when_every_seed_of_it_is():
    tasks = report(result("one", 1), result("one", 2), result("two", 1), result("two", 2, reward=-1.0)).tasks()
    assert [(task.task, task.solved, task.all_solved) for task in tasks] == [("one", 2, True), ("two", 1, False)]


def test_an_episode_that_never_ended_is_not_solved_and_counts_as_nothing():
    (task,) = report(result(reward=None), result(seed=2, reward=1.0)).tasks()
    assert not result(reward=None).solved
    assert task.mean_reward == 0.5


def test_a_task_peeks_when_one_of_its_episodes_did():
    peeking, not_peeking = report(result("one", peeks=1), result("one", 2), result("two"), result("two", 2)).tasks()
    assert peeking.peeks
    assert not not_peeking.peeks


@given(st.floats(-1, 1))
def test_solved_means_a_reward_from_the_stated_bound_on(reward):
    assert result(reward=reward).solved == (reward >= SOLVED_FROM)


def test_the_document_holds_every_episode_and_the_figures_add_up():
    data = json.loads(json.dumps(report(result("one"), result("one", 2), result("two", reward=None)).as_data()))
    assert set(data) == {"ground", "pages", "agent", "seeds", "solved_from", "tasks", "episodes", "summary"}
    assert set(data["episodes"][0]) == {
        *("task", "seed", "reward", "ending", "steps", "seconds", "peeks", "detail", "solved"),
    }
    assert set(data["tasks"][0]) == {
        *("task", "episodes", "solved", "mean_reward", "mean_steps", "peeks", "all_solved"),
    }
    assert data["summary"] == {
        "tasks": 2,
        "tasks_solved": 1,
        "episodes": 3,
        "episodes_solved": 2,
        "mean_reward": 0.6667,
    }


def test_the_words_name_what_was_not_solved():
    told = "\n".join(summary_lines(report(result("one"), result("two", reward=-1.0))))
    assert "1 of 2 tasks" in told
    assert "two" in told.splitlines()[-1]
    assert "-1.00" in result_line(result(reward=-1.0))
