"""Redacting a text: fold, find, replace longest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

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
from governance.redaction.spans import EVERY_KIND, Kind, Redacted, Span, longest_first, replace

Detector: TypeAlias = Callable[[str], Iterator[Span]]

DETECTORS: tuple[Detector, ...] = (
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

#: Detectors that find one kind alone, and cost more than all the others: they run only where it is asked for.
_ONLY = {find_addresses: Kind.ADDRESS, find_names: Kind.NAME}


def find_details(text: str, kinds: frozenset[Kind] = EVERY_KIND) -> tuple[Span, ...]:
    """Where details of ``kinds`` stand in ``text``, in code points of the original; in order, none overlapping."""
    folded = fold(text)
    detectors = (detector for detector in DETECTORS if detector not in _ONLY or _ONLY[detector] in kinds)
    found = (span for detector in detectors for span in detector(folded.text) if span.kind in kinds)
    return longest_first(
        Span(*folded.original(span.start, span.end), span.kind) for span in found if span.start < span.end
    )


def redact(text: str, kinds: frozenset[Kind] = EVERY_KIND) -> Redacted:
    """``text`` with each detail of ``kinds`` replaced by the name of its kind in brackets."""
    spans = find_details(text, kinds)
    return Redacted(replace(text, spans), spans)
