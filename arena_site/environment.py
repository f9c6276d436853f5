"""Every ``ARENA_*`` environment variable as data: name, default, kind, and what it does.

Settings are read from the environment and from nowhere else. A misspelt name must not silently
mean the default, so a name that starts with ``ARENA_`` and is not in :data:`SETTINGS_TABLE` is
refused with the nearest one there is. To add a variable, add a row; ``docs/settings.md`` is written
from the table by ``manage.py settings_table``.
"""

from __future__ import annotations

import copy
import difflib
import os
import secrets
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_site.environment_kinds import CHECKOUT, LOG_LEVELS, PARSERS
from arena_site.services.folders import make_folder
from governance.errors import ArenaError

__all__ = [
    "CHECKOUT",
    "PARSERS",
    "SETTINGS_TABLE",
    "ArenaConfigurationError",
    "read_environment",
    "secret_key",
    "settings_markdown",
]

PREFIX = "ARENA_"

#: Django refuses nothing shorter, but its own check asks for 50; 64 URL-safe bytes give 86 characters.
SECRET_KEY_BYTES = 64
SECRET_KEY_FILE = "secret_key"  # noqa: S105 - the name of the file, not the secret


class ArenaConfigurationError(ArenaError):
    """The environment cannot be used as it is; ``message`` lists every problem, one a line."""

    code = "configuration"


@dataclass(frozen=True, slots=True)
class Variable:
    """One row of the table.

    Args:
        name: the environment variable, starting with ``ARENA_``.
        default: the parsed value when the variable is unset or empty.
        kind: key of :data:`PARSERS`: how the text is read and what is refused.
        help: what it does, one or two sentences, for operators.
        default_words: how the documentation shows a default that is computed or empty.
    """

    name: str
    default: Any
    kind: str
    help: str
    default_words: str = ""


