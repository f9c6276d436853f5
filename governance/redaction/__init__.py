"""Redaction of personal details in text and in structured data. Pure: knows no Django."""

from governance.redaction.imagery_posture import IMAGERY_POSTURE, imagery_figures, imagery_state
from governance.redaction.known import KnownDetails, read_as
from governance.redaction.posture import TEXT_POSTURE, MeasurementState, posture_state
from governance.redaction.spans import BEST_EFFORT, EVERY_KIND, Kind, Redacted, Span
from governance.redaction.text import find_details, redact
from governance.redaction.values import (
    JSON,
    RedactedValue,
    address_details,
    field_kind_of,
    redact_address,
    redact_value,
)

__all__ = [
    "BEST_EFFORT",
    "EVERY_KIND",
    "IMAGERY_POSTURE",
    "JSON",
    "TEXT_POSTURE",
    "Kind",
    "KnownDetails",
    "MeasurementState",
    "Redacted",
    "RedactedValue",
    "Span",
    "address_details",
    "field_kind_of",
    "find_details",
    "imagery_figures",
    "imagery_state",
    "posture_state",
    "read_as",
    "redact",
    "redact_address",
    "redact_value",
]
