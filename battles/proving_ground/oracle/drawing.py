"""Shapes: found, counted, measured, drawn. All of it is drawn only, so every policy here peeks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from battles.proving_ground.oracle.scene import Moves, Point, Policy, Scene, Spot, click, drag, first
from battles.proving_ground.oracle.writing import submit

#: The page's own shapes are 20 px when large and 10 px when small.
LARGE_FROM = 15.0

KINDS = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}

#: A drag has at most 32 points.
MOST_POINTS = 32


def _words_of(spot: Spot) -> set[str]:
    """Everything that a page may call a shape."""
    kind = KINDS.get(spot.tag, "")
    size = max(spot.width, spot.height) if kind else float(spot.attributes["font-size"].removesuffix("px"))
    words = {"large" if size > LARGE_FROM else "small", spot.attributes.get("fill", ""), "item"}
    if kind:
        return words | {kind, "shape"}
    return words | {spot.text, "digit" if spot.text.isdigit() else "letter"}


def _shapes(scene: Scene) -> list[Spot]:
    return scene.spots("#area_svg > *")


def click_shape(scene: Scene) -> Moves:
    wanted = set(scene.goal.removesuffix(".").split()[3:])
    yield click(first(spot for spot in _shapes(scene) if wanted <= _words_of(spot)))


def count_shapes(scene: Scene) -> Moves:
    (described,) = scene.asked(r"many (.+)s are")
    wanted = set(described.split())
    yield click(scene.button(str(sum(wanted <= _words_of(spot) for spot in _shapes(scene)))))


def name_shape(scene: Scene) -> Moves:
    words = _words_of(_shapes(scene)[0])
    names = {
        "rectangle": "Rectangle",
        "circle": "Circle",
        "triangle": "Triangle",
        "letter": "Letter",
        "digit": "Number",
    }
    yield click(scene.button(first(name for word, name in names.items() if word in words)))


#: How far the drawing reaches from its middle in each of 360 directions.
_REACH = """() => {
  const canvas = document.getElementById('c');
  const data = canvas.getContext('2d').getImageData(0, 0, 150, 100).data;
  return [...Array(360).keys()].map((angle) => {
    for (let r = 45; r > 0; r -= 0.5) {
      const turn = angle * Math.PI / 180;
      const x = Math.round(75 + r * Math.cos(turn)), y = Math.round(50 + r * Math.sin(turn));
      if (data[(y * 150 + x) * 4 + 3] > 100) return r;
    }
    return 0;
  });
}"""


def count_sides(scene: Scene) -> Moves:
    """A regular polygon reaches out as often as it has corners: the strongest wave of its outline tells."""
    reach: list[float] = scene.ask(_REACH)

    def strength(sides: int) -> float:
        waves = [
            (r * math.cos(math.radians(sides * a)), r * math.sin(math.radians(sides * a))) for a, r in enumerate(reach)
        ]
        return math.hypot(sum(x for x, _ in waves), sum(y for _, y in waves))

    yield click(scene.button(str(max(range(3, 8), key=strength))))


def ascending(scene: Scene) -> Moves:
    yield click(first(spot for spot in scene.spots("#area_svg text") if spot.text == "1"))
    for number in range(2, 6):
        yield click(scene.spot(f'#area_svg rect[data-index="{number}"]'))


def grid_point(scene: Scene) -> Moves:
    (point,) = scene.asked(r"(\(-?\d,-?\d\))")
    yield click(first(spot for spot in scene.spots("#area svg circle") if spot.attributes["id"] == point))


def circle_centre(scene: Scene) -> Moves:
    yield click(_placed(scene.spot(".black-circle")))
    yield from submit(scene)


def midpoint(scene: Scene) -> Moves:
    (ax, ay), (bx, by) = (_placed(spot) for spot in scene.spots(".black-circle"))
    yield click(((ax + bx) / 2, (ay + by) / 2))
    yield from submit(scene)


#: Pages that take a click for a point of their drawing count from this many px below the view's top edge.
DRAWING_TOP = 50


def _placed(spot: Spot) -> Point:
    """Where a click makes a point at the same place of the drawing."""
    return float(spot.attributes["cx"]), float(spot.attributes["cy"]) + DRAWING_TOP


def _angle(a: Point, b: Point, vertex: Point) -> float:
    turn = math.atan2(a[1] - vertex[1], a[0] - vertex[0]) - math.atan2(b[1] - vertex[1], b[0] - vertex[0])
    return abs(math.degrees(math.remainder(turn, math.tau)))


def _pixels(scene: Scene) -> Iterable[Point]:
    box = scene.spot("#svg-grid")
    top = int(box.y) + 4
    return [(x, y) for x in range(4, int(box.width) - 4) for y in range(top, top + int(box.height) - 8)]


def _best(pixels: Iterable[Point], vertex: Point, error: Callable[[Point], float]) -> Point:
    """The whole pixel with the least error, well away from the vertex and from its own kind of dots."""
    return min((pixel for pixel in pixels if math.dist(pixel, vertex) > 25), key=error)


def bisect(scene: Scene) -> Moves:
    vertex = _placed(scene.spot(".init-blue"))
    a, b = (_placed(spot) for spot in scene.spots(".init-black"))
    middle = _between(a, b, vertex)
    yield click(_best(_pixels(scene), vertex, lambda pixel: _angle(pixel, middle, vertex)))
    yield from submit(scene)


def _between(a: Point, b: Point, vertex: Point) -> Point:
    """A point on the line that halves the angle."""
    la, lb = math.dist(a, vertex), math.dist(b, vertex)
    return (
        vertex[0] + (a[0] - vertex[0]) / la + (b[0] - vertex[0]) / lb,
        vertex[1] + (a[1] - vertex[1]) / la + (b[1] - vertex[1]) / lb,
    )


def right_angle(scene: Scene) -> Moves:
    vertex, other = _placed(scene.spot("#init-blue")), _placed(scene.spot("#init-black"))
    yield click(_best(_pixels(scene), vertex, lambda pixel: abs(90 - _angle(pixel, other, vertex))))
    yield from submit(scene)


def draw_circle(scene: Scene) -> Moves:
    x, y = scene.spot("#circ").centre
    canvas = scene.spot("#area svg")
    radius = min(x - canvas.x, canvas.x + canvas.width - x, y - canvas.y, canvas.y + canvas.height - y) - 4
    turns = [math.tau * step / (MOST_POINTS - 1) for step in range(MOST_POINTS)]
    yield drag(*((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns))
    yield from submit(scene)


def draw_line(scene: Scene) -> Moves:
    x, y = scene.spot("#circ").centre
    canvas = scene.spot("#area svg")
    if "horizontal" in scene.goal:
        yield drag((canvas.x + 8, y), (x, y), (canvas.x + canvas.width - 8, y))
    else:
        yield drag((x, canvas.y + 8), (x, y), (x, canvas.y + canvas.height - 8))
    yield from submit(scene)


POLICIES: Mapping[str, Policy] = {
    "click-shape": click_shape,
    "count-shape": count_shapes,
    "identify-shape": name_shape,
    "count-sides": count_sides,
    "ascending-numbers": ascending,
    "grid-coordinate": grid_point,
    "circle-center": circle_centre,
    "find-midpoint": midpoint,
    "bisect-angle": bisect,
    "right-angle": right_angle,
    "draw-circle": draw_circle,
    "draw-line": draw_line,
}
