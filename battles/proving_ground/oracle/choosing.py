"""Lists, dates, completions, sliders, spinners, colours, and forms made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from battles.agents.base import AgentFailure
from battles.proving_ground.oracle.scene import (
    Moves,
    Policy,
    Scene,
    click,
    first,
    press,
    read_elements,
    read_text,
    select,
    type_into,
    wait,
)
from battles.proving_ground.oracle.writing import body, numbers, submit

#: A completion of jQuery UI asks after 0.3 s without a key.
COMPLETION_OPENS = 0.8

MONTHS = "January February March April May June July August September October November December".split()

#: What completions are called as elements.
MENU_ROLES = frozenset({"menuitem", "option", "clickable"})

#: ``press`` repeats a key at most this often.
MOST_REPEATS = 50


def drop_down(scene: Scene) -> Moves:
    (option,) = scene.asked(r"Select (.+) from")
    yield select(scene.elements("combobox")[0], option)
    yield from submit(scene)


def scroll_list(scene: Scene) -> Moves:
    (listed,) = scene.asked(r"Select (.+) from")
    for number, name in enumerate(listed.split(", ")):
        option = scene.named(name, "option")
        if option is None:
            # Options that the list has to be scrolled for are no part of the view.
            yield read_elements()
            option = first(each for each in scene.read_through() if each.name == name)
        yield click(option, **({"modifiers": ["Control"]} if number else {}))
    yield from submit(scene)


def pick_date(scene: Scene, month: int, day: int, year: int) -> Moves:
    """In an open calendar of jQuery UI: turn the pages, then take the day."""
    yield read_text()
    shown = re.search(rf"({'|'.join(MONTHS)})\s+(\d{{4}})", scene.told)
    if shown is None:
        raise AgentFailure("no calendar is open")
    ahead = (year - int(shown[2])) * 12 + month - 1 - MONTHS.index(shown[1])
    for _ in range(abs(ahead)):
        # The arrows say in no way that they can be clicked, so they are no elements of an observation.
        yield click(scene.spot(".ui-datepicker-next" if ahead > 0 else ".ui-datepicker-prev"))
    yield click(scene.button(str(day)))


def date_picker(scene: Scene) -> Moves:
    month, day, year = (int(part) for part in scene.asked(r"(\d+)/(\d+)/(\d+)"))
    yield click(scene.field())
    yield wait(0.5)
    yield from pick_date(scene, month, day, year)
    yield wait(0.5)
    yield from submit(scene)


def completion(scene: Scene) -> Moves:
    start, end = scene.quoted(), ""
    if "ends with" in scene.goal:
        end = scene.quoted(1)
    yield type_into(scene.field(), start)
    yield wait(COMPLETION_OPENS)
    fitting = [item for item in scene.elements("menuitem", "option", "clickable") if item.name.startswith(start)]
    yield click(first(item for item in fitting if item.name.endswith(end)))
    yield from submit(scene)


def move_handle(scene: Scene, number: int, ahead: int) -> Moves:
    """Move the handle of a slider by so many steps, with the keyboard."""
    if not ahead:
        return
    yield click([element for element in scene.elements("clickable") if not element.name][number])
    for _ in range(0, abs(ahead), MOST_REPEATS):
        times = min(abs(ahead), MOST_REPEATS)
        yield press("ArrowRight" if ahead > 0 else "ArrowLeft", repeat=times)
        ahead -= times if ahead > 0 else -times


def slider(scene: Scene) -> Moves:
    (wanted,) = scene.asked(r"Select (-?\d+)")
    yield read_text()
    yield from move_handle(scene, 0, int(wanted) - numbers(scene)[0])
    yield from submit(scene)


def sliders(scene: Scene) -> Moves:
    wanted = [int(number) for number in re.findall(r"\d+", scene.goal.partition("[")[2])]
    yield read_text()
    shown = numbers(scene)
    for number, value in enumerate(wanted):
        yield from move_handle(scene, number, value - shown[number])
    yield from submit(scene)


def spinner(scene: Scene) -> Moves:
    (wanted,) = scene.asked(r"Select (-?\d+)")
    up, down = scene.elements("button")[:2]
    field = scene.elements("spinbutton")[0]
    while int(field.value or 0) != int(wanted):
        ahead = int(wanted) - int(field.value or 0)
        yield click(up if ahead > 0 else down, count=min(3, abs(ahead)))
        field = scene.elements("spinbutton")[0]
    yield from submit(scene)


def slider_and_box(scene: Scene) -> Moves:
    wanted, place = scene.asked(r"Select (-?\d+) .* (\d)(?:st|nd|rd)")
    yield read_text()
    yield from move_handle(scene, 0, int(wanted) - numbers(scene)[0])
    yield click(scene.elements("checkbox")[int(place) - 1])
    yield from submit(scene)


def button_and_field(scene: Scene) -> Moves:
    radio, field = re.findall(r"(\d)(?:st|nd|rd)", scene.goal)
    yield click(scene.elements("radio")[int(radio) - 1])
    yield type_into(scene.field(int(field) - 1), scene.quoted())
    yield from submit(scene)


def own_drop_down(scene: Scene) -> Moves:
    """A drop-down list that the page draws itself: opened and clicked like anything else."""
    (option,) = scene.asked(r"Choose (.+) from")
    yield click(scene.elements("clickable")[0])
    yield wait(0.5)
    items = ".selectric-open .selectric-items li"
    yield from scene.into_pane(".selectric-open .selectric-scroll", items, option)
    yield click(scene.one(items, option))
    yield click(scene.button(scene.quoted()))


def colour_in_words(scene: Scene) -> Moves:
    (name,) = scene.asked(r"Select (\w+) with")
    yield from _type_colour(scene, str(scene.ask("(name) => ui_utils.colorNameToHex(name)", name)))


def colour_as_shown(scene: Scene) -> Moves:
    red, green, blue = re.findall(r"\d+", scene.spot("#query .cc").colour)[:3]
    yield from _type_colour(scene, f"#{int(red):02x}{int(green):02x}{int(blue):02x}")


def _type_colour(scene: Scene, code: str) -> Moves:
    """The picker is a field too, which takes the code of a colour; a click elsewhere closes what it opened."""
    yield type_into(scene.field(), code.lstrip("#").upper(), clear=True)
    yield click((80, 25))
    yield wait(0.3)
    yield from submit(scene)


def cheapest_or_shortest(scene: Scene) -> Moves:
    """Of the offers on the page, the one with the smallest or greatest number."""
    yield read_text()
    words = body(scene)
    prices = [int(price) for price in re.findall(r"\$(\d+)", words)]
    spans = [int(hours) * 60 + int(minutes) for hours, minutes in re.findall(r"(\d+)h (\d+)m", words)]
    figures = prices if re.search(r"cheap|expensive", scene.goal) else spans
    best = max(figures) if re.search(r"longest|expensive", scene.goal) else min(figures)
    price = prices[figures.index(best)]
    offers = [element for element in scene.elements("button") if element.name.endswith(f"${price}")]
    if offers:
        yield click(offers[0])
    else:
        # Below the edge of a pane that scrolls.
        yield read_elements()
        yield click(first(each for each in scene.read_through() if each.name.endswith(f"${price}")))


def flight(scene: Scene) -> Moves:
    origin, destination = scene.asked(r"from: (.+) to: (.+) on ")
    month, day, year = (int(part) for part in scene.asked(r"(\d+)/(\d+)/(\d+)"))
    for number, place in enumerate((origin, destination)):
        yield type_into(scene.field(number), place)
        yield wait(COMPLETION_OPENS)
        yield click(first(item for item in scene.elements() if item.role in MENU_ROLES and place in item.name))
    yield click(scene.field(2))
    yield wait(0.6)
    yield from pick_date(scene, month, day, year)
    yield wait(0.5)
    yield click(scene.button("Search"))
    yield from cheapest_or_shortest(scene)


POLICIES: Mapping[str, Policy] = {
    "choose-list": drop_down,
    "click-scroll-list": scroll_list,
    "choose-date": date_picker,
    "choose-date-easy": date_picker,
    "choose-date-medium": date_picker,
    "choose-date-nodelay": date_picker,
    "use-autocomplete": completion,
    "use-autocomplete-nodelay": completion,
    "use-slider": slider,
    "use-slider-2": sliders,
    "use-spinner": spinner,
    "form-sequence": slider_and_box,
    "form-sequence-2": button_and_field,
    "form-sequence-3": own_drop_down,
    "use-colorwheel": colour_in_words,
    "use-colorwheel-2": colour_as_shown,
    "buy-ticket": cheapest_or_shortest,
    "book-flight": flight,
    "book-flight-nodelay": flight,
}
