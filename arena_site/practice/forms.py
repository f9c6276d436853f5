"""Forms of the practice sites: declared once, then drawn, read back and drawn again with what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

from arena_site.practice.markup import Html, html, joined
from arena_site.practice.wsgi_site import Params

_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+")
_TICKED = "yes"


@dataclass(frozen=True, slots=True)
class Field:
    """One input with its label.

    ``kind`` is text, email, number, date, textarea, select, radio or checkbox. ``choices`` are pairs of
    value and text, ``suggestions`` the id of a datalist. ``check`` gets a non-empty value and returns what is
    wrong with it, or "".
    """

    name: str
    label: str
    kind: str = "text"
    required: bool = True
    choices: tuple[tuple[str, str], ...] = ()
    longest: int = 120
    least: int = 0
    most: int = 0
    hint: str = ""
    autocomplete: str = ""
    suggestions: str = ""
    missing: str = ""
    check: Callable[[str], str] | None = None


@dataclass(slots=True)
class Filled:
    """What a visitor typed, as typed, and what is wrong with it, by field name."""

    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.errors

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    def ticked(self, name: str) -> bool:
        return self.values.get(name) == _TICKED


def read_form(fields: Sequence[Field], params: Params) -> Filled:
    """Read a submitted form; every problem is told at once."""
    filled = Filled()
    for each in fields:
        value = params.lines(each.name) if each.kind == "textarea" else params.text(each.name)
        if problem := _problem(each, value):
            filled.errors[each.name] = problem
        filled.values[each.name] = value[: each.longest + 1]
    return filled


def parse_date(text: str) -> date | None:
    """A date as a date input sends it (2027-03-16), or ``None``."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _problem(each: Field, value: str) -> str:
    if not value:
        return (each.missing or f"{each.label}: please fill this in.") if each.required else ""
    if len(value) > each.longest:
        return f"{each.label}: please use at most {each.longest} characters."
    wrong = ""
    if each.kind in {"select", "radio"} and value not in dict(each.choices):
        wrong = f"{each.label}: please choose one of the options."
    elif each.kind == "checkbox" and value != _TICKED:
        wrong = f"{each.label}: please tick or leave empty."
    elif each.kind == "email" and not _EMAIL.fullmatch(value):
        wrong = f"{each.label}: please give an address like name@example.test."
    elif each.kind == "number":
        wrong = _number_problem(each, value)
    elif each.kind == "date" and parse_date(value) is None:
        wrong = f"{each.label}: please give a date."
    return wrong or (each.check(value) if each.check else "")


def _number_problem(each: Field, value: str) -> str:
    if re.fullmatch(r"[0-9]{1,9}", value) and each.least <= int(value) <= each.most:
        return ""
    return f"{each.label}: please give a whole number from {each.least} to {each.most}."


def drawn(fields: Sequence[Field], filled: Filled) -> Html:
    """The inputs with their labels, hints, values and errors, without the form around them."""
    return joined(_drawn_field(each, filled) for each in fields)


def problem_summary(fields: Sequence[Field], filled: Filled) -> Html:
    """What is wrong, above the form, each line a link to its input; nothing when all is well."""
    if filled.ok:
        return Html("")
    lines = joined(
        html('<li><a href="#{name}">{error}</a></li>', name=each.name, error=filled.errors[each.name])
        for each in fields
        if each.name in filled.errors
    )
    return html('<div class="problems" role="alert"><h2>Please check the form</h2><ul>{lines}</ul></div>', lines=lines)


def options(choices: Sequence[tuple[str, str]], chosen: str) -> Html:
    """The options of a select box, with the chosen one marked."""
    return joined(
        html(
            '<option value="{value}"{mark}>{text}</option>',
            value=value,
            mark=Html(" selected") if value == chosen else "",
            text=text,
        )
        for value, text in choices
    )


def _drawn_field(each: Field, filled: Filled) -> Html:
    error = filled.errors.get(each.name, "")
    notes = _notes(each, error)
    if each.kind == "radio":
        body = _radio_group(each, filled, notes)
    elif each.kind == "checkbox":
        body = html(
            '{notes}<label class="tick"><input type="checkbox" id="{f.name}" name="{f.name}" value="yes"{mark}> '
            "<span>{f.label}</span></label>",
            f=each,
            mark=Html(" checked") if filled.ticked(each.name) else "",
            notes=notes,
        )
    else:
        optional = "" if each.required else Html(' <span class="optional">(optional)</span>')
        body = html(
            '<label for="{f.name}">{f.label}{optional}</label>{notes}{control}',
            f=each,
            optional=optional,
            notes=notes,
            control=_control(each, filled, error),
        )
    return html('<div class="field{bad}">{body}</div>', bad=" has-problem" if error else "", body=body)


def _notes(each: Field, error: str) -> Html:
    hint = html('<p class="hint" id="{f.name}-hint">{f.hint}</p>', f=each) if each.hint else ""
    wrong = html('<p class="problem" id="{f.name}-problem">{error}</p>', f=each, error=error) if error else ""
    return joined([hint, wrong])


def _attributes(each: Field, error: str) -> Html:
    described = " ".join(
        name for name, there in ((f"{each.name}-hint", each.hint), (f"{each.name}-problem", error)) if there
    )
    return joined(
        [
            html(' aria-describedby="{ids}"', ids=described) if described else "",
            Html(' aria-invalid="true"') if error else "",
            Html(" required") if each.required else "",
            html(' autocomplete="{value}"', value=each.autocomplete) if each.autocomplete else "",
            html(' list="{f.suggestions}"', f=each) if each.suggestions else "",
            html(' min="{f.least}" max="{f.most}"', f=each) if each.kind == "number" else "",
        ]
    )


def _control(each: Field, filled: Filled, error: str) -> Html:
    attributes, value = _attributes(each, error), filled[each.name]
    if each.kind == "select":
        choices = options((("", "Please choose"), *each.choices), value)
        return html('<select id="{f.name}" name="{f.name}"{a}>{o}</select>', f=each, a=attributes, o=choices)
    if each.kind == "textarea":
        return html(
            '<textarea id="{f.name}" name="{f.name}" rows="4" maxlength="{f.longest}"{a}>\n{value}</textarea>',
            f=each,
            a=attributes,
            value=value,
        )
    longest = html(' maxlength="{f.longest}"', f=each) if each.kind in {"text", "email"} else ""
    return html(
        '<input type="{f.kind}" id="{f.name}" name="{f.name}" value="{value}"{longest}{a}>',
        f=each,
        value=value,
        longest=longest,
        a=attributes,
    )


def _radio_group(each: Field, filled: Filled, notes: Html) -> Html:
    buttons = joined(
        html(
            '<label class="tick"><input type="radio" name="{f.name}" value="{value}"{anchor}{mark}> '
            "<span>{text}</span></label>",
            f=each,
            value=value,
            anchor=html(' id="{f.name}"', f=each) if position == 0 else "",
            mark=Html(" checked") if filled[each.name] == value else "",
            text=text,
        )
        for position, (value, text) in enumerate(each.choices)
    )
    return html("<fieldset><legend>{f.label}</legend>{notes}{buttons}</fieldset>", f=each, notes=notes, buttons=buttons)
