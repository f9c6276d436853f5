"""What can be killed, how it is found among an arena's processes, and when it is back at work."""

import random
import signal
import time
from collections.abc import Callable, Iterable

import psycopg
import redis
from celery import Celery
from kombu.exceptions import KombuError

from arena_site.environment import read_environment
from arena_site.services import embedded, processes
from tests.arena_site.faults.ground import Ground

Back = Callable[[], bool]
#: Parts that the supervisor starts, and processes below them.
KINDS = (
    "web",
    "web worker",
    "lanes worker",
    "racing process",
    "default worker",
    "default process",
    "beat",
    "browser",
    "browser's child",
    "browser's driver",
    "egress proxy",
    "database",
    "database session",
    "broker",
)
#: Kinds without which no race goes on.
OF_RACES = {kind for kind in KINDS if kind.startswith(("browser", "egress", "database", "racing", "lanes"))}
#: Processes of a lane by a word of their command line.
PROGRAMS = {"browser's driver": "run-driver", "egress proxy": "battles.lanes.egress_proxy"}
#: Kinds that are parts of their own.
PARTS = {"web": "web", "lanes worker": "lanes", "default worker": "default", "beat": "beat", "broker": "broker"}


def find(ground: Ground, kind: str, chance: random.Random) -> int | None:
    """A process of a kind, if there is one now."""
    arena = ground.arena
    if kind in PARTS:
        return arena.part(PARTS[kind])
    if kind == "database":
        return arena.part("database")
    found: Iterable[int] = []
    if kind == "web worker":
        found = children(ground, arena.part("web"))
    elif kind == "racing process":
        found = ground.pool("lanes")
    elif kind == "default process":
        found = ground.pool("default")
    elif kind == "database session":
        found = sessions(ground)
    else:
        found = [pid for pid, words in ground.of_lanes().items() if is_of(kind, words)]
    found = sorted(found)
    return chance.choice(found) if found else None


def is_of(kind: str, words: str) -> bool:
    if kind in PROGRAMS:
        return PROGRAMS[kind] in words
    if "--user-data-dir" not in words and "--type=" not in words:
        return False
    return ("--type=" in words) == (kind == "browser's child")


def children(ground: Ground, parent: int | None) -> list[int]:
    return [pid for pid in ground.arena.family() if parent is not None and processes._parent_of(pid) == parent]


def sessions(ground: Ground) -> list[int]:
    try:
        rows = ground.query(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
    except psycopg.Error:
        return []
    return [pid for (pid,) in rows]


def back_at_work(ground: Ground, kind: str, victim: int) -> Back:
    """When what was killed works again; called before the kill, so that it knows what there was."""
    if kind in {"lanes worker", "default worker"}:
        return lambda: ground.arena.part(PARTS[kind]) not in {None, victim} and hears(ground, PARTS[kind])
    if kind == "beat":
        return lambda: ground.arena.part("beat") not in {None, victim} and rings(ground)
    web = len(children(ground, ground.arena.part("web")))
    pools = {queue: len(ground.pool(queue)) for queue in ("lanes", "default")}

    def whole(kind: str) -> bool:
        if kind.startswith("database"):
            return health(ground) and answers(ground)
        if kind == "broker":
            return ground.arena.part("broker") not in {None, victim} and pings(ground)
        if kind.startswith("web"):
            return health(ground) and len(set(children(ground, ground.arena.part("web"))) - {victim}) >= web
        queue = {"racing process": "lanes", "default process": "default"}.get(kind)
        if queue is not None:
            return len(set(ground.pool(queue)) - {victim}) >= pools[queue]
        return victim not in ground.of_lanes()

    return lambda: whole(kind)


def health(ground: Ground) -> bool:
    return ground.arena.status("/api/health") == 200


def answers(ground: Ground) -> bool:
    try:
        return ground.query("SELECT 1") == [(1,)]
    except psycopg.Error:
        return False


def broker(ground: Ground) -> redis.Redis:
    address = embedded.plain_redis_url(read_environment({"ARENA_DATA_DIR": str(ground.data)}))
    return redis.Redis.from_url(address, socket_timeout=2)


def pings(ground: Ground) -> bool:
    try:
        with broker(ground) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def hears(ground: Ground, queue: str) -> bool:
    """Whether a queue's worker answers a question that comes by way of the broker, as its work does."""
    address = embedded.redis_url(read_environment({"ARENA_DATA_DIR": str(ground.data)}))
    try:
        with Celery(broker=address) as app:
            replies = app.control.ping(timeout=1.0)
    except (OSError, redis.RedisError, KombuError):
        return False
    return any(name.startswith(f"{queue}@") for reply in replies for name in reply)


def rings(ground: Ground) -> bool:
    """Whether somebody asks for a look at the leases within two seconds, as the clock does every five."""
    begun = time.monotonic()
    try:
        with broker(ground) as client, client.monitor() as monitor:
            for command in monitor.listen():
                if "battles.reap" in command["command"]:
                    return True
                if time.monotonic() - begun > 2:
                    return False
    except redis.RedisError:
        return False
    return False


def steps_since(ground: Ground, at: float) -> bool:
    """Whether any lane has written a step since then (seconds since 1970)."""
    try:
        return bool(ground.query("SELECT 1 FROM battles_step WHERE at > to_timestamp(%s) LIMIT 1", at))
    except psycopg.Error:
        return False


def wait_for(condition: Back, seconds: float) -> float | None:
    """Seconds until a condition held; None when it did not in time."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        if condition():
            return time.monotonic() - begun
        time.sleep(0.2)
    return None


KILL = signal.SIGKILL
