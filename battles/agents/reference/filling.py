"""Which value of the instruction goes into which field of a form."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from battles.agents.reference.choosing import Choice, choose, counts_thing, indifferent, is_placeholder, means_box
from battles.agents.reference.extremes import SAID_OTHERWISE
from battles.agents.reference.forms import CHOICE_ROLES, Form, forms_of, is_fillable, is_search
from battles.agents.reference.givens import Given, is_description, route_ends
from battles.agents.reference.instruction import Wish, subject_of
from battles.agents.reference.roles import cue_roles, field_roles, field_words, shape_roles
from battles.agents.reference.values import date_parts, minutes_of
from battles.agents.reference.wording import terms, words
from battles.lanes.events import Action, Element

#: A field and a value fit when their words and kinds agree this much; below it a field is left alone.
GOOD_FIT = 0.5
#: What agreement counts: the role by words, the role by shape, the very words.
BY_CUE, BY_SHAPE, BY_WORDS = 1.0, 0.55, 0.8
#: A pair that can never be right.
NEVER = -9.0


@dataclass(frozen=True, slots=True)
class Filling:
    """One action that fills one field, with the text of the value it used and how well it fits."""

    action: Action
    used: str
    element: Element
    fit: float


@dataclass(frozen=True, slots=True)
class FormPlan:
    """What to do with one form: the fillings still to be made, and what is right already.

    ``placed`` are the values that the form takes, ``missing`` the required fields for which there is none.
    """

    form: Form
    fillings: tuple[Filling, ...]
    placed: frozenset[str]
    missing: tuple[str, ...]
    worth: float


def plan_forms(wish: Wish, elements: Sequence[Element], about: Given | None = None, *, year: int = 0) -> list[FormPlan]:
    """A plan for every form of the page, in the page's order."""
    return [plan_form(wish, form, about, year=year) for form in forms_of(elements)]


def plan_form(wish: Wish, form: Form, about: Given | None = None, *, year: int = 0) -> FormPlan:
    """What the instruction says for one form."""
    texts = [field for field in form.fields if is_fillable(field) and not is_search(field)]
    fillings: list[Filling] = []
    placed: set[str] = set()
    worth = 0.0
    taken = _assign(wish, texts, about)
    for field, given, fit in taken:
        placed.add(given.text.casefold())
        worth += fit
        if not _shows(field, given):
            text = typed(field, given, year)
            action = Action("type", {"ref": field.ref, "text": text, "clear": not _is_native(field)})
            fillings.append(Filling(action, given.text, field, fit))
    for filling, fit in _choices(wish, form, about):
        worth += 0.5 * fit
        placed.add(filling.used.casefold())
        if not _is_chosen(filling):
            fillings.append(filling)
    filled = {field.ref for field, _, _ in taken}
    missing = tuple(
        field.name
        for field in texts
        if field.state.get("required") and field.ref not in filled and not field.value.strip()
    )
    order = {field.ref: at for at, field in enumerate(form.fields)}
    fillings.sort(key=lambda filling: order[filling.element.ref])
    return FormPlan(form, tuple(fillings), frozenset(placed), missing, worth - 0.7 * len(missing))


# Text


def _assign(wish: Wish, fields: Sequence[Element], about: Given | None) -> list[tuple[Element, Given, float]]:
    """Pairs of field and value, the best first; every field and every value once."""
    values = _values_for(wish, fields)
    pairs = sorted(
        ((fit_of(wish, field, given, about), at, field, given) for at, field in enumerate(fields) for given in values),
        key=lambda pair: (-pair[0], pair[1], pair[3].start),
    )
    used_fields: set[str] = set()
    used_values: set[tuple[int, str]] = set()
    taken = []
    for fit, _, field, given in pairs:
        if fit < GOOD_FIT or field.ref in used_fields or (given.start, given.text) in used_values:
            continue
        used_fields.add(field.ref)
        used_values.add((given.start, given.text))
        taken.append((field, given, fit))
    return taken


def _values_for(wish: Wish, fields: Sequence[Element]) -> list[Given]:
    """The values of the instruction; a person's name in two parts where the form asks for both."""
    roles = [field_roles(field) for field in fields]
    if not (any("given name" in each for each in roles) and any("family name" in each for each in roles)):
        return list(wish.givens)
    values: list[Given] = []
    for given in wish.givens:
        parts = given.text.split()
        if (
            given.kind in {"quoted", "name"}
            and len(parts) > 1
            and "person" in shape_roles(given)
            and given not in wish.things
        ):
            values.append(Given(parts[0], "quoted", ("given", "name"), given.start, given.stop))
            values.append(Given(" ".join(parts[1:]), "quoted", ("family", "name"), given.start, given.stop))
        else:
            values.append(given)
    return values


