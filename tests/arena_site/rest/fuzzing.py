"""Asking a running server whatever its schema allows, and what it does not, and holding every answer against it."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from arena_site.environment import CHECKOUT

#: Seconds for an answer: this asks whether answers are right, and not how fast they come.
PATIENCE = 120
HOOKS = "tests.arena_site.rest.fuzz_hooks"
EXPECTED = Path(__file__).with_name("schemathesis.toml")
#: How often a parameter has a value that is there: an identifier that was made up finds nothing behind any door.
KNOWN_OFTEN = 0.6
#: A parameter alone may be right and together with another one refused, and nobody need be somebody to take part: what
#: the library calls acceptance of valid data and ignored authentication is not what is promised here.
NOT_PROMISED = "positive_data_acceptance,ignored_auth"


@dataclass(frozen=True, slots=True)
class Fuzzed:
    """How it went: whether every answer was as promised, what the fuzzer said, and statuses by operation."""

    clean: bool
    said: str
    statuses: dict[str, Counter[int]]

    @property
    def cases(self) -> int:
        return sum(counted.total() for counted in self.statuses.values())

    def table(self) -> str:
        """A line for each operation, and one for all methods that addresses do not have."""
        lines = [f"{'cases':>7}  operation and what it answered"]
        without = [counted for counted in self.statuses.values() if set(counted) == {405}]
        lines.append(f"{sum(counted.total() for counted in without):>7}  methods that an address does not have  (405)")
        for operation, counted in sorted(self.statuses.items()):
            if counted in without:
                continue
            answered = ", ".join(f"{status}: {number}" for status, number in sorted(counted.items()))
            lines.append(f"{counted.total():>7}  {operation}  ({answered})")
        return "\n".join([*lines, f"{self.cases:>7}  in all"])


def fuzz(
    url: str,
    folder: Path,
    *options: str,
    token: str = "",
    operations: Sequence[str] = (),
    known: Mapping[str, Sequence[object]] | None = None,
) -> Fuzzed:
    """Run the fuzzer against a server.

    Args:
        url: of the server.
        folder: for the counts.
        options: of the fuzzer, such as how long.
        token: that comes with every request.
        operations: their identifiers; all of the schema by default.
        known: values that are there, by parameter: ``path.battle_id``, ``body.frame``.
    """
    # The server writes its schema when it is first asked, which takes a while where much else runs.
    urlopen(f"{url}/api/schema", timeout=PATIENCE).close()
    counts = folder / "fuzz-counts.json"
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(_settings(folder, known or {})), "run"]
    command += [f"{url}/api/schema"]
    command += ["--request-timeout", str(PATIENCE)]
    command += ["--exclude-checks", NOT_PROMISED, "--continue-on-failure", "--no-color", "--warnings", "off", *options]
    command += [part for name in operations for part in ("--include-operation-id", name)]
    command += ["--header", f"Authorization: Bearer {token}"] if token else []
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": HOOKS,
        "RINGSIDE_FUZZ_COUNTS": str(counts),
        "PYTHONPATH": str(CHECKOUT),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    found = json.loads(counts.read_text()) if counts.exists() else {}
    statuses = {name: Counter({int(status): n for status, n in told.items()}) for name, told in found.items()}
    return Fuzzed(done.returncode == 0, done.stdout + done.stderr, statuses)


def _settings(folder: Path, known: Mapping[str, Sequence[object]]) -> Path:
    """The fuzzer's settings with these values; JSON of plain lists and words is TOML."""
    lines = [EXPECTED.read_text()]
    for number, values in enumerate(known.values()):
        lines += [f"[dictionaries.known-{number}]", f"values = {json.dumps([*values])}"]
    lines.append("[parameters]")
    for number, parameter in enumerate(known):
        lines.append(f'{json.dumps(parameter)} = {{ dictionary = "known-{number}", probability = {KNOWN_OFTEN} }}')
    file = folder / EXPECTED.name
    file.write_text("\n".join(lines))
    return file
