"""What the log says of requests that were refused and of our own faults."""

import io
import logging
from collections.abc import Callable
from logging.config import DictConfigurator

import pytest
from celery import Celery
from django.db import DatabaseError, connection, transaction
from django.db.models import F

from arena_site.log_filters import WithoutRefusedTraces
from arena_site.log_lines import log_settings
from battles.models import Battle, Task
from tests.battles.factories import make_battle

SENTINEL = "zanzibar-sentinel"


def line(status: int | None) -> str:
    try:
        raise ValueError("the trace")
    except ValueError as error:
        extra = {} if status is None else {"status_code": status}
        record = logging.getLogger("django.request").makeRecord(
            "django.request",
            logging.ERROR,
            __file__,
            1,
            "Bad Request: %s",
            ("/x",),
            (type(error), error, None),
            extra=extra,
        )
    return logging.Formatter("{message}", style="{").format(record) if WithoutRefusedTraces().filter(record) else ""


@pytest.mark.parametrize("status", [400, 403, 404, 413, 422])
def test_a_refused_request_is_one_line(status):
    assert line(status) == "Bad Request: /x"


@pytest.mark.parametrize("status", [500, 503, None])
def test_our_own_fault_keeps_its_trace(status):
    assert "ValueError: the trace" in line(status)


def test_the_filter_is_on_every_handler(settings):
    filters = [handler["filters"] for handler in settings.LOGGING["handlers"].values()]
    assert filters == [["without_refused_traces", "without_rows"]]


@pytest.fixture(params=["plain", "json"])
def told(request) -> Callable[[], str]:
    """What a process's handler would have written so far, in one of its two forms."""
    configurator = DictConfigurator(log_settings(form=request.param, level="DEBUG"))
    configured = configurator.config
    for name, what in configured["filters"].items():
        configured["filters"][name] = configurator.configure_filter(what)
    for name, what in configured["formatters"].items():
        configured["formatters"][name] = configurator.configure_formatter(what)
    written = io.StringIO()
    handler = configurator.configure_handler(configured["handlers"]["console"])
    handler.setStream(written)
    root = logging.getLogger()
    root.addHandler(handler)
    yield written.getvalue
    root.removeHandler(handler)


#: What PostgreSQL refuses, each with the sentinel in a different part of what it says.
REFUSED = {
    "a constraint": lambda: Battle.objects.update(agent_b=F("agent_a"), void_reason=SENTINEL),
    "a value of another type": lambda: Task.objects.extra(where=["id = %s::uuid"], params=[SENTINEL]).first(),
    "a statement": lambda: connection.cursor().execute(
        "SELECT nothing FROM battles_task WHERE '" + SENTINEL + "' = ''"
    ),
    "a second row with the same key": lambda: [
        connection.cursor().execute("CREATE TEMPORARY TABLE once (word text PRIMARY KEY) ON COMMIT DROP"),
        connection.cursor().execute("INSERT INTO once VALUES (%s), (%s)", [SENTINEL, SENTINEL]),
    ],
}


@pytest.mark.django_db
@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED.keys())
def test_a_row_that_the_database_refused_is_in_no_line(told, refused):
    make_battle()
    app = Celery("log-lines", set_as_current=False)

    @app.task(name="tests.refused")
    def task() -> None:
        with transaction.atomic():
            refused()

    with pytest.raises(DatabaseError, match=SENTINEL) as caught:
        task()
    logging.getLogger("django.request").error("Internal Server Error: %s", "/x", exc_info=caught.value)
    task.apply()
    assert "Error" in told()
    assert "Traceback" in told()
    assert SENTINEL not in told()
    assert caught.value.__cause__.sqlstate in told()
