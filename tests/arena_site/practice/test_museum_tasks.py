"""Each task of the museum can be done through its pages, and only doing it counts."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from arena_site.practice.museum import Museum
from arena_site.practice.museum_collection import MATERIALS, OBJECTS, Looking
from arena_site.practice.museum_house import ROOMS, hours_on
from arena_site.practice.museum_programme import TOURS
from arena_site.practice.museum_search import search
from arena_site.practice.museum_tasks import TASKS
from tests.arena_site.practice.visitor import Visitor

MAUD = {"Number of people": 4, "Name": "Maud Ellery", "Email": "maud.ellery@example.test"}
ON_THE_27TH = {"Date": "Saturday 27 March 2027, 14:00"}
TEODOR = {
    "Household, €42.00 a year": True,
    "Name": "Teodor Wick",
    "Street and number": "8 Rope Walk",
    "Postcode": "51830",
    "Town": "Lowenby",
    "Email": "teodor.wick@example.test",
    "At the ticket desk": True,
    "I accept the rules of the association": True,
}
RUNA = {
    "Subject": "School visits",
    "Your name": "Runa Falk",
    "Your email": "runa.falk@example.test",
    "Message": "May a class of 24 children draw in the galleries?",
}
ADELE = {
    "Wheelchair": True,
    "Date": "2027-04-03",
    "From": "14:00",
    "Name of the visitor": "Adele Brandt",
    "Telephone": "0714 220915",
}
LOTTE = {"Email": "lotte.amsel@example.test", "Families": True}


def look_up(visitor: Visitor, name: str) -> Visitor:
    return visitor.open("/").fill("Search", {"Search the site": name}).follow(name)


def exhibition_end(visitor: Visitor) -> str:
    visitor.open("/").follow("Threads of the Teel")
    assert "Dates 12 February to 30 May 2027" in visitor.page.text
    return "You can see it until 30 May 2027."


def family_ticket(visitor: Visitor) -> str:
    visitor.open("/").follow("Hours and admission")
    assert "two adults and their children €18.50" in visitor.page.text
    return "A family ticket is €18.50, for two adults and their children."


def clock_maker(visitor: Visitor) -> str:
    assert "Made by Josias Fenwright" in look_up(visitor, "Longcase clock with painted moon").page.text
    return "Josias Fenwright made it in 1787."


def drum_room(visitor: Visitor) -> str:
    visitor.open("/").follow("Collection").fill("Show objects", {"Word or name": "drums"}).follow("Night watch drum")
    assert "Room 4, Town and market" in visitor.page.text
    return "It is in Room 4 (Town and market) on the first floor."


def late_opening(visitor: Visitor) -> str:
    assert "Thursday 11:00 to 20:00" in visitor.open("/").follow("Visit").page.text
    return "Until 8 pm."


def oldest_glass(visitor: Visitor) -> str:
    visitor.open("/collection").fill("Show objects", {"Material": "Glass", "Order": "Oldest first"})
    first = next(text for text, href in visitor.page.links if href.startswith("/collection/"))
    assert first == "Forest glass beaker"
    return "The Forest glass beaker, from about 1480."


def selection(visitor: Visitor) -> None:
    look_up(visitor, "Blue pharmacy jar").press("Add to my selection")
    assert "Added." in visitor.page.text
    assert "My selection (1)" in visitor.page.text


def newsletter(visitor: Visitor) -> None:
    visitor.open("/").follow("Newsletter").fill("Sign up", LOTTE)
    assert "lotte.amsel@example.test is signed up for: Families." in visitor.page.text


def book_tour(visitor: Visitor) -> None:
    visitor.open("/").follow("Guided tours").follow("Dyers and Weavers").follow("Book this tour")
    visitor.fill("Book places", MAUD | ON_THE_27TH)
    assert "The booking number is T-3108." in visitor.page.text
    assert "To pay at the desk €24.00" in visitor.page.text


def become_member(visitor: Visitor) -> None:
    visitor.open("/").follow("Become a member").follow("Join now").fill("Become a member", TEODOR)
    assert "Welcome, Teodor Wick." in visitor.page.text


def school_question(visitor: Visitor) -> None:
    visitor.open("/").follow("Contact").fill("Send message", RUNA)
    assert "your message has been sent" in visitor.page.text


def wheelchair(visitor: Visitor) -> None:
    visitor.open("/").follow("Access").follow("Reserve a wheelchair or seat").fill("Reserve", ADELE)
    assert "Reserved: Wheelchair for Adele Brandt." in visitor.page.text


WAYS = {f"museum-{way.__name__.replace('_', '-')}": way for way in (
    exhibition_end, family_ticket, clock_maker, drum_room, late_opening, oldest_glass,
    selection, newsletter, book_tour, become_member, school_question, wheelchair,
)}  # fmt: skip

WRONG_ANSWERS = {
    "museum-exhibition-end": ["12 February 2027", "25 April 2027", "30 or 31 May", "25 April or 30 May", "30 June"],
    "museum-family-ticket": ["€8.50", "17.00 euros", "€18.50 or €17.00", "18 euros", "It is free"],
    "museum-clock-maker": ["Henrik Aldous", "Marten Oole", "Brothers Tamm or Josias Fenwright", "Unknown", "1787"],
    "museum-drum-room": [
        "Room 5",
        "Room 3 or Room 4",
        "4 or 5",
        "Time and measure",
        "First floor",
        "Room 14",
        "1899-1",
    ],
    "museum-late-opening": ["18:00", "17:00 or 20:00", "11:00", "8 am", "20:30", "Until late"],
    "museum-oldest-glass": ["Blue pharmacy jar", "Ship in a bottle", "A beaker", "Forest glass beaker or Witch ball"],
}


def wrong_object(visitor: Visitor) -> None:
    look_up(visitor, "Carboy for indigo").press("Add to my selection")


def wrong_both_objects(visitor: Visitor) -> None:
    selection(visitor)
    wrong_object(visitor)


def wrong_taken_out_again(visitor: Visitor) -> None:
    selection(visitor)
    visitor.follow("My selection").press("Remove Blue pharmacy jar")
    assert "There is nothing here yet." in visitor.page.text


def wrong_all_topics(visitor: Visitor) -> None:
    visitor.open("/newsletter").fill("Sign up", LOTTE | {"Schools": True})


def wrong_no_topic(visitor: Visitor) -> None:
    visitor.open("/newsletter").fill("Sign up", {"Email": LOTTE["Email"]})
    assert visitor.status == 422
    assert "Please choose at least one topic." in visitor.page.text


def wrong_date(visitor: Visitor) -> None:
    visitor.open("/tours/dyers-and-weavers/book")
    visitor.fill("Book places", MAUD | {"Date": "Saturday 10 April 2027, 14:00"})


def wrong_number(visitor: Visitor) -> None:
    visitor.open("/tours/dyers-and-weavers/book").fill("Book places", MAUD | ON_THE_27TH | {"Number of people": 2})


def wrong_tour(visitor: Visitor) -> None:
    visitor.open("/tours/museum-by-lamplight").follow("Book this tour")
    visitor.fill("Book places", MAUD | {"Date": "Thursday 1 April 2027, 18:30"})


def wrong_twice(visitor: Visitor) -> None:
    for _ in range(2):
        visitor.open("/tours/dyers-and-weavers/book").fill("Book places", MAUD | ON_THE_27TH)


def wrong_kind(visitor: Visitor) -> None:
    single = {label: value for label, value in TEODOR.items() if not label.startswith("Household")}
    visitor.open("/membership/join").fill("Become a member", single | {"Single, €26.00 a year": True})


def wrong_rules_not_accepted(visitor: Visitor) -> None:
    typed = {label: value for label, value in TEODOR.items() if not label.startswith("I accept")}
    visitor.open("/membership/join").fill("Become a member", typed)
    assert visitor.status == 422


def wrong_with_newsletter(visitor: Visitor) -> None:
    visitor.open("/membership/join").fill("Become a member", TEODOR | {"Send me the newsletter as well": True})


def wrong_subject(visitor: Visitor) -> None:
    visitor.open("/contact").fill("Send message", RUNA | {"Subject": "Your visit"})


def wrong_hour(visitor: Visitor) -> None:
    visitor.open("/access/reserve").fill("Reserve", ADELE | {"From": "14:30"})


def wrong_aid(visitor: Visitor) -> None:
    typed = {label: value for label, value in ADELE.items() if label != "Wheelchair"}
    visitor.open("/access/reserve").fill("Reserve", typed | {"Folding stool": True})


def wrong_closed_day(visitor: Visitor) -> None:
    visitor.open("/access/reserve").fill("Reserve", ADELE | {"Date": "2027-04-05"})
    assert "the museum is closed on this day" in visitor.page.text


WRONG_WAYS = {
    "museum-selection": [wrong_object, wrong_both_objects, wrong_taken_out_again],
    "museum-newsletter": [wrong_all_topics, wrong_no_topic],
    "museum-book-tour": [wrong_date, wrong_number, wrong_tour, wrong_twice],
    "museum-become-member": [wrong_kind, wrong_rules_not_accepted, wrong_with_newsletter],
    "museum-school-question": [wrong_subject],
    "museum-wheelchair": [wrong_hour, wrong_aid, wrong_closed_day],
}


def test_every_task_has_a_right_and_a_wrong_way():
    keys = {task.key for task in TASKS}
    assert set(WAYS) == keys
    assert set(WRONG_ANSWERS) | set(WRONG_WAYS) == keys


@pytest.mark.parametrize("key", sorted(WAYS))
def test_doing_the_task_counts(key, task, visit):
    museum = Museum()
    assert not task(key).check(museum, "")
    answer = WAYS[key](visit(museum)) or ""
    assert task(key).check(museum, answer)


@pytest.mark.parametrize(("key", "answer"), [(key, answer) for key, wrong in WRONG_ANSWERS.items() for answer in wrong])
def test_a_wrong_answer_does_not_count(key, answer, task):
    assert not task(key).check(Museum(), answer)


@pytest.mark.parametrize(("key", "way"), [(key, way) for key, ways in WRONG_WAYS.items() for way in ways])
def test_a_wrong_way_does_not_count(key, way, task, visit):
    museum = Museum()
    way(visit(museum))
    assert not task(key).check(museum, "Done.")


@pytest.mark.parametrize("answer", ["4", "Room 4", "room four", "Town and market", "It hangs in Room No. 4."])
def test_a_room_may_be_said_in_many_ways(answer, task):
    assert task("museum-drum-room").check(Museum(), answer)


def test_a_telephone_number_may_be_written_with_or_without_blanks(task, visit):
    museum = Museum()
    visit(museum).open("/access/reserve").fill("Reserve", ADELE | {"Telephone": "0714220915"})
    assert task("museum-wheelchair").check(museum, "")


# The house


def test_every_object_is_in_a_room_or_in_store_and_every_room_has_some():
    assert {exhibit.room.number for exhibit in OBJECTS.values() if exhibit.room} == set(ROOMS)
    assert [exhibit.name for exhibit in OBJECTS.values() if exhibit.room is None]
    assert len({exhibit.name for exhibit in OBJECTS.values()}) == len(OBJECTS)


def test_tours_begin_while_the_museum_is_open():
    for tour in TOURS.values():
        for departure in tour.departures:
            first, _, last = hours_on(departure.begins.date()).partition(" to ")
            assert first <= f"{departure.begins:%H:%M}" < last, f"{tour.title}, {departure.spoken}"


def test_holidays_go_before_weekdays():
    assert hours_on(date(2027, 3, 29)) == "11:00 to 18:00"
    assert hours_on(date(2027, 3, 26)) == ""
    assert hours_on(date(2027, 3, 30)) == "10:00 to 17:00"


@pytest.mark.parametrize("material", MATERIALS)
def test_oldest_first_is_oldest_first(material):
    found = Looking(material=material, order="oldest").find()
    assert found
    assert {exhibit.material for exhibit in found} == {material}
    assert all(before.year <= after.year for before, after in pairwise(found))


def test_only_what_is_on_display_leaves_out_the_store():
    everything, shown = Looking(words="Corran").find(), Looking(words="Corran", on_display=True).find()
    assert {exhibit.name for exhibit in everything} - {exhibit.name for exhibit in shown} == {
        "The ferry in the ice",
        "Market morning",
    }


@pytest.mark.parametrize("exhibit", OBJECTS.values(), ids=lambda exhibit: exhibit.number)
def test_an_object_is_found_first_by_its_name(exhibit):
    hits, partial = search(exhibit.name)
    assert not partial
    assert hits[0].title == exhibit.name


def test_a_search_says_when_it_only_found_some_of_the_words():
    assert search("wheelchair submarine")[1]
    assert search("xyzzy") == ([], False)
    assert search("the of")[0] == []


def test_a_tour_takes_no_more_people_than_there_are_places(visit):
    museum = Museum()
    visitor = visit(museum)
    for _ in range(2):
        visitor.open("/tours/dyers-and-weavers/book").fill("Book places", MAUD | ON_THE_27TH)
    visitor.open("/tours/dyers-and-weavers/book").fill("Book places", MAUD | ON_THE_27TH)
    assert visitor.status == 422
    assert "the most for this date is 1" in visitor.page.text
    visitor.open("/tours/dyers-and-weavers")
    assert "Saturday 27 March 2027, 14:00 1 place left Book" in visitor.page.text
    assert "Saturday 20 March 2027, 14:00 Sold out" in visitor.page.text
    assert len(museum.bookings) == 2


def test_a_visitor_cannot_fill_the_memory(visit):
    museum = Museum()
    visitor = visit(museum)
    statuses = {visitor.open("/contact").fill("Send message", RUNA).status for _ in range(60)}
    assert statuses == {200, 409}
    assert len(museum.questions) == 50
