"""What the database, the broker and the disk say when monitoring asks. All but the disk is the same on every host."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Count, Max, Min
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from arena_site.clock import seconds_since_tick
from battles.models import Attempt, Battle, Lane
from governance.background import DEFAULT, LANES
from governance.models import LedgerCheckpoint
from governance.withdrawal_sweep import running_clocks
from judging.deadlines import queues
from ratings.models import Refit

logger = logging.getLogger(__name__)

#: Each statement gives up after so long: a scrape must not wait for a database that is busy.
STATEMENT_SECONDS = 2.0


class Readings(Collector):
    """Read anew at each scrape. A part that cannot be read is missing, and ``ringside_reading_failed`` names it."""

    def collect(self) -> Iterator[Metric]:
        failed = GaugeMetricFamily("ringside_reading_failed", "Whether a part could not be read.", labels=["part"])
        for part, read in PARTS.items():
            try:
                found = list(read()) if part in ELSEWHERE else _from_database(read)
            except (Error, OSError, OperationalError) as problem:
                logger.warning("monitoring cannot read %s: %s", part, type(problem).__name__)
                failed.add_metric([part], 1)
            else:
                failed.add_metric([part], 0)
                yield from found
        yield failed


def _from_database(read: Callable[[], Iterator[Metric]]) -> list[Metric]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{int(STATEMENT_SECONDS * 1000)}ms"])
        return list(read())


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(f"ringside_{name}", words, value=value)


def _by(name: str, words: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(f"ringside_{name}", words, labels=[label])
    for key, value in values:
        family.add_metric([key], value)
    return family


def _age(at: datetime | None) -> float:
    return 0.0 if at is None else max(0.0, (timezone.now() - at).total_seconds())


def battles() -> Iterator[Metric]:
    going = {Battle.State.QUEUED.value: 0, Battle.State.RACING.value: 0}
    going |= dict(
        Battle.objects.filter(state__in=going).values_list("state").annotate(count=Count("pk")).order_by("state")
    )
    yield _by("battles", "Battles that wait for a worker or run.", "state", going.items())
    yield _gauge("lanes_running", "Lanes that run.", Lane.objects.filter(state=Lane.State.RUNNING).count())
    waiting = Battle.objects.filter(state=Battle.State.QUEUED).aggregate(oldest=Min("created_at"))
    yield _gauge(
        "oldest_waiting_battle_seconds", "How long the battle that waits longest waits.", _age(waiting["oldest"])
    )
    lost = Battle.objects.filter(state=Battle.State.RACING, lease_until__lt=Now()).count()
    yield _gauge("leases_run_out", "Races whose worker stopped answering and that nobody handed back yet.", lost)
    broken = Attempt.objects.filter(outcome=Attempt.Outcome.BROKEN).count()
    yield CounterMetricFamily("ringside_attempts_broken", "Races that lost their worker or were handed back.", broken)


def refits() -> Iterator[Metric]:
    last: dict[str, Refit] = {}
    for refit in Refit.objects.exclude(ended_at=None).order_by("board", "-ended_at").distinct("board"):
        last[refit.board] = refit
    yield _by(
        "refit_age_seconds", "Since a board was last fitted.", "board", [(b, _age(r.ended_at)) for b, r in last.items()]
    )
    failed = [(board, float(refit.outcome == Refit.Outcome.FAILED)) for board, refit in last.items()]
    yield _by("refit_failed", "Whether a board's last fit failed.", "board", failed)


def promises() -> Iterator[Metric]:
    head = LedgerCheckpoint.objects.aggregate(at=Max("made_at"))["at"]
    yield _gauge("ledger_head_age_seconds", "Since the ledger's head was signed; 0 before the first.", _age(head))
    overdue = sum(running.overdue for running in running_clocks())
    yield _gauge("withdrawals_overdue", "Withdrawals that wait longer than was promised.", overdue)
    yield _gauge(
        "decision_queues_overdue", "Queues of operators with something overdue.", sum(bool(q.overdue) for q in queues())
    )


def clock() -> Iterator[Metric]:
    age = seconds_since_tick()
    if age is not None:
        yield _gauge("clock_tick_age_seconds", "Since a beat was last at work.", age)


def broker() -> Iterator[Metric]:
    with current_app.connection_for_read() as asked:
        asked.ensure_connection(max_retries=1, timeout=2)
        client: Any = asked.default_channel.client  # type: ignore[attr-defined]
        lengths = [(queue, float(client.llen(queue))) for queue in (LANES, DEFAULT)]
    yield _by("queue_length", "Messages that no worker has taken yet.", "queue", lengths)


def disk() -> Iterator[Metric]:
    usage = shutil.disk_usage(settings.ARENA_DATA_DIR)
    yield _gauge("data_disk_free_bytes", "Free space where this host's data folder is.", usage.free)
    yield _gauge("data_disk_bytes", "Size of that disk.", usage.total)


PARTS: dict[str, Callable[[], Iterator[Any]]] = {
    "battles": battles,
    "refits": refits,
    "promises": promises,
    "clock": clock,
    "broker": broker,
    "disk": disk,
}
#: What is said whatever the database does: on one disk with it, it is the free space that tells why it is away.
ELSEWHERE = frozenset({"broker", "disk"})
