"""Take pictures of every page."""

import shutil
import threading
import uuid
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.test.utils import override_settings
from playwright.sync_api import Page

from arena_site.environment import CHECKOUT
from arena_site.operators_pictures import shots_at_work, shots_of_a_newcomer
from arena_site.operators_week import LEGAL_NAME, make_week
from arena_site.photographer import SETTLE_MS, WINDOWS, Film, Shot, browser, serving, shoot, take
from arena_site.showcase import INSTRUCTION, START_URL, Showcase, make_showcase, make_standings, race
from battles.lanes.events import LaneEnded, LaneEvent, StepTaken
from battles.models import Battle

#: Sets of pages that can be taken alone: people's, and operators'.
PEOPLE, OPERATORS = SETS = ("people", "operators")
#: The few that the README and the documents show; all the others stay out of the repository.
CHOSEN = {
    PEOPLE: (
        "home-1280-light.png",
        "live-1280-light.png",
        "battle-1280-light.png",
        "battle-1280-dark.png",
        "battle-360-light.png",
        "reveal-1280-light.png",
        "standings-1280-light.png",
        "standings-360-dark.png",
        "agent-1280-light.png",
        *(f"keyboard-{number}-1280-light.png" for number in range(1, 7)),
        *(f"phone-{number}-360-light.png" for number in range(1, 6)),
    ),
    OPERATORS: tuple(f"operators-{name}-1280-light.png" for name in ("due", "held", "exclude", "withdrawal")),
}
CHOSEN_FOLDER = CHECKOUT / "docs" / "screenshots"
METHOD_PAGES = ("elo", "planner", "best-of", "schedule", "overlap")
#: The recording of the live race halts once each lane has so many steps, so that there is something to see.
HALT_AFTER = 4
#: No race waits longer than this for its picture.
HALT_SECONDS = 240.0
LOCK = "Lock and see who raced"


class Command(BaseCommand):
    help = (
        "Race and judge practice battles, then take pictures of every page at 360, 1280 and 1920 px in both schemes. "
        "Needs a database nobody has voted in: bin/screenshots makes one and throws it away afterwards."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--output",
            type=Path,
            default=CHECKOUT / ".arena" / "screenshots",
            help="Folder for all pictures; the chosen few are copied to docs/screenshots as well.",
        )
        parser.add_argument("--only", choices=SETS, action="append", help="Only this set of pages; all without it.")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["output"]
        wanted = options["only"] or SETS
        call_command("migrate", interactive=False, verbosity=0)
        if Battle.objects.exists():
            raise CommandError("There are battles in this database. Please run bin/screenshots.")
        folder.mkdir(parents=True, exist_ok=True)
        call_command("collectstatic", interactive=False, verbosity=0)
        (settings.ARENA_DATA_DIR / "frames").mkdir(exist_ok=True)
        # People of the first set keep what they give to their machine; of the other, somebody holds licences.
        with override_settings(ARENA_LEGAL_NAME="" if PEOPLE in wanted else LEGAL_NAME):
            call_command("seed", verbosity=0)
            make_standings(self.stdout.write)
            files = self._of_people(folder) if PEOPLE in wanted else []
        if OPERATORS in wanted:
            with override_settings(ARENA_LEGAL_NAME=LEGAL_NAME):
                files += self._of_operators(folder)
        CHOSEN_FOLDER.mkdir(parents=True, exist_ok=True)
        chosen = [name for each in wanted for name in CHOSEN[each]]
        for name in chosen:
            shutil.copyfile(folder / name, CHOSEN_FOLDER / name)
        self.stdout.write(f"{len(files)} pictures in {folder}, {len(chosen)} of them in docs/screenshots.")

    def _of_people(self, folder: Path) -> list[Path]:
        showcase = make_showcase(self.stdout.write)
        self.stdout.write("Taking pictures.")
        with serving() as site, browser() as chromium:
            files = take(shots_of(showcase), site=site, cookie=showcase.cookie, folder=folder, chromium=chromium)
            films = films_of(showcase)
            files += shoot(films, site=site, folder=folder, chromium=chromium)
            with HaltedRace(showcase.live):
                live = [Shot("live", f"/battles/{showcase.live}", whole=False, prepare=_see_steps)]
                files += take(live, site=site, cookie=showcase.cookie, folder=folder, chromium=chromium)
        return files

    def _of_operators(self, folder: Path) -> list[Path]:
        week = make_week(self.stdout.write)
        self.stdout.write("Taking pictures of operators' pages.")
        with serving() as site, browser() as chromium:
            files = take(shots_of_a_newcomer(), site=site, cookie=week.newcomer, folder=folder, chromium=chromium)
            files += take(shots_at_work(week), site=site, cookie=week.cookie, folder=folder, chromium=chromium)
        return files


