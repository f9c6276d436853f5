"""What every test stands on: a private PostgreSQL and a private Valkey for the run.

They are started once, before Django's settings are read, by whoever started the run; the workers of pytest-xdist find
their addresses in the environment and each use a database, a Valkey number and a data folder of their own. With
``ARENA_DATABASE_URL`` or ``ARENA_REDIS_URL`` set those are used instead, by a role that may create databases. Nothing
is written in the checkout. ``-p no:django`` skips all of this, for tests of arithmetic alone.

Fixtures beside pytest-django's:

``broker``
    A client of this worker's Valkey number, emptied before and after the test.

Passwords are hashed by the site's own algorithm at the least it can take: a third of a second for each sign-in adds up.

Tests that commit (``django_db(transaction=True)``, ``transactional_db``, ``live_server``) leave a fresh copy of the
migrated database behind: append-only tables refuse the TRUNCATE that Django would use.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import django
import psycopg
import pytest
import redis
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connections
from django.test import TransactionTestCase

from arena_site.environment import SETTINGS_TABLE, read_environment
from arena_site.services import embedded

#: What a developer may choose for the tests; any other variable of theirs must not change what tests see.
KEPT_VARIABLES = {
    "ARENA_DATABASE_URL",
    "ARENA_REDIS_URL",
    "ARENA_POSTGRES_BIN",
    "ARENA_REDIS_BIN",
    "ARENA_SERVICES_USER",
    "ARENA_CHROMIUM",
    "ARENA_CHROMIUM_USER",
}
#: A power cut during the tests may cost the tests' database.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
#: How many numbered stores a Valkey has unless told otherwise; number 0 is left to nobody.
VALKEY_STORES = 16
#: Files with few tests that take long, by how their paths begin. A file is one worker's, and ends last if begun last.
LONG_FILES = ("tests/e2e/", "tests/judging/test_access", "tests/judging/test_blindness", "tests/setup/")


class QuickArgon2PasswordHasher(Argon2PasswordHasher):
    time_cost = 1
    memory_cost = 64
    parallelism = 1


class RunServices:
    """The services of one run, in a folder of their own that goes with them."""

    def __init__(self) -> None:
        for variable in SETTINGS_TABLE:
            if variable.name not in KEPT_VARIABLES:
                os.environ.pop(variable.name, None)
        self.folder = Path(tempfile.mkdtemp(prefix="ringside-tests-"))
        # The services' account passes through when the tests are run by root.
        self.folder.chmod(0o711)
        os.environ["ARENA_DATA_DIR"] = str(self.folder / "data")
        values = read_environment(os.environ)
        self.services = embedded.EmbeddedServices(values, owner="a test run", postgres_options=CARELESS)
        os.environ["ARENA_DATABASE_URL"] = embedded.database_url(values)
        os.environ["ARENA_REDIS_URL"] = embedded.plain_redis_url(values)

    def stop(self) -> None:
        self.services.stop()
        remove_data(self.folder / "data")
        shutil.rmtree(self.folder)


def remove_data(data: Path) -> None:
    """Delete a data folder and what it has elsewhere: sockets, and databases out of reach of root's home."""
    for name in ("services", "sockets"):
        shutil.rmtree(os.path.realpath(data / name), ignore_errors=True)
    shutil.rmtree(data, ignore_errors=True)


def keep_apart(worker: str) -> None:
    """Give a worker of pytest-xdist (gw0, gw1, ...) a Valkey number and a data folder of its own."""
    os.environ["ARENA_DATA_DIR"] += f"-{worker}"
    number = 1 + int(worker.removeprefix("gw")) % (VALKEY_STORES - 1)
    parts = urlsplit(os.environ["ARENA_REDIS_URL"])
    on_a_socket = parts.scheme == "unix"
    address = f"unix://{parts.path}?db={number}" if on_a_socket else parts._replace(path=f"/{number}").geturl()
    os.environ["ARENA_REDIS_URL"] = address


def set_up() -> RunServices | None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "arena_site.settings"
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        keep_apart(worker)
        django.setup()
        return None
    run = RunServices()
    try:
        django.setup()
        run.services.start()
    except BaseException:
        run.stop()
        raise
    return run


RUN_SERVICES = set_up() if "pytest_django.plugin" in sys.modules else None
if settings.configured:
    settings.PASSWORD_HASHERS = [f"{__name__}.{QuickArgon2PasswordHasher.__name__}"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what lasts long; everything else stays in its order."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG_FILES))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the workers of pytest-xdist read the settings only when each has what is its own."""
    if session.config.getoption("numprocesses", 0):
        os.environ.pop("DJANGO_SETTINGS_MODULE", None)


def pytest_unconfigure() -> None:
    if RUN_SERVICES is not None:
        RUN_SERVICES.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Let go of connections that ended when a database was restored under them.

    A browser's loop keeps a set of connections of its own, which the restoring cannot see.
    """
    if not settings.configured:
        return
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None and not connection.in_atomic_block and not connection.is_usable():
            connection.close()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """The test database, and a copy of it as the migrations left it."""
    with django_db_blocker.unblock():
        name = connections["default"].settings_dict["NAME"]
        copy_database(name, to=template_of(name))
    yield
    with django_db_blocker.unblock():
        drop_database(template_of(name))


def restore_database(test: TransactionTestCase) -> None:
    """In place of Django's flush."""
    assert test.databases, "a test that commits names its databases"
    name = connections["default"].settings_dict["NAME"]
    drop_database(name)
    copy_database(template_of(name), to=name)


TransactionTestCase._fixture_teardown = restore_database


def template_of(name: str) -> str:
    return f"{name}_template"


def copy_database(name: str, *, to: str) -> None:
    connections["default"].close()
    with server() as connection:
        connection.execute(f'CREATE DATABASE "{to}" TEMPLATE "{name}"')


def drop_database(name: str) -> None:
    connections["default"].close()
    with server() as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def server() -> psycopg.Connection:
    parameters = {**connections["default"].get_connection_params(), "dbname": "postgres"}
    wanted = ("dbname", "host", "port", "user", "password", "sslmode")
    return psycopg.connect(**{key: parameters[key] for key in wanted if key in parameters}, autocommit=True)


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    assert os.environ["ARENA_REDIS_URL"] == settings.REDIS_URL, "the site counts where another worker does"
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()
    client.close()
