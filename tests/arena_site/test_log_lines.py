"""What the log says of requests that were refused and of our own faults."""

import logging

import pytest

from arena_site.log_filters import WithoutRefusedTraces


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
    assert filters == [["without_refused_traces"]]
