"""The shop's basket and what it comes to. All amounts are cents."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena_site.practice.shop_catalogue import PRODUCTS, Product

REGIONS = {"mainland": "Mainland", "islands": "Islands", "abroad": "Abroad"}
METHODS = {"standard": "Standard delivery", "express": "Express delivery", "collect": "Collect in our shop"}
STANDARD_CENTS = {"mainland": 490, "islands": 840, "abroad": 1450}
#: Express is not offered abroad.
EXPRESS_CENTS = {"mainland": 990, "islands": 1390}
FREE_STANDARD_FROM_CENTS = 7500
GIFT_WRAP_CENTS = 300
DISCOUNT_PERCENT = {"LARKSPUR10": 10}
MOST_OF_ONE = 12
#: Different articles in one basket.
MOST_LINES = 30


@dataclass(frozen=True, slots=True)
class Line:
    """So many of one article, in one of its variants ("" when there are none)."""

    slug: str
    choice: str
    quantity: int

    @property
    def product(self) -> Product:
        return PRODUCTS[self.slug]

    @property
    def cents(self) -> int:
        return self.product.cents * self.quantity

    @property
    def key(self) -> str:
        """The line's name in forms, for example ``morning-mug--moss``."""
        return f"{self.slug}--{self.choice.lower().replace(' ', '-')}"


@dataclass(frozen=True, slots=True)
class Totals:
    goods: int
    discount: int
    delivery: int
    wrapping: int

    @property
    def total(self) -> int:
        return self.goods - self.discount + self.delivery + self.wrapping


@dataclass(slots=True)
class Basket:
    """What a visitor means to buy, and the delivery they asked the price of."""

    lines: list[Line] = field(default_factory=list)
    code: str = ""
    region: str = "mainland"
    method: str = "standard"

    @property
    def count(self) -> int:
        return sum(line.quantity for line in self.lines)

    def in_basket(self, slug: str) -> int:
        return sum(line.quantity for line in self.lines if line.slug == slug)

    def add(self, slug: str, choice: str, quantity: int) -> str:
        """Put more of an article in; returns why not, or ""."""
        product = PRODUCTS[slug]
        if product.stock == 0:
            return "This article is sold out."
        most = min(MOST_OF_ONE, product.stock)
        if self.in_basket(slug) + quantity > most:
            return f"You can order at most {most} of this article."
        for position, line in enumerate(self.lines):
            if (line.slug, line.choice) == (slug, choice):
                self.lines[position] = Line(slug, choice, line.quantity + quantity)
                return ""
        if len(self.lines) >= MOST_LINES:
            return f"A basket holds {MOST_LINES} different articles. Please order these first."
        self.lines.append(Line(slug, choice, quantity))
        return ""

    def change(self, key: str, quantity: int) -> str:
        """Set the quantity of a line, 0 to take it out; returns why not, or ""."""
        for position, line in enumerate(self.lines):
            if line.key == key:
                others = self.in_basket(line.slug) - line.quantity
                most = min(MOST_OF_ONE, line.product.stock) - others
                if quantity > most:
                    return f"{line.product.name}: you can order at most {most}."
                self.lines[position : position + 1] = [Line(line.slug, line.choice, quantity)] if quantity else []
                return ""
        return "This article is no longer in your basket."

    def totals(self, *, region: str = "", method: str = "", gift_wrap: bool = False) -> Totals:
        """The sums, for the basket's own delivery unless another is given."""
        goods = sum(line.cents for line in self.lines)
        discount = (goods * DISCOUNT_PERCENT.get(self.code, 0) + 50) // 100
        delivery = delivery_cents(region or self.region, method or self.method, goods - discount)
        return Totals(goods, discount, delivery if self.lines else 0, GIFT_WRAP_CENTS if gift_wrap else 0)


def delivery_cents(region: str, method: str, goods: int) -> int:
    """What delivery costs. ``goods`` is the value after any discount."""
    if method == "collect":
        return 0
    if method == "express":
        return EXPRESS_CENTS.get(region, STANDARD_CENTS[region])
    if region == "mainland" and goods >= FREE_STANDARD_FROM_CENTS:
        return 0
    return STANDARD_CENTS[region]


def delivery_problem(region: str, method: str) -> str:
    """Why this delivery is not offered, or ""."""
    return "Express delivery is not offered abroad." if method == "express" and region not in EXPRESS_CENTS else ""
