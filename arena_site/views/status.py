"""Whether the parts of this installation work, for people."""

import tomllib
from datetime import timedelta

from celery import current_app
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from arena_site.environment import CHECKOUT
from battles.lanes.chromium import NoChromium, find_chromium
from battles.models import Battle
from governance.ledger.timetable import SIGNED_WITHIN, signing_is_late
from governance.withdrawal_sweep import running_clocks
from judging.deadlines import queues
from ratings.standings import board_in_force

#: The version of the code, as the project's own file has it.
VERSION: str = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
#: A queued battle that waits longer than this says that no worker takes battles.
QUEUE_PATIENCE = timedelta(minutes=5)


def database_state() -> dict[str, str]:
    """Whether the database answers, as a line of the page."""
    try:
        connection.ensure_connection()
    except DatabaseError:
        return {"name": "Database", "state": "down", "words": "PostgreSQL does not answer."}
    return {"name": "Database", "state": "ok", "words": "PostgreSQL answers."}


def _broker() -> dict[str, str]:
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return {"name": "Broker", "state": "down", "words": "Redis does not answer; battles wait until it does."}
    return {"name": "Broker", "state": "ok", "words": "Redis answers."}


def _workers() -> dict[str, str]:
    late = Battle.objects.filter(state=Battle.State.QUEUED, created_at__lt=timezone.now() - QUEUE_PATIENCE).exists()
    if late:
        return {"name": "Workers", "state": "late", "words": "A battle has waited for more than five minutes."}
    return {"name": "Workers", "state": "ok", "words": "No battle waits long."}


def _decisions() -> dict[str, str]:
    # How many wait is for operators: a count here would tell a judge that their own labels were put aside.
    late = [queue.meanwhile for queue in queues() if queue.overdue]
    if any(running.overdue for running in running_clocks()):
        late.append("withdrawals wait for longer than was promised")
    if late:
        return {"name": "Operators", "state": "late", "words": f"Decisions are overdue; {' and '.join(late)}."}
    return {"name": "Operators", "state": "ok", "words": "No decision is overdue."}


def _ledger() -> dict[str, str]:
    if signing_is_late():
        minutes = int(SIGNED_WITHIN.total_seconds() // 60)
        words = (
            f"An entry has waited for a signature for more than {minutes} minutes; the head that is served is older."
        )
        return {"name": "Ledger", "state": "late", "words": words}
    return {"name": "Ledger", "state": "ok", "words": "Its head is signed."}


def _browser() -> dict[str, str]:
    try:
        find_chromium()
    except NoChromium as missing:
        return {"name": "Chromium", "state": "down", "words": str(missing)}
    return {"name": "Chromium", "state": "ok", "words": "A browser is installed."}


@never_cache
@require_safe
def status_page(request: HttpRequest) -> HttpResponse:
    checks = [database_state(), _broker()]
    if checks[0]["state"] == "ok":
        checks += [_workers(), _decisions(), _ledger()]
    checks.append(_browser())
    return render(
        request,
        "arena_site/status.html",
        {
            "page_title": "Status",
            "active": "status",
            "checks": checks,
            "updated_at": timezone.now(),
            "publication": board_in_force() if checks[0]["state"] == "ok" else None,
            "version": VERSION,
        },
    )
