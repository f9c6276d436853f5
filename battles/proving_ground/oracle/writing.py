"""Text: typed, read, copied, counted and solved."""

from __future__ import annotations

import re
from collections.abc import Mapping

from battles.agents.base import AgentFailure
from battles.proving_ground.oracle.scene import (
    Moves,
    Policy,
    Scene,
    click,
    drag,
    first,
    press,
    read_text,
    scroll,
    type_into,
    wait,
)

#: More than any text area here is long, in px.
FAR = 5_000


def body(scene: Scene) -> str:
    """The page's words without the goal above them and the display of rewards below; after ``read_text()``."""
    words = scene.told.partition("Last reward:")[0]
    # The goal as the page writes it has its own line breaks.
    pattern = r"\s*".join(re.escape(word) for word in scene.goal.split())
    return re.sub(pattern, "", words, count=1).strip()


def numbers(scene: Scene) -> list[int]:
    """Numbers that stand on a line by themselves; after ``read_text()``."""
    return [int(number) for number in re.findall(r"^\s*(-?\d+)\s*$", body(scene), re.MULTILINE)]


def submit(scene: Scene) -> Moves:
    yield click(scene.button("Submit"))


def enter_quoted(scene: Scene) -> Moves:
    yield type_into(scene.field(), scene.quoted())
    yield from submit(scene)


def enter_in_case(scene: Scene) -> Moves:
    (case,) = scene.asked(r"(upper|lower)")
    word = scene.quoted()
    yield type_into(scene.field(), word.upper() if case == "upper" else word.lower())
    yield from submit(scene)


def password(scene: Scene) -> Moves:
    for number in range(2):
        yield type_into(scene.field(number), scene.quoted())
    yield from submit(scene)


