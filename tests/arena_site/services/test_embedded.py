"""The embedded services on real PostgreSQL and Valkey: started, killed, restarted, shared, out of reach."""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest
import redis

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services import embedded, folders, postgres, processes, valkey
from arena_site.services.embedded import EmbeddedServices, ServicesInUse, running_services
from arena_site.services.processes import ServiceError
from tests.arena_site.services.conftest import environment_with, wait_until
from tests.conftest import remove_data


def services_of(values, **options):
    return EmbeddedServices(values, owner="a test", **options)


@contextlib.contextmanager
def started(values, **options):
    services = services_of(values, **options)
    services.start()
    try:
        yield services
    finally:
        services.stop()


def ask(values, statement):
    with psycopg.connect(embedded.database_url(values), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def store(values):
    return redis.Redis.from_url(embedded.plain_redis_url(values), decode_responses=True)


def server_processes(values):
    home = folders.services_home(values["ARENA_DATA_DIR"])
    return processes.processes_in(home / "postgres", "postgres") | processes.processes_in(home / "valkey", "valkey")


def gone(values):
    return not server_processes(values)


# Starting and stopping


def test_what_is_stored_is_there_at_the_next_start(values):
    with started(values):
        ask(values, "CREATE TABLE kept AS SELECT 42 AS number")
        with store(values) as client:
            client.set("kept", "yes")
    assert gone(values)
    with started(values):
        assert ask(values, "SELECT number FROM kept") == 42
        with store(values) as client:
            assert client.get("kept") == "yes"


def test_nothing_listens_on_the_network(values):
    with started(values):
        assert ask(values, "SHOW listen_addresses") == ""
        with store(values) as client:
            assert client.config_get("port") == {"port": "0"}


def test_what_the_database_refuses_is_in_no_log_of_its_own(values, data):
    with started(values):
        ask(values, "CREATE TABLE tasks (instruction text, kind text CHECK (kind = 'answer')); SELECT 1")
        with pytest.raises(psycopg.errors.CheckViolation, match="zanzibar"):
            ask(values, "INSERT INTO tasks VALUES ('zanzibar', 'none'); SELECT 1")
    said = "".join(path.read_text() for path in (data / "logs").iterdir())
    assert 'violates check constraint "tasks_kind_check"' in said
    assert "zanzibar" not in said


def test_texts_sort_and_change_case_the_same_on_every_machine(values):
    with started(values):
        assert ask(values, "SELECT lower('ÄÖÉ')") == "äöé"
        assert ask(values, "SELECT string_agg(w, '' ORDER BY w) FROM unnest(ARRAY['b','ä','a','Z']) AS w") == "Zabä"
        assert ask(values, "SHOW data_checksums") == "on"


def test_an_address_that_is_given_is_used_and_only_the_other_service_started(values):
    values["ARENA_DATABASE_URL"] = "postgresql://someone@elsewhere/arena"
    with started(values) as services:
        assert [server.name for server in services.servers] == ["Valkey"]
    values["ARENA_REDIS_URL"] = "redis://elsewhere"
    with started(values) as services:
        assert services.servers == []


def test_a_second_owner_is_refused_and_told_of_the_first(values, owner):
    process = owner()
    with pytest.raises(ServicesInUse, match=rf"sleep 600 \(process {process.pid}\)"):
        services_of(values).start()
    assert embedded.answers(values)


def test_of_several_starts_at_once_one_makes_the_database_and_all_can_use_it(values, data):
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "arena_site.services", sys.executable, "-c", "print('up')"],
            cwd=CHECKOUT,
            env=environment_with(data),
            stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    assert [program.communicate(timeout=60)[0] for program in programs] == [b"up\n"] * 4
    assert [program.returncode for program in programs] == [0] * 4
    assert gone(values)


# Sharing


def test_a_command_uses_the_services_of_the_supervisor_and_leaves_them_running(values, owner):
    owner()
    before = server_processes(values)
    with running_services(values):
        assert ask(values, "SELECT 1") == 1
    assert set(before) <= set(server_processes(values))


def test_a_command_alone_starts_and_stops_them(values):
    with running_services(values):
        assert embedded.answers(values)
    assert gone(values)


