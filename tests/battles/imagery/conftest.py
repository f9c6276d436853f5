"""A battle whose frames show real pictures, with what a page said of them."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.conf import LazySettings
from PIL import Image, ImageDraw

from battles.lanes.events import FrameShot
from battles.models import Battle, Frame, Task
from governance.redaction.pictures import PageWords, Rectangle, Word
from tests.battles.factories import ended, make_battle, make_task, race, started, step

#: Where the personal words of the picture stand.
PLACE = Rectangle(100, 100, 200, 14)
INK = (250, 20, 20)

MAIL = PageWords(words=(Word("inga.holm@example.org", (PLACE,)),))
NOBODY = PageWords(words=(Word("Basket", (PLACE,)),))


@pytest.fixture(autouse=True)
def frame_folder(tmp_path, settings: LazySettings) -> None:
    storages = {**settings.STORAGES}
    storages["frames"] = {**storages["frames"], "OPTIONS": {"location": tmp_path / "frames", "base_url": None}}
    settings.STORAGES = storages


def picture(number: int = 0, mime: str = "PNG") -> bytes:
    """A view of 400 x 300 px with something red where the personal words stand, different for each number."""
    image = Image.new("RGB", (400, 300), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    draw.rectangle((PLACE.x, PLACE.y, PLACE.x + PLACE.width, PLACE.y + PLACE.height), fill=INK)
    draw.rectangle((0, 290, 1 + number, 299), fill=(0, 0, 200))
    encoded = io.BytesIO()
    image.save(encoded, mime)
    return encoded.getvalue()


def shot(page: PageWords | None, number: int = 0) -> FrameShot:
    return FrameShot(image=picture(number), mime="image/png", width=400, height=300, page=page)


def shows_ink(image: bytes) -> bool:
    """Whether anything of the personal words' colour can be seen."""
    opened = Image.open(io.BytesIO(image)).convert("RGB")
    return any(red > green + 150 and red > blue + 150 for _, (red, green, blue) in opened.getcolors(400 * 300) or ())


@pytest.fixture
def make_recorded() -> Callable[..., Battle]:
    """A votable battle; each shot is one step of lane A."""

    def make(*shots: FrameShot, task: Task | None = None, **steps) -> Battle:
        events = [started("A"), started("B")]
        events += [step("A", number, frame=each, **steps) for number, each in enumerate(shots, start=1)]
        events += [ended("A"), ended("B")]
        return race(make_battle(task=task or make_task()), events=events)

    return make


def frames_of(battle: Battle) -> list[Frame]:
    """The frames of lane A's steps, in order."""
    return list(Frame.objects.filter(lane__attempt__battle=battle, steps__number__gt=0).order_by("steps__number"))
