"""The shop's forms, and how a list of articles is narrowed and ordered."""

from __future__ import annotations

from dataclasses import dataclass

from arena_site.practice.forms import Field
from arena_site.practice.shop_basket import METHODS, REGIONS
from arena_site.practice.shop_catalogue import Product
from arena_site.practice.wsgi_site import Params

PAGE_SIZE = 8
SORTS = {
    "featured": "Featured",
    "price": "Price, low to high",
    "price-down": "Price, high to low",
    "rating": "Best rated",
    "name": "Name, A to Z",
}
PRICES = {"": "Any price", "15": "Up to €15", "30": "Up to €30", "60": "Up to €60"}
TOPICS = {
    "order": "An order",
    "article": "An article",
    "return": "Sending something back",
    "other": "Something else",
}
FREQUENCIES = {"weekly": "Every week", "monthly": "Once a month", "season": "Once a season"}
PAYMENTS = {"invoice": "Pay by invoice within 14 days", "counter": "Pay at the counter when collecting"}


def _postcode_problem(value: str) -> str:
    plain = value.replace(" ", "")
    return "" if plain.isdigit() and len(plain) == 5 else "Postcode: please give the five digits."


CHECKOUT_FORM = (
    Field("name", "Full name", autocomplete="name"),
    Field("email", "Email", "email", autocomplete="email", hint="We write when your parcel leaves."),
    Field("street", "Street and number", autocomplete="street-address"),
    Field("postcode", "Postcode", autocomplete="postal-code", longest=10, check=_postcode_problem),
    Field("town", "Town", autocomplete="address-level2"),
    Field("region", "Deliver to", "select", choices=tuple(REGIONS.items())),
    Field("method", "Delivery", "radio", choices=tuple(METHODS.items())),
    Field("gift_wrap", "Wrap it as a gift (€3.00)", "checkbox", required=False),
    Field("gift_message", "Message on the gift card", "textarea", required=False, longest=300),
    Field("payment", "Payment", "radio", choices=tuple(PAYMENTS.items())),
    Field(
        "terms",
        "I have read the delivery and return conditions",
        "checkbox",
        missing="Please confirm that you have read the delivery and return conditions.",
    ),
)
REVIEW_FORM = (
    Field("name", "Your name", hint="Shown beside the review."),
    Field("stars", "Rating", "select", choices=tuple((str(n), f"{n} star{'s' * (n > 1)}") for n in range(5, 0, -1))),
    Field("title", "Title", longest=80),
    Field("text", "Review", "textarea", longest=1500),
)
CONTACT_FORM = (
    Field("topic", "What is it about?", "select", choices=tuple(TOPICS.items())),
    Field("name", "Your name", autocomplete="name"),
    Field("email", "Email", "email", autocomplete="email"),
    Field("order", "Order number", required=False, longest=20, hint="It looks like PT-20001."),
    Field("message", "Message", "textarea", longest=1500),
)
NEWSLETTER_FORM = (
    Field("email", "Email", "email", autocomplete="email"),
    Field("frequency", "How often?", "select", choices=tuple(FREQUENCIES.items())),
)
TRACK_FORM = (Field("order", "Order number", longest=20, hint="You find it in our email. It looks like PT-20001."),)


@dataclass(frozen=True, slots=True)
class Listing:
    """How a visitor wants a list of articles: order, price limit in euros ("" is none), stock, page."""

    sort: str
    price: str
    in_stock: bool
    page: int

    @classmethod
    def read(cls, query: Params) -> Listing:
        sort, price = query.text("sort"), query.text("price")
        return cls(
            sort=sort if sort in SORTS else "featured",
            price=price if price in PRICES else "",
            in_stock=query.text("in_stock") == "yes",
            page=query.number("page", default=1, least=1, most=999),
        )

    def apply(self, products: list[Product]) -> list[Product]:
        """Those that fit, in order; all pages together."""
        kept = [
            product
            for product in products
            if (not self.in_stock or product.stock) and (not self.price or product.cents <= int(self.price) * 100)
        ]
        if self.sort in {"price", "price-down"}:
            kept.sort(key=lambda product: product.cents, reverse=self.sort == "price-down")
        elif self.sort == "rating":
            kept.sort(key=lambda product: product.rating, reverse=True)
        elif self.sort == "name":
            kept.sort(key=lambda product: product.name)
        return kept

    def query(self, page: int) -> dict[str, str]:
        """The same list on another page, as the values of an address."""
        return {
            "sort": "" if self.sort == "featured" else self.sort,
            "price": self.price,
            "in_stock": "yes" if self.in_stock else "",
            "page": str(page) if page > 1 else "",
        }