def test_an_owner_waits_for_the_command_that_uses_its_services(values, data):
    entered, said = threading.Event(), []

    def other_command():
        with running_services(values):
            entered.set()
            wait_until(lambda: said)
            ask(values, "SELECT 1")
            finished.append(time.monotonic())

    finished: list[float] = []
    with running_services(values, say=said.append):
        thread = threading.Thread(target=other_command)
        thread.start()
        assert entered.wait(10)
    thread.join(10)
    assert finished
    assert "still uses" in said[0]
    assert gone(values)


def test_the_status_of_the_command_is_passed_on(data):
    program = [sys.executable, "-m", "arena_site.services"]
    failing = subprocess.run([*program, "sh", "-c", "exit 3"], cwd=CHECKOUT, env=environment_with(data), check=False)
    assert failing.returncode == 3
    without = subprocess.run(program, cwd=CHECKOUT, env=environment_with(data), check=False, capture_output=True)
    assert without.returncode == 2


# Kills


def test_services_end_with_an_owner_that_is_killed(values, owner):
    process = owner()
    ask(values, "CREATE TABLE kept AS SELECT 1 AS number")
    process.kill()
    wait_until(lambda: gone(values), 15)
    with started(values):
        assert ask(values, "SELECT number FROM kept") == 1


@pytest.mark.parametrize("run", range(2))
def test_killed_servers_start_again_with_all_that_was_committed(values, run):
    with started(values) as services:
        ask(values, "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
        for server in services.servers:
            os.kill(server.running.pid, signal.SIGKILL)
            wait_until(lambda server=server: processes.has_ended(server.running))
        home = folders.services_home(values["ARENA_DATA_DIR"])
        assert (home / "postgres" / "postmaster.pid").exists(), "a kill leaves its mark behind"
    with started(values):
        assert ask(values, "SELECT count(*) FROM kept") == 1000


def test_a_mark_that_names_somebody_elses_process_is_no_obstacle(values):
    """After a restart of the machine, or of a container, the number in it belongs to another program."""
    with started(values):
        home = folders.services_home(values["ARENA_DATA_DIR"])
        mark = (home / "postgres" / "postmaster.pid").read_text()
    lines = mark.splitlines()
    lines[0] = str(os.getpid())
    (home / "postgres" / "postmaster.pid").write_text("\n".join(lines))
    (folders.socket_folder(values["ARENA_DATA_DIR"]) / "postgres" / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")
    with started(values):
        assert ask(values, "SELECT 1") == 1


def test_a_server_that_was_left_running_is_ended_before_its_folder_is_used(values):
    services = services_of(values)
    services.start()
    # As if the owner had been killed on a system that does not tell its children.
    left = [server.running for server in services.servers]
    services.servers.clear()
    services.stop()
    with started(values):
        assert ask(values, "SELECT 1") == 1
        for process in left:
            process.wait(10)


def test_a_first_start_that_was_killed_leaves_nothing_that_looks_like_a_database(values, data):
    process = subprocess.Popen(
        [sys.executable, "-m", "arena_site.services", "true"],
        cwd=CHECKOUT,
        env=environment_with(data),
        start_new_session=True,
    )
    home = data / "services"
    wait_until((home / "postgres.new" / "base").exists)
    process.kill()
    process.wait()
    assert not (home / "postgres").exists()
    with started(values):
        assert ask(values, "SELECT 1") == 1
    assert not (home / "postgres.new").exists()


def test_a_store_that_cannot_be_read_is_set_aside(values):
    with started(values), store(values) as client:
        client.set("lost", "yes")
    home = folders.services_home(values["ARENA_DATA_DIR"])
    for file in (home / "valkey" / "appendonlydir").glob("*.rdb"):
        file.write_bytes(b"not a store at all")
    with started(values), store(values) as client:
        assert client.get("lost") is None
    assert (home / "valkey-unreadable-1" / "appendonlydir").is_dir()


# What goes wrong is said in words


def test_a_full_disk_is_named(values, monkeypatch):
    monkeypatch.setattr(postgres, "FREE_BYTES", 1 << 60)
    with pytest.raises(ServiceError, match=r"MB left and PostgreSQL needs .* ARENA_DATA_DIR"):
        services_of(values).start()
    assert gone(values)


def test_a_database_of_another_version_is_named(values):
    with started(values):
        home = folders.services_home(values["ARENA_DATA_DIR"])
    (home / "postgres" / "PG_VERSION").write_text("14\n")
    with pytest.raises(ServiceError, match=r"made by PostgreSQL 14 .* ARENA_POSTGRES_BIN"):
        services_of(values).start()


def test_a_server_that_does_not_start_is_quoted(values):
    with pytest.raises(ServiceError, match="no_such_setting"):
        services_of(values, postgres_options={"no_such_setting": "1"}).start()
    assert gone(values)
    with started(values):
        assert embedded.answers(values), "the failed start let go of its lock"


@pytest.mark.parametrize("name", ["ARENA_POSTGRES_BIN", "ARENA_REDIS_BIN"])
def test_programs_that_are_not_there_are_named(values, name):
    values[name] = Path("/nowhere/bin")
    with pytest.raises(ServiceError, match=rf"/nowhere/bin.*{name}"):
        services_of(values).start()
    assert gone(values)


def test_a_data_folder_that_is_a_file_is_named(values, data):
    data.write_text("")
    with pytest.raises(ServiceError, match="is in the way"):
        services_of(values).start()


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("FATAL: could not write: No space left on device", "disk is full"),
        ("FATAL: could not open file: Permission denied", "owner changed"),
    ],
)
def test_what_the_server_says_is_turned_into_advice(values, said, advice):
    server = postgres.PostgresServer(
        folder=values["ARENA_DATA_DIR"],
        sockets=values["ARENA_DATA_DIR"],
        programs=Path("/usr/bin"),
        account=None,
        log=folders.make_folder(values["ARENA_DATA_DIR"]) / "log",
    )
    server.log.write_text(f"{said}\n")
    assert advice in server._failure("It stopped", 0).message


