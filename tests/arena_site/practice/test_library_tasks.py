"""Each task of the library can be done through its pages, and only doing it counts."""

from __future__ import annotations

import pytest

from arena_site.practice.library import Library
from arena_site.practice.library_tasks import TASKS
from tests.arena_site.practice.visitor import Visitor

CARD, OTHER_CARD = "2204118703", "2204550194"
GLASS_FERRY = {
    "Title": "The Glass Ferry",
    "Author": "Nell Hartow",
    "Year of publication": "2025",
    "Audiobook": True,
    "For which branch?": "Quayside",
    "Why should we buy it?": "My father can no longer read small print.",
    "Tell me when it arrives": True,
    "Email": "hartow.reader@example.test",
}


def look_up(visitor: Visitor, title: str) -> Visitor:
    return visitor.open("/").fill("Search", {"Search the catalogue": title}).follow(title)


def reserve(visitor: Visitor, card: str, branch: str, **more: str) -> Visitor:
    visitor.follow("Reserve this title")
    return visitor.fill("Place reservation", {"Card number": card, "Pick up at": branch, **more})


def sign_in(visitor: Visitor, card: str = CARD) -> Visitor:
    return visitor.open("/").follow("My account").fill("Show my account", {"Card number": card})


def author(visitor: Visitor) -> str:
    assert "Ambrose, Pell" in look_up(visitor, "The Quiet Drum").page.text
    return "It was written by Pell Ambrose."


def shelf_mark(visitor: Visitor) -> str:
    assert "Shelf mark 587.3 BRO" in look_up(visitor, "Ferns of the Inner Valley").page.text
    return "You find it under 587.3 BRO."


def pages(visitor: Visitor) -> str:
    search = visitor.open("/").fill("Search", {"Search the catalogue": "last room heron"})
    search.fill("Apply", {"Format": "Book"}).follow("The Last Room at the Heron")
    assert "Extent 318 pages" in visitor.page.text
    return "318 pages"


def saturday(visitor: Visitor) -> str:
    visitor.open("/").follow("Branches and hours").follow("Quayside")
    assert "Saturday 9:30 to 13:30" in visitor.page.text
    return "On Saturdays it is open from 9:30 to 13:30."


def late_fee(visitor: Visitor) -> str:
    assert "35 cents a day" in visitor.open("/").follow("Borrowing").page.text
    return "€0.35 per day"


def the_reservation(visitor: Visitor) -> None:
    reserve(look_up(visitor, "The Winter Ferryman"), "2204 118 703", "Millgate")
    assert "The Winter Ferryman is reserved for you." in visitor.page.text


def add_to_list(visitor: Visitor) -> None:
    look_up(visitor, "The Hedge Almanac").fill("Add to list", {"Reading list": "Weekend reading"})


def renew(visitor: Visitor) -> None:
    sign_in(visitor).press("Renew The Cartographer's Sister")


def due_back(visitor: Visitor) -> str:
    assert "On loan, due back 30 March 2027" in look_up(visitor, "A Light on Gull Rock").page.text
    return "It is due back on 30 March 2027."


def audiobooks(visitor: Visitor) -> str:
    visitor.open("/").follow("Advanced search").fill("Search", {"Author": "Renn", "Format": "Audiobook"})
    assert "3 titles found" in visitor.page.text
    return "There are three audiobooks by Tobiah Renn."


def oldest_lighthouse_book(visitor: Visitor) -> str:
    visitor.open("/").follow("Advanced search")
    visitor.fill("Search", {"Subject": "lighthouses", "Format": "Book", "Order": "Year, oldest first"})
    first = visitor.page.text.partition("titles found")[2]
    assert first.strip().startswith("Keepers of the Outer Light")
    return "Keepers of the Outer Light by Jorun Haske (1987)"


def where_is_it(visitor: Visitor) -> str:
    assert "Northfield 641.815 OAK On the shelf" in look_up(visitor, "Bread from Four Flours").page.text
    return "Northfield"


def cancel(visitor: Visitor) -> None:
    sign_in(visitor).press("Cancel Bread from Four Flours")


def new_list(visitor: Visitor) -> None:
    visitor.open("/").follow("Reading lists").follow("New list").fill("Create list", {"Name of the list": "Night sky"})
    for title in ("A First Telescope", "The Patient Sky"):
        look_up(visitor, title).fill("Add to list", {"Reading list": "Night sky"})


def large_print(visitor: Visitor) -> None:
    visitor.open("/").fill("Search", {"Search the catalogue": "eleven doors"})
    visitor.fill("Apply", {"Format": "Large print"}).follow("The House with Eleven Doors")
    reserve(visitor, OTHER_CARD, "Central Library", **{"Not needed after": "2027-04-30"})


def suggestion(visitor: Visitor) -> None:
    visitor.open("/").follow("Suggest a purchase").fill("Send suggestion", GLASS_FERRY)
    assert "Thank you" in visitor.page.text


WAYS = {
    "library-author": author,
    "library-shelf-mark": shelf_mark,
    "library-pages": pages,
    "library-saturday": saturday,
    "library-late-fee": late_fee,
    "library-reserve": the_reservation,
    "library-add-to-list": add_to_list,
    "library-renew": renew,
    "library-due-back": due_back,
    "library-audiobooks": audiobooks,
    "library-oldest-lighthouse-book": oldest_lighthouse_book,
    "library-where-is-it": where_is_it,
    "library-cancel": cancel,
    "library-new-list": new_list,
    "library-large-print": large_print,
    "library-suggestion": suggestion,
}

