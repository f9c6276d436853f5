"""The practice museum's exhibitions, guided tours and news."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from arena_site.practice.museum_house import TODAY, full_date

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Exhibition:
    """``paragraphs`` say what there is to see; ``place`` is the gallery."""

    slug: str
    title: str
    starts: date
    ends: date
    place: str
    picture: str
    colour: str
    lead: str
    paragraphs: tuple[str, ...]

    @property
    def time(self) -> str:
        """``now``, ``coming`` or ``past``."""
        if self.starts > TODAY:
            return "coming"
        return "now" if self.ends >= TODAY else "past"


@dataclass(frozen=True, slots=True)
class Departure:
    """One date of a tour with the places that were left this morning."""

    begins: datetime
    places: int

    @property
    def key(self) -> str:
        """As it stands in addresses and forms: ``2027-03-27-1400``."""
        return f"{self.begins:%Y-%m-%d-%H%M}"

    @property
    def spoken(self) -> str:
        return f"{full_date(self.begins.date())}, {self.begins:%H:%M}"


@dataclass(frozen=True, slots=True)
class Tour:
    """A guided tour; ``cents`` for each person, on top of admission."""

    slug: str
    title: str
    minutes: int
    cents: int
    meeting: str
    language: str
    departures: tuple[Departure, ...]
    text: str

    def departure(self, key: str) -> Departure | None:
        return next((each for each in self.departures if each.key == key), None)


@dataclass(frozen=True, slots=True)
class Article:
    """A piece of news."""

    slug: str
    day: date
    title: str
    paragraphs: tuple[str, ...]


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def _departure(text: str) -> Departure:
    begins, _, places = text.partition("=")
    return Departure(datetime.fromisoformat(begins), int(places))


EXHIBITIONS = {
    row["slug"]: Exhibition(
        slug=row["slug"],
        title=row["title"],
        starts=date.fromisoformat(row["starts"]),
        ends=date.fromisoformat(row["ends"]),
        place=row["place"],
        picture=row["picture"],
        colour=row["colour"],
        lead=row["lead"],
        paragraphs=tuple(row["text"].split("|")),
    )
    for row in _rows("museum_exhibitions.csv")
}
TOURS = {
    row["slug"]: Tour(
        slug=row["slug"],
        title=row["title"],
        minutes=int(row["minutes"]),
        cents=int(row["cents"]),
        meeting=row["meeting"],
        language=row["language"],
        departures=tuple(_departure(each) for each in row["dates"].split(";")),
        text=row["text"],
    )
    for row in _rows("museum_tours.csv")
}
NEWS = {
    row["slug"]: Article(
        slug=row["slug"],
        day=date.fromisoformat(row["day"]),
        title=row["title"],
        paragraphs=tuple(row["text"].split("|")),
    )
    for row in _rows("museum_news.csv")
}