# Addresses


def test_sockets_stay_short_however_deep_the_data_folder_is(data):
    deep = data.joinpath(*["a-folder-with-quite-a-long-name"] * 8)
    values = read_environment({"ARENA_DATA_DIR": str(deep)})
    assert len(str(deep)) > 200
    with started(values):
        assert ask(values, "SELECT 1") == 1
        assert len(str(valkey.socket_of(folders.socket_folder(deep)))) < 60
    remove_data(deep)


def test_the_folder_for_sockets_is_found_again_and_belongs_to_one_data_folder(data, tmp_path):
    folder = folders.socket_folder(data)
    assert folders.socket_folder(data) == folder
    assert stat.S_IMODE(folder.stat().st_mode) & 0o066 == 0
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "sockets").symlink_to(folder)
    other = folders.socket_folder(copy)
    assert other != folder
    other.joinpath("data").unlink()
    other.rmdir()


@pytest.mark.parametrize("trouble", ["gone", "open to others", "a link"])
def test_a_folder_for_sockets_that_cannot_be_trusted_is_replaced(data, trouble):
    folder = folders.socket_folder(data)
    moved = folder.with_name(f"{folder.name}-moved")
    if trouble == "open to others":
        folder.chmod(0o777)
    else:
        folder.rename(moved)
        if trouble == "a link":
            folder.symlink_to(moved)
    replacement = folders.socket_folder(data)
    assert replacement != folder
    assert replacement.is_dir()
    if folder.is_symlink():
        folder.unlink()
    for left in (folder, moved):
        shutil.rmtree(left, ignore_errors=True)


@pytest.mark.parametrize(
    ("address", "celery"),
    [
        ("redis://:secret@host:6379/3", "redis://:secret@host:6379/3"),
        ("unix:///run/valkey.sock?db=3", "redis+socket:///run/valkey.sock?virtual_host=3"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
    ],
)
def test_the_broker_is_named_as_celery_names_it(values, address, celery):
    values["ARENA_REDIS_URL"] = address
    assert embedded.redis_url(values) == celery


def test_a_database_address_becomes_djangos_settings(values):
    values["ARENA_DATABASE_URL"] = "postgres://who:p%40ss@db.example:5433/arena?sslmode=require&connect_timeout=3"
    settings = embedded.database_settings(values)
    named = {name: settings[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")}
    assert named == {"NAME": "arena", "USER": "who", "PASSWORD": "p@ss", "HOST": "db.example", "PORT": "5433"}
    assert settings["OPTIONS"] == {**embedded.PATIENCE, "sslmode": "require", "connect_timeout": "3"}
    assert settings["CONN_HEALTH_CHECKS"] is True


def test_a_database_address_that_cannot_be_read_is_refused(values):
    values["ARENA_DATABASE_URL"] = "postgres://db/arena?no_such_option=1"
    with pytest.raises(ServiceError, match="ARENA_DATABASE_URL"):
        embedded.database_settings(values)
