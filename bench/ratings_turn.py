"""One tool's process in ``bench.ratings``: it waits for its turn, runs its case, and says what that took.

Written for any Python: the rivals' environment has neither our packages nor their requirements.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

#: A short case runs again and again for so many seconds, at most so often; a turn is the median of its runs.
TURN_SECONDS = 0.6
MOST_RUNS = 7

#: What a case came to: points and errors, or nothing that can be compared.
Found = dict[str, list[float]]


def take_turns(versions: dict[str, str], work: Callable[[], Found], refits: int = 1) -> None:
    """Say the versions; for every line that is read, take a turn; at the end say what was found.

    Args:
        versions: of what computes.
        work: the case, from the votes as the tool takes them to its results.
        refits: how many equal fits that is; what is said is for one.
    """
    say(versions)
    found: Found = {}
    for line in sys.stdin:
        walls, cpus = [], []
        began = time.perf_counter()
        while not walls or (line.strip() != "once" and repeat(len(walls), time.perf_counter() - began)):
            wall, cpu = time.perf_counter(), time.process_time()
            found = work()
            walls.append((time.perf_counter() - wall) / refits)
            cpus.append((time.process_time() - cpu) / refits)
        say({"wall": statistics.median(walls), "cpu": statistics.median(cpus), "runs": len(walls)})
    say(found)


def repeat(runs: int, seconds: float) -> bool:
    return runs < MOST_RUNS and seconds < TURN_SECONDS


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()
