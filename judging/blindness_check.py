"""Whether a judge can come upon a name: every surface of every battle that can be judged, searched for every name.

For each kind of viewer from whom names are hidden, the check fetches what that viewer would get (pages, fragments, the
answer to a refused form, frames with their headers and metadata) and searches it for the names, keys, versions and
providers of the roster.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.test import Client

from battles.models import Agent, Battle
from battles.roster import roster_names
from governance.models import Judge
from judging.access import may_read
from judging.access_check import plant_battle
from judging.name_search import NameSearch, pattern_of
from judging.site_crawl import Surface, crawl
from judging.site_visits import browser_of, rolled_back
from judging.visibility import identity_visibility

#: Battles looked at unless all are asked for: the newest, since what leaks leaks in all of them.
SAMPLE = 20
#: Frames of each battle looked at unless all are asked for.
FRAMES = 8
#: Judges looked through the eyes of, for each battle and role.
EYES = 3
#: Said in place of a name where a viewer's pages could not be looked at, since then nothing was checked.
NOT_OPENED = "(no page of this battle opened)"
#: The site's own name is on every page, and is the provider of the reference agents.
OWN_NAME = "ringside"
#: A model on the operator's own machine has the address that the site itself may have.
OWN_HOST = "localhost"


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


def check_blindness(*, everything: bool = False) -> BlindnessReport:
    """Search the battles that can be judged now; a sample of the newest unless ``everything`` is asked for."""
    votable = Battle.objects.select_related("task").filter(state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED])
    newest = votable.order_by("-votable_at", "-pk")
    surfaces = 0
    found: list[Found] = []
    with rolled_back():
        if not newest.exists():
            # Nothing that was searched is nothing that was found: a battle is planted, and is gone afterwards.
            plant_battle(offered=True)
        names = searched_names()
        battles = list(newest if everything else newest[:SAMPLE])
        for battle in battles:
            search = NameSearch(name for name in names if not _task_says(battle, name))
            for viewer, browser, reads in _blind_viewers(battle):
                visited = _visited(battle, browser, everything=everything)
                surfaces += len(visited)
                if reads and not any(surface.opened for surface in visited):
                    found.append(Found(str(battle.pk), viewer, "every page", NOT_OPENED))
                for surface in visited:
                    said = search.found_in(surface.text)
                    found += [Found(str(battle.pk), viewer, surface.name, name) for name in said]
    return BlindnessReport(len(battles), surfaces, tuple(found))


def searched_names() -> list[str]:
    """Whatever names somebody ever rostered, without the site's own name and mere numbers.

    Names, keys, versions, providers, the hosts their models answer at, and the variables their keys are read from.
    """
    names = set(roster_names())
    for base_url, key_variable in Agent.objects.values_list("base_url", "key_variable"):
        host = urlsplit(base_url).hostname or ""
        names |= {key_variable} | ({host} if host not in {OWN_HOST, *settings.ALLOWED_HOSTS} else set())
    return sorted(name for name in names if name.casefold() != OWN_NAME and any(map(str.isalpha, name)))


def _task_says(battle: Battle, name: str) -> bool:
    """Whether the submitter's own words hold the name: then it tells nothing about who raced."""
    said = f"{battle.task.instruction}\n{battle.task.start_url}"
    return pattern_of([name]).search(said) is not None


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
    """All surfaces around a battle in one browser. What the visits store, a lease say, is gone before the next one."""
    savepoint = transaction.savepoint()
    surfaces = list(crawl(battle.pk, browser, pictures=None if everything else FRAMES))
    transaction.savepoint_rollback(savepoint)
    return surfaces
