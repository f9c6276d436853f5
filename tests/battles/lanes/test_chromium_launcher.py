"""What the launcher becomes sees one interface, one way out and one unprivileged user, whatever it is."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from battles.lanes import chromium_launcher
from battles.lanes.egress import EgressProxy
from battles.lanes.runtime_dir import browser_user, lane_runtime_dir

#: Stands in for the browser and tells what it finds itself in.
WITNESS = """#!/bin/bash
echo "user $(id -u) $(id -g) $(id -G)"
echo "interfaces $(awk -F: 'NR > 2 { print $1 }' /proc/net/dev | xargs)"
echo "routes $(($(wc -l < /proc/net/route) - 1))"
echo "limits $(ulimit -c) $(ulimit -f) $(ulimit -d)"
echo "mask $(umask)"
echo "folder $(pwd)"
echo "arguments $*"
echo "descriptors $(ls /proc/self/fd | wc -l)"
reach() {
  if timeout 3 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null; then echo "reached $3"; else echo "not reached $3"; fi
}
reach 127.0.0.1 PROXY proxy
reach 127.0.0.1 CANARY canary
reach 192.0.2.1 80 outside
"""


def launch(*, isolate=True, control=None, executable=None):
    """Run the launcher with the witness in the browser's place; returns its result and what it told, by first word."""

    async def live(folder):
        user = browser_user()
        home = folder / "browser"
        home.mkdir()
        home.chmod(0o777)
        with socket.socket() as canary:
            canary.bind(("127.0.0.1", 0))
            canary.listen()
            async with EgressProxy({}, folder) as proxy:
                witness = folder / "witness"
                text = WITNESS.replace("PROXY", str(proxy.port)).replace("CANARY", str(canary.getsockname()[1]))
                witness.write_text(text)
                witness.chmod(0o755)
                config = {
                    "control": str(control or proxy.socket_path),
                    "port": proxy.port,
                    "executable": str(executable or witness),
                    "uid": user.uid if user else None,
                    "gid": user.gid if user else None,
                    "home": str(home),
                    "mount": None,
                    "isolate": isolate,
                }
                command = [sys.executable, "-I", "-S", chromium_launcher.__file__, json.dumps(config), "--flag", "a b"]
                result = await asyncio.to_thread(
                    subprocess.run, command, capture_output=True, text=True, timeout=60, check=False
                )
                launched = await proxy.launched(5) if result.returncode == 0 else None
                return result, launched, home

    with lane_runtime_dir() as folder:
        result, launched, home = asyncio.run(live(folder))
    told = dict(
        line.partition(" ")[::2] for line in result.stdout.splitlines() if not line.startswith(("reached", "not"))
    )
    reached = {line for line in result.stdout.splitlines() if line.startswith(("reached", "not reached"))}
    return result, told, reached, launched, home


def test_inside_there_is_loopback_alone_and_the_proxy_on_it():
    result, told, reached, launched, _ = launch()
    assert result.returncode == 0, result.stderr
    assert launched["isolated"] is True
    assert launched["pid"] > 0
    assert told["interfaces"] == "lo"
    assert told["routes"] == "0"
    assert reached == {"reached proxy", "not reached canary", "not reached outside"}


def test_without_the_namespace_the_canary_is_in_reach_and_the_proxy_is_told():
    _, told, reached, launched, _ = launch(isolate=False)
    assert launched["isolated"] is False
    assert {"reached proxy", "reached canary"} <= reached
    assert told["interfaces"] != "lo"


def test_rights_and_resources_are_bounded():
    _, told, _, _, home = launch()
    if (user := browser_user()) is not None:
        assert told["user"] == f"{user.uid} {user.gid} {user.gid}"
    core, file, data = told["limits"].split()
    assert core == "0"
    assert int(file) * 1024 <= chromium_launcher.MAX_FILE_BYTES
    assert int(data) * 1024 <= chromium_launcher.MAX_DATA_BYTES
    assert told["mask"] == "0077"
    assert told["folder"] == str(home)


def test_arguments_arrive_and_no_descriptor_of_the_launcher_is_left_open():
    _, told, _, _, _ = launch()
    assert told["arguments"] == "--flag a b"
    # Standard input, output and error, the listing's own, and the substitution's pipe at most.
    assert int(told["descriptors"]) <= 5


def test_without_its_proxy_there_is_no_browser():
    result, _, _, launched, _ = launch(control=Path("/tmp/no-such-socket"))
    assert result.returncode == chromium_launcher.EXIT_NOT_STARTED
    assert "The browser was not started" in result.stderr
    assert launched is None


def test_a_browser_that_cannot_be_run_is_said_in_one_line():
    result, *_ = launch(executable=Path("/etc/hostname"))
    assert result.returncode == chromium_launcher.EXIT_NOT_STARTED
    assert result.stderr.count("\n") == 1


def test_half_a_success_in_a_child_changes_nothing_here():
    def attempt():
        os.chdir("/")
        raise OSError("refused")

    before = os.getcwd()
    assert not chromium_launcher.works_in_child(attempt)
    assert chromium_launcher.works_in_child(lambda: os.chdir("/"))
    assert os.getcwd() == before


def test_limits_are_lowered_and_never_raised(monkeypatch):
    calls = []
    monkeypatch.setattr(chromium_launcher.resource, "getrlimit", lambda limit: (5, 10))
    monkeypatch.setattr(chromium_launcher.resource, "setrlimit", lambda limit, pair: calls.append(pair))
    chromium_launcher.bound(0, 7)
    chromium_launcher.bound(0, 70)
    assert calls == [(7, 7), (10, 10)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take the right away from itself")
def test_a_namespace_that_is_refused_is_none_and_not_an_error():
    program = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('launcher', {chromium_launcher.__file__!r})\n"
        "launcher = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(launcher)\n"
        "print(launcher.isolate({'uid': None, 'gid': None, 'isolate': True, 'port': 1}))\n"
    )
    refusing = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
    told = subprocess.run(
        [*refusing, sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert told.stdout.strip() == "None"