def fit_of(wish: Wish, field: Element, given: Given, about: Given | None = None) -> float:
    """How well a value fits a field: below 0.5 it does not; about 1 is sure."""
    if _impossible(field, given):
        return NEVER
    start, end = route_ends(wish.givens)
    wanted = field_roles(field)
    if wanted & {"origin", "destination"}:
        goal = start if "origin" in wanted else end
        return 2.0 if goal is not None and given.start == goal.start else NEVER
    if given.kind == "number":
        return _count_fit(field, given, about)
    if given.kind == "mail":
        return 1.5 if "mail" in wanted else NEVER
    cued, shaped = cue_roles(given), shape_roles(given)
    if given in wish.things:
        cued, shaped = frozenset(), shaped | {"title"}
    if (wanted - cued) & {"begin", "finish"} and (cued - wanted) & {"begin", "finish"}:
        return 0.0
    if given.kind == "date" and "date" in wanted:
        return 1.0 + 0.5 * bool(wanted & cued & {"begin", "finish"}) + _word_fit(field, given)
    return _role_fit(wanted, cued, shaped) + _word_fit(field, given) + _look_fit(wish, field, given)


def _impossible(field: Element, given: Given) -> bool:
    kind = str(field.state.get("type", ""))
    if kind in {"date", "datetime-local"} or kind == "time":
        return given.kind != ("time" if kind == "time" else "date")
    if kind == "email" or given.kind == "mail":
        return given.kind != "mail" or kind in {"number", "tel", "url"}
    if kind == "number" or field.role == "spinbutton":
        return not re.fullmatch(r"\d+(?:[.,]\d+)?", given.text)
    if kind == "password":
        return given.kind not in {"quoted", "code"}
    return kind in {"url", "file", "color", "range"}


def _count_fit(field: Element, given: Given, about: Given | None) -> float:
    label = field_words(field)
    if field_roles(field) & {"reference", "phone", "postcode", "code"} and "number" not in given.cue[-3:]:
        return NEVER
    if counts_thing(given, about, label | ({"quantity"} if "count" in field_roles(field) else frozenset())):
        return 2.0
    if label & set(given.behind):
        return 1.4 - 0.2 * min(at for at, term in enumerate(given.behind) if term in label)
    if label & set(given.cue[-2:]):
        return 1.0
    return 0.6 if "quantity" in label and about is None and not given.behind else NEVER


def _role_fit(wanted: frozenset[str], cued: frozenset[str], shaped: frozenset[str]) -> float:
    fit = 0.0
    if wanted & cued:
        fit += BY_CUE
    elif wanted and cued - {"author"}:
        fit -= 0.4
    if wanted & shaped:
        fit += BY_SHAPE
    elif wanted and shaped:
        fit -= 0.35
    return fit


def _word_fit(field: Element, given: Given) -> float:
    """Share of the field's own words that stand near the value, those right before it counting most."""
    label = field_words(field)
    if not label:
        return 0.0
    shared = label & set(given.cue)
    near = label & set(given.cue[-3:])
    behind = label & set(given.behind)
    return BY_WORDS * (0.6 * len(shared) + 0.4 * len(near) + 0.3 * len(behind - shared)) / len(label)


def _look_fit(wish: Wish, field: Element, given: Given) -> float:
    """Sentences belong into large fields; a place without a cue follows the postcode or street before it."""
    large = field.role == "textbox" and not field.state.get("type")
    fit = 0.0
    if is_description(given.text):
        fit += 0.4 if large else -0.3
    elif large and "message" not in cue_roles(given):
        fit -= 0.1 if len(words(given.text)) > 3 else 0.4
    before = next((other for other in reversed(wish.givens) if other.start < given.start), None)
    if "town" in field_roles(field) and not given.cue and before is not None:
        fit += 0.3 * bool(shape_roles(before) & {"postcode", "street"})
    if "person" in field_roles(field) and given.lead in {"for", "to"} and given not in wish.things:
        fit += 0.15
    return fit


def typed(field: Element, given: Given, year: int = 0) -> str:
    """The value as it must be typed into this field; a native date field takes month, day, year."""
    if given.kind == "date":
        return _typed_date(field, given.text, year)
    if field.state.get("type") == "time" and given.kind == "time":
        minutes = minutes_of(given.text) or 0
        return f"{minutes // 60 % 12 or 12:02d}{minutes % 60:02d}{'PM' if minutes >= 720 else 'AM'}"
    return given.text


