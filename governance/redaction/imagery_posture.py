"""What is found in pictures, on what basis, what is not claimed, and how well it was measured to do.

Figures are those of the shipped strings in a screenshot that a real Chromium rendered, with the date, the versions and
the digest of what decides. A digest or a version that no longer agrees makes them stale, and they are a gap until they
are measured again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from governance.redaction.measuring import LABELS
from governance.redaction.posture import Basis, MeasurementState, detector_digest, kept_figures
from governance.redaction.spans import Kind

PACKAGE = Path(__file__).parent
MEASURED = PACKAGE / "imagery_measured.json"
CASES = PACKAGE / "cases" / "pictures.jsonl"

LIBRARIES = ("rapidocr",)
"""Its models come in its wheel, so another version may read otherwise: it makes the figures stale."""

_MODULES = ("pictures.py", "masking.py", "ocr.py")

TO_REACH = (18, 19)
"""So many of so many strings of 11 to 14 px are to be found by reading the picture alone."""


@dataclass(frozen=True, slots=True)
class Detector:
    """One of the two detectors of pictures: when it looks, at what, and on what basis."""

    name: str
    when: str
    detects: tuple[str, ...]
    basis: tuple[Basis, ...]


@dataclass(frozen=True, slots=True)
class ImageryPosture:
    detectors: tuple[Detector, ...]
    out_of_scope: tuple[str, ...]


IMAGERY_POSTURE = ImageryPosture(
    detectors=(
        Detector(
            "page",
            "while the picture is taken",
            (
                "Fields for passwords, e-mail addresses, telephone numbers, cards, dates of birth, identity numbers, "
                "names and addresses, by their type, autocomplete tokens and what they are called; empty ones too.",
                "Words that the text detectors find in what the page shows, word by word: in the page, in open and "
                "closed shadow roots, in frames of the same and of other origins.",
                "Frames, plug-ins and documents inside the page that could not be looked into: masked whole.",
            ),
            (Basis.DOCUMENT, Basis.PATTERN, Basis.CHECK_DIGIT, Basis.CONTEXT),
        ),
        Detector(
            "picture",
            "before a frame is exported",
            (
                "Lines of text drawn anywhere in the picture, pictures in pages included, that hold what the text "
                "detectors find: masked as whole lines.",
            ),
            (Basis.OPTICAL, Basis.PATTERN, Basis.CHECK_DIGIT, Basis.CONTEXT),
        ),
    ),
    out_of_scope=(
        "Faces, signatures, number plates, and whatever identifies somebody without a word.",
        "Codes to scan (QR, bar codes).",
        "Writing by hand, letters below 10 px, slanted or decorated ones, and scripts that the models do not know.",
        "For judges, until a frame is read for export: words in pictures, canvases and videos, which no document says.",
        "What a task states or an agent typed elsewhere, where a page shows it and nothing there calls it personal.",
        "Judges see names and postal addresses; exports do not show them.",
        "Details whose context is out of the view, and what text redaction does not claim to find either.",
    ),
)


@dataclass(frozen=True, slots=True)
class ImageryMeasure:
    """Strings whose place was covered whole, by each detector alone, and clean lines that were touched."""

    strings: int
    by_page: int
    by_picture: int
    clean: int
    clean_by_page: int
    clean_by_picture: int
    by_kind: dict[str, dict[str, int]]
    missed: tuple[str, ...]

    def shortfalls(self) -> tuple[str, ...]:
        """The figures that are not reached, one line each; nothing when all are."""
        wanted = self.strings * TO_REACH[0] / TO_REACH[1]
        return tuple(
            f"{name} finds {found} of {self.strings} strings; {TO_REACH[0]} of {TO_REACH[1]} are wanted."
            for name, found in (("the page detector", self.by_page), ("the picture detector", self.by_picture))
            if found < wanted
        )


@dataclass(frozen=True, slots=True)
class PictureCase:
    """A line drawn at ``px``; ``detail`` is the part of it that is personal, "" for a clean one."""

    text: str
    px: int
    detail: str
    label: str

    @property
    def kind(self) -> Kind | None:
        return LABELS.get(self.label)


def picture_cases() -> list[PictureCase]:
    """The shipped lines, invented by us."""
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [PictureCase(row["text"], row["px"], row.get("detail", ""), row.get("label", "")) for row in rows]


def imagery_digest() -> str:
    """SHA-256 over the text detectors and over what joins words to boxes."""
    digest = hashlib.sha256(detector_digest().encode())
    for name in _MODULES:
        digest.update(hashlib.sha256((PACKAGE / name).read_bytes()).digest())
    return digest.hexdigest()


def record_imagery(measure: ImageryMeasure, *, on: date, browser: str, page_script: str, path: Path = MEASURED) -> None:
    """Keep a measurement as the posture's figures.

    Args:
        browser: its name and version.
        page_script: SHA-256 of the script that was asked in the page.
    """
    kept = {
        "on": on.isoformat(),
        "browser": browser,
        "page_script_sha256": page_script,
        "cases_sha256": hashlib.sha256(CASES.read_bytes()).hexdigest(),
        "detector_sha256": imagery_digest(),
        "libraries": {name: version(name) for name in LIBRARIES},
        **{key: value for key, value in asdict(measure).items() if key != "missed"},
    }
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def imagery_figures(path: Path = MEASURED) -> dict[str, Any] | None:
    """The figures kept by :func:`record_imagery`; None when there are none or they are stale."""
    return kept_figures(path) if imagery_state(path) is MeasurementState.MEASURED else None


def imagery_state(path: Path = MEASURED) -> MeasurementState:
    """Whether the kept figures speak of today's cases, detectors and, where it is installed, library."""
    kept = kept_figures(path)
    if kept is None:
        return MeasurementState.NOT_MEASURED
    same = (
        kept.get("cases_sha256") == hashlib.sha256(CASES.read_bytes()).hexdigest()
        and kept.get("detector_sha256") == imagery_digest()
        and all(_installed(name) in {None, told} for name, told in kept.get("libraries", {}).items())
    )
    return MeasurementState.MEASURED if same else MeasurementState.STALE


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
