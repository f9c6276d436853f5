"""Buttons, links, dialogs, tabs, sections, menus, boxes to tick, colours and trees."""

from __future__ import annotations

from collections.abc import Mapping

from battles.agents.base import AgentFailure
from battles.lanes.events import Element
from battles.proving_ground.oracle.scene import Moves, Policy, Scene, click, first, hover, wait

#: A menu of jQuery UI opens this long after the pointer came, in seconds, with a margin.
MENU_OPENS = 0.6

#: A section of an accordion takes this long to unfold, in seconds, with a margin.
SECTION_OPENS = 0.7


def only_button(scene: Scene) -> Moves:
    yield click(scene.elements("button")[0])


def button_in_words(scene: Scene) -> Moves:
    (name,) = scene.asked(r"button (\w+)")
    yield click(scene.button(name))


def quoted(scene: Scene) -> Moves:
    yield click(scene.button(scene.quoted()))


def one_then_two(scene: Scene) -> Moves:
    yield click(scene.button("ONE"))
    yield click(scene.button("TWO"))


def dialog(scene: Scene) -> Moves:
    wanted = "x" if '"' not in scene.goal else scene.quoted()
    yield click(scene.button("Close" if wanted == "x" else wanted))


def named_tab(scene: Scene) -> Moves:
    (name,) = scene.asked(r"(Tab #\d)")
    yield click(scene.button(name))


def behind_tabs(scene: Scene) -> Moves:
    """Open one tab or section after the other until the link shows."""
    wanted = scene.quoted()
    for number in range(len(scene.elements("tab"))):
        link = scene.named(wanted, "clickable")
        if link is not None:
            break
        yield click(scene.elements("tab")[number])
        yield wait(SECTION_OPENS)
    yield click(scene.button(wanted))


def open_section(scene: Scene) -> Moves:
    yield click(scene.elements("tab")[0])
    yield wait(SECTION_OPENS)
    yield click(scene.button("Submit"))


def widget(scene: Scene) -> Moves:
    kind = scene.quoted()
    kinds = {"radio": "radio", "checkbox": "checkbox", "button": "button", "text": "textbox", "textarea": "textbox"}
    for element in scene.elements(kinds[kind]):
        if kind not in {"text", "textarea"} or (kind == "text") == ("type" in element.state):
            yield click(element)
            return


def tick(scene: Scene) -> Moves:
    (listed,) = scene.asked(r"Select (.*) and click")
    for word in [] if listed == "nothing" else listed.split(", "):
        yield click(_box(scene, word))
    yield click(scene.button("Submit"))


def _box(scene: Scene, word: str) -> Element:
    box = scene.named(word, "checkbox", "radio")
    if box is None:
        raise AgentFailure(f"there is no box {word!r}")
    return box


def tick_synonyms(scene: Scene) -> Moves:
    """The page's own list of synonyms stands in for knowing the language."""
    (listed,) = scene.asked(r"similar to (.*) and click")
    groups: list[list[str]] = scene.ask("() => SYNONYMS")
    meant = {word for group in groups for word in group if set(group) & set(listed.split(", "))}
    for box in scene.elements("checkbox"):
        if box.name in meant:
            yield click(_box(scene, box.name))
    yield click(scene.button("Submit"))


def tick_pattern(scene: Scene) -> Moves:
    """The pattern is a picture beside the boxes; the page's own table stands in for seeing it."""
    pattern: list[list[int]] = scene.ask("(digit) => PATTERNS[digit]", int(scene.quoted()))
    for number, dark in enumerate(cell for row in pattern for cell in row):
        if dark:
            yield click(scene.elements("checkbox")[number])
    yield click(scene.button("Submit"))


def menu(scene: Scene) -> Moves:
    (path,) = scene.asked(r"Select (.*)$")
    *through, last = path.split(">")
    for name in through:
        yield hover(scene.button(name))
        yield wait(MENU_OPENS)
    yield click(scene.button(last))


def menu_with_icons(scene: Scene) -> Moves:
    wanted = scene.quoted(1) if scene.goal.count('"') > 2 else _name_of_icon(scene)
    yield click(scene.button("Menu"))
    if scene.named(wanted) is None:
        # The one entry with entries of its own.
        yield hover(first(item for item in scene.elements("menuitem") if item.state.get("popup")))
        yield wait(MENU_OPENS)
    yield click(scene.button(wanted))


def _name_of_icon(scene: Scene) -> str:
    icon = scene.spot("#query .ui-icon").attributes["class"].split()[-1]
    return str(scene.ask("(icon) => document.querySelector(`#menu .${icon}`).parentElement.textContent.trim()", icon))


def colour(scene: Scene) -> Moves:
    (wanted,) = scene.asked(r"the (\w+) colou?red")
    yield click(first(spot for spot in scene.spots("#area .color") if spot.attributes["data-color"] == wanted))


def shades(scene: Scene) -> Moves:
    (wanted,) = scene.asked(r"of (\w+)")
    for spot in scene.spots("#area span"):
        if spot.attributes["data-color"] == wanted:
            yield click(spot)
    yield click(scene.button("Submit"))


def tree(scene: Scene) -> Moves:
    wanted = scene.quoted()
    for _ in range(12):
        found = scene.named(wanted)
        if found is not None:
            yield click((found.x + 20, found.y + 7))
            return
        closed = scene.spots("#tree li.expandable > .hitarea")
        if not closed:
            break
        yield click((closed[0].x + 6, closed[0].y + 7))
    raise AgentFailure("the tree has no such entry")


def pie(scene: Scene) -> Moves:
    wanted = scene.quoted()
    yield click(scene.button("+"))
    # Once the slices have come to rest, the one at the bottom takes no clicks any more.
    yield click(scene.one("#divWheel text", wanted))


def cards(scene: Scene) -> Moves:
    """The numbers are in the page although the cards hide them; only the turned card says that it is chosen."""
    greatest = max(scene.elements("clickable"), key=lambda card: int(card.name))
    yield click(greatest)
    yield click(scene.button("Submit"))


POLICIES: Mapping[str, Policy] = {
    "click-test": only_button,
    "click-test-2": button_in_words,
    "click-test-transfer": button_in_words,
    "click-button": quoted,
    "click-button-sequence": one_then_two,
    "unicode-test": quoted,
    "click-link": quoted,
    "click-dialog": dialog,
    "click-dialog-2": dialog,
    "click-tab": named_tab,
    "click-tab-2": behind_tabs,
    "click-tab-2-easy": behind_tabs,
    "click-tab-2-medium": behind_tabs,
    "click-tab-2-hard": behind_tabs,
    "click-collapsible": open_section,
    "click-collapsible-nodelay": open_section,
    "click-collapsible-2": behind_tabs,
    "click-collapsible-2-nodelay": behind_tabs,
    "click-widget": widget,
    "click-checkboxes": tick,
    "click-checkboxes-large": tick,
    "click-checkboxes-transfer": tick,
    "click-checkboxes-soft": tick_synonyms,
    "number-checkboxes": tick_pattern,
    "click-option": tick,
    "click-menu": menu,
    "click-menu-2": menu_with_icons,
    "click-color": colour,
    "click-shades": shades,
    "navigate-tree": tree,
    "click-pie": pie,
    "click-pie-nodelay": pie,
    "find-greatest": cards,
}
