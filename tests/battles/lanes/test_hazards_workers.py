"""Service workers: seen through, kept to the lane, and held to its way out."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from battles.lanes.processes import processes_naming
from battles.lanes.runtime_dir import lane_runtime_dir
from tests.battles.lanes.conftest import Hands
from tests.battles.lanes.pond_site import Pond
from tests.battles.lanes.whole_lane import visit_in_a_lane

pytestmark = pytest.mark.browser


def _register(hands: Hands) -> None:
    hands.go("/worker")
    by = time.monotonic() + 10
    while hands.look().title == "no worker":
        assert time.monotonic() < by
        time.sleep(0.05)


def test_a_page_that_a_worker_answers_is_seen_and_used_like_any_other(hands: Hands) -> None:
    _register(hands)
    hands.click("Offline page")
    assert hands.view.title == "offline"
    assert hands.view.url.endswith("/worker-offline")
    assert "words of the worker" in hands.do("read", what="text").text
    assert hands.click("From the worker").ok
    hands.go("/worker?again")
    assert hands.look().title == "controlled", "the worker is at work, so the test has met it"


def test_no_worker_reaches_another_lane(make_hands: Callable[..., Hands]) -> None:
    _register(make_hands())
    other = make_hands()
    assert "HTTP 404" in other.go("/worker-offline").message


def test_a_worker_goes_the_lanes_way_out_and_does_not_outlive_the_lane(pond: Pond) -> None:
    # Loopback by number is a secure context, in which alone workers register.
    address = f"127.0.0.1:{pond.server_address[1]}"
    with lane_runtime_dir() as folder:
        visit = visit_in_a_lane(folder, address, "/worker-wanders")
        assert visit.view.title == "sent out", "there was a worker, and it was asked to fetch from a private address"
        assert "10.9.8.7" in {refusal["host"] for refusal in visit.refused}
        assert processes_naming(folder) == []
        assert not any(folder.iterdir()), "nothing of the profile that held the worker is left"
        visit = visit_in_a_lane(folder, address, "/worker-offline")
        assert visit.view.title != "offline", "the next lane's pages are the site's own"
