"""What people ask to have done in the shop, and how each is checked."""

from __future__ import annotations

import re
from datetime import date

from arena_site.practice.outcomes import (
    Check,
    by_answer,
    by_state,
    same_text,
    says_amount,
    says_date,
    says_name,
    says_number,
)
from arena_site.practice.shop import Shop
from arena_site.practice.shop_catalogue import PRODUCTS
from battles.checks import PracticeTask

_NAMES = [product.name for product in PRODUCTS.values()]


def _basket_is(*wanted: tuple[str, str, int]) -> Check:
    """The basket holds these lines (article, variant, quantity) and nothing else."""

    def holds(shop: Shop) -> bool:
        return sorted((line.slug, line.choice, line.quantity) for line in shop.basket.lines) == sorted(wanted)

    return by_state(holds)


def _ordered(lines: set[tuple[str, str, int]], **details: str) -> Check:
    """Exactly one order was placed, of these lines, with these values in its checkout form."""

    def placed(shop: Shop) -> bool:
        if len(shop.orders) != 1:
            return False
        order = shop.orders[0]
        return {(line.slug, line.choice, line.quantity) for line in order.lines} == lines and all(
            same_text(order.details.get(name, ""), value) for name, value in details.items()
        )

    return by_state(placed)


def _received(box: str, **wanted: str) -> Check:
    """Exactly one form arrived in ``box``, with these values."""

    def arrived(shop: Shop) -> bool:
        forms = getattr(shop, box)
        return len(forms) == 1 and all(same_text(forms[0].get(name, ""), value) for name, value in wanted.items())

    return by_state(arrived)


def _reviewed(shop: Shop) -> bool:
    if len(shop.reviews) != 1:
        return False
    review = shop.reviews[0]
    return (
        (review.slug, review.stars) == ("heron-watering-can", 4)
        and same_text(review.title, "Pours well")
        and same_text(review.text, "The rose comes off easily and nothing drips.")
        and same_text(review.name, "Ansa")
    )


def _weight(text: str) -> bool:
    """Whether the answer says 4200 grams, in grams or kilograms."""
    if re.search(r"(?<![a-z])k(?:g|ilo)", text):
        return says_number(text, "4.2", unit="kg|kilos?|kilograms?")
    return says_number(text, 4200, unit="g|grams?")


def _task(key: str, kind: str, instruction: str, check: Check, path: str = "/") -> PracticeTask:
    return PracticeTask(f"shop-{key}", Shop.host, path, instruction, kind, check)


TASKS = (
    _task(
        "kettle-price",
        "answer",
        'How much does the "Harbour enamel kettle" cost?',
        by_answer(lambda text: says_amount(text, 3900)),
    ),
    _task(
        "planter-weight",
        "answer",
        'I need to know how heavy the "Drystone planter" is before I order it. What does it weigh?',
        by_answer(_weight),
    ),
    _task(
        "return-days",
        "answer",
        "Within how many days can I send something back that I bought in this shop?",
        by_answer(lambda text: says_number(text, 45, unit="days?")),
    ),
    _task(
        "order-arrival",
        "answer",
        'My order number is "PT-20417". On which day is the order expected to arrive?',
        by_answer(lambda text: says_date(text, date(2027, 3, 19), also=[date(2027, 3, 11)])),
    ),
    _task(
        "bread-board",
        "action",
        'Please put one "Larch bread board" in the basket.',
        _basket_is(("larch-bread-board", "", 1)),
    ),
    _task(
        "hedge-shears-wish",
        "action",
        'Add the "Rook hedge shears" to my wish list.',
        by_state(lambda shop: shop.wish_list == ["rook-hedge-shears"]),
    ),
    _task(
        "newsletter",
        "action",
        'Sign me up for the newsletter of this shop. My email address is "mira.holt@example.test" and once a month is '
        "enough.",
        _received("subscriptions", email="mira.holt@example.test", frequency="monthly"),
    ),
    _task(
        "cheapest-light",
        "answer",
        "Which is the cheapest article in the Lighting department that is in stock at the moment? Tell me its name.",
        by_answer(lambda text: says_name(text, "Glow-worm night light", _NAMES)),
    ),
    _task(
        "best-garden-gift",
        "answer",
        "I am looking for something from the Garden department as a present, for less than 20 euros. Which of those "
        "articles has the best rating?",
        by_answer(lambda text: says_name(text, "Kestrel weeding fork", _NAMES)),
    ),
    _task(
        "picnic-basket",
        "action",
        'Put two "Cairn flask" in the colour Stone and one "Meadow picnic blanket" in the basket, and nothing else.',
        _basket_is(("cairn-flask", "Stone", 2), ("meadow-picnic-blanket", "", 1)),
    ),
    _task(
        "islands-total",
        "answer",
        'What would I have to pay in all for three "Morning mug" in Moss and one "Fennel salad bowl" in the glaze '
        'Chalk, with standard delivery to the islands and the discount code "LARKSPUR10"?',
        by_answer(lambda text: says_amount(text, 6114, also=(990, 2970, 2890, 5860, 586, 5274, 840))),
    ),
    _task(
        "twine-order",
        "action",
        'Order three "Garden twine, 80 m" in Green for "Edda Marlow", "12 Tollgate Lane", postcode "40217", town '
        '"Dunmere" on the mainland, with standard delivery, paid by invoice. The email address is '
        '"edda.marlow@example.test".',
        _ordered(
            {("garden-twine-80-m", "Green", 3)},
            name="Edda Marlow",
            street="12 Tollgate Lane",
            postcode="40217",
            town="Dunmere",
            email="edda.marlow@example.test",
            region="mainland",
            method="standard",
            payment="invoice",
            gift_wrap="",
        ),
    ),
    _task(
        "pen-as-a-gift",
        "action",
        'Order one "Teasel fountain pen" with a broad nib as a present. It should go by express to "Corin Vale", '
        '"3 Lantern Steps", "61804" "Port Ennis" on the islands, wrapped as a gift with the words '
        '"Happy birthday from all of us" on the card. Pay by invoice and use the email "orders@example.test".',
        _ordered(
            {("teasel-fountain-pen", "Broad", 1)},
            name="Corin Vale",
            street="3 Lantern Steps",
            postcode="61804",
            town="Port Ennis",
            email="orders@example.test",
            region="islands",
            method="express",
            payment="invoice",
            gift_wrap="yes",
            gift_message="Happy birthday from all of us",
        ),
    ),
    _task(
        "can-review",
        "action",
        'Write a review of the "Heron watering can" with 4 stars, the title "Pours well" and the text '
        '"The rose comes off easily and nothing drips." Sign it with "Ansa".',
        by_state(_reviewed),
    ),
    _task(
        "return-question",
        "action",
        'Write to the shop about sending something back: my name is "Bram Oster", my email is '
        '"bram.oster@example.test", the order is "PT-20398" and the message is "The lid of the jar is cracked."',
        _received(
            "messages",
            topic="return",
            name="Bram Oster",
            email="bram.oster@example.test",
            order="PT-20398",
            message="The lid of the jar is cracked.",
        ),
    ),
)
