"""What the record does not entitle anybody to claim, as every snapshot says it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from governance.exports import ExportFact, register_fact
from metrics.quality_report import quality_document, shown_board


def claims(at: datetime) -> dict[str, Any]:
    """The quality report of the board that is shown."""
    return quality_document(shown_board())


register_fact(ExportFact("not_entitled", claims))
