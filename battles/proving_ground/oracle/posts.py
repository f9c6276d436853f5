"""Mail, posts, searches, contacts and orders."""

from __future__ import annotations

import re
from collections.abc import Mapping

from battles.agents.base import AgentFailure
from battles.proving_ground.oracle.scene import (
    Moves,
    Policy,
    Scene,
    click,
    hover,
    read_text,
    scroll,
    type_into,
    wait,
)
from battles.proving_ground.oracle.writing import body, submit

# Icons inside something clickable are no elements of their own, and icons have no names: where mail and posts have to
# tell one icon from the other, they peek.


def mail(scene: Scene) -> Moves:
    (sender,) = scene.asked(r"by (\S+) and")
    yield from _open_mail(scene, sender)
    if "trash" in scene.goal:
        yield click(scene.spot("#email .trash"))
    elif "star" in scene.goal:
        yield click(scene.spot("#email .star"))
    elif "reply" in scene.goal:
        yield from _reply(scene, scene.quoted())
    else:
        (to,) = scene.asked(r"to (\w+)\.$")
        yield from _forward(scene, to)


def mail_in_free_words(scene: Scene) -> Moves:
    """Goals in many people's words: the page's own fields stand in for understanding them."""
    fields: dict[str, str] = scene.ask("() => core.currentFields")
    yield from _open_mail(scene, fields["by"])
    if fields.get("to"):
        yield from _forward(scene, fields["to"])
    elif fields.get("message"):
        yield from _reply(scene, fields["message"])
    else:
        task = str(fields.get("task", ""))
        yield click(scene.spot("#email .trash" if task == "delete" else "#email .star"))


def _open_mail(scene: Scene, sender: str) -> Moves:
    for _ in range(4):
        found = [element for element in scene.elements("clickable") if element.name.startswith(f"{sender} ")]
        if found:
            # Of two by one sender a goal means either; nothing on the page tells which.
            yield click((found[-1].x + 30, found[-1].y + found[-1].height / 2))
            return
        yield scroll(scene.spot("#main"), 120)
    raise AgentFailure("there is no such mail")


def _reply(scene: Scene, text: str) -> Moves:
    yield from _tap(scene, "#email .email-reply")
    yield type_into(scene.elements("textbox")[0], text)
    yield click(scene.spot("#send-reply"))


def _forward(scene: Scene, to: str) -> Moves:
    yield from _tap(scene, "#email .email-forward")
    yield type_into(scene.elements("textbox")[0], to)
    yield click(scene.spot("#send-forward"))


def _tap(scene: Scene, selector: str) -> Moves:
    """Scroll the open mail until the icon is in its pane, then click it."""
    yield from scene.into_pane("#email", selector)
    yield click(scene.spot(selector))


def post(scene: Scene) -> Moves:
    (user,) = scene.asked(r"user (@\S+?),")
    name = scene.quoted()
    icons = {"Reply": ".reply", "Retweet": ".retweet", "Like": ".like"}
    number = _posts_by(scene, user)[0]
    if name in icons:
        yield from _press_icon(scene, f".controls {icons[name]}", number)
        return
    yield from _press_icon(scene, ".controls .more", number)
    yield wait(0.2)
    entries = "#area ul:not(.hide) li"
    entry = f"{name} {user}" if name in {"Mute", "Block"} else name
    yield from scene.into_pane("#area", entries, entry)
    yield click(scene.one(entries, entry))


def posts(scene: Scene) -> Moves:
    user = scene.asked(r"by (@\S+) and")[0]
    icon = f".{scene.quoted().lower()}"
    numbers = _posts_by(scene, user)
    some = re.search(r"on (\d+) posts?", scene.goal)
    for number in numbers[: int(some[1])] if some else numbers:
        yield from _press_icon(scene, f".controls {icon}", number)
    yield from scene.into_pane("#area", "#submitRow button")
    yield from submit(scene)


def _posts_by(scene: Scene, user: str) -> list[int]:
    return [number for number, spot in enumerate(scene.spots(".media .username")) if spot.text == user]


def _press_icon(scene: Scene, selector: str, number: int) -> Moves:
    """Icons become others under the pointer, loaded then and there: they are clicked when they have come to rest."""
    icons = f".media {selector}"
    yield from scene.into_pane("#area", icons, number=number)
    yield hover(scene.one(icons, number=number))
    yield click(scene.one(icons, number=number))


def search(scene: Scene) -> Moves:
    (place,) = scene.asked(r"(\d)(?:st|nd|rd|th)")
    yield type_into(scene.field(), scene.quoted())
    yield click(scene.button("Search"))
    for _ in range((int(place) - 1) // 3):
        yield click(scene.button(">"))
    yield click(scene.elements("link")[(int(place) - 1) % 3])


def contact(scene: Scene) -> Moves:
    name, property_ = scene.asked(r"Find (.+) in .* their (phone|email|address)")
    for _ in range(6):
        yield read_text()
        if body(scene).splitlines()[0].strip() == name:
            break
        yield click(scene.button(">"))
    shown = [element for element in scene.elements("clickable") if element.name]
    yield click(shown[["phone", "email", "address"].index(property_)])


def order(scene: Scene) -> Moves:
    items = scene.spots(".food-item")
    names = [item.attributes["data-item"].strip() for item in items]
    by_name = re.search(r"item: (.+)$", scene.goal)
    if by_name:
        chosen = [names.index(name.strip()) for name in by_name[1].split(", ")]
    else:
        count, kind = scene.asked(r"(\d+) items .* are (\S+?)\.?$")
        fitting: list[int] = scene.ask(
            "(kind) => [...document.querySelectorAll('.food-item')].flatMap("
            '(item, number) => item.querySelector(`img[alt="${kind}"]`) ? [number] : [])',
            kind,
        )
        chosen = [fitting[0]] * int(count)
    for number in chosen:
        yield from scene.into_pane("#area", ".food-item .add", number=number)
        yield click(scene.one(".food-item .add", number=number))
    yield from scene.into_pane("#area", "#submit-order button")
    yield click(scene.spot("#submit-order button"))


POLICIES: Mapping[str, Policy] = {
    "email-inbox": mail,
    "email-inbox-delete": mail,
    "email-inbox-forward": mail,
    "email-inbox-important": mail,
    "email-inbox-noscroll": mail,
    "email-inbox-reply": mail,
    "email-inbox-star-reply": mail,
    "email-inbox-forward-nl": mail_in_free_words,
    "email-inbox-forward-nl-turk": mail_in_free_words,
    "email-inbox-nl-turk": mail_in_free_words,
    "social-media": post,
    "social-media-all": posts,
    "social-media-some": posts,
    "search-engine": search,
    "phone-book": contact,
    "order-food": order,
}
