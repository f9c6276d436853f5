"""A provider that cannot, will not or does not answer: what is tried again, for how long, and on whose account."""

from __future__ import annotations

import email.utils
import itertools
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battles.agents.base import ProviderClock, ProviderFailure
from battles.agents.hosted import agent as agent_module
from battles.agents.hosted.agent import MOST_TRIES
from battles.agents.hosted.troubles import LONGEST_ASKED, retry_after
from tests.battles.agents.hosted.local_provider import Answer

CLICK = ("click", {"x": 10, "y": 20})


def limited(dialect: Any, **headers: str) -> Answer:
    body, status = dialect.rate_limited()
    return Answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again_and_costs_no_step(model, dialect, status):
    made = model(Answer(*dialect.error(status, "whatever", "down")), dialect.calls(CLICK))
    assert made.step().actions
    assert len(made.provider.requests) == 2
    assert made.provider.requests[0].body == made.provider.requests[1].body
    assert made.agent.provider_seconds > 0


def test_a_provider_that_stays_down_is_given_up(model, dialect):
    made = model(Answer(*dialect.error(503, "overloaded", "down")))
    with pytest.raises(ProviderFailure, match=f"could not answer .503 overloaded.. Tried {MOST_TRIES} times"):
        made.step()
    assert len(made.provider.requests) == MOST_TRIES


@pytest.mark.parametrize(
    ("what", "words"),
    [("wrong_key", "does not accept the key"), ("no_model", "does not know this model"), ("no_credit", "40[02]|429")],
)
def test_what_does_not_pass_is_not_tried_again(model, dialect, what, words):
    made = model(Answer(*getattr(dialect, what)()))
    with pytest.raises(ProviderFailure, match=words):
        made.step()
    assert len(made.provider.requests) == 1


def test_a_key_that_the_provider_does_not_know_is_refused(model, dialect):
    made = model(dialect.calls(CLICK), key="another-key-than-the-one-we-have")
    with pytest.raises(ProviderFailure, match="does not accept the key"):
        made.step()


@pytest.mark.parametrize(
    "asked", [{"retry_after": "0.3"}, {"retry_after_ms": "300"}, {"retry_after": "x", "retry_after_ms": "300"}]
)
def test_a_wait_that_is_asked_for_is_waited(model, dialect, asked):
    made = model(limited(dialect, **asked), dialect.calls(CLICK))
    made.step()
    first, second = made.provider.times
    assert 0.3 <= second - first < 2
    assert 0.3 <= made.agent.provider_seconds < 2


def test_a_wait_may_be_asked_for_as_a_date(model, dialect):
    made = model(
        lambda request: limited(dialect, retry_after=email.utils.formatdate(time.time() + 2, usegmt=True)),
        dialect.calls(CLICK),
    )
    made.step()
    first, second = made.provider.times
    assert 0.5 < second - first < 4


