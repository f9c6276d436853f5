"""The shop's pages at the counter: basket, checkout, orders, contact and conditions."""

from __future__ import annotations

from arena_site.practice.forms import Filled, drawn, options, problem_summary
from arena_site.practice.markup import Html, html, joined, paragraphs, table_rows
from arena_site.practice.shop_basket import (
    EXPRESS_CENTS,
    FREE_STANDARD_FROM_CENTS,
    GIFT_WRAP_CENTS,
    METHODS,
    MOST_OF_ONE,
    REGIONS,
    STANDARD_CENTS,
    Basket,
    Line,
    Totals,
)
from arena_site.practice.shop_catalogue import euros
from arena_site.practice.shop_forms import CHECKOUT_FORM, CONTACT_FORM, NEWSLETTER_FORM, PAYMENTS, TRACK_FORM
from arena_site.practice.shop_pages import notice_box
from arena_site.practice.shop_records import Order, Parcel

RETURN_DAYS = 45


def _variant(line: Line) -> Html:
    return (
        html('<br><span class="variant">{o}: {c}</span>', o=line.product.option, c=line.choice)
        if line.choice
        else Html("")
    )


def _sums(totals: Totals) -> Html:
    rows = [("Goods", euros(totals.goods))]
    if totals.discount:
        rows.append(("Discount", euros(-totals.discount)))
    if totals.wrapping:
        rows.append(("Gift wrapping", euros(totals.wrapping)))
    rows += [("Delivery", euros(totals.delivery) if totals.delivery else "Free"), ("Total", euros(totals.total))]
    return html('<table class="sums">{rows}</table>', rows=table_rows(rows))


def basket(basket: Basket, *, notice: str = "", problem: str = "") -> Html:
    """The basket with its codes and delivery; ``problem`` is why the last change was not made."""
    messages = joined([notice_box(problem, bad=True), notice_box(notice)])
    if not basket.lines:
        return html("<h1>Your basket</h1>{messages}<p>Your basket is empty.</p>", messages=messages)
    return html(
        '<h1>Your basket</h1>{messages}<div class="desk"><div><form action="/basket" method="post">'
        '<table class="lines"><thead><tr><th>Article</th><th>Quantity</th><th class="sum">Price</th>'
        "<td></td></tr></thead><tbody>{rows}</tbody></table>"
        '<button type="submit" class="quiet">Update quantities</button></form></div>'
        '<aside aria-label="Summary">{code}{delivery}{sums}<p><a class="button" href="/checkout">Go to checkout</a></p>'
        "</aside></div>",
        messages=messages,
        rows=[_basket_row(line) for line in basket.lines],
        code=_code_form(basket),
        delivery=_delivery_form(basket),
        sums=_sums(basket.totals()),
    )


def _basket_row(line: Line) -> Html:
    return html(
        '<tr><td><a href="/article/{line.slug}">{line.product.name}</a>{variant}</td>'
        '<td><input type="number" name="{line.key}" value="{line.quantity}" min="0" max="{most}" '
        'aria-label="Quantity of {line.product.name}"></td><td class="sum">{price}</td>'
        '<td><button type="submit" class="quiet" name="remove" value="{line.key}" '
        'aria-label="Remove {line.product.name}">Remove</button></td></tr>',
        line=line,
        variant=_variant(line),
        most=MOST_OF_ONE,
        price=euros(line.cents),
    )


def _code_form(basket: Basket) -> Html:
    return html(
        '<form action="/basket/code" method="post"><label for="code">Discount code</label>'
        '<span class="row"><input type="text" id="code" name="code" value="{code}" maxlength="40">'
        '<button type="submit" class="quiet">Use code</button></span></form>',
        code=basket.code,
    )


def _delivery_form(basket: Basket) -> Html:
    return html(
        '<form action="/basket/delivery" method="post"><label for="region">Deliver to</label>'
        '<select id="region" name="region">{regions}</select><label for="method">Delivery</label>'
        '<select id="method" name="method">{methods}</select>'
        '<button type="submit" class="quiet">Show delivery cost</button></form>',
        regions=options(tuple(REGIONS.items()), basket.region),
        methods=options(tuple(METHODS.items()), basket.method),
    )


def checkout(filled: Filled, basket: Basket) -> Html:
    return html(
        '<h1>Checkout</h1><p class="steps">Step 1 of 2: your details</p>{wrong}<div class="desk">'
        '<form class="long" action="/checkout" method="post" novalidate>{fields}'
        '<button type="submit">Continue</button></form>'
        '<aside aria-label="Your basket"><h2>Your basket</h2>{lines}<p><a href="/basket">Change basket</a></p></aside>'
        "</div>",
        wrong=problem_summary(CHECKOUT_FORM, filled),
        fields=drawn(CHECKOUT_FORM, filled),
        lines=_line_list(basket.lines),
    )


def _line_list(lines: list[Line] | tuple[Line, ...]) -> Html:
    items = joined(
        html(
            "<li>{line.quantity} × {line.product.name}{variant} <span>{price}</span></li>",
            line=line,
            variant=_variant(line),
            price=euros(line.cents),
        )
        for line in lines
    )
    return html('<ul class="line-list">{items}</ul>', items=items)


