"""A visitor without a browser: reads pages as a person does (links, labels, buttons) and uses them over HTTP."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

TIMEOUT_SECONDS = 10
_VOID = {"input", "img", "br", "meta", "link", "hr", "option"}
_MOST_REDIRECTS = 5


@dataclass
class Control:
    name: str
    kind: str
    value: str = ""
    checked: bool = False
    label: str = ""
    options: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Button:
    text: str
    name: str = ""
    value: str = ""


@dataclass
class Form:
    action: str
    method: str
    controls: list[Control] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)


class Page(HTMLParser):
    """Links, forms and words of one document."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.markup = markup
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.images: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.fragments: list[str] = []
        self.headings = 0
        self.words: list[str] = []
        self._label_for: dict[str, str] = {}
        self._ids: dict[str, Control] = {}
        self._open: list[tuple[str, dict[str, str], list[str]]] = []
        self._select: Control | None = None
        self._wrapped: list[Control] = []
        self.feed(markup)
        self.close()
        for name, text in self._label_for.items():
            if name in self._ids:
                self._ids[name].label = text

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "h1":
            self.headings += 1
        elif tag == "form":
            self.forms.append(Form(given["action"], given["method"].upper()))
        elif tag == "img":
            self.images.append((given["src"], given.get("alt")))
        elif tag in {"input", "select", "textarea"}:
            self._add_control(tag, given)
        elif tag == "option" and self._select:
            self._select.options.append((given["value"], ""))
            if "selected" in given or len(self._select.options) == 1:
                self._select.value = given["value"]
        if tag not in _VOID:
            self._open.append((tag, given, []))

    def _add_control(self, tag: str, given: dict[str, str]) -> None:
        kind = given.get("type", "text") if tag == "input" else tag
        control = Control(given["name"], kind, given.get("value", ""), "checked" in given, given.get("aria-label", ""))
        if not control.label and any(name == "label" for name, _, _ in self._open):
            self._wrapped.append(control)
        if "id" in given:
            self._ids[given["id"]] = control
        self.forms[-1].controls.append(control)
        if tag == "select":
            self._select = control

    def handle_data(self, data: str) -> None:
        if self._select and self._select.options and self._open[-1][0] == "select":
            value, text = self._select.options[-1]
            self._select.options[-1] = (value, text + data.strip())
            return
        if not any(name in {"title", "script", "style"} for name, _, _ in self._open):
            self.words.append(data)
        for _, _, parts in self._open:
            parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        name, given, parts = self._open.pop()
        assert name == tag, f"</{tag}> closes <{name}>"
        text = " ".join("".join(parts).split())
        if tag == "a":
            (self.fragments if given["href"].startswith("#") else self.links).append(
                given["href"] if given["href"].startswith("#") else (text, given["href"])
            )
        elif tag == "label":
            text = text.removesuffix("(optional)").strip()
            if "for" in given:
                self._label_for[given["for"]] = text
            for control in self._wrapped:
                control.label = text
            self._wrapped.clear()
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self.forms[-1].controls[-1].value = "".join(parts).removeprefix("\n")
        elif tag == "button" and given.get("type") == "submit":
            shown = given.get("aria-label", text)
            self.forms[-1].buttons.append(Button(shown, given.get("name", ""), given.get("value", "")))


def submitted(form: Form, button: Button, typed: Mapping[str, object]) -> dict[str, str]:
    """What the form sends when ``button`` is pressed after the labelled controls were set."""
    left = dict(typed)
    sent: dict[str, str] = {}
    for control in form.controls:
        wanted = left.pop(control.label, None) if control.kind not in {"radio", "checkbox"} else None
        if control.kind == "select" and wanted is not None:
            texts = {text: value for value, text in control.options}
            assert wanted in texts, f"{control.label} has no option {wanted!r}, but {sorted(texts)}"
            sent[control.name] = texts[str(wanted)]
        elif control.kind in {"radio", "checkbox"}:
            chosen = left.pop(control.label, None)
            if chosen is True or (control.checked and chosen is None and control.name not in sent):
                sent[control.name] = control.value
        else:
            sent[control.name] = control.value if wanted is None else str(wanted)
    assert not left, f"no control is labelled {sorted(left)}; there are {[c.label for c in form.controls]}"
    if button.name:
        sent[button.name] = button.value
    return sent


class Visitor:
    """Goes from page to page on one site."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.path = "/"
        self.status = 0
        self.page = Page("")

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One exchange, redirects not followed: status, headers in lower case, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def _go(self, method: str, path: str, body: bytes | None = None) -> Visitor:
        form = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        for _ in range(_MOST_REDIRECTS):
            self.status, headers, content = self.request(method, path, body, form)
            if self.status != 303:
                break
            method, path, body, form = "GET", urljoin(path, headers["location"]), None, {}
        self.path, self.page = path, Page(content.decode())
        return self

    def open(self, path: str) -> Visitor:
        return self._go("GET", path)

    def follow(self, text: str) -> Visitor:
        """Follow the first link with this text (or the one that begins with it)."""
        links = self.page.links
        target = next((href for shown, href in links if shown == text), None)
        target = target or next((href for shown, href in links if shown.startswith(text)), None)
        assert target, f"no link {text!r} on {self.path}: {[shown for shown, _ in links]}"
        return self._go("GET", urljoin(self.path, target))

    def press(self, button_text: str) -> Visitor:
        """Press a button and leave its form as it is."""
        return self.fill(button_text, {})

    def fill(self, button_text: str, typed: Mapping[str, object]) -> Visitor:
        """Set controls by their labels (``True`` ticks) in the form with this button, and press it."""
        for form in self.page.forms:
            for button in form.buttons:
                if button.text == button_text and set(typed) <= {control.label for control in form.controls}:
                    sent = urlencode(submitted(form, button, typed))
                    target = urljoin(self.path, form.action)
                    if form.method == "GET":
                        return self._go("GET", f"{urlsplit(target).path}?{sent}")
                    return self._go("POST", target, sent.encode())
        raise AssertionError(f"no form with {button_text!r} and {sorted(typed)} on {self.path}")
