"""What the tests stand on does what ``tests/conftest.py`` promises."""

import os
from urllib.parse import urlsplit

import psycopg
import pytest
from celery import Celery
from django.db import DatabaseError, connection, transaction

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services import embedded
from governance.models import Judge

pytestmark = pytest.mark.production

GUARDED = "plumbing_guarded"


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


@pytest.mark.django_db
def test_the_database_is_a_private_one_of_this_worker():
    name = connection.settings_dict["NAME"]
    assert name.startswith("test_")
    assert name.endswith(os.environ.get("PYTEST_XDIST_WORKER", ""))
    assert connection.pg_version >= 150000


def test_nothing_is_written_in_the_checkout():
    assert not read_environment(os.environ)["ARENA_DATA_DIR"].is_relative_to(CHECKOUT)


# Two tests that each find the database as the migrations left it, in whatever order they run.


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("run", range(2))
def test_a_test_that_commits_leaves_the_migrated_database_behind(run):
    assert count("django_migrations") > 0
    assert not Judge.objects.exists()
    Judge.objects.create()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {GUARDED} (number int)")
        cursor.execute(
            f"CREATE FUNCTION {GUARDED}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'refused'; END$$"
        )
        cursor.execute(f"CREATE TRIGGER t BEFORE TRUNCATE ON {GUARDED} EXECUTE FUNCTION {GUARDED}()")
    with pytest.raises(DatabaseError, match="refused"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {GUARDED}")


@pytest.mark.django_db(transaction=True)
def test_another_connection_of_a_test_that_commits_does_not_stop_the_restoring():
    parameters = connection.get_connection_params()
    wanted = ("dbname", "host", "port", "user", "password")
    other = psycopg.connect(**{name: parameters[name] for name in wanted if name in parameters})
    other.execute("SELECT 1 FROM governance_judge")
    assert not other.closed


def test_the_broker_is_a_private_one_of_this_worker_and_empty(broker):
    assert broker.dbsize() == 0
    broker.set("left", "behind")
    number = broker.connection_pool.connection_kwargs.get("db", 0)
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    assert number == (1 + int(worker[2:]) if worker else 0)


def test_celery_reaches_the_broker_of_the_tests(broker):
    app = Celery(broker=embedded.redis_url(read_environment(os.environ)))
    with app.connection_for_write() as connection_to_broker:
        queue = connection_to_broker.SimpleQueue("plumbing")
        queue.put("ding")
        assert queue.get(timeout=5).payload == "ding"
        queue.close()
    assert urlsplit(app.conf.broker_url).scheme in {"redis", "redis+socket"}
