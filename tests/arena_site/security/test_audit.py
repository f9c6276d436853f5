"""The audit finds what was ever committed, and says what it cannot ask for."""

import importlib.util
import json
import subprocess
from types import SimpleNamespace

import pytest

from arena_site.environment import CHECKOUT

#: Made up here, in two parts so that no line of this file is one.
KEY = "ghp_" + "q7Zk3Vx9Tn2Lw8Rb5Mc1Yd6Hf4Js0Pg3A"


def script(name):
    spec = importlib.util.spec_from_file_location(name, CHECKOUT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def secrets(tmp_path, monkeypatch):
    """The script in a repository of its own, in which nothing was made up."""
    module = script("audit_secrets")
    git(tmp_path, "init", "--quiet")
    (tmp_path / "made_up_keys.txt").write_text("# none\n")
    monkeypatch.setattr(module, "CHECKOUT", tmp_path)
    monkeypatch.setattr(module, "MADE_UP", tmp_path / "made_up_keys.txt")
    return module


def git(folder, *words):
    named = ("-c", "user.name=Tests", "-c", "user.email=tests@example.org")
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


def commit(folder, text):
    (folder / "notes.txt").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Write it down")


def test_a_key_that_was_added_and_removed_again_is_found(secrets, tmp_path, capsys):
    commit(tmp_path, f"token = {KEY}\n")
    commit(tmp_path, "token = set in the environment\n")
    assert secrets.main() == 1
    told = capsys.readouterr()
    assert "notes.txt" in told.err
    assert KEY not in told.err + told.out
    [digest] = secrets.keys_in(secrets.history())
    (tmp_path / "made_up_keys.txt").write_text(f"{digest} notes.txt\n")
    assert secrets.main() == 0


def test_a_key_that_is_not_committed_yet_is_found_too(secrets, tmp_path):
    commit(tmp_path, "nothing\n")
    (tmp_path / "new.txt").write_text("-----BEGIN RSA PRIVATE KEY-----\n")
    assert secrets.main() == 1


def advisories(monkeypatch, told):
    module = script("audit_dependencies")
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=told))
    return module.main()


def test_a_known_weakness_fails(monkeypatch, capsys):
    weak = {"name": "leftpad", "version": "1.0", "vulns": [{"id": "PYSEC-2026-1"}]}
    assert advisories(monkeypatch, json.dumps({"dependencies": [weak]})) == 1
    assert "leftpad 1.0: PYSEC-2026-1" in capsys.readouterr().err


def test_an_index_without_advisories_is_said_to_have_none(monkeypatch, capsys):
    unknown = {"name": "leftpad", "skip_reason": "Dependency not found on PyPI"}
    assert advisories(monkeypatch, json.dumps({"dependencies": [unknown]})) == 0
    assert "no advisories on any" in capsys.readouterr().out
    assert advisories(monkeypatch, "") == 0
    assert "could not be asked" in capsys.readouterr().out
