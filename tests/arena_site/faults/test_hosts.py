"""Several worker hosts race for one arena; one that is cut off loses its battle to another and does no harm.

The hosts are network namespaces: nothing of them is made up but the cable.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena_site.faults.hosts import Host, Network, why_not
from tests.arena_site.services.conftest import wait_until

WHY_NOT = why_not()
pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

BATTLES = 3
MANY_BATTLES = 20
#: A lease, a look of the reaper, and a machine that has other things to do.
REAPED_SECONDS = 120.0
RACED_SECONDS = 420.0

QUEUE = """
from battles.checks import practice_tasks
from battles.dispatch import ring
from battles.practice import create_practice_battle
keys = list(practice_tasks())
for number in range({count}):
    ring(create_practice_battle(key=keys[number % len(keys)], actor="system:test").pk)
"""


@pytest.fixture
def network() -> Iterator[Network]:
    network = Network()
    try:
        network.start()
        network.manage("migrate", "--verbosity", "0")
        network.manage("seed")
        yield network
    finally:
        network.stop()


def queue(network: Network, count: int) -> None:
    network.manage("shell", "--verbosity", "0", "--command", QUEUE.format(count=count))


def racing(network: Network, host: Host) -> str:
    """The attempt that a host runs and that has steps of both lanes; "" when there is none."""
    rows = network.query(
        "SELECT attempt.id::text FROM battles_attempt attempt JOIN battles_lane lane ON lane.attempt_id = attempt.id "
        "JOIN battles_step step ON step.lane_id = lane.id WHERE attempt.outcome = 'running' "
        "AND attempt.worker LIKE %s GROUP BY attempt.id HAVING count(DISTINCT lane.id) = 2",
        f"{host.name}:%",
    )
    return str(rows[0][0]) if rows else ""


def outcome(network: Network, attempt: str) -> tuple[str, int, int]:
    """How an attempt stands, its steps and its frames."""
    return network.query(
        "SELECT outcome, (SELECT count(*) FROM battles_step step JOIN battles_lane lane ON lane.id = step.lane_id "
        "WHERE lane.attempt_id = attempt.id), (SELECT count(*) FROM battles_frame frame JOIN battles_lane lane "
        "ON lane.id = frame.lane_id WHERE lane.attempt_id = attempt.id) FROM battles_attempt attempt WHERE id = %s",
        attempt,
    )[0]


def finished_by(network: Network) -> Counter[str]:
    """Finished attempts by host."""
    rows = network.query("SELECT split_part(worker, ':', 1) FROM battles_attempt WHERE outcome = 'finished'")
    return Counter(name for (name,) in rows)


def over(network: Network) -> bool:
    return not network.query("SELECT 1 FROM battles_battle WHERE state IN ('queued', 'racing')")


def race_with_a_pulled_cable(network: Network, battles: int, *, cuts: int) -> None:
    network.host("hub", "default", "beat", cable=False)
    one, two = network.host("one", "lanes"), network.host("two", "lanes")
    queue(network, battles)
    broken = {}
    for cut in range(cuts):
        unlucky = (one, two)[cut % 2]
        attempt = cut_off_in_a_race(network, unlucky)
        broken[attempt] = outcome(network, attempt)
        unlucky.come_back()
        # It works again: what it finishes from here on it has started since.
        before = finished_by(network)[unlucky.name]
        wait_until(
            lambda host=unlucky, before=before: finished_by(network)[host.name] > before or feed(network),
            RACED_SECONDS,
        )
    wait_until(lambda: over(network), RACED_SECONDS)
    check(network, broken)
    for host in (one, two):
        host.stop()
        assert host.leftovers() == []


def cut_off_in_a_race(network: Network, host: Host) -> str:
    """The attempt that a host was racing when it was cut off; one that ended just before does not count."""
    while True:
        attempt = wait_until(lambda: racing(network, host) or feed(network), RACED_SECONDS)
        host.cut_off()
        if wait_until(lambda attempt=attempt: ended(network, attempt), REAPED_SECONDS) == "broken":
            return str(attempt)
        host.come_back()


def ended(network: Network, attempt: str) -> str:
    """How an attempt ended; "" while it runs."""
    [state, *_] = outcome(network, attempt)
    return "" if state == "running" else state


def feed(network: Network) -> bool:
    """Never true; sees to it that there is something to race."""
    if over(network):
        queue(network, 2)
    return False


def check(network: Network, broken: dict[str, tuple[str, int, int]]) -> None:
    """Every battle is whole once; what the cut-off worker said later was refused, and nothing of it counts."""
    assert set(finished_by(network)) >= {host.name for host in network.hosts if host.namespace}
    for battle, state, finished, running in network.query(
        "SELECT battle.id::text, battle.state, count(*) FILTER (WHERE attempt.outcome = 'finished'), "
        "count(*) FILTER (WHERE attempt.outcome = 'running') FROM battles_battle battle "
        "JOIN battles_attempt attempt ON attempt.battle_id = battle.id GROUP BY battle.id"
    ):
        assert (state, finished, running) == ("votable", 1, 0), battle
    for attempt, at_the_break in broken.items():
        assert outcome(network, attempt) == at_the_break
        [(again,)] = network.query(
            "SELECT count(*) FROM battles_attempt later JOIN battles_attempt first "
            "ON first.battle_id = later.battle_id AND later.number > first.number "
            "WHERE first.id = %s AND later.outcome = 'finished'",
            attempt,
        )
        assert again == 1
    judged = network.query(
        "SELECT DISTINCT attempt.outcome FROM battles_lanefacts facts "
        "JOIN battles_lane lane ON lane.id = facts.lane_id JOIN battles_attempt attempt ON attempt.id = lane.attempt_id"
    )
    assert judged == [("finished",)]
    pictures = network.query(
        "SELECT DISTINCT frame.sha256 FROM battles_frame frame JOIN battles_lane lane ON lane.id = frame.lane_id "
        "JOIN battles_attempt attempt ON attempt.id = lane.attempt_id WHERE attempt.outcome = 'finished'"
    )
    stored = network.objects.keys()
    assert {sha256 for (sha256,) in pictures} <= {Path(key).stem for key in stored}


@pytest.mark.stack
def test_a_host_that_is_cut_off_loses_its_battle_to_another_and_does_no_harm(network: Network) -> None:
    race_with_a_pulled_cable(network, BATTLES, cuts=1)


@pytest.mark.soak
def test_hosts_are_cut_off_again_and_again(network: Network) -> None:
    race_with_a_pulled_cable(network, MANY_BATTLES, cuts=4)