def date(scene: Scene) -> Moves:
    """A native picker takes no clicks: its value is typed, from its first part on."""
    month, day, year = scene.asked(r"(\d+)/(\d+)/(\d+)")
    field = scene.elements()[0]
    yield type_into((field.x + 12, field.y + field.height // 2), f"{month}{day}{year}")
    yield from submit(scene)


def time(scene: Scene) -> Moves:
    hour, minute, half = scene.asked(r"(\d+):(\d+)\s*([AP])M")
    field = scene.elements()[0]
    yield type_into((field.x + 12, field.y + field.height // 2), f"{hour:0>2}{minute}{half}")
    yield from submit(scene)


def focus(scene: Scene) -> Moves:
    place = re.search(r"(\d)(?:st|nd|rd)", scene.goal)
    yield click(scene.field(int(place[1]) - 1 if place else 0))


def login(scene: Scene) -> Moves:
    """A dialog of the page may come between: it is turned down, and the field filled again."""
    for number in range(2):
        yield click(scene.field(number))
        if scene.named("Cancel", "button"):
            yield click(scene.button("Cancel"))
        yield type_into(scene.field(number), scene.quoted(number), clear=True)
    yield click(scene.elements("button")[-1])


def film(scene: Scene) -> Moves:
    """Labels stand beside, above or below their fields, and belong to none of them: only their order tells."""
    genre, name, year = scene.asked(r"for (.+) movies .* by (.+) from year (\d+)")
    yield read_text()
    words = body(scene)
    labels = {"Genre": genre, "Director": name, "Year": year, "Date": year}
    found = sorted((words.index(label), text) for label, text in labels.items() if label in words)
    for number, (_, text) in enumerate(found):
        yield type_into(scene.field(number), text)
    ends = [element for element in scene.elements() if element.name in {"Submit", "Search", "Go!"}]
    if not ends:
        raise AgentFailure("nothing sends the form")
    yield click(ends[-1])


def copy(scene: Scene) -> Moves:
    place = re.search(r"(\d)(?:st|nd|rd)", scene.goal)
    areas = [field for field in scene.elements("textbox") if "type" not in field.state]
    yield click(areas[int(place[1]) - 1 if place else 0])
    yield press("Control+a")
    yield press("Control+c")
    yield click(first(field for field in scene.elements("textbox") if "type" in field.state))
    yield press("Control+v")
    yield from submit(scene)


def last_word(scene: Scene) -> Moves:
    """A text area shows its value to nobody but the eye: the word is marked and copied with the keyboard."""
    yield click(scene.field(0))
    yield press("Control+End")
    # Without its full stop the last word is one step of the caret.
    yield press("Backspace")
    yield press("Control+Shift+ArrowLeft")
    yield press("Control+c")
    yield click(scene.field(1))
    yield press("Control+v")
    yield from submit(scene)


def to_the_end(scene: Scene) -> Moves:
    yield scroll(scene.field(), FAR if "bottom" in scene.goal else -FAR)
    yield from submit(scene)


def agreement(scene: Scene) -> Moves:
    if '"' in scene.goal:
        area = scene.elements("textbox")[0]
        yield scroll((area.x + area.width // 2, area.y + area.height // 2), FAR)
        yield type_into(first(field for field in scene.elements("textbox") if "type" in field.state), scene.quoted())
        yield click(scene.button(scene.quoted(1)))
    else:
        yield click(scene.button("Cancel"))


def table_value(scene: Scene) -> Moves:
    (key,) = scene.asked(r"value of (.+) into")
    yield read_text()
    yield type_into(scene.field(), _table(scene)[key])
    yield from submit(scene)


def table_values(scene: Scene) -> Moves:
    yield read_text()
    table = _table(scene)
    for number, key in enumerate(re.findall(r"^(.+):\s*$", body(scene), re.MULTILINE)[:2]):
        yield type_into(scene.field(number), table[key.strip()])
    yield from submit(scene)


def _table(scene: Scene) -> dict[str, str]:
    rows = re.findall(r"^(.+)\t(.+)$", body(scene), re.MULTILINE)
    return {key.strip(): value.strip() for key, value in rows}


def nth_word(scene: Scene) -> Moves:
    (place,) = scene.asked(r"(\d+)(?:st|nd|rd|th)")
    yield read_text()
    word = body(scene).split()[int(place) - 1]
    yield type_into(scene.field(), re.sub(r"[^a-zA-Z]", "", word))
    yield from submit(scene)


def arithmetic(scene: Scene) -> Moves:
    yield read_text()
    found = re.search(r"(\d+)\s*([x+\-])\s*(\d+)", body(scene))
    if found is None:
        raise AgentFailure("there is no sum to do")
    left, sign, right = int(found[1]), found[2], int(found[3])
    results = {"+": left + right, "-": left - right, "x": left * right}
    yield type_into(scene.field(), str(results[sign]))
    yield from submit(scene)


def algebra(scene: Scene) -> Moves:
    yield read_text()
    found = re.search(r"(x|\d+)\s*([+\-])\s*(x|\d+)\s*=\s*(-?\d+)", body(scene))
    if found is None:
        raise AgentFailure("there is no equation to solve")
    left, sign, right, result = found.groups()
    if left == "x":
        solution = int(result) - int(right) if sign == "+" else int(result) + int(right)
    else:
        solution = int(result) - int(left) if sign == "+" else int(left) - int(result)
    yield type_into(scene.field(), str(solution))
    yield from submit(scene)


def count_blocks(scene: Scene) -> Moves:
    yield type_into(scene.field(), str(len(scene.spots(".addition-block"))))
    yield from submit(scene)


def skewed_letters(scene: Scene) -> Moves:
    """The letters are text, only drawn askew."""
    yield read_text()
    yield type_into(scene.field(), re.sub(r"\s", "", body(scene).rpartition("Submit")[0]))
    yield from submit(scene)


def guess(scene: Scene) -> Moves:
    low, high = 0, 9
    while low <= high:
        middle = (low + high) // 2
        yield type_into(scene.field(), str(middle), clear=True)
        yield from submit(scene)
        yield read_text()
        if "higher than" in body(scene):
            low = middle + 1
        else:
            high = middle - 1


def draw_a_number(scene: Scene) -> Moves:
    fits = {
        "less": lambda number, bound: number < bound,
        "greater": lambda number, bound: number > bound,
        "odd": lambda number, bound: number % 2 == 1,
        "even": lambda number, bound: number % 2 == 0,
    }
    (kind,) = scene.asked(r"(less|greater|odd|even)")
    bound = int((re.findall(r"\d+", scene.goal) or ["0"])[0])
    for _ in range(14):
        yield click(scene.button("Generate"))
        yield read_text()
        if fits[kind](numbers(scene)[0], bound):
            break
    yield from submit(scene)


def odd_or_even(scene: Scene) -> Moves:
    yield read_text()
    for row, number in enumerate(numbers(scene)):
        name = "Odd" if number % 2 else "Even"
        yield click([button for button in scene.elements("button") if button.name == name][row])
    yield from submit(scene)


def terminal(scene: Scene) -> Moves:
    ending = re.search(r"(\.[\w.]+)\s*$", scene.goal)
    yield wait(0.3)
    yield type_into(None, "ls", enter=True)
    yield read_text()
    lines = [line.strip() for line in body(scene).splitlines()]
    files = lines[first(number for number, line in enumerate(lines) if line.endswith("ls")) + 1 :]
    names = first(line for line in files if line).split()
    fitting = [name for name in names if (name.endswith(ending[1]) if ending else "." not in name)]
    yield type_into(None, f"rm {fitting[0]}", enter=True)


#: Where a word of the editor is drawn, to select it with the pointer as a person does.
_WORD = """(word) => {
  const walk = document.createTreeWalker(document.querySelector('.ql-editor'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const words = ` ${node.data} `;
    const at = words.indexOf(` ${word} `);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    const box = range.getBoundingClientRect();
    return [box.left, box.top + box.height / 2, box.right];
  }
}"""


def editor(scene: Scene) -> Moves:
    everything = "everything" in scene.goal
    if everything:
        yield click(scene.elements("textbox")[0])
        yield press("Control+a")
    else:
        (word,) = scene.asked(r"give the text (.+) the (?:style|color)")
        left, middle, right = scene.ask(_WORD, word)
        yield drag((left, middle), (right, middle))
    style = re.search(r"style (bold|italics|underlined)", scene.goal)
    if style:
        buttons = {"bold": ".ql-bold", "italics": ".ql-italic", "underlined": ".ql-underline"}
        yield click(scene.spot(f".ql-toolbar {buttons[style[1]]}"))
    else:
        (wanted,) = scene.asked(r"color (\w+)")
        shade: str = scene.ask("(colour) => COLOR_MAP[colour][0]", wanted)
        yield click(scene.spot(".ql-color .ql-picker-label"))
        yield click(scene.spot(f'.ql-color .ql-picker-item[data-value="{shade}"]'))
    yield from submit(scene)


_RANGE = """(selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
  const first = boxes[0], last = boxes[boxes.length - 1];
  return [first.left, first.top + first.height / 2, last.right, last.top + last.height / 2];
}"""


def highlight(scene: Scene) -> Moves:
    place = re.search(r"(\d)(?:st|nd|rd)", scene.goal)
    left, top, right, bottom = scene.ask(_RANGE, f"#randomText p:nth-child({place[1]})" if place else "#randomText")
    yield drag((left, top), (right + 2, bottom))
    yield from submit(scene)


POLICIES: Mapping[str, Policy] = {
    "enter-text": enter_quoted,
    "enter-text-dynamic": enter_quoted,
    "enter-text-2": enter_in_case,
    "enter-password": password,
    "enter-date": date,
    "enter-time": time,
    "focus-text": focus,
    "focus-text-2": focus,
    "login-user": login,
    "login-user-popup": login,
    "multi-layouts": film,
    "multi-orderings": film,
    "copy-paste": copy,
    "copy-paste-2": copy,
    "scroll-text": last_word,
    "scroll-text-2": to_the_end,
    "sign-agreement": agreement,
    "read-table": table_value,
    "read-table-2": table_values,
    "find-word": nth_word,
    "simple-arithmetic": arithmetic,
    "simple-algebra": algebra,
    "visual-addition": count_blocks,
    "text-transform": skewed_letters,
    "guess-number": guess,
    "generate-number": draw_a_number,
    "odd-or-even": odd_or_even,
    "terminal": terminal,
    "text-editor": editor,
    "highlight-text": highlight,
    "highlight-text-2": highlight,
}
