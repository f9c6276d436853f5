"""A practice shop for kitchen, garden and desk, with a basket, orders and reviews."""

from __future__ import annotations

import re
from typing import Any

from arena_site.practice import shop_desk_pages as desk
from arena_site.practice import shop_pages as pages
from arena_site.practice.forms import Filled, read_form
from arena_site.practice.markup import Html
from arena_site.practice.shop_basket import DISCOUNT_PERCENT, METHODS, REGIONS, Basket, Totals, delivery_problem
from arena_site.practice.shop_catalogue import CATEGORIES, PRODUCTS, Product
from arena_site.practice.shop_forms import (
    CHECKOUT_FORM,
    CONTACT_FORM,
    NEWSLETTER_FORM,
    REVIEW_FORM,
    TRACK_FORM,
    Listing,
)
from arena_site.practice.shop_pictures import picture_of
from arena_site.practice.shop_records import PARCELS, Order, Review, earlier_reviews
from arena_site.practice.wsgi_site import Request, Response, WsgiSite, page, see_other
from governance.errors import Conflict, NotFound

_FIRST_ORDER_NUMBER = 20431
#: Enough for any visit; a visitor cannot fill the memory.
_MOST_ENTRIES = 100


class Shop(WsgiSite):
    """The shop of one visitor."""

    host = "shop.practice.test"
    assets = ("shop.css", "shop.svg")

    def __init__(self) -> None:
        super().__init__()
        self.basket = Basket()
        self.wish_list: list[str] = []
        self.orders: list[Order] = []
        self.reviews: list[Review] = []
        self.subscriptions: list[dict[str, str]] = []
        self.messages: list[dict[str, str]] = []
        self.pending: Filled | None = None
        add = self.routes.add
        add("/", get=self.home)
        add("/search", get=self.search)
        add("/department/{slug}", get=self.department)
        add("/article/{slug}", get=self.article)
        add("/article/{slug}/basket", post=self.put_in_basket)
        add("/article/{slug}/wish", post=self.wish)
        add("/article/{slug}/review", get=self.review_form, post=self.send_review)
        add("/pictures/{slug}.svg", get=self.picture)
        add("/wish-list", get=self.show_wish_list)
        add("/wish-list/remove", post=self.unwish)
        add("/basket", get=self.show_basket, post=self.change_basket)
        add("/basket/code", post=self.use_code)
        add("/basket/delivery", post=self.choose_delivery)
        add("/checkout", get=self.checkout, post=self.send_checkout)
        add("/checkout/review", get=self.review_order, post=self.place_order)
        add("/order/{number}", get=self.order)
        add("/track", get=self.track)
        add("/contact", get=self.contact, post=self.send_message)
        add("/newsletter", get=self.newsletter, post=self.subscribe)
        add("/delivery-and-returns", get=self.delivery_and_returns)

    def _page(self, title: str, body: Html, *, status: int = 200, query: str = "") -> Response:
        return page(pages.document(title, body, self.basket.count, len(self.wish_list), query), status)

    def problem_page(self, status: int, title: str, message: str) -> Html:
        return pages.document(title, pages.problem(title, message), self.basket.count, len(self.wish_list), "")

    # Looking around

    def home(self, _request: Request) -> Response:
        return self._page("", pages.home())

    def search(self, request: Request) -> Response:
        query = request.query.text("q")[:100]
        found, partial = find_products(query)
        listing = Listing.read(request.query)
        body = pages.search_results(query, listing, listing.apply(found), partial)
        return self._page(f"Search: {query}" if query else "Search", body, query=query)

    def department(self, request: Request, slug: str) -> Response:
        if slug not in CATEGORIES:
            raise NotFound("We have no such department.")
        listing = Listing.read(request.query)
        found = listing.apply([product for product in PRODUCTS.values() if product.category == slug])
        return self._page(CATEGORIES[slug][0], pages.department(slug, listing, found))

    def article(self, request: Request, slug: str) -> Response:
        product = _product(slug)
        notice = ""
        if "added" in request.query and self.basket.in_basket(slug):
            notice = "basket"
        elif "wished" in request.query and slug in self.wish_list:
            notice = "wish"
        elif "reviewed" in request.query and any(review.slug == slug for review in self.reviews):
            notice = "review"
        return self._article_page(product, notice=notice)

    def _article_page(self, product: Product, *, notice: str = "", problem: str = "", chosen: str = "") -> Response:
        body = pages.article(product, self.reviews_of(product), notice=notice, problem=problem, chosen=chosen)
        return self._page(product.name, body, status=422 if problem else 200)

    def reviews_of(self, product: Product) -> list[Review]:
        """Newest first: those of this visit, then those that were there."""
        written = [review for review in self.reviews if review.slug == product.slug]
        return [*reversed(written), *earlier_reviews(product)]

    def picture(self, _request: Request, slug: str) -> Response:
        caching = (("Cache-Control", "max-age=600"),)
        return Response(picture_of(_product(slug)), content_type="image/svg+xml", headers=caching)

    def delivery_and_returns(self, _request: Request) -> Response:
        return self._page("Delivery and returns", desk.delivery_and_returns())

    # Wish list

    def show_wish_list(self, _request: Request) -> Response:
        return self._page("Wish list", pages.wish_list([PRODUCTS[slug] for slug in self.wish_list]))

    def wish(self, _request: Request, slug: str) -> Response:
        product = _product(slug)
        if product.slug not in self.wish_list:
            self.wish_list.append(product.slug)
        return see_other(f"/article/{product.slug}", wished="1")

    def unwish(self, request: Request) -> Response:
        slug = request.form.text("article")
        if slug in self.wish_list:
            self.wish_list.remove(slug)
        return see_other("/wish-list")

    # Basket

    def put_in_basket(self, request: Request, slug: str) -> Response:
        product = _product(slug)
        choice = request.form.text("choice")
        quantity = request.form.number("quantity", default=0, least=0, most=1000)
        if product.choices and choice not in product.choices:
            return self._article_page(product, problem=f"Please choose a {product.option.lower()}.")
        if quantity < 1:
            return self._article_page(product, problem="Please say how many you would like.", chosen=choice)
        problem = self.basket.add(product.slug, choice if product.choices else "", quantity)
        if problem:
            return self._article_page(product, problem=problem, chosen=choice)
        return see_other(f"/article/{product.slug}", added="1")

    def show_basket(self, request: Request) -> Response:
        notice = "Your basket is up to date." if "updated" in request.query else ""
        return self._page("Your basket", desk.basket(self.basket, notice=notice))

    def _basket_problem(self, problem: str) -> Response:
        return self._page("Your basket", desk.basket(self.basket, problem=problem), status=422)

    def change_basket(self, request: Request) -> Response:
        """Either the quantities of all lines, or one line taken out by its button."""
        removed = request.form.text("remove")
        if removed:
            self.basket.change(removed, 0)
            return see_other("/basket", updated="1")
        for line in tuple(self.basket.lines):
            typed = request.form.text(line.key, str(line.quantity))
            if not re.fullmatch(r"[0-9]{1,3}", typed):
                return self._basket_problem(f"{line.product.name}: please give the quantity as a number.")
            if problem := self.basket.change(line.key, int(typed)):
                return self._basket_problem(problem)
        return see_other("/basket", updated="1")

    def use_code(self, request: Request) -> Response:
        code = request.form.text("code")[:40]
        if code and code.upper() not in DISCOUNT_PERCENT:
            return self._basket_problem(f"We do not know the discount code {code}.")
        self.basket.code = code.upper()
        return see_other("/basket", updated="1")

    def choose_delivery(self, request: Request) -> Response:
        region, method = request.form.text("region"), request.form.text("method")
        if region not in REGIONS or method not in METHODS:
            return self._basket_problem("Please choose where to and how we should deliver.")
        if problem := delivery_problem(region, method):
            return self._basket_problem(problem)
        self.basket.region, self.basket.method = region, method
        return see_other("/basket", updated="1")

    # Checkout

    def checkout(self, _request: Request) -> Response:
        if not self.basket.lines:
            return see_other("/basket")
        filled = self.pending or Filled({"region": self.basket.region, "method": self.basket.method})
        return self._page("Checkout", desk.checkout(filled, self.basket))

    def send_checkout(self, request: Request) -> Response:
        if not self.basket.lines:
            return see_other("/basket")
        filled = read_form(CHECKOUT_FORM, request.form)
        if filled.ok and (problem := delivery_problem(filled["region"], filled["method"])):
            filled.errors["method"] = problem
        if not filled.ok:
            return self._page("Checkout", desk.checkout(filled, self.basket), status=422)
        self.pending = filled
        return see_other("/checkout/review")

    def _pending_totals(self, filled: Filled) -> Totals:
        return self.basket.totals(
            region=filled["region"], method=filled["method"], gift_wrap=filled.ticked("gift_wrap")
        )

    def review_order(self, _request: Request) -> Response:
        if self.pending is None or not self.basket.lines:
            return see_other("/checkout")
        body = desk.review_order(self.pending, self.basket, self._pending_totals(self.pending))
        return self._page("Check your order", body)

    def place_order(self, _request: Request) -> Response:
        if self.pending is None or not self.basket.lines:
            return see_other("/checkout")
        if len(self.orders) >= _MOST_ENTRIES:
            raise Conflict("We cannot take another order today.")
        order = Order(
            number=f"PT-{_FIRST_ORDER_NUMBER + len(self.orders)}",
            lines=tuple(self.basket.lines),
            totals=self._pending_totals(self.pending),
            code=self.basket.code,
            details=dict(self.pending.values),
        )
        self.orders.append(order)
        self.basket, self.pending = Basket(), None
        return see_other(f"/order/{order.number}")

    def order(self, _request: Request, number: str) -> Response:
        for order in self.orders:
            if order.number == number:
                return self._page(f"Order {number}", desk.order(order))
        raise NotFound("We have no order with this number.")

    def track(self, request: Request) -> Response:
        if "order" not in request.query:
            return self._page("Track an order", desk.track(Filled()))
        filled = read_form(TRACK_FORM, request.query)
        number = filled["order"].upper()
        parcel = next((parcel for parcel in PARCELS if parcel.number == number), None)
        placed = any(order.number == number for order in self.orders)
        if filled.ok and parcel is None and not placed:
            filled.errors["order"] = "We have no order with this number. It looks like PT-20001."
        body = desk.track(filled, parcel, number if placed else "")
        return self._page("Track an order", body, status=200 if filled.ok else 422)

    # Words from visitors

    def review_form(self, _request: Request, slug: str) -> Response:
        return self._page("Write a review", pages.review_form(_product(slug), Filled()))

    def send_review(self, request: Request, slug: str) -> Response:
        product, filled = _product(slug), read_form(REVIEW_FORM, request.form)
        if not filled.ok:
            return self._page("Write a review", pages.review_form(product, filled), status=422)
        _keep(self.reviews, Review(slug, filled["name"], int(filled["stars"]), filled["title"], filled["text"]))
        return see_other(f"/article/{slug}", reviewed="1")

    def contact(self, request: Request) -> Response:
        return self._page("Contact", desk.contact(Filled(), sent="sent" in request.query and bool(self.messages)))

    def send_message(self, request: Request) -> Response:
        filled = read_form(CONTACT_FORM, request.form)
        if not filled.ok:
            return self._page("Contact", desk.contact(filled), status=422)
        _keep(self.messages, dict(filled.values))
        return see_other("/contact", sent="1")

    def newsletter(self, request: Request) -> Response:
        signed_up = self.subscriptions[-1]["email"] if "done" in request.query and self.subscriptions else ""
        return self._page("Newsletter", desk.newsletter(Filled(), signed_up))

    def subscribe(self, request: Request) -> Response:
        filled = read_form(NEWSLETTER_FORM, request.form)
        if not filled.ok:
            return self._page("Newsletter", desk.newsletter(filled), status=422)
        _keep(self.subscriptions, dict(filled.values))
        return see_other("/newsletter", done="1")


