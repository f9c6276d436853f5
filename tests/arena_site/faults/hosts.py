"""Hosts of one arena in network namespaces: a bridge, and for each host one cable that can be pulled.

PostgreSQL, Valkey and a server of objects listen on the bridge. A host runs the lines of the Procfile, in a namespace,
under a name and with a data folder of its own; hosts share no folder, and pictures lie in object storage.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import redis

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services import binaries, processes
from arena_site.services.embedded import EmbeddedServices
from arena_site.services.folders import services_account, services_home
from battles.lanes.chromium import find_chromium
from tests.arena_site.services.conftest import wait_until
from tests.arena_site.services.test_processes import lives
from tests.battles.object_storage import KEYS, object_server
from tests.conftest import CARELESS, remove_data

#: A cold stop of a worker; what is left after it is killed.
STOP_SECONDS = 60.0


def why_not() -> str:
    """Why there can be no namespaces here; nothing when there can."""
    if os.geteuid() != 0:
        return "network namespaces with cables between them need root"
    if shutil.which("ip") is None:
        return "network namespaces need the command ip (iproute2)"
    name = f"rs-try-{secrets.token_hex(3)}"
    for words in (("netns", "add", name), ("link", "add", name[:15], "type", "bridge"), ("link", "del", name[:15])):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"the kernel refuses: ip {' '.join(words)}: {done.stderr.strip()}"
    ip("netns", "del", name)
    return ""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """The bridge and what listens on it, with the clock and the other worker beside them."""

    def __init__(self) -> None:
        self.mark = secrets.token_hex(2)
        self.net = f"10.{213 + secrets.randbelow(40)}.{secrets.randbelow(250)}"
        self.bridge = f"rsb{self.mark}"
        self.folder = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp"))
        self.folder.chmod(0o711)
        self.hosts: list[Host] = []
        self._held = ExitStack()

    def start(self) -> None:
        ip("link", "add", self.bridge, "type", "bridge")
        self._held.callback(ip, "link", "del", self.bridge)
        ip("addr", "add", f"{self.net}.1/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        self._start_postgres()
        self._start_valkey()
        self.objects = self._held.enter_context(object_server(f"{self.net}.1"))

    def _start_postgres(self) -> None:
        values = read_environment({"ARENA_DATA_DIR": str(self.folder / "hub"), "ARENA_REDIS_URL": "redis://nowhere"})
        options = {**CARELESS, "listen_addresses": f"{self.net}.1"}
        services = EmbeddedServices(values, owner="a test of hosts", postgres_options=options)
        services.start()
        self._held.callback(services.stop)
        rules = services.servers[0].folder / "arena_hba.conf"
        with rules.open("a") as file:
            file.write(f"host all all {self.net}.0/24 trust\n")
        with psycopg.connect(self.database_of(services), autocommit=True) as connection:
            connection.execute("SELECT pg_reload_conf()")
        wait_until(self._takes_connections, 20)

    def database_of(self, services: EmbeddedServices) -> str:
        return f"postgresql://arena@/arena?host={services.servers[0].sockets}&port=5432"

    def _takes_connections(self) -> bool:
        try:
            return self.query("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False

    def _start_valkey(self) -> None:
        data = self.folder / "hub"
        account = services_account("", avoid="nobody", home=services_home(data))
        program = binaries.valkey_program(None, home=services_home(data), account=account)
        server = subprocess.Popen(
            [program, "--port", "6379", "--bind", f"{self.net}.1", "--protected-mode", "no", "--save", ""],
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        self._held.callback(server.wait)
        self._held.callback(server.kill)
        wait_until(self.pings, 20)

    def pings(self) -> bool:
        try:
            with redis.Redis(host=f"{self.net}.1", socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    @property
    def database(self) -> str:
        return f"postgresql://arena@{self.net}.1:5432/arena"

    def query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True, connect_timeout=5) as connection:
            return connection.execute(statement, values or None).fetchall()

    def environment(self, name: str) -> dict[str, str]:
        """Of every process of a host: two addresses, and a data folder of its own."""
        data = self.folder / name
        if not data.exists():
            data.mkdir(mode=0o711)
            (self.folder / f"t-{name}").mkdir()
            (self.folder / f"t-{name}").chmod(0o1777)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        return {
            **kept,
            **KEYS,
            "PATH": f"{Path(sys.executable).parent}:{kept['PATH']}",
            "ARENA_DATA_DIR": str(data),
            "ARENA_DATABASE_URL": self.database,
            "ARENA_REDIS_URL": f"redis://{self.net}.1:6379/0",
            "ARENA_FRAMES_URL": self.objects.url,
            "ARENA_SECRET_KEY": f"of the test {self.mark} and of nothing else, long enough for the check",
            "ARENA_CHROMIUM": str(find_chromium()),
            "ARENA_LANE_SLOTS": "1",
            "TMPDIR": str(self.folder / f"t-{name}"),
        }

    def manage(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=CHECKOUT,
            env=self.environment("hub-commands"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def host(self, name: str, *lines: str, cable: bool = True) -> "Host":
        host = Host(self, name, lines, cable=cable)
        self.hosts.append(host)
        host.start()
        return host

    def stop(self) -> None:
        for host in reversed(self.hosts):
            host.stop()
        self._held.close()
        remove_data(self.folder / "hub")
        shutil.rmtree(self.folder)


class Host:
    """A machine of the arena; without a cable of its own it stands at the bridge."""

    def __init__(self, network: Network, name: str, lines: tuple[str, ...], *, cable: bool) -> None:
        self.network = network
        self.name = f"{name}-{network.mark}"
        self.lines = lines
        self.namespace = f"rs-{self.name}" if cable else ""
        self.plug = f"rsv{network.mark}{len(network.hosts)}"
        self.temporary = network.folder / f"t-{name}"
        self.log = network.folder / f"{name}.log"
        self.environment = network.environment(name)
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        if self.namespace:
            self._plug_in(2 + len(self.network.hosts))
        for line in self.lines:
            command = f"hostname {self.name} && exec {procfile()[line]}"
            words = ["unshare", "--uts", "sh", "-c", command]
            if self.namespace:
                words = ["ip", "netns", "exec", self.namespace, *words]
            with self.log.open("ab") as log:
                self.running.append(
                    subprocess.Popen(
                        words, cwd=CHECKOUT, env=self.environment, stdout=log, stderr=log, start_new_session=True
                    )
                )

    def _plug_in(self, number: int) -> None:
        ip("netns", "add", self.namespace)
        ip("link", "add", self.plug, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        ip("link", "set", self.plug, "master", self.network.bridge, "up")
        for words in (("link", "set", "lo", "up"), ("link", "set", "eth0", "up")):
            ip("-n", self.namespace, *words)
        ip("-n", self.namespace, "addr", "add", f"{self.network.net}.{number}/24", "dev", "eth0")

    def cut_off(self) -> None:
        """Pull the cable: nobody is killed, and nobody is told."""
        ip("link", "set", self.plug, "down")

    def come_back(self) -> None:
        ip("link", "set", self.plug, "up")

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def browsers(self) -> dict[int, str]:
        """Processes of this host's lanes, by the folder in their command line."""
        found = {}
        for pid in processes._process_ids():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(self.temporary) in words and lives(pid):
                found[pid] = words[:100]
        return found

    def leftovers(self) -> list[str]:
        return [f"{pid} {words}" for pid, words in self.browsers().items()] + [
            str(path) for path in self.temporary.iterdir() if not path.name.startswith("pymp-")
        ]

    def stop(self) -> None:
        """Stop warmly, as a Procfile's runner does, then for good."""
        for number, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGQUIT, 15.0)):
            for process in self.running:
                if process.poll() is None:
                    process.send_signal(number)
            for process in self.running:
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    continue
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.running.clear()
        if self.namespace:
            ip("netns", "del", self.namespace)
            self.namespace = ""


def procfile() -> dict[str, str]:
    """The lines of the Procfile by their names."""
    text = (CHECKOUT / "Procfile").read_text()
    return dict(re.findall(r"^([a-z]+): (.+)$", text, re.MULTILINE))
