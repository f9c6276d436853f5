"""What a log line carries."""

import logging
from typing import Any

from arena_site.control_characters import escaped, one_line


class WithoutRefusedTraces(logging.Filter):
    """Drops the trace of a request that was refused: its sender knows why, and it says nothing about this code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every line; only those of refused requests lose their trace."""
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
            record.exc_text = None
        return True


class OneLine(logging.Formatter):
    """What is told is one line, whatever is in it, and a trace below it is set in: no text can forge a line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return _set_in(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _set_in(super().formatStack(stack_info))


def _set_in(text: str) -> str:
    return "\n".join(f"    {escaped(line)}" for line in text.splitlines())