WRONG_ANSWERS = {
    "library-author": ["Tobiah Renn", "Pell Ambrose or Sunniva Croft", "The Quiet Drum", "Ambrosia Pellworth"],
    "library-shelf-mark": ["588.2 BRO", "587.3", "587.3 BRO or 588.2 BRO", "BRO"],
    "library-pages": ["560 minutes", "302 pages", "302 or 318 pages", "318 pages or 256", "2012"],
    "library-saturday": ["9:30", "17:30", "13:30 or 14:00", "1:30", "Until noon", "16:00"],
    "library-late-fee": ["35 euros", "25 cents", "25 or 35 cents", "€3.50", "Nothing for children"],
    "library-due-back": ["27 March 2027", "29 or 30 March", "30 April 2027", "It is on the shelf at Millgate."],
    "library-audiobooks": ["2", "3 or 4", "four audiobooks", "8", "Some"],
    "library-oldest-lighthouse-book": [
        "Lighthouses of the Eastern Shore",
        "The Lighthouse Builder's Notebook",
        "Keepers of the Outer Light or The Lighthouse Builder's Notebook",
    ],
    "library-where-is-it": ["Central Library", "Northfield, Millgate and Central", "Nowhere", "At Millgate"],
}


def wrong_branch(visitor: Visitor) -> None:
    reserve(look_up(visitor, "The Winter Ferryman"), CARD, "Quayside")


def wrong_card(visitor: Visitor) -> None:
    reserve(look_up(visitor, "The Winter Ferryman"), OTHER_CARD, "Millgate")


def wrong_unknown_card(visitor: Visitor) -> None:
    reserve(look_up(visitor, "The Winter Ferryman"), "2204118704", "Millgate")
    assert visitor.status == 422
    assert "2204118704" in visitor.page.markup


def wrong_one_too_many(visitor: Visitor) -> None:
    the_reservation(visitor)
    reserve(look_up(visitor, "Moon Diary"), CARD, "Millgate")


def wrong_list(visitor: Visitor) -> None:
    look_up(visitor, "The Hedge Almanac").fill("Add to list", {"Reading list": "For the children"})


def wrong_taken_off_again(visitor: Visitor) -> None:
    add_to_list(visitor)
    visitor.open("/lists").follow("Weekend reading").press("Remove The Hedge Almanac")


def wrong_loan(visitor: Visitor) -> None:
    sign_in(visitor).press("Renew A Boat Called Patience")


def wrong_both_loans(visitor: Visitor) -> None:
    renew(visitor)
    visitor.press("Renew A Boat Called Patience")


def wrong_reservation_cancelled(visitor: Visitor) -> None:
    sign_in(visitor).press("Cancel The Owl Year")


def wrong_both_cancelled(visitor: Visitor) -> None:
    cancel(visitor)
    visitor.press("Cancel The Owl Year")


def wrong_list_half_done(visitor: Visitor) -> None:
    visitor.open("/lists/new").fill("Create list", {"Name of the list": "Night sky"})
    look_up(visitor, "A First Telescope").fill("Add to list", {"Reading list": "Night sky"})


def wrong_edition(visitor: Visitor) -> None:
    visitor.open("/record/10181")
    reserve(visitor, OTHER_CARD, "Central Library", **{"Not needed after": "2027-04-30"})


def wrong_day(visitor: Visitor) -> None:
    visitor.open("/record/10182")
    reserve(visitor, OTHER_CARD, "Central Library", **{"Not needed after": "2027-04-03"})


def wrong_suggestion(visitor: Visitor) -> None:
    visitor.open("/suggest").fill("Send suggestion", GLASS_FERRY | {"Audiobook": None, "Book": True})


WRONG_WAYS = {
    "library-reserve": [wrong_branch, wrong_card, wrong_unknown_card, wrong_one_too_many],
    "library-add-to-list": [wrong_list, wrong_taken_off_again],
    "library-renew": [wrong_loan, wrong_both_loans],
    "library-cancel": [wrong_reservation_cancelled, wrong_both_cancelled],
    "library-new-list": [wrong_list_half_done],
    "library-large-print": [wrong_edition, wrong_day],
    "library-suggestion": [wrong_suggestion],
}


def test_every_task_has_a_right_and_a_wrong_way():
    keys = {task.key for task in TASKS}
    assert set(WAYS) == keys
    assert set(WRONG_ANSWERS) | set(WRONG_WAYS) == keys


@pytest.mark.parametrize("key", sorted(WAYS))
def test_doing_the_task_counts(key, task, visit):
    library = Library()
    assert not task(key).check(library, "")
    answer = WAYS[key](visit(library)) or ""
    assert task(key).check(library, answer)


@pytest.mark.parametrize(("key", "answer"), [(key, answer) for key, wrong in WRONG_ANSWERS.items() for answer in wrong])
def test_a_wrong_answer_does_not_count(key, answer, task):
    assert not task(key).check(Library(), answer)


@pytest.mark.parametrize(("key", "way"), [(key, way) for key, ways in WRONG_WAYS.items() for way in ways])
def test_a_wrong_way_does_not_count(key, way, task, visit):
    library = Library()
    way(visit(library))
    assert not task(key).check(library, "Done.")


def test_a_loan_is_renewed_twice_at_most(visit):
    visitor = sign_in(visit(Library()))
    assert "Already renewed 2 times" in visitor.page.text
    status, _, _ = visitor.request(
        "POST", "/account/renew", b"record=10220", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert status == 409


def test_a_title_of_the_reading_room_cannot_be_reserved(visit):
    visitor = visit(Library()).open("/record/10194/hold")
    visitor.fill("Place reservation", {"Card number": CARD, "Pick up at": "Quayside"})
    assert visitor.status == 422
    assert "stays in the reading room" in visitor.page.text
