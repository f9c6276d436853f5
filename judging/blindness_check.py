"""Whether a judge can come upon a name: every surface of every battle that can be judged, searched for every name.

For each kind of viewer from whom names are hidden, the check fetches what that viewer would get (pages, fragments, the
answer to a refused form, frames with their headers and metadata) and searches it for the names, keys, versions and
providers of the roster.
"""

import html
import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from battles.models import Attempt, Battle, Frame
from battles.roster import roster_names
from governance.models import Judge
from judging.access import may_read
from judging.picture_metadata import metadata_of
from judging.site_visits import Address, battle_addresses, body_of, browser_of, rolled_back
from judging.visibility import identity_visibility

#: Battles looked at unless all are asked for: the newest, since what leaks leaks in all of them.
SAMPLE = 20
#: Frames of each lane looked at unless all are asked for.
FRAMES = 4
#: Judges looked through the eyes of, for each battle and role.
EYES = 3
#: Said in place of a name where a viewer's pages could not be looked at, since then nothing was checked.
NOT_OPENED = "(no page of this battle opened)"
#: The site's own name is on every page, and is the provider of the reference agents.
OWN_NAME = "ringside"
#: Random words that forms carry; a short name may occur in one by chance.
RANDOM_INPUT = re.compile(r'name="(?:csrfmiddlewaretoken|idempotency_key|submission_key)" value="[^"]*"')


@dataclass(frozen=True, slots=True)
class Found:
    """A name where none may be: on which battle, through whose eyes, on which surface."""

    battle: str
    viewer: str
    surface: str
    name: str


@dataclass(frozen=True, slots=True)
class BlindnessReport:
    battles: int
    surfaces: int
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Surface:
    """Something a viewer gets, as text to be searched."""

    name: str
    text: str
    opened: bool


def check_blindness(*, everything: bool = False) -> BlindnessReport:
    """Search the battles that can be judged now; a sample of the newest unless ``everything`` is asked for."""
    battles = Battle.objects.select_related("task").filter(state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED])
    newest = battles.order_by("-votable_at", "-pk")
    seen = surfaces = 0
    found: list[Found] = []
    with rolled_back():
        names = searched_names()
        for battle in newest if everything else newest[:SAMPLE]:
            seen += 1
            pattern = pattern_of(name for name in names if not _task_says(battle, name))
            for viewer, browser, reads in _blind_viewers(battle):
                visited = _visited(battle, browser, everything=everything)
                surfaces += len(visited)
                if reads and not any(surface.opened for surface in visited):
                    found.append(Found(str(battle.pk), viewer, "every page", NOT_OPENED))
                for surface in visited:
                    found += [Found(str(battle.pk), viewer, surface.name, name) for name in _names_in(surface, pattern)]
    return BlindnessReport(seen, surfaces, tuple(found))


def searched_names() -> list[str]:
    """Names, keys, versions and providers of everybody ever rostered, without the site's own name and mere numbers."""
    return [name for name in roster_names() if name.casefold() != OWN_NAME and any(map(str.isalpha, name))]


