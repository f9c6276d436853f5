"""Practice tasks with a programmatic check of success.

The registry lives here, at the bottom; practice sites register with it from above, so that lanes
can serve and check them without knowing any of them by name. Each lane gets a site of its own
with fresh state, so two lanes can never see each other's baskets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class PracticeSite(Protocol):
    """A running site's state and pages: a WSGI application plus whatever its checks look at."""

    host: str

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]: ...


@dataclass(frozen=True, slots=True)
class PracticeTask:
    """One task kind on one site.

    ``check(site, answer)`` looks at the site's state after the lane and at the agent's final answer
    ("" when there is none) and says whether the task was done.
    """

    key: str
    host: str
    path: str
    instruction: str
    kind: str
    check: Callable[[Any, str], bool] = field(repr=False)

    @property
    def start_url(self) -> str:
        return f"http://{self.host}{self.path}"


_sites: dict[str, Callable[[], PracticeSite]] = {}
_tasks: dict[str, PracticeTask] = {}


def register_site(host: str, factory: Callable[[], PracticeSite], tasks: Iterable[PracticeTask]) -> None:
    """Make a practice site known. ``factory()`` returns a new site with fresh state.

    Raises:
        ValueError: a task's key is taken by another site, or names another host.
    """
    for task in tasks:
        if task.host != host:
            raise ValueError(f"{task.key} is on {task.host}, not on {host}")
        if task.key in _tasks and _tasks[task.key].host != host:
            raise ValueError(f"practice key {task.key} is taken")
        _tasks[task.key] = task
    _sites[host] = factory


def practice_hosts() -> Mapping[str, Callable[[], PracticeSite]]:
    """Every practice host with the factory of its site."""
    return dict(_sites)


def practice_tasks() -> Mapping[str, PracticeTask]:
    """Every practice task by key, sorted."""
    return dict(sorted(_tasks.items()))


def practice_task(key: str) -> PracticeTask | None:
    return _tasks.get(key)