def _typed_date(field: Element, text: str, year: int) -> str:
    parts = date_parts(text)
    if parts is None:
        return text
    known = re.search(r"(?:19|20)\d\d", f"{field.value} {field.state.get('min', '')} {field.state.get('max', '')}")
    at = parts[0] or year or (int(known[0]) if known else 0)
    if field.state.get("type") == "date":
        return f"{parts[1]:02d}{parts[2]:02d}{at}" if at else text
    pattern = f"{field.state.get('placeholder', '')} {field.name}".lower()
    if at and re.search(r"y{2,4}-mm-dd", pattern):
        return f"{at}-{parts[1]:02d}-{parts[2]:02d}"
    separated = re.search(r"(dd|mm)([./-])(?:mm|dd)\2y{2,4}", pattern)
    if at and separated:
        first, second = (parts[2], parts[1]) if separated[1] == "dd" else (parts[1], parts[2])
        return f"{first:02d}{separated[2]}{second:02d}{separated[2]}{at}"
    return text


def _shows(field: Element, given: Given) -> bool:
    """Whether the field shows the value already."""
    shown = field.value.strip().casefold()
    if given.kind == "date":
        parts, now = date_parts(given.text), date_parts(field.value)
        return parts is not None and now is not None and parts[1:] == now[1:] and parts[0] in {None, now[0]}
    return shown == given.text.strip().casefold()


def _is_native(field: Element) -> bool:
    return field.state.get("type") in {"date", "time"}


# Choices


def _choices(wish: Wish, form: Form, about: Given | None) -> list[tuple[Filling, float]]:
    found: list[tuple[Filling, float]] = []
    radios: list[Element] = []
    for field in [*form.fields, None]:
        if field is not None and field.role == "radio" and not field.state.get("disabled"):
            radios.append(field)
            continue
        for group in radio_groups(radios):
            found.extend(_radio(wish, group, about))
        radios = []
        if field is None or field.state.get("disabled"):
            continue
        if field.role in {"combobox", "listbox"} and field.state.get("options"):
            found.extend(_select(wish, field, about))
        elif field.role in CHOICE_ROLES and means_box(wish, field.name):
            found.append((Filling(Action("click", {"ref": field.ref}), field.name, field, 1.0), 1.0))
    return found


def _select(wish: Wish, field: Element, about: Given | None) -> list[tuple[Filling, float]]:
    options = list(field.state["options"])
    open_still = (
        not wish.asks and bool(field.state.get("required")) and (not field.value or is_placeholder(field.value))
    )
    choice = choose(wish, field_words(field), options, about, must=open_still)
    if choice is None and open_still:
        fallback = indifferent(options)
        choice = Choice(fallback, 0.0) if fallback else None
    if choice is None:
        return []
    return [
        (
            Filling(Action("select", {"ref": field.ref, "option": choice.option}), choice.option, field, choice.fit),
            choice.fit,
        )
    ]


def radio_groups(radios: Sequence[Element]) -> list[list[Element]]:
    """Radios that follow one another, parted where a wider gap, which holds a legend, lies between them."""
    groups: list[list[Element]] = []
    steps = [abs(later.y - radio.y) for radio, later in itertools.pairwise(radios)]
    usual = min(steps, default=0)
    for at, radio in enumerate(radios):
        if at and steps[at - 1] <= max(usual * 1.6, usual + 6):
            groups[-1].append(radio)
        else:
            groups.append([radio])
    return groups


def _radio(wish: Wish, radios: Sequence[Element], about: Given | None) -> list[tuple[Filling, float]]:
    """The one radio of a group that the instruction says."""
    if not radios:
        return []
    open_still = not wish.asks and not any(radio.state.get("checked") for radio in radios)
    choice = choose(wish, frozenset(), [radio.name for radio in radios], about, must=open_still)
    if choice is None:
        return []
    radio = next(each for each in radios if each.name == choice.option)
    return [(Filling(Action("click", {"ref": radio.ref}), radio.name, radio, choice.fit), choice.fit)]


def _is_chosen(filling: Filling) -> bool:
    element = filling.element
    if element.role in {"combobox", "listbox"}:
        return element.value == filling.used
    return bool(element.state.get("checked"))


# Searching


def search_texts(wish: Wish, thing: str = "") -> list[str]:
    """What to type into a search field, one after the other: the thing, else the subject, else the rarer words."""
    if thing or wish.entities:
        return [thing or wish.entities[0]]
    subject = subject_of(wish.text)
    skip = set(wish.focus) | SAID_OTHERWISE if wish.superlative is not None else SAID_OTHERWISE
    kept = [word for word in words(wish.text) if set(terms(word)) & (set(wish.aims) - skip)]
    return [text for text in (subject, " ".join(kept[:3])) if text]
