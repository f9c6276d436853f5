"""What a process remembers is asked for once, and not for ever."""

import importlib
import inspect
import pkgutil
from datetime import timedelta

from governance import redaction
from governance.remembering import remembered

#: Modules through which words of people pass.
READERS = [
    *(f"governance.redaction.{module.name}" for module in pkgutil.iter_modules(redaction.__path__)),
    "battles.blindness.scrubbing",
    "battles.redacted_texts",
    "battles.shown_words",
]


def test_no_process_keeps_words_of_people_for_as_long_as_it_lives():
    kept = [
        f"{module}.{name}"
        for module in READERS
        for name, found in vars(importlib.import_module(module)).items()
        if getattr(found, "__module__", "") == module
        and hasattr(found, "cache_parameters")
        and inspect.signature(found).parameters
    ]
    assert kept == []


def test_a_result_is_worked_out_once_and_anew_when_its_time_has_passed(monkeypatch):
    asked = []
    clock = [0.0]
    monkeypatch.setattr("governance.remembering.time.monotonic", lambda: clock[0])

    @remembered(most=2, lasts=timedelta(hours=1))
    def doubled(number: int) -> int:
        asked.append(number)
        return 2 * number

    assert [doubled(1), doubled(1), doubled(2)] == [2, 2, 4]
    assert asked == [1, 2]
    clock[0] = timedelta(hours=2).total_seconds()
    assert doubled(1) == 2
    assert asked == [1, 2, 1]
