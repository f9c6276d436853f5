"""Everything of the site that a viewer comes upon around one battle: every address, every way of asking, every link.

A crawl begins at the addresses of the address table that need nothing but the battle, asks each as a page and
as scripts do, posts empty forms, and follows whatever address an answer names, pictures included.
"""

import html
import re
import uuid
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import Resolver404, ResolverMatch, resolve

from judging.name_search import ESCAPED
from judging.picture_metadata import metadata_of
from judging.site_visits import OF_ONE_ANSWER, body_of, site_addresses

#: Addresses that name agents by right and say of no battle who raced.
BOARDS = {
    "standings",
    "agent",
    "publication",
    "publication_csv",
    "publication_json",
    "gap",
    "chart",
    "agent_chart",
    "benchmark",
    "api_metrics",
    "api_metric",
    "api_ratings",
    "api_ratings_history",
    "api_gap",
    "api_matrix",
    "api_agents",
    "api_agent",
    "api_publications",
    "api_publication",
    "governance",
}
#: Says in fixed words how the parts of the installation are, and asks every worker, which takes a second.
OF_THE_INSTALLATION = "ready"
#: The part of the first page that is a board.
TOP_OF_BOARD = re.compile(r'<section aria-labelledby="top-title">.*?</section>', re.DOTALL)
#: Random words that forms carry; a short name may occur in one by chance.
RANDOM_INPUT = re.compile(r'(name="(?:csrfmiddlewaretoken|idempotency_key|submission_key)" value=)"[^"]*"')
#: Whatever an answer holds that reads like an address of this site: a link, a form's, a fragment's, a picture's.
LINK = re.compile(r"""["'](/(?!/)[^"'\s<>\\]*)["']""")
#: Ways to ask: as a page, and as scripts do, for whatever the address has for them: a fragment or data.
ASKED = {"": {}, " by script": {"HX-Request": "true", "Accept": "application/json"}}
FOR_PROGRAMS = "/api/"
#: Where signing in leads on to. It is an address that is visited by itself, and says nothing new on the way there.
ONWARD = re.compile(r"(?<=[?&])next=[^&]*")
#: A crawl that finds more addresses than this is lost in something that goes on for ever.
MOST_ADDRESSES = 2_000


class CrawlLost(Exception):
    """There is no end to the addresses; what was not visited was not searched."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Something a viewer gets.

    Attributes:
        name: method and name of the address, and how it was asked for.
        path: as asked.
        text: head and body as text; of a picture what its file says besides its pixels.
        size: of the body, in bytes.
        status: of the answer.
        of_battle: whether the address names the battle.
    """

    name: str
    path: str
    text: str
    size: int
    status: int
    of_battle: bool

    @property
    def opened(self) -> bool:
        """Whether it is a page of the battle that was shown."""
        return self.of_battle and self.status == 200 and self.name.startswith("GET ") and "frame" not in self.name


def crawl(
    battle_id: uuid.UUID, browser: Client, *, pictures: int | None = None, known: Collection[str] = ()
) -> Iterator[Surface]:
    """Everything this browser gets of the battle and of what is not about any battle. Other battles are left alone.

    Args:
        pictures: how many of the battle's frames are fetched; all by default.
        known: paths that are left alone.

    Raises:
        CrawlLost: addresses lead to ever more addresses.
    """
    begin = [address.path(battle_id) for address in site_addresses() if not address.parts]
    waiting = deque(path for path in begin if path not in known)
    seen = {*begin, *known}
    fetched = 0
    while waiting:
        path = waiting.popleft()
        match = _match(path, battle_id)
        if match is None or match.url_name in BOARDS or match.url_name == OF_THE_INSTALLATION:
            continue
        if "frame_id" in match.kwargs:
            fetched += 1
            if pictures is not None and fetched > pictures:
                continue
        for surface, links in _answers(path, match, browser):
            yield surface
            for link in links:
                told_apart = ONWARD.sub("next=", link)
                if told_apart not in seen:
                    seen.add(told_apart)
                    waiting.append(link)
        if len(seen) > MOST_ADDRESSES + len(known):
            raise CrawlLost


def _match(path: str, battle_id: uuid.UUID) -> ResolverMatch | None:
    """Which address this is; None for files, for what is not there, and for another battle's."""
    try:
        match = resolve(path.partition("?")[0])
    except Resolver404:
        return None
    return match if match.kwargs.get("battle_id", battle_id) == battle_id else None


def _answers(path: str, match: ResolverMatch, browser: Client) -> Iterator[tuple[Surface, set[str]]]:
    of_battle = "battle_id" in match.kwargs
    picture = "frame_id" in match.kwargs
    # Pages that are about no battle take no forms about one, and addresses for programs have one answer for everybody.
    several = of_battle and not picture and not path.startswith(FOR_PROGRAMS)
    for how, headers in ASKED.items() if several else [("", {})]:
        name = f"{match.url_name}{how}"
        yield _answer("GET", name, path, browser.get(path, headers=headers), of_battle=of_battle)
        if of_battle and not picture:
            # A refused empty form is a page too. A lock needs no field and shows names by right, so it is undone.
            savepoint = transaction.savepoint()
            yield _answer("POST", name, path, browser.post(path, headers=headers), of_battle=True)
            transaction.savepoint_rollback(savepoint)


def _answer(
    method: str, name: str, path: str, response: HttpResponseBase, *, of_battle: bool
) -> tuple[Surface, set[str]]:
    body = body_of(response)
    kind = str(response.headers.get("Content-Type", ""))
    if kind.startswith("image/"):
        said = metadata_of(body)
        # Some write their words with two bytes a letter.
        text = f"{said.decode(errors='replace')}\n{said.replace(bytes(1), b'').decode(errors='replace')}"
        links: set[str] = set()
    else:
        text = RANDOM_INPUT.sub(r"\1", body.decode(errors="replace"))
        links = links_in(text, response.headers.get("Location", ""))
    if name == "home":
        text = TOP_OF_BOARD.sub("", text)
    surface = Surface(
        f"{method} {name}", path, f"{_head(response)}\n{text}", len(body), response.status_code, of_battle
    )
    return surface, links


def links_in(text: str, location: str = "") -> set[str]:
    """Addresses of this site that an answer names, without their fragments."""
    read = html.unescape(ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
    named = {*LINK.findall(text), *LINK.findall(read), location}
    return {link.split("#")[0] for link in named if link.startswith("/") and not link.startswith("//")}


def _head(response: HttpResponseBase) -> str:
    cookies = "\n".join(cookie.OutputString() for name, cookie in response.cookies.items() if name != "csrftoken")
    lines = "\n".join(f"{name}: {value}" for name, value in response.headers.items() if name not in OF_ONE_ANSWER)
    return f"{response.reason_phrase}\n{lines}\n{cookies}"