@pytest.mark.parametrize("dialect", ["google"], indirect=True)
def test_one_provider_asks_in_the_body(model, dialect):
    body, status = dialect.rate_limited()
    body["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}]
    made = model(Answer(body, status), dialect.calls(CLICK))
    made.step()
    first, second = made.provider.times
    assert 0.3 <= second - first < 2


@pytest.mark.parametrize("nonsense", ["-1", "soon", "nan", "inf", "1e30", "", "Thu, 99 Foo 2026"])
def test_nonsense_counts_as_nothing_asked(model, dialect, nonsense):
    made = model(limited(dialect, retry_after=nonsense), dialect.calls(CLICK))
    made.step()
    assert made.provider.times[1] - made.provider.times[0] < 2


def test_a_wait_that_outlives_the_lane_ends_it_at_once(model, dialect):
    made = model(limited(dialect, retry_after="3600"))
    began = time.monotonic()
    with pytest.raises(ProviderFailure, match="after the lane's end"):
        made.step(seconds_left=300.0)
    assert time.monotonic() - began < 60


def test_in_the_last_seconds_it_is_waited_on_so_that_the_lane_s_rule_decides(model, dialect, monkeypatch):
    monkeypatch.setattr(agent_module, "AFTER_THE_END", 0.2)
    made = model(limited(dialect, retry_after="3600"))
    began = time.monotonic()
    with pytest.raises(ProviderFailure, match="after the lane's end"):
        made.step(seconds_left=0.4)
    assert 0.6 <= time.monotonic() - began < 60
    assert made.agent.provider_seconds >= 0.59


def test_waits_grow_and_spread(model, dialect):
    made = model(Answer(*dialect.error(500, "whatever", "down")), first_wait=0.02)
    with pytest.raises(ProviderFailure):
        made.step()
    times = made.provider.times
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(gap >= 0.75 * 0.02 * 2**place for place, gap in enumerate(gaps))


def test_the_clock_of_the_provider_runs_while_a_wait_is_under_way(model, dialect):
    made = model(limited(dialect, retry_after="30"))
    assert isinstance(made.agent, ProviderClock)
    failures: list[BaseException] = []
    asking = threading.Thread(target=lambda: failures.append(failure_of(made.step)))
    asking.start()
    deadline = time.monotonic() + 5
    while made.agent.provider_seconds < 0.3 and time.monotonic() < deadline:
        time.sleep(0.02)
    seen = made.agent.provider_seconds
    made.agent.close()
    asking.join(5)
    assert not asking.is_alive()
    assert isinstance(failures[0], ProviderFailure)
    assert 0.3 <= seen <= made.agent.provider_seconds < 5


def failure_of(call: Any) -> BaseException:
    try:
        call()
    except Exception as failure:
        return failure
    raise AssertionError("it did not fail")


def test_a_connection_without_a_byte_is_dead_after_a_while(model, dialect):
    made = model(Answer(dialect.calls(CLICK), silence=3.0), dialect.calls(CLICK), silence=0.3)
    assert made.step().actions
    assert 0.3 <= made.agent.provider_seconds < 2


def test_what_is_slow_but_comes_is_the_model_s_own_time(model, dialect):
    body = dialect.calls(CLICK)
    made = model(Answer(body, drip=0.002), silence=0.3)
    began = time.monotonic()
    assert made.step().actions
    assert time.monotonic() - began > 0.3
    assert made.agent.provider_seconds == 0


@pytest.mark.parametrize("broken", [{"dropped": True}, {"cut_after": 0}, {"cut_after": 40}])
def test_a_connection_that_breaks_is_tried_again(model, dialect, broken):
    made = model(Answer(dialect.calls(CLICK), **broken), dialect.calls(CLICK))
    assert made.step().actions
    assert made.agent.provider_seconds > 0


def test_a_provider_that_is_not_there_is_given_up(model, dialect):
    made = model(dialect.calls(CLICK))
    made.provider.__exit__()
    with pytest.raises(ProviderFailure, match=f"could not be reached .ConnectError.. Tried {MOST_TRIES} times"):
        made.step()


def test_redirects_are_not_followed(model, dialect, provider_of):
    elsewhere = provider_of(dialect, dialect.calls(CLICK))
    made = model(Answer({}, 307, {"location": elsewhere.url + "/elsewhere"}))
    with pytest.raises(ProviderFailure, match="307"):
        made.step()
    assert not elsewhere.requests


@pytest.mark.parametrize("answer", [{"silence": 60.0}, {"drip": 0.2}])
def test_a_call_under_way_ends_when_the_agent_is_let_go(model, dialect, answer):
    before = set(threading.enumerate())
    made = model(Answer(dialect.calls(CLICK), **answer), silence=60.0)
    asking = threading.Thread(target=lambda: failure_of(made.step))
    asking.start()
    while not made.provider.requests:
        time.sleep(0.01)
    time.sleep(0.2)
    began = time.monotonic()
    made.agent.close()
    asking.join(3)
    assert time.monotonic() - began < 3
    made.provider.__exit__()
    assert not {thread for thread in threading.enumerate() if thread not in before and thread.name == asking.name}


def test_after_it_was_let_go_an_agent_asks_nobody(model, dialect):
    made = model(dialect.calls(CLICK))
    made.agent.close()
    with pytest.raises(ProviderFailure):
        made.step()
    assert not made.provider.requests


texts = st.text() | st.from_regex(r"-?\d{1,40}(\.\d+)?(e\d+)?") | st.sampled_from(["nan", "inf", "-0", "1_0", "٣"])
dates = st.datetimes().map(lambda moment: moment.strftime("%a, %d %b %Y %H:%M:%S GMT"))


@given(seconds=texts | dates | st.none(), milliseconds=texts | st.none())
def test_whatever_is_asked_is_a_bounded_wait_or_none(seconds, milliseconds):
    headers = {"retry-after": seconds, "retry-after-ms": milliseconds}
    asked = retry_after({name: value for name, value in headers.items() if value is not None})
    assert asked is None or 0 <= asked <= LONGEST_ASKED


@given(st.floats(0, LONGEST_ASKED, allow_nan=False))
def test_seconds_and_milliseconds_mean_the_same(seconds):
    assert retry_after({"retry-after": f"{seconds:.6f}"}) == pytest.approx(seconds, abs=1e-5)
    assert retry_after({"retry-after-ms": f"{seconds * 1000:.3f}"}) == pytest.approx(seconds, abs=1e-5)


@given(st.integers(0, 86_000))
def test_a_date_means_the_time_until_then(seconds):
    asked = retry_after({"retry-after": email.utils.formatdate(time.time() + seconds, usegmt=True)})
    assert asked == pytest.approx(seconds, abs=2)


def test_a_date_in_the_past_is_no_wait():
    assert retry_after({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}) == 0
    assert retry_after({"retry-after": "Sun, 06 Nov 1994 08:49:37"}) == 0