def shots_of(showcase: Showcase) -> list[Shot]:
    """Every page and every state of it that a person meets."""
    return [
        Shot("home", "/", known=False),
        Shot("new", "/battles/new", known=False),
        Shot("new-checked", "/", prepare=_check_a_task),
        Shot("new-refused", "/", known=False, prepare=_check_too_short_a_task),
        Shot("queued", f"/battles/{showcase.queued}", whole=False),
        Shot("newcomer", showcase.practice, known=False, whole=False, prepare=_pick),
        Shot("battle", showcase.votable, whole=False, prepare=_go_to_an_action),
        Shot("battle-whole", showcase.votable, prepare=_go_to_an_action),
        Shot("picked", showcase.votable, whole=False, prepare=_pick),
        Shot("saved", showcase.saved, whole=False),
        Shot("in-hand", showcase.in_hand, whole=False, prepare=_go_to_an_action),
        Shot("steps", showcase.in_hand, whole=False, prepare=_see_the_steps),
        Shot("drawing", showcase.in_hand, whole=False, prepare=_draw),
        Shot("not-this-one", showcase.in_hand, whole=False, prepare=_ask_for_another),
        Shot("offer", showcase.votable, whole=False, prepare=_ask_to_offer),
        Shot("keys", showcase.in_hand, whole=False, prepare=_ask_for_keys),
        Shot("rubric", "/methods/rubric", known=False),
        Shot("help", showcase.votable, whole=False, prepare=_ask_how),
        Shot("reveal", showcase.revealed, whole=False),
        Shot("me", "/judge/me"),
        Shot("standings", "/standings", known=False),
        Shot("definition", "/standings", known=False, whole=False, prepare=_ask_for_a_definition),
        Shot("agent", showcase.agent, known=False),
        Shot("publication", showcase.publication, known=False),
        Shot("methods", "/methods", known=False),
        *(Shot(f"methods-{page}", f"/methods/{page}", known=False) for page in METHOD_PAGES),
        Shot("gap", f"/gaps?a={showcase.agent_keys[0]}&b={showcase.agent_keys[1]}", known=False),
        Shot("benchmark", "/benchmark", known=False),
        Shot("mission", "/mission", known=False),
        Shot("governance", "/governance", known=False),
        Shot("withdraw", "/withdraw"),
        Shot("status", "/status", known=False),
        Shot("missing", "/nothing-of-that-name", known=False),
    ]


def films_of(showcase: Showcase) -> list[Film]:
    """A battle judged by keyboard alone, and one on a phone with a thumb."""
    phone, laptop, _ = WINDOWS
    by_keyboard = (
        _keys("ArrowRight", "."),
        _keys("b"),
        _keys("Space", "Tab", "ArrowRight", "ArrowRight"),
        _keys("Enter"),
        _lock_by_key,
    )
    by_thumb = (_turn_to_b, _tap_a_verdict, _save, _lock)
    return [
        Film("keyboard", showcase.by_keyboard.path, showcase.by_keyboard.cookie, laptop, by_keyboard),
        Film("phone", showcase.by_phone.path, showcase.by_phone.cookie, phone, by_thumb),
    ]


def _keys(*keys: str) -> Callable[[Page], object]:
    def press(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return press


def _lock_by_key(page: Page) -> None:
    page.get_by_role("button", name=LOCK).wait_for()
    # A second press at once would be a double press on Save, and locks nothing.
    page.wait_for_timeout(SETTLE_MS)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Who raced").wait_for()


def _lock(page: Page) -> None:
    page.get_by_role("button", name=LOCK).wait_for()
    page.wait_for_timeout(SETTLE_MS)
    page.get_by_role("button", name=LOCK).click()
    page.get_by_role("heading", name="Who raced").wait_for()


def _turn_to_b(page: Page) -> None:
    page.locator(".lane-tabs").get_by_text("Lane B").click()


def _tap_a_verdict(page: Page) -> None:
    page.locator(".vote-form .pick", has_text="Tie").click()
    for lane in (0, 1):
        page.locator(".segment-lane").nth(lane).get_by_text("Done", exact=True).click()


def _save(page: Page) -> None:
    page.get_by_role("button", name="Save my vote").click()


def _check_a_task(page: Page) -> None:
    page.fill("[name=instruction]", INSTRUCTION)
    page.fill("[name=start_url]", START_URL)
    page.click("text=Check the task")


def _check_too_short_a_task(page: Page) -> None:
    page.fill("[name=start_url]", START_URL)
    page.click("text=Check the task")


def _go_to_an_action(page: Page) -> None:
    # By the script: a click would scroll the page and leave the button lit.
    page.evaluate("for (let press = 0; press < 2; press++) document.querySelector('[data-next-change]').click()")


def _see_the_steps(page: Page) -> None:
    _go_to_an_action(page)
    page.evaluate("document.querySelector('.step-verdict').scrollIntoView({ block: 'center' })")


def _draw(page: Page) -> None:
    _go_to_an_action(page)
    page.keyboard.press("m")


def _ask_for_another(page: Page) -> None:
    page.click("text=Not this one")


def _ask_to_offer(page: Page) -> None:
    page.click("text=Only you can see this")


def _ask_for_keys(page: Page) -> None:
    page.keyboard.press("?")


def _pick(page: Page) -> None:
    page.keyboard.press("1")


def _ask_how(page: Page) -> None:
    page.click("text=How to judge")


def _ask_for_a_definition(page: Page) -> None:
    page.click("button.term >> visible=true >> nth=1")


def _see_steps(page: Page) -> None:
    page.wait_for_selector(".live .step", state="attached")


class HaltedRace:
    """A race whose recording halts after some steps of each lane, for as long as the ``with`` block runs."""

    def __init__(self, battle_id: uuid.UUID) -> None:
        self._halted, self._go_on = threading.Event(), threading.Event()
        self._steps = {"A": 0, "B": 0}
        self._thread = threading.Thread(target=self._race, args=(battle_id,), name="race")

    def __enter__(self) -> None:
        self._thread.start()
        self._halted.wait(HALT_SECONDS)

    def __exit__(self, *error: object) -> None:
        self._go_on.set()
        self._thread.join(HALT_SECONDS)

    def _race(self, battle_id: uuid.UUID) -> None:
        try:
            race(battle_id, self._listen)
        finally:
            self._halted.set()
            connections.close_all()

    def _listen(self, event: LaneEvent) -> None:
        if isinstance(event, StepTaken):
            self._steps[event.slot] += 1
        if min(self._steps.values()) >= HALT_AFTER or isinstance(event, LaneEnded):
            self._halted.set()
            self._go_on.wait(HALT_SECONDS)
