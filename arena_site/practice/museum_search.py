"""Search over the whole of the practice museum's site."""

from __future__ import annotations

from dataclasses import dataclass

from arena_site.practice.museum_collection import OBJECTS, described, words_of
from arena_site.practice.museum_house import MENU
from arena_site.practice.museum_programme import EXHIBITIONS, NEWS, TOURS

#: What is longer is not read.
MOST_HITS = 24
_SMALL_WORDS = words_of("the a an of and in on at to for with by is it")


@dataclass(frozen=True, slots=True)
class Hit:
    """One page that can be found."""

    title: str
    path: str
    kind: str
    summary: str
    more: str = ""

    @property
    def title_words(self) -> frozenset[str]:
        return words_of(self.title)

    @property
    def all_words(self) -> frozenset[str]:
        return words_of(f"{self.title} {self.kind} {self.summary} {self.more}")


_PAGES = (
    Hit(
        "Your visit",
        "/visit",
        "Visit",
        "Opening hours, admission and how to get here.",
        "open closed tickets prices family ticket reduced child bus parking lockers address Monday Thursday",
    ),
    Hit(
        "Access",
        "/access",
        "Visit",
        "Step-free ways, lift, wheelchairs, hearing loop and the quiet hour.",
        "accessibility barrier free disability borrow reserve walking frame folding stool assistance dogs companion",
    ),
    Hit("Reserve a wheelchair or seat", "/access/reserve", "Visit", "Aids to borrow for your visit, free of charge."),
    Hit(
        "Café at the vats",
        "/cafe",
        "Visit",
        "Menu and opening hours of the café.",
        " ".join(dish for dishes in MENU.values() for dish, _ in dishes),
    ),
    Hit("The collection", "/collection", "Collection", "Search the objects by word, material and room.", "objects"),
    Hit("Rooms", "/rooms", "Collection", "The seven rooms of the house, floor by floor.", "floor plan"),
    Hit("Exhibitions", "/exhibitions", "What's on", "Now, soon and before.", "calendar dates"),
    Hit("Guided tours", "/tours", "What's on", "Dates, prices and booking.", "book guide group"),
    Hit(
        "Become a member", "/membership", "Support", "Membership of the museum's association.", "join single household"
    ),
    Hit("Newsletter", "/newsletter", "Support", "News by email, by topic.", "sign up subscribe"),
    Hit("Contact", "/contact", "Museum", "Address, telephone and a form for questions.", "email message write ask"),
    Hit("About the museum", "/about", "Museum", "From the dye works to the museum.", "history building team founded"),
)
_PLACES = (
    *_PAGES,
    *(
        Hit(each.title, f"/exhibitions/{each.slug}", "Exhibition", each.lead, " ".join(each.paragraphs))
        for each in EXHIBITIONS.values()
    ),
    *(Hit(each.title, f"/tours/{each.slug}", "Guided tour", each.text, each.meeting) for each in TOURS.values()),
    *(
        Hit(each.name, f"/collection/{each.number}", "Object", f"{each.maker}, {each.dated}.", described(each))
        for each in OBJECTS.values()
    ),
    *(Hit(each.title, f"/news/{each.slug}", "News", "", " ".join(each.paragraphs)) for each in NEWS.values()),
)


def search(typed: str) -> tuple[list[Hit], bool]:
    """Pages with all the words, best first; or, said by the second value, with some of them."""
    wanted = words_of(typed) - _SMALL_WORDS
    scored = [(len(wanted & place.all_words), len(wanted & place.title_words), place) for place in _PLACES]
    scored = sorted((row for row in scored if row[0]), key=lambda row: (-row[0], -row[1]))
    complete = [place for hits, _, place in scored if hits == len(wanted)]
    return (complete or [place for _, _, place in scored])[:MOST_HITS], not complete and bool(scored)
