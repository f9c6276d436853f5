"""What text redaction finds, on what basis, what it does not claim to find, and how well it was measured to do.

The figures are those of the shipped cases, kept with the digest of the cases and of the detectors. A digest that no
longer agrees makes them stale, and stale figures are not shown: they are a gap until they are measured again.
"""

from __future__ import annotations

import enum
import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from governance.redaction.measuring import SHIPPED_CASES, RedactionMeasure
from governance.redaction.spans import Kind

PACKAGE = Path(__file__).parent
MEASURED = PACKAGE / "measured.json"

LIBRARIES = ("phonenumbers", "python-stdnum")
"""Whose data decide on numbers. Their versions are told with the figures; a newer one does not make these stale."""

# Modules that only measure, tell, look at pictures or for what is known already; a change in them finds no more and no
# less in a text.
_NO_DETECTORS = frozenset(
    {
        "known.py",
        "measuring.py",
        "posture.py",
        "posture_page.py",
        "__init__.py",
        "pictures.py",
        "masking.py",
        "ocr.py",
        "imagery_posture.py",
    }
)


class Basis(enum.StrEnum):
    """What a finding rests on."""

    CHECK_DIGIT = "check digit"
    NUMBERING_PLAN = "numbering plan"
    PATTERN = "pattern"
    CONTEXT = "context"
    WORD_LISTS = "word lists"
    DOCUMENT = "the page's document"
    OPTICAL = "reading the picture"


class MeasurementState(enum.StrEnum):
    MEASURED = "measured"
    STALE = "stale"
    NOT_MEASURED = "not_measured"


@dataclass(frozen=True, slots=True)
class KindPosture:
    """One kind: what is detected, on what basis, and the labels of cases it is measured by."""

    kind: Kind
    detects: str
    basis: tuple[Basis, ...]
    labels: tuple[str, ...]
    best_effort: bool = False


@dataclass(frozen=True, slots=True)
class TextPosture:
    kinds: tuple[KindPosture, ...]
    out_of_scope: tuple[str, ...]


TEXT_POSTURE = TextPosture(
    kinds=(
        KindPosture(
            Kind.EMAIL,
            "E-mail addresses, also with spaces, with the sign or the dots spelled out in a dozen languages, as "
            "character references, percent-encoded, or with invisible or full-width characters.",
            (Basis.PATTERN,),
            ("EMAIL", "EMAIL_OBFUSCATED"),
        ),
        KindPosture(
            Kind.PHONE,
            "Telephone numbers in international form; in national form behind a word for a telephone, or grouped as "
            "one country writes them.",
            (Basis.NUMBERING_PLAN, Basis.CONTEXT),
            ("PHONE",),
        ),
        KindPosture(
            Kind.CARD,
            "Payment cards in an issuer's range with a right check digit; a mistyped number, and the code on the card, "
            "behind a word for one.",
            (Basis.CHECK_DIGIT, Basis.NUMBERING_PLAN, Basis.CONTEXT),
            ("CREDIT_CARD",),
        ),
        KindPosture(
            Kind.BANK_ACCOUNT,
            "IBANs of every country in the registry; domestic account numbers behind their label.",
            (Basis.CHECK_DIGIT, Basis.NUMBERING_PLAN, Basis.CONTEXT),
            ("IBAN",),
        ),
        KindPosture(
            Kind.NATIONAL_ID,
            "National identifiers, tax numbers, passports and licences: some thirty forms by themselves, any value "
            "behind a label in some twenty languages.",
            (Basis.CHECK_DIGIT, Basis.PATTERN, Basis.CONTEXT),
            ("NATIONAL_ID", "PASSPORT"),
        ),
        KindPosture(
            Kind.IP_ADDRESS,
            "IPv4 and IPv6 addresses that can point to somebody.",
            (Basis.NUMBERING_PLAN,),
            ("IP",),
        ),
        KindPosture(
            Kind.SECRET,
            "Tokens in their issuers' forms, JSON Web Tokens, private keys, what stands in authorization and cookie "
            "headers, users in addresses, values behind a word for a key, one-time codes, long random runs.",
            (Basis.PATTERN, Basis.CONTEXT),
            ("SECRET", "JWT"),
        ),
        KindPosture(
            Kind.PASSWORD,
            "Passwords behind their label in two dozen languages, typed into a field that asks for one, or answered "
            "when asked for.",
            (Basis.CONTEXT,),
            ("PASSWORD",),
        ),
        KindPosture(
            Kind.BIRTH_DATE,
            "Dates, of 1900 or later, beside a word for being born in two dozen languages.",
            (Basis.PATTERN, Basis.CONTEXT),
            ("DOB",),
        ),
        KindPosture(
            Kind.ADDRESS,
            "Postal addresses with a house number and a postcode, a word for a street, or a label.",
            (Basis.PATTERN, Basis.CONTEXT),
            ("ADDRESS",),
            best_effort=True,
        ),
        KindPosture(
            Kind.NAME,
            "Names of persons behind a field, a title, a greeting, a closing or an introduction, and capitalised words "
            "of which one is a known name.",
            (Basis.CONTEXT, Basis.WORD_LISTS),
            ("PERSON",),
            best_effort=True,
        ),
    ),
    out_of_scope=(
        "Names without a capital letter or a cue, nicknames, account names, and names in scripts without capitals "
        "unless a field or an introduction stands before them.",
        "Addresses without a house number, and places by themselves.",
        "Passwords and codes that nothing near calls so and that are no long random run.",
        "What identifies only together: a profession, an employer and a town.",
        "Health, faith, politics and other special categories, where no name or number goes with them.",
        "Addresses of local networks and of public name servers; device identifiers; positions.",
        "Names that everybody knows (artists, authors, brands called after persons) where nothing else makes them a "
        "person's.",
        "Personal details in pictures: see below.",
    ),
)


