"""Counts, for the table, what each operation answered. Loaded by the fuzzer itself, which runs apart."""

import atexit
import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import schemathesis

COUNTS = "RINGSIDE_FUZZ_COUNTS"
_counted: dict[str, Counter[int]] = defaultdict(Counter)


@schemathesis.hook
def after_call(context, case, response):
    _counted[f"{case.method} {case.path}"][response.status_code] += 1


@atexit.register
def write():
    if COUNTS in os.environ:
        Path(os.environ[COUNTS]).write_text(json.dumps(_counted))
