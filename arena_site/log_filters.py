"""What a log line carries."""

import logging


class WithoutRefusedTraces(logging.Filter):
    """Drops the trace of a request that was refused: its sender knows why, and it says nothing about this code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every line; only those of refused requests lose their trace."""
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
            record.exc_text = None
        return True
