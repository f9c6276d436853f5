"""Stations, lines and trains of the practice railway. Times are minutes after midnight. All of it is invented."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"
#: The railway's clock stands still, so that both lanes see the same boards.
TODAY = date(2027, 3, 16)
NOW = 9 * 60 + 30
FIRST_DAY, LAST_DAY = date(2027, 3, 1), date(2027, 6, 12)
EXPRESS = "Express"


@dataclass(frozen=True, slots=True)
class Station:
    slug: str
    name: str
    street: str
    office_week: str
    office_saturday: str
    office_sunday: str
    lift: str
    parking: int
    bicycles: int
    toilets: str
    waiting_room: str
    about: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line from its first station: minutes of a local and of an express (-1 passes), and kilometres."""

    slug: str
    name: str
    stations: tuple[str, ...]
    local: tuple[int, ...]
    express: tuple[int, ...]
    km: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    station: str
    minute: int


@dataclass(frozen=True, slots=True)
class Train:
    """One run of a train with the stations it calls at."""

    number: str
    line: str
    direction: str
    kind: str
    stops: tuple[Stop, ...]

    @property
    def title(self) -> str:
        return f"{self.kind} {self.number}"

    @property
    def destination(self) -> str:
        return self.stops[-1].station

    def minute_at(self, station: str) -> int | None:
        return next((stop.minute for stop in self.stops if stop.station == station), None)

    def calls_after(self, station: str) -> tuple[Stop, ...]:
        """The stops that follow ``station``; empty when the train ends there or does not call."""
        names = [stop.station for stop in self.stops]
        return self.stops[names.index(station) + 1 :] if station in names else ()


def _read_stations() -> dict[str, Station]:
    with (_DATA / "timetable_stations.csv").open(encoding="utf-8", newline="") as rows:
        stations = [
            Station(
                slug=row["slug"],
                name=row["name"],
                street=row["street"],
                office_week=row["office_week"],
                office_saturday=row["office_saturday"],
                office_sunday=row["office_sunday"],
                lift=row["lift"],
                parking=int(row["parking"]),
                bicycles=int(row["bicycles"]),
                toilets=row["toilets"],
                waiting_room=row["waiting_room"],
                about=row["about"],
            )
            for row in csv.DictReader(rows)
        ]
    return {station.slug: station for station in stations}


STATIONS = _read_stations()
LINES = {
    line.slug: line
    for line in (
        Line(
            "coast",
            "Coast line",
            ("alderhaven", "wick-hollow", "brackwater", "sandling-cross", "marram", "port-ennis", "cape-lorn"),
            (0, 6, 14, 27, 38, 52, 71),
            (0, -1, 11, 22, -1, 41, 58),
            (0, 5, 12, 24, 33, 46, 64),
        ),
        Line(
            "valley",
            "Valley line",
            ("brackwater", "millgate-halt", "dunmere", "highfold", "tarn-head"),
            (0, 5, 16, 28, 43),
            (),
            (0, 3, 12, 21, 32),
        ),
        Line(
            "marsh",
            "Marsh line",
            ("sandling-cross", "sedge-end", "oxmoor", "lastingby"),
            (0, 9, 20, 34),
            (),
            (0, 7, 16, 28),
        ),
    )
}


def clock(minute: int) -> str:
    """Minutes after midnight as ``08:05``."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def minute_of(text: str) -> int:
    """``08:05`` as minutes after midnight."""
    hours, _, minutes = text.partition(":")
    return int(hours) * 60 + int(minutes)


def kind_of_day(day: date) -> str:
    """Which timetable runs: week, saturday or sunday."""
    return {5: "saturday", 6: "sunday"}.get(day.weekday(), "week")


@lru_cache(maxsize=4)
def trains_on(days: str) -> tuple[Train, ...]:
    """Every train of a kind of day, numbered line by line in the order it leaves."""
    runs: list[tuple[str, str, int, str]] = []
    with (_DATA / "timetable_services.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["days"] == days:
                starts = range(minute_of(row["first"]), minute_of(row["last"]) + 1, int(row["every"]))
                runs += [(row["line"], row["direction"], start, row["kind"]) for start in starts]
    trains = []
    for position, (line, direction, start, kind) in enumerate(sorted(runs)):
        number = f"{line[0].upper()}{101 + 2 * position + (direction == 'up')}"
        trains.append(Train(number, line, direction, kind, _stops(LINES[line], direction, kind, start)))
    return tuple(trains)


def _stops(line: Line, direction: str, kind: str, start: int) -> tuple[Stop, ...]:
    minutes = line.express if kind == EXPRESS else line.local
    called = [(station, minute) for station, minute in zip(line.stations, minutes, strict=True) if minute >= 0]
    if direction == "up":
        whole = called[-1][1]
        called = [(station, whole - minute) for station, minute in reversed(called)]
    return tuple(Stop(station, start + minute) for station, minute in called)


def train_called(number: str, day: date) -> Train | None:
    return next((train for train in trains_on(kind_of_day(day)) if train.number == number), None)


def platform(train: Train, station: str) -> str:
    """The platform a train uses; branch lines share theirs in turn."""
    turn = int(train.number[1:]) // 2 % 2
    if station == "brackwater":
        return str(5 + turn) if train.line == "valley" else {"down": "3", "up": "2"}[train.direction]
    if station == "sandling-cross":
        return str(3 + turn) if train.line == "marsh" else {"down": "2", "up": "1"}[train.direction]
    if station in {"alderhaven", "cape-lorn", "tarn-head"}:
        return str(1 + turn)
    if station in {"lastingby", "sedge-end", "oxmoor"}:
        return "1"
    return {"down": "1", "up": "2"}[train.direction]


def kilometres(origin: str, destination: str) -> int:
    """The way by rail. Branch lines leave the Coast line at their first station."""

    def way_to_coast(station: str) -> tuple[str, int]:
        for line in LINES.values():
            if station in line.stations and (line.slug == "coast" or station != line.stations[0]):
                along = line.km[line.stations.index(station)]
                return (station, 0) if line.slug == "coast" else (line.stations[0], along)
        raise KeyError(station)

    for line in LINES.values():
        if origin in line.stations and destination in line.stations:
            return abs(line.km[line.stations.index(origin)] - line.km[line.stations.index(destination)])
    (first, there), (last, back) = way_to_coast(origin), way_to_coast(destination)
    coast = LINES["coast"]
    between = abs(coast.km[coast.stations.index(first)] - coast.km[coast.stations.index(last)])
    return there + between + back