def find_products(query: str) -> tuple[list[Product], bool]:
    """Articles with all the words, best first; or, said by the second value, with some of them."""
    words = [_stem(word) for word in re.findall(r"\w+", query.lower())]
    if not words:
        return [], False
    scored = []
    for product in PRODUCTS.values():
        name = {_stem(word) for word in re.findall(r"\w+", product.name.lower())}
        rest = f"{product.summary} {product.material} {CATEGORIES[product.category][0]} {' '.join(product.choices)}"
        others = {_stem(word) for word in re.findall(r"\w+", rest.lower())}
        hits = sum(word in name or word in others for word in words)
        if hits:
            scored.append((hits, sum(word in name for word in words), product))
    scored.sort(key=lambda row: (-row[0], -row[1]))
    complete = [product for hits, _, product in scored if hits == len(words)]
    return (complete, False) if complete else ([product for _, _, product in scored], bool(scored))


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _product(slug: str) -> Product:
    product = PRODUCTS.get(slug)
    if product is None:
        raise NotFound("We do not have this article, or not any more.")
    return product


def _keep(entries: list[Any], entry: Any) -> None:
    if len(entries) >= _MOST_ENTRIES:
        raise Conflict("Thank you, we have heard enough for today. Please come back tomorrow.")
    entries.append(entry)