def _address(details: Filled) -> Html:
    return html(
        "<h2>Delivery</h2><p>{d[name]}<br>{d[street]}<br>{d[postcode]} {d[town]}<br>{region}</p>"
        "<p>{method}</p>{gift}<h2>Payment</h2><p>{payment}</p>",
        d=details,
        region=REGIONS[details["region"]],
        method=METHODS[details["method"]],
        gift=_gift(details),
        payment=PAYMENTS[details["payment"]],
    )


def _gift(details: Filled) -> Html:
    if not details.ticked("gift_wrap"):
        return Html("")
    card = paragraphs(details["gift_message"]) or Html("<p>No message on the card.</p>")
    return html("<h3>Wrapped as a gift</h3>{card}", card=card)


def review_order(filled: Filled, basket: Basket, totals: Totals) -> Html:
    return html(
        '<h1>Check your order</h1><p class="steps">Step 2 of 2: check and order</p><div class="desk"><div>{address}'
        '<p><a href="/checkout">Change details</a></p></div><aside aria-label="Your order"><h2>Your order</h2>{lines}'
        '{sums}<form action="/checkout/review" method="post"><button type="submit">Place order</button></form>'
        "</aside></div>",
        address=_address(filled),
        lines=_line_list(basket.lines),
        sums=_sums(totals),
    )


def order(order: Order) -> Html:
    return html(
        "<h1>Thank you for your order</h1><p>Your order number is <strong>{o.number}</strong>. "
        'We have written to {email}.</p><div class="desk"><div>{address}</div>'
        '<aside aria-label="Your order"><h2>Your order</h2>{lines}{sums}</aside></div>',
        o=order,
        email=order.details["email"],
        address=_address(Filled(dict(order.details))),
        lines=_line_list(order.lines),
        sums=_sums(order.totals),
    )


def track(filled: Filled, parcel: Parcel | None = None, placed_now: str = "") -> Html:
    """The tracking form and, when the number is known, what is known of the parcel."""
    found = Html("")
    if parcel:
        rows = [
            ("Ordered", f"{parcel.placed:%A} {parcel.placed.day} {parcel.placed:%B %Y}"),
            ("Status", parcel.status),
            (
                "Arrived" if parcel.status == "Delivered" else "Expected",
                f"{parcel.expected:%A} {parcel.expected.day} {parcel.expected:%B %Y}",
            ),
        ]
        found = html("<h2>Order {n}</h2><table>{rows}</table>", n=parcel.number, rows=table_rows(rows))
    elif placed_now:
        found = html("<h2>Order {n}</h2><p>We have just received it.</p>", n=placed_now)
    return html(
        "<h1>Track an order</h1>{wrong}{found}"
        '<form class="long" action="/track" method="get" novalidate>{fields}'
        '<button type="submit">Track</button></form>',
        wrong=problem_summary(TRACK_FORM, filled),
        found=found,
        fields=drawn(TRACK_FORM, filled),
    )


def contact(filled: Filled, *, sent: bool = False) -> Html:
    return html(
        "<h1>Contact</h1>{sent}{wrong}<p>We answer within two working days.</p>"
        '<form class="long" action="/contact" method="post" novalidate>{fields}'
        '<button type="submit">Send message</button></form>',
        sent=notice_box("Thank you, your message has been sent." if sent else ""),
        wrong=problem_summary(CONTACT_FORM, filled),
        fields=drawn(CONTACT_FORM, filled),
    )


def newsletter(filled: Filled, signed_up: str = "") -> Html:
    return html(
        "<h1>Newsletter</h1>{done}{wrong}<p>New things, repairs and recipes. You can leave at any time.</p>"
        '<form class="long" action="/newsletter" method="post" novalidate>{fields}'
        '<button type="submit">Sign up</button></form>',
        done=notice_box(f"Thank you. We will write to {signed_up}." if signed_up else ""),
        wrong=problem_summary(NEWSLETTER_FORM, filled),
        fields=drawn(NEWSLETTER_FORM, filled),
    )


def delivery_and_returns() -> Html:
    rows = joined(
        html(
            '<tr><th scope="row">{name}</th><td>{standard}</td><td>{express}</td></tr>',
            name=name,
            standard=euros(STANDARD_CENTS[region]),
            express=euros(EXPRESS_CENTS[region]) if region in EXPRESS_CENTS else "not offered",
        )
        for region, name in REGIONS.items()
    )
    return html(
        "<h1>Delivery and returns</h1><h2>Delivery</h2>"
        "<table><thead><tr><th>To</th><th>Standard</th><th>Express</th></tr></thead><tbody>{rows}</tbody></table>"
        "<p>Standard delivery takes 3 to 5 working days, express 1 to 2. Standard delivery to the mainland is free "
        "from {free}. Collecting in our shop costs nothing; we keep a parcel for 10 days.</p>"
        "<h2>Gifts</h2><p>We wrap an order as a gift for {wrap} and add a card with your words.</p>"
        "<h2>Returns</h2><p>You can send unused articles back within {days} days of receiving them. Ink and candles "
        "cannot be returned once opened. We pay back the price within a week; postage for returns is yours.</p>",
        rows=rows,
        free=euros(FREE_STANDARD_FROM_CENTS),
        wrap=euros(GIFT_WRAP_CENTS),
        days=RETURN_DAYS,
    )
