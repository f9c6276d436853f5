"""Dragging: things into boxes, lists into order, text areas larger, events into a calendar, a cube around."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from battles.agents.base import AgentFailure
from battles.lanes.events import Action
from battles.proving_ground.oracle.scene import (
    Moves,
    Point,
    Policy,
    Scene,
    Spot,
    click,
    drag,
    first,
    type_into,
    wait,
)
from battles.proving_ground.oracle.writing import submit

DIRECTIONS: Mapping[str, Point] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

#: Far enough for every page that asks for a direction, in px.
A_BIT = 18


def box_into_box(scene: Scene) -> Moves:
    yield drag(scene.spot("#draggableSmall"), scene.spot("#draggableLarge"))
    yield from submit(scene)


def in_a_direction(scene: Scene) -> Moves:
    (word,) = scene.asked(r"(left|right|up|down)")
    dx, dy = DIRECTIONS[word]
    x, y = scene.spot("#area svg circle, #area svg rect, #area svg polygon").centre
    yield drag((x, y), (x + A_BIT * dx, y + A_BIT * dy))
    yield from submit(scene)


def _past(start: Point, goal: Point, by: float = 6) -> Point:
    """A little beyond the goal as seen from the start: sortable lists swap when a middle is passed."""
    x = goal[0] + by * ((goal[0] > start[0]) - (goal[0] < start[0]))
    y = goal[1] + by * ((goal[1] > start[1]) - (goal[1] < start[1]))
    return x, y


def sort_numbers(scene: Scene) -> Moves:
    for place in range(4):
        items = scene.spots("#sortable li")
        wanted = sorted(int(item.text) for item in items)
        now = first(number for number, item in enumerate(items) if int(item.text) == wanted[place])
        if now != place:
            yield drag(items[now], _past(items[now].centre, items[place].centre))
            yield wait(0.4)
    yield from submit(scene)


def item_in_list(scene: Scene) -> Moves:
    items = scene.spots("#sortable li")
    now, name = _named_item(scene, items)
    words = scene.goal.partition(name)[2]
    place = re.search(r"(\d)(?:st|nd|rd|th)", words)
    if place:
        goal = int(place[1]) - 1
    elif "top" in words:
        goal = 0
    elif "bottom" in words:
        goal = len(items) - 1
    else:
        goal = now + (1 if "down" in words else -1)
    yield drag(items[now], _past(items[now].centre, items[goal].centre))


def item_in_grid(scene: Scene) -> Moves:
    items = scene.spots("#sortable li")
    now, name = _named_item(scene, items)
    words = scene.goal.partition(name)[2]
    steps = {"up": -3, "down": 3, "left": -1, "right": 1}
    relative = re.search(r"(up|down|left|right) by", words)
    if relative:
        goal = now + steps[relative[1]]
    else:
        row = 0 if "top" in words else 2 if "bottom" in words else 1
        column = 0 if "left" in words else 2 if "right" in words else 1
        goal = row * 3 + column
    yield drag(items[now], _past(items[now].centre, items[goal].centre))


def _named_item(scene: Scene, items: list[Spot]) -> tuple[int, str]:
    (name,) = scene.asked(r"Drag (\S+) ")
    return first(number for number, item in enumerate(items) if item.text == name), name


def _shapes(scene: Scene) -> list[Spot]:
    found = scene.spots("#area_svg > *")
    return [spot for spot in found if spot.attributes.get("id") != "shape-container"]


def _places(box: Spot, count: int) -> list[Point]:
    """So many places inside a box, far enough apart not to hide what lies there already."""
    columns = 3
    return [
        (box.x + box.width * (number % columns + 0.7) / columns, box.y + box.height * (number // columns + 0.9) / 2 - 4)
        for number in range(count)
    ]


TAGS = {"rectangles": "rect", "circles": "circle", "triangles": "polygon"}


def shapes_into_box(scene: Scene) -> Moves:
    (kind,) = scene.asked(r"all (\w+)")
    box = scene.spot("#shape-container")
    count = sum(spot.tag == TAGS[kind] for spot in _shapes(scene))
    for number, place in enumerate(_places(box, count)):
        shape = [spot for spot in _shapes(scene) if spot.tag == TAGS[kind]][number]
        yield drag(shape, place)
    yield from submit(scene)


def shapes_apart(scene: Scene) -> Moves:
    (kind,) = scene.asked(r"all (\w+)")
    left, right = scene.spots("#shape-container")
    count = len(_shapes(scene))
    places = {True: _places(left, count), False: _places(right, count)}
    for number in range(count):
        shape = _shapes(scene)[number]
        chosen = shape.tag == TAGS.get(kind) or shape.attributes.get("fill") == kind
        yield drag(shape, places[chosen].pop(0))
    yield from submit(scene)


def resize(scene: Scene) -> Moves:
    dimension, size = scene.asked(r"(width|height) is (larger|smaller)")
    x, y = scene.spot(".ui-resizable-se").centre
    by = 15 if size == "larger" else -15
    yield drag((x, y), (x + by, y) if dimension == "width" else (x, y + by))
    yield from submit(scene)


def calendar(scene: Scene) -> Moves:
    length, hour, half = scene.asked(r"(\d[\d.]*) (?:hour|min).* between (\d+)([AP]M)")
    halves = round(float(length) * 2) if "hour" in scene.goal else round(float(length) / 30)
    begin = (int(hour) % 12 + (12 if half == "PM" else 0)) * 2
    yield from scene.into_pane("#area", f"#hh-{begin + 4}")
    # What is there already hides the half hours below it, and the pane is a little smaller than four hours.
    pane, taken = scene.spot("#area"), scene.spots("#area .event")
    spots = {number: scene.spot(f"#hh-{number}") for number in range(begin, begin + 8)}
    free = [number for number, spot in spots.items() if spot.y >= pane.y and not _hidden(spot, taken)]
    begin = min(number for number in free if set(range(number, number + halves)) <= set(free))
    start, end = spots[begin], spots[begin + halves - 1]
    # A new event covers the half hours it has; the pointer has to end on it.
    x = start.x + start.width / 2
    yield drag((x, start.y + 5), (x, start.y + 8), (x, end.y + 8), (x, end.y + 10))
    yield type_into(scene.field(), scene.quoted())
    yield click(scene.button("Create"))


def _hidden(spot: Spot, others: list[Spot]) -> bool:
    y = spot.y + spot.height / 2
    return any(other.y - 10 <= y <= other.y + other.height + 10 for other in others)


#: Degrees around the two axes of the cube that bring a side to the front: (X, Y); ``None`` where it does not matter.
_SIDES: Mapping[str, tuple[float | None, float]] = {
    "1": (None, 264),
    "2": (0, 0),
    "3": (269, 0),
    "4": (177, 0),
    "5": (86, 0),
    "6": (None, 88),
}

#: Close enough, in degrees: each side is in front for some 80.
_NEAR = 25

#: Parts of the slow drag that a turning cube needs: it looks at the pointer 50 times a second.
_PARTS = 10


def cube(scene: Scene) -> Moves:
    """Turn the cube around one axis and then the other, further or less by what the last turn did."""
    (wanted,) = scene.asked(r'"(\d)"')
    goal_x, goal_y = _SIDES[wanted]
    middle = scene.spot("#wrapper .viewport").centre
    gains = {"X": 1.0, "Y": -1.0}
    for _ in range(12):
        if scene.spot(".active").text == wanted:
            break
        turned: dict[str, float] = scene.ask("() => ({X: cube.viewport.positionX, Y: cube.viewport.positionY})")
        off_y = math.remainder(goal_y - turned["Y"], 360)
        axis = "Y" if abs(off_y) > _NEAR or goal_x is None else "X"
        off = off_y if axis == "Y" else math.remainder((goal_x or 0) - turned["X"], 360)
        length = max(-60.0, min(60.0, off / gains[axis]))
        yield _slow_drag(middle, (length, 0) if axis == "X" else (0, length))
        yield wait(1.2)
        now: float = scene.ask(f"() => cube.viewport.position{axis}")
        moved = math.remainder(now - turned[axis], 360)
        if abs(moved) > 2 and abs(length) > 1:
            gains[axis] = moved / length
    if scene.spot(".active").text != wanted:
        raise AgentFailure("the side never came to the front")
    yield from submit(scene)


def _slow_drag(middle: Point, by: Point) -> Action:
    """A straight drag through the middle in so many parts that it takes a while."""
    parts = [part / _PARTS - 0.5 for part in range(_PARTS + 1)]
    return drag(*((middle[0] + by[0] * part, middle[1] + by[1] * part) for part in parts))


POLICIES: Mapping[str, Policy] = {
    "drag-box": box_into_box,
    "drag-circle": in_a_direction,
    "drag-single-shape": in_a_direction,
    "drag-sort-numbers": sort_numbers,
    "drag-items": item_in_list,
    "drag-items-grid": item_in_grid,
    "drag-shapes": shapes_into_box,
    "drag-shapes-2": shapes_apart,
    "resize-textarea": resize,
    "daily-calendar": calendar,
    "drag-cube": cube,
}