SETTINGS_TABLE: tuple[Variable, ...] = (
    Variable(
        "ARENA_DATABASE_URL",
        None,
        "database address",
        "PostgreSQL 15 or newer to use, such as postgres://user:password@host:5432/name. "
        "Unset, a private PostgreSQL is started and stopped with the arena.",
        "the embedded PostgreSQL",
    ),
    Variable(
        "ARENA_REDIS_URL",
        None,
        "Redis address",
        "Redis or Valkey to use, such as redis://:password@host:6379/0. "
        "Unset, a private one is started and stopped with the arena.",
        "the embedded Valkey",
    ),
    Variable(
        "ARENA_DATA_DIR",
        CHECKOUT / ".arena",
        "path",
        "Folder for everything the arena stores on this host: the embedded services, frames, logs, keys. "
        "A relative path counts from the checkout.",
        "`.arena` in the checkout",
    ),
    Variable(
        "ARENA_FRAMES_URL",
        None,
        "s3://bucket/prefix",
        "Object storage for screenshots, so that workers and web on several hosts share them: a bucket that speaks S3, "
        "with `?endpoint=https://host:port` for a server that is not Amazon's and `&region=` where it matters. Keys "
        "are the usual `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. Strangers must not be able to read the bucket.",
        "`frames` in the data folder",
    ),
    Variable(
        "ARENA_SNAPSHOTS_URL",
        None,
        "s3://bucket/prefix",
        "Object storage for finished snapshots of the dataset, so that hosts share no folder; written, and with the "
        "same keys, as `ARENA_FRAMES_URL`. Neither of the two may lie in the other.",
        "`snapshots` in the data folder",
    ),
    Variable(
        "ARENA_SECRET_KEY",
        None,
        "text",
        "Key that signs sessions and tokens. Set the same on every host if there are several; whoever has it can "
        "log in as anybody.",
        "made once and kept in the data folder, readable by its owner only",
    ),
    Variable(
        "ARENA_SECRET_KEY_FALLBACKS",
        [],
        "names, separated by commas",
        "Earlier keys that still count, the newest first, while a new `ARENA_SECRET_KEY` takes over: nobody who signed "
        "in is signed out. When to take them away: operating.md, Changing keys. A comma cannot be part of a key here.",
        "none",
    ),
    Variable(
        "ARENA_METRICS_TOKEN",
        "",
        "secret",
        "With it, `/metrics` has figures for Prometheus, for whoever sends it as bearer token; 16 characters or more. "
        "They show how many vote: keep it to yourself. Unset, there is no such page.",
        "none",
    ),
    Variable(
        "ARENA_DEBUG",
        False,
        "true or false",
        "Show tracebacks in the browser. Never on a site that others can reach.",
    ),
    Variable(
        "ARENA_ALLOWED_HOSTS",
        ["localhost", "127.0.0.1", "[::1]"],
        "names, separated by commas",
        "Host names under which the site answers.",
    ),
    Variable(
        "ARENA_TRUSTED_PROXIES",
        0,
        "whole number or 0",
        "How many proxies of yours stand in front of the site. Each must add the address it was called from to "
        "`X-Forwarded-For`, and the first must set `X-Forwarded-Proto`; with 0 neither header is believed.",
    ),
    Variable(
        "ARENA_HTTPS",
        False,
        "true or false",
        "Visitors reach the site over HTTPS and in no other way: cookies are sent over nothing else, what comes "
        "without it is led there, and browsers are told to remember that for a year. Needs `ARENA_TRUSTED_PROXIES`.",
    ),
    Variable("ARENA_PORT", 8000, "port", "Port of the site on 127.0.0.1 when `manage.py up` is not told another."),
    Variable(
        "ARENA_LANE_SLOTS",
        max(1, (os.cpu_count() or 1) // 2),
        "whole number",
        "Battles that one worker runs at once; each needs about one core and 1 GB of memory.",
        "half of the cores, at least 1",
    ),
    Variable(
        "ARENA_CHROMIUM",
        None,
        "path",
        "The Chromium to race in.",
        "the system's, else the one Playwright installed",
    ),
    Variable(
        "ARENA_CHROMIUM_USER",
        "nobody",
        "text",
        "Account that Chromium runs as when the arena is started by root, so that it keeps its sandbox.",
    ),
    Variable(
        "ARENA_EGRESS_ALLOW",
        {},
        "host:port=address:port, separated by commas",
        "Private addresses that lanes may reach in spite of the egress rules, each under the name that tasks use.",
        "none",
    ),
    Variable(
        "ARENA_POSTGRES_BIN",
        None,
        "path",
        "Folder with the `postgres` and `initdb` to use for the embedded PostgreSQL, 15 or newer.",
        "those that came with the Python packages",
    ),
    Variable(
        "ARENA_REDIS_BIN",
        None,
        "path",
        "The `redis-server` or `valkey-server` to use for the embedded one, 7 or newer.",
        "the one that came with the Python packages",
    ),
    Variable(
        "ARENA_SERVICES_USER",
        "",
        "text",
        "Account that the embedded services run as when the arena is started by root. Best one that nothing else uses.",
        "`daemon`, else `nobody`",
    ),
    Variable(
        "ARENA_LEGAL_NAME",
        "",
        "text",
        "Who runs this arena, as consent texts name them. Until it is set, offering battles to the pool is refused, "
        "and so are exports.",
        "none",
    ),
    Variable(
        "ARENA_WITHDRAWAL_ADDRESS",
        "",
        "text",
        "Where people write to withdraw what they contributed; shown in every consent text. Licensees are told of "
        "withdrawals by mail from it; where it is no mail address, an operator tells them.",
        "none",
    ),
    Variable(
        "ARENA_LEDGER_ORIGIN",
        "localhost/ringside",
        "name of a log",
        "Name of this arena's ledger, in every checkpoint it signs; an address of yours that nobody else uses, such as "
        "arena.example/ledger. Choose it before the first checkpoint: after that it stays.",
    ),
    Variable(
        "ARENA_LEDGER_KEY",
        None,
        "32 bytes in base64",
        "Private Ed25519 key that signs the ledger. Set the same on every host if there are several.",
        "made once and kept in the data folder, readable by its owner only",
    ),
    Variable(
        "ARENA_PUBLISH_SAMPLE_SIZES",
        False,
        "true or false",
        "Publish with each measure the counts that it was made from, in measures that are published from then on. "
        "All else that is public, ratings too, withholds its counts either way; documents of before stay as they are.",
    ),
    Variable(
        "ARENA_SPEND_PER_BATTLE",
        None,
        "amount in USD",
        "Most that the model calls of one battle may cost; each lane has half of it. A lane that reaches it ends, and "
        "the battle does not rate. Needs a price for every model (`manage.py prices`).",
        "no limit",
    ),
    Variable(
        "ARENA_SPEND_PER_DAY",
        None,
        "amount in USD",
        "Most that model calls may cost in a day (UTC) before new tasks are refused; races under way are finished.",
        "no limit",
    ),
    Variable(
        "ARENA_SPEND_PER_PROVIDER_DAY",
        None,
        "amount in USD",
        "The same for each single provider. All new tasks are refused, since leaving one provider out would lean on "
        "the draw.",
        "no limit",
    ),
    Variable("ARENA_LOG_LEVEL", "INFO", "log level", f"One of {', '.join(LOG_LEVELS)}."),
    Variable(
        "ARENA_LOG_FORMAT",
        "plain",
        "plain or json",
        "How lines of the log look: for people, or one JSON object each. Both say which request, battle, lane, attempt "
        "and task a line is about.",
    ),
)


def read_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The parsed value of every variable in the table, by its name.

    Args:
        environ: usually ``os.environ``. An empty value counts as unset.

    Returns:
        One entry for each row of :data:`SETTINGS_TABLE`; defaults where ``environ`` has none.

    Raises:
        ArenaConfigurationError: unknown ``ARENA_*`` names or values that cannot be read, all of them at once.
    """
    known = {variable.name for variable in SETTINGS_TABLE}
    problems = [_unknown(name, known) for name in sorted(environ) if name.startswith(PREFIX) and name not in known]
    values: dict[str, Any] = {}
    for variable in SETTINGS_TABLE:
        text = environ.get(variable.name, "").strip()
        values[variable.name] = copy.copy(variable.default)
        if text:
            try:
                values[variable.name] = PARSERS[variable.kind](text)
            except ValueError as error:
                problems.append(f"{variable.name} {error}.")
    if values["ARENA_HTTPS"] and not values["ARENA_TRUSTED_PROXIES"]:
        problems.append("ARENA_HTTPS needs ARENA_TRUSTED_PROXIES: without it no visitor is believed to come by HTTPS.")
    if _lie_in_each_other(values["ARENA_FRAMES_URL"], values["ARENA_SNAPSHOTS_URL"]):
        problems.append("ARENA_FRAMES_URL and ARENA_SNAPSHOTS_URL lie in each other: give each a prefix of its own.")
    if problems:
        raise ArenaConfigurationError("The settings cannot be used:\n" + "\n".join(f"  {line}" for line in problems))
    return values


def _lie_in_each_other(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    """Whether a sweep of one place would look at the files of the other as at its own."""
    if one is None or other is None or one["bucket_name"] != other["bucket_name"]:
        return False
    short, long = sorted((f"{place['location']}/".lstrip("/") for place in (one, other)), key=len)
    return long.startswith(short)


def _unknown(name: str, known: set[str]) -> str:
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {nearest[0]}?" if nearest else ""
    return f"{name} is not a setting.{hint} All of them are listed in docs/settings.md."


def secret_key(values: Mapping[str, Any]) -> str:
    """The key that signs sessions: the one set, else the one in the data folder, made when there is none yet.

    Two processes that start together end with the same key: the file appears whole, under its name, or not at all.

    Raises:
        ArenaConfigurationError: the file is readable by others, or the folder cannot be written.
    """
    if values["ARENA_SECRET_KEY"]:
        return str(values["ARENA_SECRET_KEY"])
    folder: Path = values["ARENA_DATA_DIR"]
    path = folder / SECRET_KEY_FILE
    try:
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(SECRET_KEY_BYTES))
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ArenaConfigurationError(f"Others can read the secret key: run chmod 600 {path}")
        key = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ArenaConfigurationError(
            f"The secret key in {path} cannot be read or made ({error.strerror}). "
            "Set ARENA_DATA_DIR to a folder of yours, or ARENA_SECRET_KEY."
        ) from error
    if not key:
        raise ArenaConfigurationError(f"The secret key file is empty: delete {path} and start again.")
    return key


def _write_once(path: Path, text: str) -> None:
    make_folder(path.parent)
    # mkstemp makes the file with mode 0600; link() fails when somebody else was first, which is just as good.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


def settings_markdown() -> str:
    """The table as the Markdown page ``docs/settings.md``."""
    lines = [
        "# Settings",
        "",
        "Every setting is an environment variable; unset or empty, its default holds. A variable whose name starts",
        "with `ARENA_` and is not in this table is refused at start. The table is written by",
        "`manage.py settings_table --write`.",
        "",
        "| variable | default | value | what it does |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{variable.name}` | {_default_words(variable)} | {variable.kind} | {variable.help} |"
        for variable in SETTINGS_TABLE
    ]
    return "\n".join(lines) + "\n"


def _default_words(variable: Variable) -> str:
    if variable.default_words:
        return variable.default_words
    if isinstance(variable.default, bool):
        return f"`{str(variable.default).lower()}`"
    if isinstance(variable.default, list):
        return f"`{','.join(variable.default)}`"
    return f"`{variable.default}`"
