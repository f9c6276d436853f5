"""What the practice shop sells: invented goods, prices in cents, weights in grams."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

_PRODUCTS_FILE = Path(__file__).parent / "data" / "shop_products.csv"

CATEGORIES = {
    "kitchen": ("Kitchen", "Pans, boards and bowls for every day."),
    "garden": ("Garden", "Hand tools, pots and things for birds."),
    "lighting": ("Lighting", "Lamps, lanterns and candles."),
    "desk-and-paper": ("Desk & paper", "Notebooks, pens and somewhere to keep them."),
    "textiles": ("Textiles", "Throws, towels and aprons."),
    "outdoors": ("Outdoors", "For a day out, or a night."),
}


@dataclass(frozen=True, slots=True)
class Product:
    """One article. ``stock`` 0 is sold out; ``stars`` are the ratings given so far, newest last."""

    name: str
    category: str
    cents: int
    picture: str
    colour: str
    stock: int
    grams: int
    material: str
    size: str
    option: str
    choices: tuple[str, ...]
    stars: tuple[int, ...]
    summary: str

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def rating(self) -> float:
        """Mean of the stars to one decimal, 0 when there are none."""
        return round(mean(self.stars), 1) if self.stars else 0.0


def euros(cents: int) -> str:
    """An amount as the shop prints it: ``€12.50``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}€{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _read_products() -> dict[str, Product]:
    with _PRODUCTS_FILE.open(encoding="utf-8", newline="") as rows:
        products = [
            Product(
                name=row["name"],
                category=row["category"],
                cents=int(row["cents"]),
                picture=row["picture"],
                colour=row["colour"],
                stock=int(row["stock"]),
                grams=int(row["grams"]),
                material=row["material"],
                size=row["size"],
                option=row["option"],
                choices=tuple(filter(None, row["choices"].split("/"))),
                stars=tuple(int(star) for star in row["stars"]),
                summary=row["summary"],
            )
            for row in csv.DictReader(rows)
        ]
    return {product.slug: product for product in products}


PRODUCTS = _read_products()

#: Words of the reviews already there, by number of stars, taken in turn.
REVIEW_WORDS = {
    5: (
        ("Exactly right", "I use it every day and would buy it again."),
        ("Well made", "You notice the care when you hold it."),
        ("A present that was liked", "Bought for my sister, who now wants to keep me from borrowing it."),
        ("Very happy", "Arrived on time, well packed and as described."),
    ),
    4: (
        ("Good", "Does what it should. A little heavier than I had thought."),
        ("Nearly perfect", "I like it. The colour is slightly darker than in the picture."),
        ("Solid", "Nothing to complain about after three months."),
        ("Nice", "Fine quality, the packaging could be less."),
    ),
    3: (
        ("All right", "It works, though I had hoped for more at this price."),
        ("Mixed", "Good idea, smaller than expected."),
        ("Fair", "Fine for now and then, not for every day."),
    ),
}
REVIEWERS = ("Ilse M.", "Toren B.", "Wynn A.", "Perrin D.", "Odile F.", "Casimir L.", "Neve R.", "Joss K.")
