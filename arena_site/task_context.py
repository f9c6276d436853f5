"""What lines of a task carry: its name and number, and the request that asked for it."""

from __future__ import annotations

from typing import Any

from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, clear_contextvars

from arena_site.log_lines import request_identifier

#: The header of a message that names the request it was sent in.
ASKED_IN = "asked_in"


@setup_logging.connect(weak=False)
def leave_logging_alone(**_: Any) -> None:
    """Celery sets up no logging of its own where somebody listens here: Django's settings hold, level and all."""


@before_task_publish.connect(weak=False)
def name_the_request(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is not None and (identifier := request_identifier()):
        headers[ASKED_IN] = identifier


@task_prerun.connect(weak=False)
def begin(task_id: str = "", task: Any = None, **_: Any) -> None:
    clear_contextvars()
    bind_contextvars(task=getattr(task, "name", ""), task_id=task_id)
    if identifier := getattr(task.request, ASKED_IN, None):
        bind_contextvars(request=str(identifier))


@task_postrun.connect(weak=False)
def end(**_: Any) -> None:
    clear_contextvars()
