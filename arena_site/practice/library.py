"""A practice library: catalogue, reservations, loans, reading lists and branches."""

from __future__ import annotations

from arena_site.practice import library_member_pages as member_pages
from arena_site.practice import library_pages as pages
from arena_site.practice.forms import Filled, parse_date, read_form
from arena_site.practice.library_branches import BRANCHES
from arena_site.practice.library_catalogue import RECORDS, Record, Search
from arena_site.practice.library_covers import cover_of
from arena_site.practice.library_forms import HOLD_FORM, LIST_FORM, SIGN_IN_FORM, SUGGEST_FORM, plain_card
from arena_site.practice.library_lending import (
    MOST_LISTS,
    MOST_ON_A_LIST,
    Hold,
    Loan,
    ReadingList,
    first_holds,
    first_lists,
    first_loans,
    hold_problem,
)
from arena_site.practice.markup import Html
from arena_site.practice.wsgi_site import Request, Response, WsgiSite, page, see_other
from governance.errors import Conflict, NotFound

#: Enough for any visit; a visitor cannot fill the memory.
_MOST_SUGGESTIONS = 50


class Library(WsgiSite):
    """The library as one visitor finds it."""

    host = "library.practice.test"
    assets = ("library.css", "library.svg")

    def __init__(self) -> None:
        super().__init__()
        self.card = ""
        self.loans: list[Loan] = first_loans()
        self.holds: list[Hold] = first_holds()
        self.lists: list[ReadingList] = first_lists()
        self.suggestions: list[dict[str, str]] = []
        add = self.routes.add
        add("/", get=self.home)
        add("/search", get=self.search)
        add("/advanced", get=self.advanced)
        add("/record/{number}", get=self.record)
        add("/record/{number}/hold", get=self.hold_form, post=self.place_hold)
        add("/record/{number}/list", post=self.add_to_list)
        add("/covers/{number}.svg", get=self.cover)
        add("/account", get=self.account, post=self.sign_in)
        add("/account/renew", post=self.renew)
        add("/account/cancel", post=self.cancel_hold)
        add("/account/sign-out", post=self.sign_out)
        add("/lists", get=self.show_lists)
        add("/lists/new", get=self.new_list, post=self.create_list)
        add("/lists/show/{slug}", get=self.show_list)
        add("/lists/show/{slug}/remove", post=self.remove_from_list)
        add("/branches", get=self.branches)
        add("/branches/{slug}", get=self.branch)
        add("/suggest", get=self.suggest, post=self.send_suggestion)
        add("/borrowing", get=self.borrowing)

    def _page(self, title: str, body: Html, status: int = 200) -> Response:
        return page(pages.document(title, body, self.card), status)

    def problem_page(self, status: int, title: str, message: str) -> Html:
        return pages.document(title, pages.problem(title, message), self.card)

    # The catalogue

    def home(self, _request: Request) -> Response:
        return self._page("", pages.home())

    def search(self, request: Request) -> Response:
        search = Search.read(request.query)
        return self._page("Search results", pages.results(search, search.run()))

    def advanced(self, _request: Request) -> Response:
        return self._page("Advanced search", pages.advanced())

    def record(self, request: Request, number: str) -> Response:
        record = _record(number)
        added = self._find_list(request.query.text("added"))
        body = pages.record(record, self.lists, added if added and number in added.numbers else None)
        return self._page(record.title, body)

    def cover(self, _request: Request, number: str) -> Response:
        caching = (("Cache-Control", "max-age=600"),)
        return Response(cover_of(_record(number)), content_type="image/svg+xml", headers=caching)

    # Reservations and loans

    def hold_form(self, _request: Request, number: str) -> Response:
        record = _record(number)
        return self._page(f"Reserve: {record.title}", member_pages.hold_form(record, Filled({"card": self.card})))

    def place_hold(self, request: Request, number: str) -> Response:
        record, filled = _record(number), read_form(HOLD_FORM, request.form)
        card = plain_card(filled["card"])
        if filled.ok and (problem := hold_problem(self.holds, card, record)):
            filled.errors["card"] = problem
        if not filled.ok:
            return self._page(f"Reserve: {record.title}", member_pages.hold_form(record, filled), status=422)
        self.holds.append(Hold(card, number, filled["branch"], parse_date(filled["until"])))
        self.card = card
        return see_other("/account", reserved=number)

    def account(self, request: Request) -> Response:
        if not self.card:
            return self._page("My account", member_pages.sign_in(Filled()))
        loans = [loan for loan in self.loans if loan.card == self.card]
        holds = [hold for hold in self.holds if hold.card == self.card]
        notice = ""
        if request.query.text("reserved") in {hold.number for hold in holds}:
            notice = f"{RECORDS[request.query.text('reserved')].title} is reserved for you."
        elif request.query.text("renewed") in {loan.number for loan in loans if loan.renewals}:
            notice = f"{RECORDS[request.query.text('renewed')].title} is renewed."
        elif "cancelled" in request.query:
            notice = "The reservation is cancelled."
        return self._page("My account", member_pages.account(self.card, loans, holds, notice))

    def sign_in(self, request: Request) -> Response:
        filled = read_form(SIGN_IN_FORM, request.form)
        if not filled.ok:
            return self._page("My account", member_pages.sign_in(filled), status=422)
        self.card = plain_card(filled["card"])
        return see_other("/account")

    def sign_out(self, _request: Request) -> Response:
        self.card = ""
        return see_other("/")

    def renew(self, request: Request) -> Response:
        number = request.form.text("record")
        for position, loan in enumerate(self.loans):
            if (loan.card, loan.number) == (self.card, number):
                if loan.refusal:
                    raise Conflict(f"{loan.record.title} cannot be renewed: {loan.refusal.lower()}.")
                self.loans[position] = loan.renewed()
                return see_other("/account", renewed=number)
        raise NotFound("There is no such loan on this card.")

    def cancel_hold(self, request: Request) -> Response:
        number = request.form.text("record")
        for hold in self.holds:
            if (hold.card, hold.number) == (self.card, number):
                self.holds.remove(hold)
                return see_other("/account", cancelled="1")
        raise NotFound("There is no such reservation on this card.")

    # Reading lists

    def _find_list(self, slug: str) -> ReadingList | None:
        return next((each for each in self.lists if each.slug == slug), None)

    def show_lists(self, _request: Request) -> Response:
        return self._page("Reading lists", member_pages.lists(self.lists))

    def new_list(self, _request: Request) -> Response:
        return self._page("New reading list", member_pages.list_form(Filled()))

    def create_list(self, request: Request) -> Response:
        filled = read_form(LIST_FORM, request.form)
        made = ReadingList(filled["name"], filled["note"])
        if filled.ok and self._find_list(made.slug):
            filled.errors["name"] = "Name of the list: you have a list of this name already."
        elif filled.ok and len(self.lists) >= MOST_LISTS:
            filled.errors["name"] = f"You can keep {MOST_LISTS} lists."
        if not filled.ok:
            return self._page("New reading list", member_pages.list_form(filled), status=422)
        self.lists.append(made)
        return see_other(f"/lists/show/{made.slug}")

    def show_list(self, _request: Request, slug: str) -> Response:
        shown = self._find_list(slug)
        if shown is None:
            raise NotFound("There is no such reading list.")
        return self._page(shown.name, member_pages.reading_list(shown))

    def add_to_list(self, request: Request, number: str) -> Response:
        record, chosen = _record(number), self._find_list(request.form.text("list"))
        if chosen is None:
            body = pages.record(record, self.lists, None, problem="Please choose one of your reading lists.")
            return self._page(record.title, body, status=422)
        if number not in chosen.numbers:
            if len(chosen.numbers) >= MOST_ON_A_LIST:
                raise Conflict(f"A list holds {MOST_ON_A_LIST} titles. Please begin a new one.")
            chosen.numbers.append(number)
        return see_other(f"/record/{number}", added=chosen.slug)

    def remove_from_list(self, request: Request, slug: str) -> Response:
        shown, number = self._find_list(slug), request.form.text("record")
        if shown is None or number not in shown.numbers:
            raise NotFound("There is no such title on this list.")
        shown.numbers.remove(number)
        return see_other(f"/lists/show/{slug}")

    # The house

    def branches(self, _request: Request) -> Response:
        return self._page("Branches and opening hours", pages.branches())

    def branch(self, _request: Request, slug: str) -> Response:
        if slug not in BRANCHES:
            raise NotFound("We have no such branch.")
        return self._page(BRANCHES[slug].name, pages.branch(BRANCHES[slug]))

    def borrowing(self, _request: Request) -> Response:
        return self._page("Borrowing", pages.borrowing())

    def suggest(self, request: Request) -> Response:
        sent = "sent" in request.query and bool(self.suggestions)
        return self._page("Suggest a purchase", member_pages.suggest(Filled(), sent=sent))

    def send_suggestion(self, request: Request) -> Response:
        filled = read_form(SUGGEST_FORM, request.form)
        if filled.ok and filled.ticked("tell_me") and not filled["email"]:
            filled.errors["email"] = "Email: please give an address, so that we can tell you."
        if not filled.ok:
            return self._page("Suggest a purchase", member_pages.suggest(filled), status=422)
        if len(self.suggestions) >= _MOST_SUGGESTIONS:
            raise Conflict("Thank you, we have enough suggestions for today.")
        self.suggestions.append(dict(filled.values))
        return see_other("/suggest", sent="1")


def _record(number: str) -> Record:
    record = RECORDS.get(number)
    if record is None:
        raise NotFound("We have no title with this number.")
    return record