def _task_says(battle: Battle, name: str) -> bool:
    """Whether the submitter's own words hold the name: then it tells nothing about who raced."""
    said = f"{battle.task.instruction}\n{battle.task.start_url}"
    return pattern_of([name]).search(said) is not None


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Any of the names as a word, whatever its case and whatever stands between its parts."""
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    if not longest_first:
        return re.compile(r"(?!)")
    words = "|".join(r"[\s_\-]*".join(map(re.escape, re.split(r"[\s_\-]+", name))) for name in longest_first)
    return re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE)


def _names_in(surface: Surface, pattern: re.Pattern[str]) -> list[str]:
    return sorted({found.group(0) for found in pattern.finditer(surface.text)})


def _blind_viewers(battle: Battle) -> Iterator[tuple[str, Client, bool]]:
    """Everybody from whom the names of this battle are hidden: role, browser, whether they may read it."""
    yield "nobody", browser_of(None), may_read(battle, None)
    stranger = Judge.objects.create()
    yield "stranger", browser_of(stranger), may_read(battle, stranger)
    roles = {
        "submitter": [battle.task.judge] if battle.task.judge is not None else [],
        "judge with a lease": _judges(battle.assignments.values_list("judge", flat=True)),
        "judge who voted": _judges(battle.votes.values_list("judge", flat=True)),
    }
    for role, judges in roles.items():
        for judge in judges:
            if may_read(battle, judge) and not identity_visibility(battle, judge).names:
                yield role, browser_of(judge), True


def _judges(keys: Iterable[str]) -> list[Judge]:
    return list(Judge.objects.filter(pk__in=set(list(keys)[:EYES])))


def _visited(battle: Battle, browser: Client, *, everything: bool) -> list[Surface]:
    """All surfaces of a battle in one browser. What the visits store, a lease say, is gone before the next browser."""
    savepoint = transaction.savepoint()
    surfaces = list(_surfaces(battle, browser, everything=everything))
    transaction.savepoint_rollback(savepoint)
    return surfaces


def _surfaces(battle: Battle, browser: Client, *, everything: bool) -> Iterator[Surface]:
    for address in battle_addresses():
        if not address.parts:
            yield from _pages(address, battle.pk, browser)
    following = _surface("GET judge", browser.get(reverse("judge")))
    yield Surface(following.name, following.text, opened=False)
    for frame in _frames(battle, everything=everything):
        yield from _pictures(frame, battle.pk, browser)


def _pages(address: Address, battle_id: uuid.UUID, browser: Client) -> Iterator[Surface]:
    path = address.path(battle_id)
    for how, headers in (("", {}), (" by HTMX", {"HX-Request": "true"})):
        yield _surface(f"GET {address.name}{how}", browser.get(path, headers=headers))
        # A refused empty form is a page too. A lock needs no field and shows names by right, so it is undone.
        savepoint = transaction.savepoint()
        answer = _surface(f"POST {address.name}{how}", browser.post(path, headers=headers))
        transaction.savepoint_rollback(savepoint)
        yield answer


def _surface(name: str, response: HttpResponseBase) -> Surface:
    body = html.unescape(RANDOM_INPUT.sub("", body_of(response).decode(errors="replace")))
    return Surface(name, f"{_head(response)}\n{body}\n{unquote(body)}", response.status_code == 200)


def _head(response: HttpResponseBase) -> str:
    cookies = "\n".join(cookie.OutputString() for name, cookie in response.cookies.items() if name != "csrftoken")
    lines = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return unquote(f"{response.reason_phrase}\n{lines}\n{cookies}")


def _frames(battle: Battle, *, everything: bool) -> list[Frame]:
    lanes = battle.attempts.filter(outcome=Attempt.Outcome.FINISHED).values_list("lanes", flat=True)
    frames: list[Frame] = []
    for lane in lanes:
        of_lane = Frame.objects.filter(lane=lane).order_by("taken_at")
        frames += of_lane if everything else of_lane[:FRAMES]
    return frames


def _pictures(frame: Frame, battle_id: uuid.UUID, browser: Client) -> Iterator[Surface]:
    """A frame's address, headers, and what its file says besides its pixels."""
    for address in battle_addresses():
        if "frame_id" not in address.parts:
            continue
        response = browser.get(address.path(battle_id, frame.pk))
        data = body_of(response)
        shown = str(response.headers.get("Content-Type", "")).startswith("image/")
        said = metadata_of(data) if shown else data
        # Some write their words with two bytes a letter.
        words = f"{said.decode('latin-1')}\n{said.replace(bytes(1), b'').decode('latin-1')}"
        yield Surface(f"GET {address.name}", f"{_head(response)}\n{words}", opened=False)
