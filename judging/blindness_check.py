"""Whether a judge can come upon a name: every surface of every battle that can be judged, searched for every name.

For each kind of viewer from whom names are hidden, the check fetches what that viewer would get (pages, fragments, the
answer to a refused form, frames with their headers and metadata) and searches it for the names, keys, versions and
providers of the roster.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.test import Client

from battles.models import Agent, Battle, Task
from battles.roster import roster_names
from governance.models import Judge
from judging.access import may_read
from judging.access_check import plant_battle
from judging.models import Assignment
from judging.name_search import NameSearch, pattern_of
from judging.site_crawl import Surface, crawl
from judging.site_visits import browser_of, rolled_back
from judging.visibility import identity_visibility

#: Battles looked at unless all are asked for: the newest, since what leaks leaks in all of them.
SAMPLE = 20
#: Frames of each battle looked at unless all are asked for.
FRAMES = 8
#: Judges looked through the eyes of, for each battle and role; in a sample of battles one will do.
EYES = 3
#: Said in place of a name where a viewer's pages could not be looked at, since then nothing was checked.
NOT_OPENED = "(no page of this battle opened)"
#: Said where the rule shows names to somebody without a vote: whoever is blind is asked of that rule, so that one that
#: hides from nobody would leave nobody to look through.
SHOWN_TOO_EARLY = "(names show to somebody who has not voted)"
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
    """Search the battles that hide names from somebody; a sample of the newest unless ``everything`` is asked for.

    Pages that are about no battle are the same for a viewer on every battle, and are searched once for each viewer.
    """
    newest = _hiding().select_related("task").order_by("-votable_at", "-pk")
    surfaces = 0
    found: list[Found] = []
    with rolled_back():
        if not newest.exists():
            # Nothing that was searched is nothing that was found: a battle is planted, and is gone afterwards.
            plant_battle(offered=True)
        names = searched_names()
        stranger = Judge.objects.create()
        known: dict[Judge | None, set[str]] = defaultdict(set)
        elsewhere: dict[Judge | None, NameSearch] = {}
        battles = list(newest if everything else newest[:SAMPLE])
        for battle in battles:
            here = NameSearch(name for name in names if not _said(battle.task, name))
            found += [
                Found(str(battle.pk), role, "the rule itself", SHOWN_TOO_EARLY)
                for role, viewer in _voteless_viewers(battle, stranger)
                if identity_visibility(battle, viewer).names
            ]
            for role, viewer in _blind_viewers(battle, stranger, eyes=EYES if everything else 1):
                visited = _visited(battle, browser_of(viewer), known[viewer], everything=everything)
                surfaces += len(visited)
                known[viewer].update(surface.path for surface in visited if not surface.of_battle)
                if may_read(battle, viewer) and not any(surface.opened for surface in visited):
                    found.append(Found(str(battle.pk), role, "every page", NOT_OPENED))
                if viewer not in elsewhere:
                    tasks = list(_tasks_of(viewer))
                    elsewhere[viewer] = NameSearch(
                        name for name in names if not any(_said(task, name) for task in tasks)
                    )
                for surface in visited:
                    said = (here if surface.of_battle else elsewhere[viewer]).found_in(surface.text)
                    found += [Found(str(battle.pk), role, surface.name, name) for name in said]
    return BlindnessReport(len(battles), surfaces, tuple(found))


def _hiding() -> QuerySet[Battle]:
    """Battles that can be judged, and closed ones that a judge is to look at a second time."""
    second_look = Assignment.objects.filter(battle=OuterRef("pk"), comes_back=True, outcome=Assignment.Outcome.VOTED)
    can_be_judged = Q(state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED])
    return Battle.objects.filter(can_be_judged | Q(state=Battle.State.CLOSED) & Exists(second_look))


def searched_names() -> list[str]:
    """Whatever names somebody ever rostered, without the site's own name and mere numbers.

    Names, keys, versions, providers, the hosts their models answer at, and the variables their keys are read from.
    """
    names = set(roster_names())
    for base_url, key_variable in Agent.objects.values_list("base_url", "key_variable"):
        host = urlsplit(base_url).hostname or ""
        names |= {key_variable} | ({host} if host not in {OWN_HOST, *settings.ALLOWED_HOSTS} else set())
    return sorted(name for name in names if name.casefold() != OWN_NAME and any(map(str.isalpha, name)))


def _said(task: Task, name: str) -> bool:
    """Whether the submitter's own words hold the name: then it tells nothing about who raced."""
    return pattern_of([name]).search(f"{task.instruction}\n{task.start_url}") is not None


def _tasks_of(viewer: Judge | None) -> QuerySet[Task]:
    """Tasks whose words stand on pages of this viewer that are about no battle: their own, and those handed to them."""
    if viewer is None:
        return Task.objects.none()
    handed = Assignment.objects.filter(battle__task=OuterRef("pk"), judge=viewer)
    return Task.objects.filter(Q(judge=viewer) | Q(Exists(handed)))


def _voteless_viewers(battle: Battle, stranger: Judge) -> Iterator[tuple[str, Judge | None]]:
    """Whom no rule may show the names of a battle that can be judged: those who may still come to vote on it."""
    if battle.state == Battle.State.CLOSED:
        return
    yield from (("nobody", None), ("stranger", stranger))
    leases = battle.assignments.filter(outcome=Assignment.Outcome.OPEN).exclude(judge__in=battle.votes.values("judge"))
    yield from (("judge with a lease", lease.judge) for lease in leases.select_related("judge"))


def _blind_viewers(battle: Battle, stranger: Judge, *, eyes: int) -> Iterator[tuple[str, Judge | None]]:
    """Everybody from whom the names of this battle are hidden, each in the first of their roles."""
    for role, viewer in (("nobody", None), ("stranger", stranger)):
        if not identity_visibility(battle, viewer).names:
            yield role, viewer
    leases = battle.assignments.order_by("-leased_at")
    first_looks = leases.filter(swapped=False)
    roles = {
        "submitter": [battle.task.judge_id],
        "judge at a second look": leases.filter(swapped=True).values_list("judge", flat=True),
        "judge who voted": battle.votes.order_by("-cast_at").values_list("judge", flat=True),
        "judge with a lease": first_looks.filter(outcome=Assignment.Outcome.OPEN).values_list("judge", flat=True),
        "judge who had a lease": first_looks.exclude(outcome=Assignment.Outcome.OPEN).values_list("judge", flat=True),
    }
    met: set[str] = set()
    for role, keys in roles.items():
        fresh = [key for key in dict.fromkeys(keys) if key is not None and key not in met]
        looked_through = 0
        for judge in sorted(Judge.objects.filter(pk__in=fresh), key=lambda judge: fresh.index(judge.pk)):
            if looked_through == eyes:
                break
            if may_read(battle, judge) and not identity_visibility(battle, judge).names:
                met.add(judge.pk)
                looked_through += 1
                yield role, judge


def _visited(battle: Battle, browser: Client, known: Collection[str], *, everything: bool) -> list[Surface]:
    """All surfaces around a battle in one browser but for those that are known.

    What the visits store, a lease say, is gone before the next one.
    """
    savepoint = transaction.savepoint()
    surfaces = list(crawl(battle.pk, browser, pictures=None if everything else FRAMES, known=known))
    transaction.savepoint_rollback(savepoint)
    return surfaces
