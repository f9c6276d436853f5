"""Redacting a text: fold, find, replace longest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from governance.redaction.addresses import find_addresses
from governance.redaction.bank_numbers import find_bank_numbers
from governance.redaction.credentials import find_credentials
from governance.redaction.dates import find_birth_dates
from governance.redaction.email_addresses import find_email_addresses
from governance.redaction.folding import fold
from governance.redaction.form_fields import find_typed_values
from governance.redaction.identity_numbers import find_identity_numbers
from governance.redaction.ip_addresses import find_ip_addresses
from governance.redaction.names import find_names
from governance.redaction.phones import find_phones
from governance.redaction.spans import Redacted, Span, longest_first, replace

DETECTORS: tuple[Callable[[str], Iterator[Span]], ...] = (
    find_email_addresses,
    find_phones,
    find_bank_numbers,
    find_identity_numbers,
    find_addresses,
    find_ip_addresses,
    find_credentials,
    find_birth_dates,
    find_typed_values,
    find_names,
)


def find_details(text: str) -> tuple[Span, ...]:
    """Where personal details stand in ``text``, in code points of the original; in order, none overlapping."""
    folded = fold(text)
    found = (span for detector in DETECTORS for span in detector(folded.text) if span.start < span.end)
    return longest_first(Span(*folded.original(span.start, span.end), span.kind) for span in found)


def redact(text: str) -> Redacted:
    """``text`` with each detail replaced by the name of its kind in brackets."""
    spans = find_details(text)
    return Redacted(replace(text, spans), spans)
