"""`bin/setup` on machines that lack something says what to do, and costs nothing when there is nothing to do."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena_site.environment import CHECKOUT

#: What the script itself needs of a system.
TOOLS = ("bash", "dirname", "basename", "cat", "cksum", "grep", "id", "readlink", "rm", "tail")
REAL_PYTHON = os.path.realpath(sys.executable)
COPY = f"{shutil.which('cp')} -R"

specification = importlib.util.spec_from_file_location("uv_settings", CHECKOUT / "bin" / "uv_settings.py")
uv_settings = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uv_settings)


class Machine:
    """A checkout with nothing to install, on a system that has the tools and no Python yet."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        shutil.copytree(CHECKOUT / "bin", self.checkout / "bin")
        (self.checkout / "requirements.txt").write_text("# nothing\n")
        (self.checkout / "requirements-dev.txt").write_text("-r requirements.txt\n")
        self.programs = folder / "programs"
        self.programs.mkdir()
        for tool in TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))

    def has(self, name: str, script: str) -> None:
        (self.programs / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.programs / name).chmod(0o755)

    def set_up(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": str(self.programs), "ARENA_CHROMIUM": "/bin/true"}
        return subprocess.run(
            [self.checkout / "bin" / "setup", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def set_up_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Machine, subprocess.CompletedProcess[str]]:
    """A machine after its first call, and what that call said: installing pip and uv takes long."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.has("python3", f'exec {REAL_PYTHON} "$@"')
    return machine, machine.set_up("--dev")


def test_a_system_without_python_is_told_what_to_install(machine):
    done = machine.set_up()
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr


def test_a_python_that_is_too_old_does_not_count(machine):
    machine.has("python3", "exit 1")
    assert "Python 3.11 or newer is needed" in machine.set_up().stderr


def test_a_python_that_cannot_make_environments_is_told_the_package(machine):
    machine.has("python3.12", 'case "$*" in *ensurepip*) exit 1 ;; esac; exec ' + REAL_PYTHON + ' "$@"')
    done = machine.set_up()
    assert done.returncode == 1
    assert "apt-get install python3.12-venv" in done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_the_second_call_has_nothing_to_do_until_the_requirements_change(set_up_once):
    machine, first = set_up_once
    assert first.returncode == 0, first.stderr
    assert "Making .venv" in first.stdout
    for words in ((), ("--dev",)):
        again = machine.set_up(*words)
        assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    (machine.checkout / "requirements.txt").write_text("# still nothing\n")
    assert "Installing what requirements.txt names." in machine.set_up().stdout


def test_an_environment_that_was_left_half_made_is_made_again(machine, set_up_once):
    made = set_up_once[0].checkout / ".venv"
    # A real environment in place of what is there; its pip and uv are those that were installed before.
    machine.has(
        "python3",
        f'[ "$1 $2" = "-m venv" ] || exec {REAL_PYTHON} "$@"\n'
        f'{REAL_PYTHON} "$@" --without-pip && cd .venv && {COPY} {made}/lib . && {COPY} {made}/bin/uv bin/',
    )
    (machine.checkout / ".venv" / "bin").mkdir(parents=True)
    (machine.checkout / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert "Making .venv" in done.stdout
    subprocess.run([machine.checkout / ".venv" / "bin" / "python", "-m", "pip", "--version"], check=True)


def test_an_unknown_option_is_refused(machine):
    done = machine.set_up("--devel")
    assert done.returncode == 1
    assert "usage" in done.stderr


# What pip is told on this machine, uv is told too


def test_nothing_configured_is_nothing_to_tell():
    assert uv_settings.uv_settings("") == {}


def test_an_index_of_ones_own_is_passed_on():
    listing = (
        "global.index-url='https://pypi.example/simple'\nglobal.timeout='60'\n:env:.disable-pip-version-check='1'\n"
    )
    assert uv_settings.uv_settings(listing) == {
        "UV_DEFAULT_INDEX": "https://pypi.example/simple",
        "UV_HTTP_TIMEOUT": "60",
    }


def test_several_places_are_searched_together_as_pip_does():
    listing = "global.extra-index-url='https://a.example https://b.example'\nglobal.find-links='/one /two'\n"
    assert uv_settings.uv_settings(listing) == {
        "UV_INDEX": "https://a.example https://b.example",
        "UV_FIND_LINKS": "/one,/two",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_the_environment_wins_over_the_files():
    listing = ":env:.index-url='https://env.example'\nglobal.index-url='https://file.example'\n"
    assert uv_settings.uv_settings(listing) == {"UV_DEFAULT_INDEX": "https://env.example"}


@pytest.mark.parametrize("line", ["global.proxy='http://proxy.example:3128'", "install.no-binary=':all:'"])
def test_what_uv_cannot_be_told_is_left_to_pip(line):
    assert uv_settings.uv_settings(f"global.cert='/etc/ca.pem'\n{line}\n") is None


def test_other_commands_of_pip_do_not_matter():
    assert uv_settings.uv_settings("download.no-binary=':all:'\n") == {}
