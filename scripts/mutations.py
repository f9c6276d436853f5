"""Run the mutations of all theses; ``bin/mutations`` starts this on a database of its own.

Exit status 1 when a command did not notice, does not pass while nothing is removed, or a mutation is out of date.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="Only theses whose key has one of these.")
    parser.add_argument("--record", action="store_true", help="Write the table into docs/claims.md.")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    import django  # noqa: PLC0415  # after the settings are named

    django.setup()
    from arena_site.environment import read_environment  # noqa: PLC0415
    from arena_site.services.embedded import database_url  # noqa: PLC0415
    from governance import claims_document, mutating  # noqa: PLC0415
    from governance.theses import theses  # noqa: PLC0415

    chosen = [one for one in theses() if not options.words or any(word in one.key for word in options.words)]
    every = sum(len(mutation.red) for one in chosen for mutation in one.mutations)
    values = read_environment(os.environ)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ringside-mutations-") as folder:
        Path(folder).chmod(0o711)
        copy = mutating.scratch_copy(Path(folder), ROOT)
        for command in ("migrate --verbosity 0", "seed --verbosity 0", "ledger checkpoint"):
            mutating.run_command(command, copy, {}).check_returncode()
        told = 0

        def tell(outcome: mutating.Outcome) -> None:
            nonlocal told
            told += 1
            how = "red  " if outcome.red else "GREEN"
            words = f"{told:3}/{every}  {how}  {outcome.seconds:5.1f} s  {outcome.thesis}: {outcome.removes}"
            print(f"{words}  [{outcome.command}]" + ("" if outcome.red else f"  {outcome.said}"), flush=True)

        try:
            databases = mutating.Databases(database_url(values))
            outcomes = mutating.run_mutations(chosen, copy, databases, tell)
        except mutating.NotApplied as problem:
            print(f"OUT OF DATE  {problem}", file=sys.stderr)
            return 1
        except mutating.RedAlready as problem:
            print(f"RED ALREADY  {problem}", file=sys.stderr)
            return 1
    green = sum(not outcome.red for outcome in outcomes)
    print(f"{len(outcomes)} runs in {time.monotonic() - started:.0f} s, {green} not noticed")
    if options.record and not options.words:
        claims_document.write_part(claims_document.MUTATIONS, mutating.table(outcomes))
    return 1 if green else 0


if __name__ == "__main__":
    sys.exit(main())
