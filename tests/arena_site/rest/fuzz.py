"""The long run of the fuzzer, against granian and a database of its own: ``make fuzz``, ``SECONDS=600`` by default.

Prints the table of operations, cases and statuses, and fails where one answer is not as the schema says.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import django
from django.core.management import call_command

PORT = 8765


@contextmanager
def served():
    """The site under granian, as the supervisor starts it."""
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(PORT), "--workers", "1"]
    server = subprocess.Popen([*command, "tests.arena_site.rest.fuzz_server:application"], env=dict(os.environ))
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                urlopen(f"http://127.0.0.1:{PORT}/api/health", timeout=5).close()
                break
            except (URLError, OSError):
                time.sleep(0.5)
        yield f"http://127.0.0.1:{PORT}"
    finally:
        server.terminate()
        server.wait(30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
    django.setup()
    from tests.arena_site.rest.fuzzing import fuzz  # noqa: PLC0415 - models are there from here on
    from tests.arena_site.rest.published import publish_board  # noqa: PLC0415
    from tests.arena_site.rest.scripts import make_owner, token_of  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    publish_board()
    token = token_of(make_owner(practised=3))
    with tempfile.TemporaryDirectory() as folder, served() as url:
        found = fuzz(url, Path(folder), "--max-time", str(asked.seconds), "--seed", str(asked.seed), token=token)
    print(found.said)
    print(found.table())
    return 0 if found.clean else 1


if __name__ == "__main__":
    sys.exit(main())
