"""The practice museum's objects and how they are found."""

from __future__ import annotations

import csv
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from arena_site.practice.museum_house import ROOMS, Room
from arena_site.practice.wsgi_site import Params

_OBJECTS_FILE = Path(__file__).parent / "data" / "museum_objects.csv"
PAGE_SIZE = 12
ORDERS = {"name": "Name", "oldest": "Oldest first", "newest": "Newest first"}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """An object of the collection; ``room`` is ``None`` when it is in store."""

    number: str
    name: str
    maker: str
    year: int
    dated: str
    material: str
    room: Room | None
    size: str
    given: str
    picture: str
    colour: str
    text: str

    @property
    def place(self) -> str:
        return f"Room {self.room.number}, {self.room.name}" if self.room else "In store"


def _read_objects() -> dict[str, Exhibit]:
    with _OBJECTS_FILE.open(encoding="utf-8", newline="") as rows:
        return {
            row["number"]: Exhibit(
                number=row["number"],
                name=row["name"],
                maker=row["maker"],
                year=int(row["year"]),
                dated=f"{row['about']} {row['year']}".strip(),
                material=row["material"],
                room=ROOMS[int(row["room"])] if row["room"] else None,
                size=row["size"],
                given=row["given"],
                picture=row["picture"],
                colour=row["colour"],
                text=row["text"],
            )
            for row in csv.DictReader(rows)
        }


OBJECTS = _read_objects()
MATERIALS = tuple(sorted({exhibit.material for exhibit in OBJECTS.values()}))


@dataclass(frozen=True, slots=True)
class Looking:
    """What a visitor looks for in the collection; empty values ask nothing."""

    words: str = ""
    material: str = ""
    room: str = ""
    on_display: bool = False
    order: str = "name"
    page: int = 1

    @classmethod
    def read(cls, query: Params) -> Looking:
        """From an address; values that do not exist are taken as empty."""
        material, room, order = query.text("material"), query.text("room"), query.text("order")
        return cls(
            words=query.text("words")[:100],
            material=material if material in MATERIALS else "",
            room=room if room in {str(number) for number in ROOMS} else "",
            on_display=query.text("on_display") == "yes",
            order=order if order in ORDERS else "name",
            page=query.number("page", default=1, least=1, most=99),
        )

    def query(self, page: int) -> dict[str, str]:
        """The same on another page, as the values of an address."""
        return {
            "words": self.words,
            "material": self.material,
            "room": self.room,
            "on_display": "yes" if self.on_display else "",
            "order": "" if self.order == "name" else self.order,
            "page": str(page) if page > 1 else "",
        }

    def find(self) -> list[Exhibit]:
        """The objects that fit, in order; all pages together."""
        wanted = words_of(self.words)
        found = [
            exhibit
            for exhibit in OBJECTS.values()
            if wanted <= words_of(described(exhibit))
            and self.material in {"", exhibit.material}
            and self.room in {"", str(exhibit.room.number) if exhibit.room else "none"}
            and (exhibit.room is not None or not self.on_display)
        ]
        if self.order == "name":
            found.sort(key=lambda exhibit: exhibit.name.removeprefix("The "))
        else:
            found.sort(key=lambda exhibit: exhibit.year, reverse=self.order == "newest")
        return found


def described(exhibit: Exhibit) -> str:
    """Everything about an object that can be searched."""
    return " ".join(
        (exhibit.name, exhibit.maker, exhibit.dated, exhibit.material, exhibit.place, exhibit.number, exhibit.text)
    )


def words_of(text: str) -> frozenset[str]:
    """Words without accents, case, apostrophes and a plural s, so that "clock" finds "Clocks"."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    bare = re.sub(r"['’]s?\b", "", bare)
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in re.findall(r"\w+", bare))
