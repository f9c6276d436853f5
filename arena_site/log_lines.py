"""How a log line looks, and what it is about: request, battle, attempt, lane and task.

Whoever begins one of those binds it (``structlog.contextvars``); lines said meanwhile carry it, whichever module says
them. What is bound are identifiers: never a name, never an address.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from arena_site.log_filters import OneLine

HEADER = "X-Request-ID"
#: What is taken for an identifier from a proxy of ours. Anything else in its place gets one of ours.
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")

#: Libraries that say at DEBUG with which keys they ask; and lines of Celery that only say that the clock ticks.
NEVER_BELOW = {
    "botocore": logging.INFO,
    "boto3": logging.INFO,
    "s3transfer": logging.INFO,
    "urllib3": logging.INFO,
    "celery.beat": logging.WARNING,
    "celery.worker.strategy": logging.WARNING,
    "celery.app.trace": logging.WARNING,
}


class PlainLines(OneLine):
    """A line for people, with what it is about at its end."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = super().formatMessage(record)
        about = " ".join(f"{name}={value}" for name, value in get_contextvars().items())
        return f"{line} [{about}]" if about else line


def json_lines() -> logging.Formatter:
    """A line for machines: one JSON object, times in UTC. Nothing of a record but its message and trace is in it."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("message"),
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
    )


def log_settings(*, form: str, level: str) -> dict[str, Any]:
    """Django's ``LOGGING``.

    Args:
        form: ``plain`` or ``json``.
        level: of everything but :data:`NEVER_BELOW`.
    """
    plain = {"()": PlainLines, "fmt": "{asctime} {levelname} {name} {message}", "style": "{"}
    chosen = logging.getLevelNamesMapping()[level]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"chosen": plain if form == "plain" else {"()": json_lines}},
        "filters": {
            "without_refused_traces": {"()": "arena_site.log_filters.WithoutRefusedTraces"},
            "without_rows": {"()": "arena_site.log_filters.WithoutRows"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "chosen",
                "filters": ["without_refused_traces", "without_rows"],
            }
        },
        "loggers": {name: {"level": max(chosen, least)} for name, least in NEVER_BELOW.items()},
        "root": {"handlers": ["console"], "level": level},
    }


class RequestContextMiddleware:
    """Gives each request an identifier, in its lines and in the answer; comes before everything else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        clear_contextvars()
        identifier = identifier_of(request)
        bind_contextvars(request=identifier)
        response = self._get_response(request)
        response[HEADER] = identifier
        return response

    def process_view(self, request: HttpRequest, view: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Have lines say which battle a page is about."""
        if "battle_id" in named:
            bind_contextvars(battle=str(named["battle_id"]))


@receiver(request_finished, dispatch_uid="arena_site.log_lines")
def forget_the_request(**_: Any) -> None:
    """Only now: Django writes its line about a refusal when the last middleware is done."""
    clear_contextvars()


def identifier_of(request: HttpRequest) -> str:
    """The proxy's identifier, where a proxy of ours is said to be there and sent one; else a new one."""
    given = request.headers.get(HEADER, "")
    if settings.ARENA_TRUSTED_PROXIES and IDENTIFIER.fullmatch(given):
        return given
    return uuid.uuid4().hex


def request_identifier() -> str:
    """Of the request that is being answered; empty outside of one."""
    return str(get_contextvars().get("request", ""))
