"""The long run of the fuzzer, against granian and a database of its own: ``make fuzz``, ``SECONDS=600`` by default.

Prints the table of operations, cases and statuses, and fails where one answer is not as the schema says.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import django
from django.core.management import call_command

PORT = 8765
#: Battles of the judge's own, and as many in the pool.
OWN_BATTLES = 12
#: Of so many the fuzzer is told what there is in them; of more, what it says would seldom fit together.
TOLD_BATTLES = 4


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
                if server.poll() is not None:
                    raise SystemExit("The server did not start.") from None
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
    from battles.models import Agent, Battle, Frame, Lane  # noqa: PLC0415
    from judging.pool import PRACTICE_NEEDED  # noqa: PLC0415
    from judging.votes import Ballot, cast_vote  # noqa: PLC0415
    from tests.arena_site.rest.fuzzing import Fuzzed, fuzz  # noqa: PLC0415 - models are there from here on
    from tests.arena_site.rest.published import publish_board  # noqa: PLC0415
    from tests.arena_site.rest.scripts import make_owner, token_of  # noqa: PLC0415
    from tests.battles.factories import make_task, make_votable  # noqa: PLC0415
    from tests.judging.handing import offer  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    publish_board()
    judge, leaving = make_owner(), make_owner()
    agents = tuple(Agent.objects.order_by("key")[:2])
    for _, own in (judge, leaving):
        for _ in range(PRACTICE_NEEDED):
            practice = make_votable(kind=Battle.Kind.PRACTICE, agents=agents)
            cast_vote(battle=practice, judge=own, ballot=Ballot(choice="tie"))
    mine = [make_votable(task=make_task(judge[1]), agents=agents) for _ in range(OWN_BATTLES)]
    for _ in range(OWN_BATTLES):
        offer(make_votable(agents=agents))
    lanes = Lane.objects.filter(attempt__battle__in=mine[:TOLD_BATTLES])
    known: dict[str, list[object]] = {
        "path.battle_id": [str(battle.pk) for battle in mine[:TOLD_BATTLES]],
        "path.number": [1, 2],
        "body.lane": [str(lane.pk) for lane in lanes],
        "body.frame": [str(frame.pk) for frame in Frame.objects.filter(lane__in=lanes)],
        "body.choice": ["tie", "both_bad", *(str(lane.pk) for lane in lanes)],
    }
    # Whoever takes everything back can do nothing more, so that somebody else does.
    stays, leaves = token_of(judge, "read", "submit", "judge"), token_of(leaving)
    passes: list[tuple[str, float, str, tuple[str, ...]]] = [
        ("with a token", 0.7, stays, ()),
        ("as nobody", 0.2, "", ()),
        ("taking back", 0.1, leaves, ("withdraw", "read_withdrawal")),
    ]
    found: list[Fuzzed] = []
    with served() as url:
        for name, part, token, operations in passes:
            seconds = str(max(1, round(part * asked.seconds)))
            with tempfile.TemporaryDirectory() as folder:
                options = ("--max-time", seconds, "--seed", str(asked.seed))
                found.append(fuzz(url, Path(folder), *options, token=token, operations=operations, known=known))
            print(f"== {name}\n{found[-1].said}\n{found[-1].table()}", flush=True)
    together: dict[str, Counter[int]] = {}
    for one in found:
        for operation, counted in one.statuses.items():
            together.setdefault(operation, Counter()).update(counted)
    clean = all(one.clean for one in found)
    print(f"== in all\n{Fuzzed(clean, '', together).table()}")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
