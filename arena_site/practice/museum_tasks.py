"""What people ask to have done at the museum, and how each is checked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from arena_site.practice.museum import Museum
from arena_site.practice.museum_collection import OBJECTS
from arena_site.practice.museum_house import ROOMS
from arena_site.practice.outcomes import (
    Check,
    by_answer,
    by_state,
    same_text,
    says_amount,
    says_date,
    says_name,
    says_time,
)
from battles.checks import PracticeTask

_MAKERS = {exhibit.maker: [exhibit.maker.split()[-1]] for exhibit in OBJECTS.values()}
_NAMES = {exhibit.name for exhibit in OBJECTS.values()}
_IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven")
_ROOMS = {
    f"room {room.number}": [room.name, f"room {word}", f"room no {room.number}", f"room number {room.number}"]
    for room, word in zip(ROOMS.values(), _IN_WORDS, strict=True)
}
#: Written with blanks or without.
_NUMBERS = {"phone", "postcode"}


def _says_room(text: str, number: int) -> bool:
    """Whether the answer names this room by number or name, or is the bare number."""
    return text.strip(" .'") == str(number) or says_name(text, f"room {number}", _ROOMS)


def _received(box: str, **wanted: str) -> Check:
    """Exactly one form arrived in ``box``, with these values."""

    def same(name: str, typed: str, value: str) -> bool:
        if name in _NUMBERS:
            return _digits(typed) == _digits(value)
        return same_text(typed, value)

    def arrived(museum: Museum) -> bool:
        forms = getattr(museum, box)
        return len(forms) == 1 and all(same(name, forms[0].get(name, ""), value) for name, value in wanted.items())

    return by_state(arrived)


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdecimal())


def _selected(names: Iterable[str]) -> Check:
    """The selection holds the objects with these names and no others."""
    wanted = sorted(names)
    return by_state(lambda museum: sorted(OBJECTS[number].name for number in museum.selection) == wanted)


def _task(key: str, kind: str, instruction: str, check: Check, path: str = "/") -> PracticeTask:
    return PracticeTask(f"museum-{key}", Museum.host, path, instruction, kind, check)


TASKS = (
    _task(
        "exhibition-end",
        "answer",
        'Until which day can I see the exhibition "Threads of the Teel"?',
        by_answer(lambda text: says_date(text, date(2027, 5, 30), also=[date(2027, 2, 12)])),
    ),
    _task(
        "family-ticket",
        "answer",
        "How much is a family ticket for the museum?",
        by_answer(lambda text: says_amount(text, 1850)),
    ),
    _task(
        "clock-maker",
        "answer",
        'Who made the "Longcase clock with painted moon" in the museum\'s collection?',
        by_answer(lambda text: says_name(text, "Josias Fenwright", _MAKERS)),
    ),
    _task(
        "drum-room",
        "answer",
        'In which room of the museum do I find the "Night watch drum"?',
        by_answer(lambda text: _says_room(text, 4)),
    ),
    _task(
        "late-opening",
        "answer",
        "How late is the museum open on Thursdays?",
        by_answer(lambda text: says_time(text, "20:00", also=["11:00"])),
    ),
    _task(
        "oldest-glass",
        "answer",
        "Which is the oldest object made of glass in the museum's collection? Please tell me its name.",
        by_answer(lambda text: says_name(text, "Forest glass beaker", _NAMES)),
    ),
    _task(
        "selection",
        "action",
        'Add the "Blue pharmacy jar" to my selection.',
        _selected(["Blue pharmacy jar"]),
    ),
    _task(
        "newsletter",
        "action",
        'Please sign me up for the newsletter of the museum with "lotte.amsel@example.test". I only want to hear about '
        "what there is for families.",
        _received(
            "subscriptions",
            email="lotte.amsel@example.test",
            topic_families="yes",
            topic_programme="",
            topic_schools="",
            topic_research="",
        ),
    ),
    _task(
        "book-tour",
        "action",
        'Book the guided tour "Dyers and Weavers" on 27 March 2027 for 4 people. The name is "Maud Ellery" and the '
        'email address "maud.ellery@example.test".',
        _received(
            "bookings",
            tour="dyers-and-weavers",
            date="2027-03-27-1400",
            people="4",
            name="Maud Ellery",
            email="maud.ellery@example.test",
        ),
    ),
    _task(
        "become-member",
        "action",
        'I would like to become a member of the museum, with a household membership. My name is "Teodor Wick" and I '
        'live at "8 Rope Walk", postcode "51830", in "Lowenby". My email is "teodor.wick@example.test". I will pay at '
        "the ticket desk, and I accept the rules. No newsletter, please.",
        _received(
            "members",
            kind="household",
            name="Teodor Wick",
            street="8 Rope Walk",
            postcode="51830",
            town="Lowenby",
            email="teodor.wick@example.test",
            payment="desk",
            newsletter="",
        ),
    ),
    _task(
        "school-question",
        "action",
        'Write to the museum about a school visit. My name is "Runa Falk", my email is "runa.falk@example.test", and '
        'the message is "May a class of 24 children draw in the galleries?"',
        _received(
            "questions",
            subject="schools",
            name="Runa Falk",
            email="runa.falk@example.test",
            message="May a class of 24 children draw in the galleries?",
        ),
    ),
    _task(
        "wheelchair",
        "action",
        "My mother visits the museum on 3 April 2027 and needs a wheelchair from 14:00. Please reserve one for her: "
        'her name is "Adele Brandt" and her telephone number is "0714 220915".',
        _received("aids", aid="wheelchair", day="2027-04-03", time="14:00", name="Adele Brandt", phone="0714 220915"),
    ),
)
