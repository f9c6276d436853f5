"""What came out of a run: rewards by episode and task, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

#: The reward from which an episode counts as solved. Most pages pay -1 or 1; those that pay by closeness (an angle, a
#: colour, a moving target) pay 1 to nobody who acts in whole pixels.
SOLVED_FROM = 0.9


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One episode. ``reward`` is the page's first raw reward, -1 to 1, ``None`` when it never ended.

    ``ending`` is the lane's (``battles.lanes.endings``), ``episode_over`` when the page ended first, or
    ``not_started``. ``steps`` are charged steps; ``peeks`` looks behind the observation, which only the oracle has.
    """

    task: str
    seed: int
    reward: float | None
    ending: str
    steps: int
    seconds: float
    peeks: int
    detail: str = ""

    @property
    def solved(self) -> bool:
        return self.reward is not None and self.reward >= SOLVED_FROM


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """All episodes of one task. An episode without a reward counts as 0 in the mean, as BrowserGym counts it."""

    task: str
    episodes: int
    solved: int
    mean_reward: float
    mean_steps: float
    peeks: bool

    @property
    def all_solved(self) -> bool:
        return self.solved == self.episodes


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run of one agent."""

    agent: str
    pages: str
    seeds: int
    results: Sequence[EpisodeResult]

    def tasks(self) -> list[TaskSummary]:
        """One summary a task, in the order in which they ran."""
        return [
            _summary(task, [result for result in self.results if result.task == task])
            for task in dict.fromkeys(result.task for result in self.results)
        ]

    def as_data(self) -> dict[str, Any]:
        """The document that ``--json`` prints."""
        tasks = self.tasks()
        return {
            "ground": "miniwob",
            "pages": self.pages,
            "agent": self.agent,
            "seeds": self.seeds,
            "solved_from": SOLVED_FROM,
            "tasks": [{**asdict(task), "all_solved": task.all_solved} for task in tasks],
            "episodes": [{**asdict(result), "solved": result.solved} for result in self.results],
            "summary": {
                "tasks": len(tasks),
                "tasks_solved": sum(task.all_solved for task in tasks),
                "episodes": len(self.results),
                "episodes_solved": sum(result.solved for result in self.results),
                "mean_reward": _mean(result.reward or 0.0 for result in self.results),
            },
        }


def _summary(task: str, results: Sequence[EpisodeResult]) -> TaskSummary:
    return TaskSummary(
        task=task,
        episodes=len(results),
        solved=sum(result.solved for result in results),
        mean_reward=_mean(result.reward or 0.0 for result in results),
        mean_steps=_mean(result.steps for result in results),
        peeks=any(result.peeks for result in results),
    )


def _mean(numbers: Iterable[float]) -> float:
    listed = list(numbers)
    return round(sum(listed) / len(listed), 4) if listed else 0.0


def result_line(result: EpisodeResult) -> str:
    """One episode as progress shows it."""
    reward = "   -  " if result.reward is None else f"{result.reward:+6.2f}"
    mark = "solved" if result.solved else "      "
    why = f"  {result.detail[:160]}" if result.detail and not result.solved else ""
    return (
        f"{result.task:<30} seed {result.seed:<3} {reward}  {mark}  {result.steps:>2} steps {result.seconds:>5.1f} s"
        f"  {result.ending}{why}"
    )


def summary_lines(report: Report) -> list[str]:
    """The end of a run in words."""
    data = report.as_data()["summary"]
    unsolved = [task.task for task in report.tasks() if not task.all_solved]
    lines = [
        f"{report.agent} on MiniWoB++ {report.pages}, {report.seeds} seeds each: "
        f"{data['tasks_solved']} of {data['tasks']} tasks solved on every seed, "
        f"{data['episodes_solved']} of {data['episodes']} episodes, mean reward {data['mean_reward']:+.3f}"
    ]
    if unsolved:
        lines.append(f"Not solved on every seed: {', '.join(unsolved)}")
    return lines