def cases_digest() -> str:
    """SHA-256 of the shipped cases."""
    return hashlib.sha256(SHIPPED_CASES.read_bytes()).hexdigest()


def detector_digest() -> str:
    """SHA-256 over the detectors' code and word lists: names and contents, in order."""
    digest = hashlib.sha256()
    files = [path for path in PACKAGE.glob("*.py") if path.name not in _NO_DETECTORS]
    for path in sorted([*files, *PACKAGE.glob("data/*.txt")]):
        digest.update(f"{path.name}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def record(measure: RedactionMeasure, *, on: date, path: Path = MEASURED) -> None:
    """Keep a measurement of the shipped cases as the posture's figures, with the day on which it was made."""
    kept = {
        "on": on.isoformat(),
        "cases_sha256": cases_digest(),
        "detector_sha256": detector_digest(),
        "libraries": {name: version(name) for name in LIBRARIES},
        **{key: value for key, value in asdict(measure).items() if key != "wrong"},
    }
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def measured_figures(path: Path = MEASURED) -> dict[str, Any] | None:
    """The figures kept by :func:`record`; None when there are none or they are stale."""
    return kept_figures(path) if posture_state(path) is MeasurementState.MEASURED else None


def posture_state(path: Path = MEASURED) -> MeasurementState:
    """Whether the kept figures speak of today's cases and detectors."""
    kept = kept_figures(path)
    if kept is None:
        return MeasurementState.NOT_MEASURED
    same = kept.get("cases_sha256") == cases_digest() and kept.get("detector_sha256") == detector_digest()
    return MeasurementState.MEASURED if same else MeasurementState.STALE


def kept_figures(path: Path) -> dict[str, Any] | None:
    """A measurement as it was kept, stale or not; None where there is none that can be read."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) else None


def days_since(figures: dict[str, Any] | None, today: date) -> int | None:
    """How many days ago kept figures were measured; None where there are none, or they do not say when."""
    try:
        return (today - date.fromisoformat(figures["on"])).days if figures else None
    except (KeyError, TypeError, ValueError):
        return None
