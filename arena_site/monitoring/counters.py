"""What processes of this host count: requests, tasks and votes, in one folder that one answer adds up.

Labels are names from the code (routes, tasks, queues). No agent, no judge, no battle and no address is ever one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from celery.signals import task_failure, task_postrun, task_prerun
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from arena_site.monitoring.count_files import forget_ended_processes, keep_in_written_files
from judging.signals import vote_locked

#: Seconds. A page answers in milliseconds; a task may fit for minutes.
PAGE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
TASK_BUCKETS = (0.01, 0.1, 1, 5, 15, 60, 180, 400, 1200)

keep_in_written_files()

REQUESTS = Counter("ringside_requests_total", "Requests answered.", ["route", "method", "status"])
LATENCY = Histogram("ringside_request_seconds", "Time to answer a request.", ["route"], buckets=PAGE_BUCKETS)
QUERIES = Counter("ringside_queries_total", "Statements that requests sent to the database.", ["route"])
QUERY_SECONDS = Counter("ringside_query_seconds_total", "Time that requests waited for the database.", ["route"])
VOTES = Counter("ringside_votes_locked_total", "Votes that became final.")
TASKS = Counter("ringside_tasks_total", "Tasks that ended.", ["task", "outcome"])
TASK_SECONDS = Histogram("ringside_task_seconds", "Time that a task took.", ["task"], buckets=TASK_BUCKETS)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class CountingMiddleware:
    """Counts requests by the name of their route; a path is never kept."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.ARENA_METRICS_TOKEN:
            raise MiddlewareNotUsed
        forget_what_ended()
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        waited = _Waited()
        with connection.execute_wrapper(waited):
            response = self._get_response(request)
        route = _route(request)
        REQUESTS.labels(route, request.method if request.method in METHODS else "other", response.status_code).inc()
        LATENCY.labels(route).observe(time.perf_counter() - began)
        QUERIES.labels(route).inc(waited.statements)
        QUERY_SECONDS.labels(route).inc(waited.seconds)
        return response


class _Waited:
    def __init__(self) -> None:
        self.statements = 0
        self.seconds = 0.0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            self.statements += 1
            self.seconds += time.perf_counter() - began


def _route(request: HttpRequest) -> str:
    if request.resolver_match is not None:
        return request.resolver_match.view_name or "unnamed"
    return "static" if request.path.startswith(settings.STATIC_URL) else "unmatched"


_began: dict[str, float] = {}


def _count_vote(**_: Any) -> None:
    VOTES.inc()


def _task_begins(task_id: str = "", **_: Any) -> None:
    _began[task_id] = time.perf_counter()


def _task_fails(sender: Any = None, **_: Any) -> None:
    TASKS.labels(sender.name, "failed").inc()


def _task_ends(task_id: str = "", task: Any = None, state: str = "", **_: Any) -> None:
    began = _began.pop(task_id, None)
    if began is not None:
        TASK_SECONDS.labels(task.name).observe(time.perf_counter() - began)
    if state == "SUCCESS":
        TASKS.labels(task.name, "done").inc()


def count_votes_and_tasks() -> None:
    """Listen; called where monitoring is switched on."""
    vote_locked.connect(_count_vote, dispatch_uid="monitoring")
    task_prerun.connect(_task_begins, dispatch_uid="monitoring")
    task_postrun.connect(_task_ends, dispatch_uid="monitoring")
    task_failure.connect(_task_fails, dispatch_uid="monitoring")


def folder() -> Path | None:
    """Where processes of this host count together; none where monitoring is off."""
    named = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    return Path(named) if named else None


def forget_what_ended() -> None:
    """Keep the files of processes that have ended from being many."""
    if (counts := folder()) is not None:
        forget_ended_processes(counts)
