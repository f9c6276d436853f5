"""Pages with a clock or an opponent: waiting, watching, chasing, searching and playing."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache

import numpy as np

from battles.proving_ground.oracle.scene import Moves, Policy, Scene, click, hover, read_text, wait
from battles.proving_ground.oracle.writing import body

#: More than a step takes besides its wait, in seconds: looking, aiming and coming to rest. The rest is thought away.
A_STEP = 0.5


def after_a_while(scene: Scene) -> Moves:
    """Two clicks are as far apart as the moments at which they were decided, whatever a step takes."""
    (seconds,) = scene.asked(r"(\d) seconds")
    due = time.monotonic() + int(seconds)
    yield click(scene.button("ONE"))
    left = due - time.monotonic() - A_STEP
    if left > 0.1:
        yield wait(round(left, 2))
    time.sleep(max(0.0, due - time.monotonic()))
    yield click(scene.button("TWO"))


#: The buttons that flash until none has for a second, as their numbers.
_FLASHES = """() => new Promise((resolve) => {
  const seen = [];
  let quiet = setTimeout(() => resolve(seen), 1500);
  new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (!target.classList.contains('push') || /push/.test(oldValue || '')) continue;
      seen.push(Number(target.dataset.button) - 1);
      clearTimeout(quiet);
      quiet = setTimeout(() => resolve(seen), 1500);
    }
  }).observe(document.getElementById('area'), {
    subtree: true, attributes: true, attributeOldValue: true, attributeFilter: ['class'],
  });
})"""


def repeat_flashes(scene: Scene) -> Moves:
    for number in scene.ask(_FLASHES):
        yield click(scene.elements("button")[number])


#: The price once it is well under a limit, or just before the 75th, which is the limit itself; ``null`` after 2 s.
_CHEAP = """(limit) => new Promise((resolve) => {
  const until = performance.now() + 2000;
  const look = () => {
    const price = Number(document.getElementById('stock-price').textContent.slice(1));
    if (price > 0 && price <= limit - 0.8 || priceIndex >= 75) resolve(price);
    else if (performance.now() > until) resolve(null);
    else setTimeout(look, 5);
  };
  look();
})"""


def buy_low(scene: Scene) -> Moves:
    (limit,) = scene.asked(r"\$([\d.]+?)\.?$")
    while scene.ask(_CHEAP, float(limit)) is None:
        continue
    yield click(scene.button("Buy"))


def find_hot_place(scene: Scene) -> Moves:
    """Ask where the answers tell most, keep the places that agree with all of them."""
    xs, ys = np.meshgrid(np.arange(5, 155), np.arange(5, 120))
    places = np.stack([xs.ravel(), ys.ravel()], axis=1).astype(float)
    probes = places[(places[:, 0] % 5 == 0) & (places[:, 1] % 5 == 0)]
    for _ in range(13):
        x, y = _telling(places, probes)
        yield hover((x, y + 50))
        yield read_text()
        words = body(scene)
        heat = 3 if "ICE COLD" in words else 2 if "COLD" in words else 1 if "WARM" in words else 0
        if heat == 0:
            yield click((x, y + 50))
            return
        places = places[_heat(np.hypot(places[:, 0] - x, places[:, 1] - y)) == heat]
    middle = places.mean(axis=0)
    yield click((float(middle[0]), float(middle[1]) + 50))


def _heat(distance: np.ndarray) -> np.ndarray:
    return np.asarray(np.digitize(distance, [5, 10, 40]))


def _telling(places: np.ndarray, probes: np.ndarray) -> tuple[float, float]:
    """The probe whose answer leaves the fewest places on average."""
    best, least = probes[0], float("inf")
    for probe in probes if len(places) > 1 else places:
        counts = np.bincount(_heat(np.hypot(*(places - probe).T)), minlength=4)
        left = float((counts**2).sum()) / len(places) - 0.5 * counts[0]
        if left < least:
            best, least = probe, left
    return float(best[0]), float(best[1])


_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

#: How often the page's own player takes a place at random instead of the best it sees.
AT_RANDOM = 0.55

Board = tuple[int, ...]


def _won(board: Board, player: int) -> bool:
    return any(all(board[place] == player for place in line) for line in _LINES)


def _free(board: Board) -> list[int]:
    return [place for place in (4, 0, 2, 6, 8, 1, 3, 5, 7) if not board[place]]


def _with(board: Board, place: int, player: int) -> Board:
    return (*board[:place], player, *board[place + 1 :])


@cache
def _chance(board: Board) -> float:
    """The chance to win from here, being on the move, against that player."""
    return max((_after(_with(board, place, 1)) for place in _free(board)), default=0.0)


@cache
def _after(board: Board) -> float:
    if _won(board, 1):
        return 1.0
    free = _free(board)
    if not free:
        return 0.0
    chances = {place: 0.0 if _won(_with(board, place, -1), -1) else _chance(_with(board, place, -1)) for place in free}
    for player in (-1, 1):
        sharp = [place for place in free if _won(_with(board, place, player), player)]
        if sharp:
            return AT_RANDOM * sum(chances.values()) / len(free) + (1 - AT_RANDOM) * chances[sharp[0]]
    return sum(chances.values()) / len(free)


def three_in_a_row(scene: Scene) -> Moves:
    marks = {"mark-x": 1, "mark-o": -1}
    for _ in range(5):
        squares = scene.spots(".ttt-row span")
        if len(squares) < 9:
            return
        board = tuple(marks.get(square.attributes.get("class", ""), 0) for square in squares)
        place = max(_free(board), key=lambda place: _after(_with(board, place, 1)))
        yield click(squares[place])


#: How far ahead of a moving circle to aim, in spans of 60 ms: a step on a page that never rests takes some 0.6 s.
AHEAD = 3.0

_CIRCLE = """() => new Promise((resolve) => {
  const at = () => {
    const box = document.querySelector('#circ').getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const first = at();
  setTimeout(() => resolve([first, at()]), 60);
})"""


def chase(scene: Scene) -> Moves:
    """Aim at where the circle will be when the pointer arrives."""
    while True:
        (ax, ay), (bx, by) = scene.ask(_CIRCLE)
        yield hover((bx + (bx - ax) * AHEAD, by + (by - ay) * AHEAD))


#: Where, within a second, some circle on its way across will be in a moment; ``null`` when there is none.
_CROSSING = """() => new Promise((resolve) => {
  const spots = () => new Map([...document.querySelectorAll('circle.item')].map((circle) => {
    const box = circle.getBoundingClientRect();
    return [circle.id, [box.x + box.width / 2, box.y + box.height / 2]];
  }));
  const until = performance.now() + 1000;
  const look = () => {
    const before = spots();
    setTimeout(() => {
      for (const [id, [x, y]] of spots()) {
        const [oldX, oldY] = before.get(id);
        const ahead = [x + 1.5 * (x - oldX), y + 1.5 * (y - oldY)];
        if (x !== oldX && ahead[0] > 2 && ahead[0] < 158 && ahead[1] > 54 && ahead[1] < 208) return resolve(ahead);
      }
      if (performance.now() > until) resolve(null); else look();
    }, 40);
  };
  look();
})"""


def catch(scene: Scene) -> Moves:
    for _ in range(28):
        place = scene.ask(_CROSSING)
        if place is None:
            yield wait(0.1)
        else:
            yield click((place[0], place[1]))


POLICIES: Mapping[str, Policy] = {
    "button-delay": after_a_while,
    "simon-says": repeat_flashes,
    "stock-market": buy_low,
    "hot-cold": find_hot_place,
    "tic-tac-toe": three_in_a_row,
    "chase-circle": chase,
    "moving-items": catch,
}
