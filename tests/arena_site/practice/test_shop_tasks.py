"""Each task of the shop can be done through its pages, and only doing it counts."""

from __future__ import annotations

import pytest

from arena_site.practice.shop import Shop
from arena_site.practice.shop_tasks import TASKS
from tests.arena_site.practice.visitor import Visitor

EDDA = {
    "Full name": "Edda Marlow",
    "Email": "edda.marlow@example.test",
    "Street and number": "12 Tollgate Lane",
    "Postcode": "40217",
    "Town": "Dunmere",
    "Deliver to": "Mainland",
    "Standard delivery": True,
    "Pay by invoice within 14 days": True,
    "I have read the delivery and return conditions": True,
}
CORIN = EDDA | {
    "Full name": "Corin Vale",
    "Email": "orders@example.test",
    "Street and number": "3 Lantern Steps",
    "Postcode": "61804",
    "Town": "Port Ennis",
    "Deliver to": "Islands",
    "Express delivery": True,
    "Wrap it as a gift (€3.00)": True,
    "Message on the gift card": "Happy birthday from all of us",
}
del CORIN["Standard delivery"]
REVIEW = {
    "Your name": "Ansa",
    "Rating": "4 stars",
    "Title": "Pours well",
    "Review": "The rose comes off easily and nothing drips.",
}
QUESTION = {
    "What is it about?": "Sending something back",
    "Your name": "Bram Oster",
    "Email": "bram.oster@example.test",
    "Order number": "PT-20398",
    "Message": "The lid of the jar is cracked.",
}


def look_up(visitor: Visitor, words: str, name: str) -> Visitor:
    return visitor.open("/").fill("Search", {"Search the shop": words}).follow(name)


def buy(visitor: Visitor, name: str, quantity: int = 1, **option: str) -> Visitor:
    return look_up(visitor, name, name).fill("Add to basket", {"Quantity": quantity, **option})


def order(visitor: Visitor, details: dict[str, object]) -> Visitor:
    visitor.open("/basket").follow("Go to checkout").fill("Continue", details)
    assert visitor.page.text.count("Place order") == 1, visitor.page.text
    return visitor.press("Place order")


def kettle_price(visitor: Visitor) -> str:
    assert "€39.00" in look_up(visitor, "kettle", "Harbour enamel kettle").page.text
    return "The kettle costs 39 euros."


def planter_weight(visitor: Visitor) -> str:
    assert "4200 g" in look_up(visitor, "drystone", "Drystone planter").page.text
    return "It weighs 4.2 kg"


def return_days(visitor: Visitor) -> str:
    assert "45 days" in visitor.open("/").follow("Delivery and returns").page.text
    return "You have 45 days."


def order_arrival(visitor: Visitor) -> str:
    visitor.open("/").follow("Track an order").fill("Track", {"Order number": "pt-20417"})
    assert "Friday 19 March 2027" in visitor.page.text
    return "Friday, March 19th, 2027"


def bread_board(visitor: Visitor) -> None:
    buy(visitor, "Larch bread board")


def hedge_shears_wish(visitor: Visitor) -> None:
    look_up(visitor, "hedge shears", "Rook hedge shears").press("Add to wish list")


def newsletter(visitor: Visitor) -> None:
    wanted = {"Email": "mira.holt@example.test", "How often?": "Once a month"}
    visitor.open("/").follow("Newsletter").fill("Sign up", wanted)


def cheapest_light(visitor: Visitor) -> str:
    wanted = {"Sort by": "Price, low to high", "In stock only": True}
    visitor.open("/").follow("Lighting").fill("Apply", wanted)
    first = visitor.page.text.partition("articles")[2]
    assert first.strip().startswith("Glow-worm night light")
    return "The Glow-worm night light is the cheapest one in stock."


def best_garden_gift(visitor: Visitor) -> str:
    wanted = {"Sort by": "Best rated", "Price": "Up to €30"}
    visitor.open("/").follow("Garden").fill("Apply", wanted)
    assert "Kestrel weeding fork €15.90 ★★★★★ 5.0" in visitor.page.text
    return "Kestrel weeding fork"


def picnic_basket(visitor: Visitor) -> None:
    buy(visitor, "Cairn flask", 2, Colour="Stone")
    buy(visitor, "Meadow picnic blanket")


def islands_total(visitor: Visitor) -> str:
    buy(visitor, "Morning mug", 3, Colour="Moss")
    buy(visitor, "Fennel salad bowl", Glaze="Chalk")
    visitor.open("/basket").fill("Use code", {"Discount code": "larkspur10"})
    visitor.fill("Show delivery cost", {"Deliver to": "Islands", "Delivery": "Standard delivery"})
    assert "Total €61.14" in visitor.page.text
    return "€61.14 in all, of which €8.40 is delivery"


def twine_order(visitor: Visitor) -> None:
    buy(visitor, "Garden twine, 80 m", 3, Colour="Green")
    order(visitor, EDDA)


def pen_as_a_gift(visitor: Visitor) -> None:
    buy(visitor, "Teasel fountain pen", Nib="Broad")
    order(visitor, CORIN)


def can_review(visitor: Visitor) -> None:
    look_up(visitor, "watering can", "Heron watering can").follow("Write a review").fill("Publish review", REVIEW)
    assert "4 of 5 stars, by Ansa" in visitor.page.text


def return_question(visitor: Visitor) -> None:
    visitor.open("/").follow("Contact").fill("Send message", QUESTION)


