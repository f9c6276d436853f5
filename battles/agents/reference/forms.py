"""Which fields and which button belong together, told by their order on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from battles.agents.reference.roles import field_words
from battles.agents.reference.wording import stems
from battles.lanes.events import Element


def _stemmed(text: str) -> frozenset[str]:
    return frozenset(stems(text))


TEXT_ROLES = frozenset({"textbox", "searchbox", "spinbutton", "date", "time"})
CHOICE_ROLES = frozenset({"radio", "checkbox", "switch"})
FIELD_ROLES = TEXT_ROLES | CHOICE_ROLES | {"combobox", "listbox", "slider"}
#: Buttons that send a form, in the words most sites use.
SENDING = _stemmed(
    "search find go submit save place order confirm continue next reserve book send add apply show update request check "
    "proceed checkout subscribe register pay finish complete create publish post sign report buy calculate track view get "
    "list suggest propose cancel renew vote use put enter filter look plan log join enrol reply quote ask start"
)
#: Buttons that only ask a site to show something.
ASKING = _stemmed(
    "search find show filter apply check look go view track see calculate quote compare plan lookup display refresh get "
    "sort estimate"
)
#: Names of a field that searches; a search takes what the task is about.
_SEARCHES = frozenset({"search", "find", "keyword", "query", "look"})
#: So many links without a field between them end a form that has no button.
LINKS_BETWEEN = 4


@dataclass(frozen=True, slots=True)
class Form:
    """Fields in their order and the button that sends them; None where no button follows."""

    fields: tuple[Element, ...]
    button: Element | None

    @property
    def only_asks(self) -> bool:
        """Whether sending it changes nothing: it searches, filters or looks something up."""
        if self.button is None:
            return all(is_search(field) for field in self.fields)
        name = stems(self.button.name)
        return not name or name[0] in ASKING


def is_search(element: Element) -> bool:
    """Whether a field is there to search the site."""
    if element.role not in {"textbox", "searchbox", "combobox"} or element.state.get("options"):
        return False
    return (
        element.role == "searchbox" or element.state.get("type") == "search" or bool(field_words(element) & _SEARCHES)
    )


def is_fillable(element: Element) -> bool:
    """Whether text can be typed into it."""
    texts = element.role in TEXT_ROLES or (element.role == "combobox" and not element.state.get("options"))
    return texts and not element.state.get("disabled") and not element.state.get("readonly")


def is_sending(button: Element) -> bool:
    """Whether a button's name is one of those that send a form."""
    return bool(set(stems(button.name)) & SENDING) or button.state.get("type") == "submit"


def forms_of(elements: Sequence[Element]) -> list[Form]:
    """The forms of a page: fields up to the button behind them."""
    forms: list[Form] = []
    fields: list[Element] = []
    spare: Element | None = None
    links = 0

    def close(button: Element | None) -> None:
        nonlocal fields, spare, links
        if fields:
            forms.append(Form(tuple(fields), button or spare))
        fields, spare, links = [], None, 0

    for element in elements:
        if element.role in FIELD_ROLES:
            if spare is not None and links:
                close(None)
            fields.append(element)
            spare, links = None, 0
        elif element.role == "button" and fields:
            if is_sending(element) and not element.state.get("disabled"):
                close(element)
            else:
                spare = spare or element
        elif element.role == "link" and fields:
            links += 1
            if links >= LINKS_BETWEEN:
                close(None)
    close(None)
    return forms
