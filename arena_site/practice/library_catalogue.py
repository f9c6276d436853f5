"""What the practice library holds, and how it is searched. All of it is invented."""

from __future__ import annotations

import csv
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from arena_site.practice.wsgi_site import Params

_RECORDS_FILE = Path(__file__).parent / "data" / "library_records.csv"
_ON_SHELF = "in"
_READING_ROOM = "reading"
PAGE_SIZE = 8
FORMATS = ("Book", "Large print", "Audiobook", "Film", "Map")
LANGUAGES = ("English", "French", "German", "Spanish")
SEARCH_BY = {"any": "Anywhere", "title": "Title", "author": "Author", "subject": "Subject"}
SORTS = {
    "relevance": "Relevance",
    "newest": "Year, newest first",
    "oldest": "Year, oldest first",
    "title": "Title",
    "author": "Author",
}


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy: at a branch, on the shelf or for the reading room only, or on loan until ``due``."""

    branch: str
    on_shelf: bool
    reading_room: bool
    due: date | None


@dataclass(frozen=True, slots=True)
class Record:
    """One edition. ``author`` is family name first; ``extent`` is pages, minutes or sheets in words."""

    number: str
    title: str
    author: str
    year: int
    format: str
    language: str
    extent: str
    publisher: str
    series: str
    subjects: tuple[str, ...]
    shelf_mark: str
    summary: str
    copies: tuple[Copy, ...]

    @property
    def available_at(self) -> tuple[str, ...]:
        """Branches where a copy can be taken home now."""
        return tuple(copy.branch for copy in self.copies if copy.on_shelf)

    @property
    def can_be_reserved(self) -> bool:
        return not all(copy.reading_room for copy in self.copies)


def _read_copy(text: str) -> Copy:
    branch, _, state = text.partition("=")
    kept = state in {_ON_SHELF, _READING_ROOM}
    return Copy(branch, state == _ON_SHELF, state == _READING_ROOM, None if kept else date.fromisoformat(state))


def _read_records() -> dict[str, Record]:
    with _RECORDS_FILE.open(encoding="utf-8", newline="") as rows:
        records = [
            Record(
                number=row["number"],
                title=row["title"],
                author=row["author"],
                year=int(row["year"]),
                format=row["format"],
                language=row["language"],
                extent=row["extent"],
                publisher=row["publisher"],
                series=row["series"],
                subjects=tuple(row["subjects"].split("; ")),
                shelf_mark=row["shelf_mark"],
                summary=row["summary"],
                copies=tuple(_read_copy(copy) for copy in row["copies"].split(";")),
            )
            for row in csv.DictReader(rows)
        ]
    return {record.number: record for record in records}


RECORDS = _read_records()
#: Shown on the home page.
NEWEST = tuple(sorted(RECORDS.values(), key=lambda record: -record.year)[:4])


@dataclass(frozen=True, slots=True)
class Search:
    """Everything a visitor can ask of the catalogue; empty values ask nothing."""

    words: str = ""
    by: str = "any"
    title: str = ""
    author: str = ""
    subject: str = ""
    year_from: str = ""
    year_to: str = ""
    format: str = ""
    language: str = ""
    branch: str = ""
    available: bool = False
    sort: str = "relevance"
    page: int = 1

    @classmethod
    def read(cls, query: Params) -> Search:
        """From an address; values that do not exist are taken as empty."""

        def one_of(name: str, known: tuple[str, ...] | dict[str, str], default: str = "") -> str:
            value = query.text(name)
            return value if value in known else default

        def year(name: str) -> str:
            value = query.text(name)
            return value if re.fullmatch(r"[0-9]{4}", value) else ""

        return cls(
            words=query.text("q")[:120],
            by=one_of("by", SEARCH_BY, "any"),
            title=query.text("title")[:120],
            author=query.text("author")[:120],
            subject=query.text("subject")[:120],
            year_from=year("from"),
            year_to=year("to"),
            format=one_of("format", FORMATS),
            language=one_of("language", LANGUAGES),
            branch=query.text("branch")[:20],
            available=query.text("available") == "yes",
            sort=one_of("sort", SORTS, "relevance"),
            page=query.number("page", default=1, least=1, most=99),
        )

    def query(self, **changed: str) -> dict[str, str]:
        """The search as the values of an address, with some of them changed."""
        values = {
            "q": self.words,
            "by": "" if self.by == "any" else self.by,
            "title": self.title,
            "author": self.author,
            "subject": self.subject,
            "from": self.year_from,
            "to": self.year_to,
            "format": self.format,
            "language": self.language,
            "branch": self.branch,
            "available": "yes" if self.available else "",
            "sort": "" if self.sort == "relevance" else self.sort,
        }
        return values | changed

    def run(self) -> list[Record]:
        """The records found, in the order asked for; all pages together."""
        found = [record for record in RECORDS.values() if self._words_fit(record) and self._limits_fit(record)]
        if self.sort == "relevance":
            wanted = _words(self.words)
            found.sort(key=lambda record: -len(wanted & _words(record.title)))
        elif self.sort in {"newest", "oldest"}:
            found.sort(key=lambda record: record.year, reverse=self.sort == "newest")
        elif self.sort == "title":
            found.sort(key=lambda record: record.title.removeprefix("The ").removeprefix("A "))
        else:
            found.sort(key=lambda record: record.author)
        return found

    def _words_fit(self, record: Record) -> bool:
        title, author = _words(record.title), _words(record.author)
        subject = _words(" ".join(record.subjects))
        anywhere = title | author | subject | _words(f"{record.series} {record.summary} {record.publisher}")
        place = {"title": title, "author": author, "subject": subject}.get(self.by, anywhere)
        return (
            _words(self.words) <= place
            and _words(self.title) <= title
            and _words(self.author) <= author
            and _words(self.subject) <= subject
        )

    def _limits_fit(self, record: Record) -> bool:
        places = record.available_at if self.available else tuple(copy.branch for copy in record.copies)
        return (
            (not self.year_from or record.year >= int(self.year_from))
            and (not self.year_to or record.year <= int(self.year_to))
            and self.format in {"", record.format}
            and self.language in {"", record.language}
            and (not self.branch or self.branch in places)
            and bool(places)
        )


def _words(text: str) -> frozenset[str]:
    """Words without accents, case, apostrophes and a plural s, so that "lighthouse" finds "Lighthouses"."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    bare = re.sub(r"['’]s?\b", "", bare)
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in re.findall(r"\w+", bare))
