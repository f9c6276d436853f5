"""What the shop has written down: reviews, orders and parcels under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from arena_site.practice.shop_basket import Line, Totals
from arena_site.practice.shop_catalogue import REVIEW_WORDS, REVIEWERS, Product


@dataclass(frozen=True, slots=True)
class Review:
    slug: str
    name: str
    stars: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Order:
    """An order as it was placed. ``details`` are the values of the checkout form."""

    number: str
    lines: tuple[Line, ...]
    totals: Totals
    code: str
    details: dict[str, str]


@dataclass(frozen=True, slots=True)
class Parcel:
    """An earlier order as the tracking page knows it."""

    number: str
    placed: date
    status: str
    expected: date


PARCELS = (
    Parcel("PT-20398", date(2027, 3, 1), "Delivered", date(2027, 3, 5)),
    Parcel("PT-20417", date(2027, 3, 11), "On its way", date(2027, 3, 19)),
    Parcel("PT-20425", date(2027, 3, 14), "Being packed", date(2027, 3, 23)),
)


def earlier_reviews(product: Product) -> list[Review]:
    """The reviews that were there before this visit, newest first."""
    reviews = []
    for position, stars in enumerate(reversed(product.stars)):
        turn = position + product.cents
        title, text = REVIEW_WORDS[stars][turn % len(REVIEW_WORDS[stars])]
        reviews.append(Review(product.slug, REVIEWERS[turn * 3 % len(REVIEWERS)], stars, title, text))
    return reviews
