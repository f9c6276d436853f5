"""Removing mechanisms one by one in a scratch copy of the checkout, to see whether what must notice does.

``bin/mutations`` runs this; nothing of it runs in an installation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from governance.theses import ROOT, CodeMutation, DatabaseMutation, Mutation, Thesis

#: What a scratch copy does not need.
LEFT_OUT = (".git", ".venv", ".arena", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "__pycache__")
#: A command that takes longer hangs, which is no red of the kind that is asked for. Alone the slowest takes 150.
COMMAND_SECONDS = 900.0
HUNG = "it hung"
#: Exit status of a command that found something wrong.
RED = 1


class NotApplied(Exception):
    """A mutation's text does not stand in its file exactly once: the mutation is out of date."""


class RedAlready(Exception):
    """A command does not pass before anything is removed, so that it would seem to notice whatever is."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one command said of one mutation.

    Attributes:
        thesis: key of the thesis beside which the mutation is declared.
        removes: what was removed.
        command: that was run.
        red: whether it noticed.
        seconds: how long it took.
        said: its last line.
    """

    thesis: str
    removes: str
    command: str
    red: bool
    seconds: float
    said: str


def scratch_copy(folder: Path, root: Path = ROOT) -> Path:
    """A copy of the checkout in which nothing is shared but the installed packages."""
    copy = folder / "checkout"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    (copy / ".venv").symlink_to((root / ".venv").resolve())
    return copy


@contextmanager
def mutated(mutation: CodeMutation, copy: Path) -> Iterator[None]:
    """The copy without the mechanism, and afterwards with it again.

    Raises:
        NotApplied: the text does not stand there exactly once.
    """
    file = copy / mutation.path
    whole = file.read_text(encoding="utf-8")
    if whole.count(mutation.old) != 1:
        raise NotApplied(f"{mutation.path} has {whole.count(mutation.old)} times {mutation.old.strip()[:60]!r}")
    _write(file, whole.replace(mutation.old, mutation.new))
    try:
        yield
    finally:
        _write(file, whole)


def _write(file: Path, text: str) -> None:
    """Write it with a time of its own, since compiled code is told by length and whole seconds."""
    later = int(file.stat().st_mtime) + 2
    file.write_text(text, encoding="utf-8")
    os.utime(file, (later, later))


class Databases:
    """A migrated database as template, and copies of it to break."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._template = urlsplit(url).path.lstrip("/")

    @contextmanager
    def broken(self, statements: Iterable[str]) -> Iterator[str]:
        """The address of a copy on which the statements were run."""
        name = f"{self._template}_mutated"
        parts = urlsplit(self._url)
        with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
            server.execute(_drop(name))
            server.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(self._template))
            )
        url = parts._replace(path=f"/{name}").geturl()
        try:
            with psycopg.connect(url) as connection:
                for statement in statements:
                    connection.execute(statement.encode())
            yield url
        finally:
            with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
                server.execute(_drop(name))


def _drop(name: str) -> sql.Composed:
    return sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))


def run_mutations(
    theses: Iterable[Thesis], copy: Path, databases: Databases, tell: Callable[[Outcome], None]
) -> list[Outcome]:
    """Every mutation of these theses and every command that must notice it.

    Raises:
        NotApplied: a mutation is out of date.
        RedAlready: a command that is to notice does not pass while nothing is removed.
    """
    outcomes = []
    for thesis in theses:
        _check_whole(thesis, copy)
        for mutation in thesis.mutations:
            for outcome in _outcomes(thesis, mutation, copy, databases):
                outcomes.append(outcome)
                tell(outcome)
    return outcomes


def _check_whole(thesis: Thesis, copy: Path) -> None:
    for command in dict.fromkeys(command for mutation in thesis.mutations for command in mutation.red):
        done = run_command(_asking(thesis, command), copy, {})
        if done.returncode != 0:
            raise RedAlready(f"{command}, asked for {thesis.key}, does not pass while nothing is removed")


def _outcomes(thesis: Thesis, mutation: Mutation, copy: Path, databases: Databases) -> Iterator[Outcome]:
    if isinstance(mutation, DatabaseMutation):
        with databases.broken(mutation.statements) as url:
            for command in mutation.red:
                yield _outcome(thesis, mutation, command, copy, {"ARENA_DATABASE_URL": url})
        return
    with mutated(mutation, copy):
        for command in mutation.red:
            yield _outcome(thesis, mutation, command, copy, {})


def _outcome(thesis: Thesis, mutation: Mutation, command: str, copy: Path, environment: Mapping[str, str]) -> Outcome:
    started = time.monotonic()
    try:
        done = run_command(_asking(thesis, command), copy, environment)
    except subprocess.TimeoutExpired:
        return Outcome(thesis.key, mutation.removes, command, False, COMMAND_SECONDS, HUNG)
    words = (done.stdout.strip() or done.stderr.strip()).splitlines()
    # Falling over is no noticing: a command is red when it ends with its finding.
    red = done.returncode == RED and "Traceback" not in done.stderr
    if command == "verify_claims":
        red = red and f"GAP  {thesis.key}:" in done.stdout
    seconds = time.monotonic() - started
    return Outcome(thesis.key, mutation.removes, command, red, seconds, words[-1] if words else "")


def _asking(thesis: Thesis, command: str) -> str:
    """The other beliefs are not what is asked, and each of them takes its time."""
    return f"{command} --belief {thesis.key}" if command == "verify_claims" else command


def run_command(command: str, copy: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A management command in the copy.

    Raises:
        subprocess.TimeoutExpired: it hung.
    """
    return subprocess.run(  # noqa: S603  # our own commands
        [sys.executable, "manage.py", *command.split()],
        cwd=copy,
        env={**os.environ, **environment, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )


def table(outcomes: Iterable[Outcome]) -> str:
    """The outcomes as a table in Markdown."""
    lines = ["| belief | removed | command | noticed | seconds |", "|---|---|---|---|---|"]
    for one in outcomes:
        noticed = "red" if one.red else f"**{HUNG}**" if one.said == HUNG else "**GREEN**"
        lines.append(f"| {one.thesis} | {one.removes} | `{one.command}` | {noticed} | {one.seconds:.1f} |")
    return "\n".join(lines) + "\n"
