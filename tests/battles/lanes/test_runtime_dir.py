"""The folder of a lane: short, open to the browser's user, and never left behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from battles.lanes import runtime_dir
from battles.lanes.processes import processes_naming
from battles.lanes.runtime_dir import (
    MAX_RUNTIME_DIR_BYTES,
    PREFIX,
    BrowserUser,
    RuntimeDirUnusable,
    browser_user,
    check_runtime_dir,
    lane_runtime_dir,
    sweep_runtime_dirs,
)

ROOT = Path(__file__).resolve().parents[3]
STRANGER = BrowserUser(uid=54321, gid=54321)
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does for the unprivileged user")


def test_a_folder_is_short_enough_for_the_longest_socket_in_it():
    with lane_runtime_dir() as folder:
        assert len(os.fsencode(folder)) <= MAX_RUNTIME_DIR_BYTES
        longest = folder / "browser" / "tmp" / "org.chromium.Chromium.abcdef" / "SingletonSocket"
        assert len(os.fsencode(longest)) < 108


def test_a_folder_is_gone_after_the_block_with_all_in_it():
    with lane_runtime_dir() as folder:
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "file").write_text("x")
    assert not folder.exists()


def test_a_folder_is_gone_after_an_error():
    with pytest.raises(RuntimeError), lane_runtime_dir() as folder:
        raise RuntimeError
    assert not folder.exists()


def test_the_folder_of_a_living_lane_is_not_swept():
    with lane_runtime_dir() as folder:
        assert folder not in sweep_runtime_dirs()
        with lane_runtime_dir() as other:
            assert folder.exists()
            assert other != folder


def test_the_folder_of_a_killed_lane_is_swept_with_what_still_runs_in_it():
    program = (
        "import os, signal, subprocess, sys\n"
        "from battles.lanes.runtime_dir import lane_runtime_dir\n"
        "with lane_runtime_dir() as folder:\n"
        "    command = [sys.executable, '-c', 'import time; time.sleep(300)', f'{folder}/profile']\n"
        "    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "    print(folder, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    lane = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    folder = Path(lane.stdout.strip())
    assert folder.exists()
    assert len(processes_naming(folder)) == 1
    assert folder in sweep_runtime_dirs()
    assert not folder.exists()
    assert not processes_naming(folder)


def test_a_folder_of_somebody_else_is_left_alone(monkeypatch):
    other = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        monkeypatch.setattr(os, "geteuid", lambda: 54321)
        assert other not in sweep_runtime_dirs()
        assert other.exists()
    finally:
        other.rmdir()


def test_a_deep_folder_is_refused(tmp_path):
    with pytest.raises(RuntimeDirUnusable, match="too deep"):
        check_runtime_dir(tmp_path / ("x" * MAX_RUNTIME_DIR_BYTES))


@only_root
def test_a_folder_closed_to_the_browsers_user_is_refused_and_another_place_is_taken(monkeypatch):
    closed = Path(tempfile.mkdtemp(prefix="c", dir="/tmp"))
    try:
        with pytest.raises(RuntimeDirUnusable, match="closed to user"):
            check_runtime_dir(closed)
        monkeypatch.setattr(tempfile, "tempdir", str(closed))
        with lane_runtime_dir() as folder:
            assert closed not in folder.parents
        assert list(closed.iterdir()) == []
        assert closed.stat().st_mode & 0o777 == 0o700
    finally:
        closed.rmdir()


def test_the_mode_bits_decide_who_may_enter(tmp_path):
    tmp_path.chmod(0o711)
    stranger = [entry for entry in (tmp_path, *tmp_path.parents) if entry.stat().st_mode & 0o001]
    assert STRANGER.may_enter(tmp_path) == (len(stranger) == len(tmp_path.parents) + 1)
    tmp_path.chmod(0o700)
    assert not STRANGER.may_enter(tmp_path)
    assert STRANGER.may_enter(Path("/"))


@only_root
def test_root_gives_browsers_to_somebody_else(monkeypatch):
    monkeypatch.delenv(runtime_dir.USER_VARIABLE, raising=False)
    assert browser_user().uid > 0
    monkeypatch.setenv(runtime_dir.USER_VARIABLE, "root")
    with pytest.raises(RuntimeDirUnusable, match="must not run as root"):
        browser_user()
    monkeypatch.setenv(runtime_dir.USER_VARIABLE, "no-such-user")
    with pytest.raises(RuntimeDirUnusable, match="no such user"):
        browser_user()


def test_anybody_else_keeps_browsers_to_themselves(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert browser_user() is None
