"""Service notices of the practice railway."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that is different for a while. ``lines`` are slugs."""

    slug: str
    title: str
    lines: tuple[str, ...]
    starts: date
    ends: date
    text: str


NOTICES = (
    Notice(
        "lift-dunmere",
        "Dunmere: lift out of order",
        ("valley",),
        date(2027, 3, 8),
        date(2027, 4, 23),
        "The lift to platform 2 is being replaced. A ramp at the level crossing reaches the platform without steps; "
        "please allow six minutes more.",
    ),
    Notice(
        "marsh-evening",
        "Marsh line: buses in the late evening",
        ("marsh",),
        date(2027, 3, 22),
        date(2027, 3, 26),
        "Trains after 20:00 are replaced by buses because of work on the sea wall at Sedge End. The bus to Lastingby "
        "leaves from the station forecourt and takes fifteen minutes longer. Bicycles cannot be carried.",
    ),
    Notice(
        "port-ennis-market",
        "Port Ennis: fish market on Sunday",
        ("coast",),
        date(2027, 3, 28),
        date(2027, 3, 28),
        "Trains will be full around noon. Seats on express trains should be reserved.",
    ),
    Notice(
        "brackwater-subway",
        "Brackwater: subway closed at night",
        ("coast", "valley"),
        date(2027, 3, 1),
        date(2027, 5, 14),
        "From 22:00 the subway between platforms 3 and 5 is closed for painting. Use the footbridge or the lifts.",
    ),
    Notice(
        "wick-hollow-machine",
        "Wick Hollow: ticket machine moved",
        ("coast",),
        date(2027, 3, 11),
        date(2027, 6, 12),
        "The ticket machine now stands beside the shelter on platform 1.",
    ),
    Notice(
        "lake-boats",
        "Tarn Head: first boats of the year",
        ("valley",),
        date(2027, 4, 3),
        date(2027, 4, 4),
        "On the first weekend of the boats the 10:05 from Brackwater waits for passengers from Alderhaven.",
    ),
)