WAYS = {f"shop-{way.__name__.replace('_', '-')}": way for way in (
    kettle_price, planter_weight, return_days, order_arrival, bread_board, hedge_shears_wish, newsletter,
    cheapest_light, best_garden_gift, picnic_basket, islands_total, twine_order, pen_as_a_gift, can_review,
    return_question,
)}  # fmt: skip

WRONG_ANSWERS = {
    "shop-kettle-price": ["42 euros", "€3.90", "Between €35 and €39", "€24.50, €39.00 or €28.90", "I found it."],
    "shop-planter-weight": ["30 x 30 cm", "42 kg", "4.2", "3 kg or 4.2 kg", "It is heavy."],
    "shop-return-days": ["10 days", "30 or 45 days", "14 days", "45 or 30 days", "Within a week"],
    "shop-order-arrival": ["11 March 2027", "18 or 19 March", "19 April 2027", "23 March", "On its way"],
    "shop-cheapest-light": ["Beeswax candle, pair", "Glow-worm night light or Margin clip light", "A night light"],
    "shop-best-garden-gift": ["Seed box", "Kestrel hand trowel", "Kestrel hand trowel, Kestrel weeding fork"],
    "shop-islands-total": ["€58.60", "€57.64", "€61.14 or €67.00", "66.90", "52.74"],
}


def wrong_bread_board_two(visitor: Visitor) -> None:
    buy(visitor, "Larch bread board", 2)


def wrong_bread_board_and_more(visitor: Visitor) -> None:
    bread_board(visitor)
    buy(visitor, "Tide sieve")


def wrong_bread_board_taken_out(visitor: Visitor) -> None:
    bread_board(visitor)
    visitor.open("/basket").press("Remove Larch bread board")


def wrong_wish_of_another(visitor: Visitor) -> None:
    look_up(visitor, "trowel", "Kestrel hand trowel").press("Add to wish list")


def wrong_wish_taken_back(visitor: Visitor) -> None:
    hedge_shears_wish(visitor)
    visitor.open("/wish-list").press("Remove Rook hedge shears")


def wrong_newsletter_weekly(visitor: Visitor) -> None:
    visitor.open("/newsletter").fill("Sign up", {"Email": "mira.holt@example.test", "How often?": "Every week"})


def wrong_newsletter_refused(visitor: Visitor) -> None:
    visitor.open("/newsletter").fill("Sign up", {"Email": "mira.holt", "How often?": "Once a month"})
    assert visitor.status == 422


def wrong_flask_colour(visitor: Visitor) -> None:
    buy(visitor, "Cairn flask", 2, Colour="Pine")
    buy(visitor, "Meadow picnic blanket")


def wrong_order_not_placed(visitor: Visitor) -> None:
    buy(visitor, "Garden twine, 80 m", 3, Colour="Green")
    visitor.open("/checkout").fill("Continue", EDDA)


def wrong_order_twice(visitor: Visitor) -> None:
    twine_order(visitor)
    twine_order(visitor)


def wrong_order_postcode(visitor: Visitor) -> None:
    buy(visitor, "Garden twine, 80 m", 3, Colour="Green")
    order(visitor, EDDA | {"Postcode": "40271"})


def wrong_gift_without_words(visitor: Visitor) -> None:
    buy(visitor, "Teasel fountain pen", Nib="Broad")
    order(visitor, CORIN | {"Message on the gift card": ""})


def wrong_gift_nib(visitor: Visitor) -> None:
    buy(visitor, "Teasel fountain pen", Nib="Fine")
    order(visitor, CORIN)


def wrong_review_stars(visitor: Visitor) -> None:
    visitor.open("/article/heron-watering-can/review").fill("Publish review", REVIEW | {"Rating": "5 stars"})


def wrong_question_topic(visitor: Visitor) -> None:
    visitor.open("/contact").fill("Send message", QUESTION | {"What is it about?": "An order"})


WRONG_WAYS = {
    "shop-bread-board": [wrong_bread_board_two, wrong_bread_board_and_more, wrong_bread_board_taken_out],
    "shop-hedge-shears-wish": [wrong_wish_of_another, wrong_wish_taken_back],
    "shop-newsletter": [wrong_newsletter_weekly, wrong_newsletter_refused],
    "shop-picnic-basket": [wrong_flask_colour, bread_board],
    "shop-twine-order": [wrong_order_not_placed, wrong_order_twice, wrong_order_postcode],
    "shop-pen-as-a-gift": [wrong_gift_without_words, wrong_gift_nib],
    "shop-can-review": [wrong_review_stars],
    "shop-return-question": [wrong_question_topic],
}


def test_every_task_has_a_right_and_a_wrong_way():
    keys = {task.key for task in TASKS}
    assert set(WAYS) == keys
    assert set(WRONG_ANSWERS) | set(WRONG_WAYS) == keys


@pytest.mark.parametrize("key", sorted(WAYS))
def test_doing_the_task_counts(key, task, visit):
    shop = Shop()
    assert not task(key).check(shop, "")
    answer = WAYS[key](visit(shop)) or ""
    assert task(key).check(shop, answer)


@pytest.mark.parametrize(("key", "answer"), [(key, answer) for key, wrong in WRONG_ANSWERS.items() for answer in wrong])
def test_a_wrong_answer_does_not_count(key, answer, task):
    assert not task(key).check(Shop(), answer)


@pytest.mark.parametrize(("key", "way"), [(key, way) for key, ways in WRONG_WAYS.items() for way in ways])
def test_a_wrong_way_does_not_count(key, way, task, visit):
    shop = Shop()
    way(visit(shop))
    assert not task(key).check(shop, "Done.")
