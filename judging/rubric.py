"""The rubric: what judges are told to look at. Every wording is kept, and each vote names the one its judge saw."""

import functools
import hashlib
from pathlib import Path

from django.db import transaction

from governance.errors import ArenaError
from governance.journal import record
from judging.models import Rubric

#: Shipped wordings, one file a version, named by its number. A new wording is a new file.
RUBRICS = Path(__file__).parent / "rubrics"


class RubricAltered(ArenaError):
    """A shipped file no longer says what was archived under its number."""

    code = "rubric_altered"
    status = 500

    def __init__(self, version: int) -> None:
        super().__init__(f"The text of rubric {version} was changed. A new wording needs a new number.")


@functools.cache
def shipped_rubric() -> tuple[int, str]:
    """Number and text of the newest wording that this version ships."""
    newest = max(RUBRICS.glob("*.md"), key=lambda path: int(path.stem))
    return int(newest.stem), newest.read_text(encoding="utf-8")


def digest_of(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def current_rubric() -> Rubric:
    """The wording in force; archived first where it is new.

    Raises:
        RubricAltered: another text was archived under its number.
    """
    version, text = shipped_rubric()
    stored = Rubric.objects.filter(pk=version).first() or _archive(version, text)
    if stored.sha256 != digest_of(text):
        raise RubricAltered(version)
    return stored


@transaction.atomic
def _archive(version: int, text: str) -> Rubric:
    rubric, created = Rubric.objects.get_or_create(version=version, defaults={"text": text, "sha256": digest_of(text)})
    if created:
        record(actor="system:rubric", action="judging:rubric:archive", subject=str(version), sha256=rubric.sha256)
    return rubric
