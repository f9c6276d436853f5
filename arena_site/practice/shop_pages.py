"""The shop's pages: the frame around all of them, lists of articles and the article itself."""

from __future__ import annotations

from collections.abc import Sequence

from arena_site.practice.forms import Filled, drawn, options, problem_summary
from arena_site.practice.markup import Html, html, joined, paragraphs, table_rows
from arena_site.practice.shop_basket import (
    MOST_OF_ONE,
)
from arena_site.practice.shop_catalogue import CATEGORIES, PRODUCTS, Product, euros
from arena_site.practice.shop_forms import (
    PAGE_SIZE,
    PRICES,
    REVIEW_FORM,
    SORTS,
    Listing,
)
from arena_site.practice.shop_records import Review
from arena_site.practice.wsgi_site import address

SHOP_NAME = "Pottle & Twine"
_FEATURED = ("harbour-enamel-kettle", "kestrel-hand-trowel", "moth-desk-lamp", "fell-wool-throw")
_NEW = ("chaffinch-bird-table", "teasel-fountain-pen", "cairn-flask", "skerry-mixing-bowl")

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="/shop.css">
<link rel="icon" href="/shop.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site">
  <div class="bar">
    <a class="name" href="/">{shop}</a>
    <form class="find" action="/search" method="get" role="search">
      <label for="q" class="unseen">Search the shop</label>
      <input type="search" id="q" name="q" value="{query}" placeholder="Search" maxlength="100">
      <button type="submit">Search</button>
    </form>
    <ul class="own">
      <li><a href="/wish-list">Wish list ({wishes})</a></li>
      <li><a href="/basket">Basket ({count})</a></li>
    </ul>
  </div>
  <nav aria-label="Departments"><ul>{departments}</ul></nav>
</header>
<main id="content">{body}</main>
<footer class="site">
  <ul>
    <li><a href="/delivery-and-returns">Delivery and returns</a></li>
    <li><a href="/track">Track an order</a></li>
    <li><a href="/contact">Contact</a></li>
    <li><a href="/newsletter">Newsletter</a></li>
  </ul>
  <p>{shop}, 7 Rope Walk, Brackwater. Open Tuesday to Saturday.</p>
</footer>
</body>
</html>
"""


def document(title: str, body: Html, count: int, wishes: int, query: str) -> Html:
    """A whole page; an empty title is the home page's."""
    departments = joined(
        html('<li><a href="/department/{slug}">{name}</a></li>', slug=slug, name=name)
        for slug, (name, _) in CATEGORIES.items()
    )
    full_title = f"{title} | {SHOP_NAME}" if title else f"{SHOP_NAME}: kitchen, garden and desk"
    return html(
        _DOCUMENT,
        title=full_title,
        shop=SHOP_NAME,
        query=query,
        wishes=wishes,
        count=count,
        departments=departments,
        body=body,
    )


def problem(title: str, message: str) -> Html:
    return html(
        '<h1>{title}</h1><p>{message}</p><p><a href="/">Go to the home page</a> or use the search above.</p>',
        title=title,
        message=message,
    )


def notice_box(text: object, *, bad: bool = False) -> Html:
    """A message above the content; nothing when there is none."""
    if not text:
        return Html("")
    kind, role = ("wrong", "alert") if bad else ("done", "status")
    return html('<div class="notice {kind}" role="{role}">{text}</div>', kind=kind, role=role, text=text)


# Lists of articles


def _stars(rating: float, count: int) -> Html:
    if not count:
        return Html('<span class="stars">No reviews yet</span>')
    return html(
        '<span class="stars"><span aria-hidden="true">{full}</span> {rating:.1f} of 5 ({count})</span>',
        full="★" * round(rating),
        rating=rating,
        count=count,
    )


def _card(product: Product) -> Html:
    sold_out = Html('<p class="sold-out">Sold out</p>') if product.stock == 0 else ""
    return html(
        '<li class="card"><a href="/article/{p.slug}">'
        '<img src="/pictures/{p.slug}.svg" alt="" width="240" height="240">'
        '<span class="title">{p.name}</span></a><p class="price">{price}</p><p>{stars}</p>{sold_out}</li>',
        p=product,
        price=euros(product.cents),
        stars=_stars(product.rating, len(product.stars)),
        sold_out=sold_out,
    )


def _cards(products: Sequence[Product]) -> Html:
    return html('<ul class="cards">{cards}</ul>', cards=[_card(product) for product in products])


def home() -> Html:
    return html(
        '<section class="lead"><h1>Plain things for the kitchen, the garden and the desk</h1>'
        "<p>Made to be used daily, mended when needed, and sold by people who use them too.</p>"
        "<p>This month: 10% off everything with the code <strong>LARKSPUR10</strong>.</p></section>"
        "<h2>Often bought</h2>{featured}<h2>New in March</h2>{new}",
        featured=_cards([PRODUCTS[slug] for slug in _FEATURED]),
        new=_cards([PRODUCTS[slug] for slug in _NEW]),
    )


def department(slug: str, listing: Listing, found: Sequence[Product]) -> Html:
    name, about = CATEGORIES[slug]
    return html(
        "<h1>{name}</h1><p>{about}</p>{listed}",
        name=name,
        about=about,
        listed=_listed(f"/department/{slug}", {}, listing, found),
    )


def search_results(query: str, listing: Listing, found: Sequence[Product], partial: bool) -> Html:
    if not query:
        return Html("<h1>Search</h1><p>Type what you are looking for in the box at the top.</p>")
    hint = Html("<p>Nothing has all of these words. These have some of them.</p>") if partial else ""
    return html(
        "<h1>Results for “{query}”</h1>{hint}{listed}",
        query=query,
        hint=hint,
        listed=_listed("/search", {"q": query}, listing, found),
    )


def _listed(path: str, fixed: dict[str, str], listing: Listing, found: Sequence[Product]) -> Html:
    pages = max(1, -(-len(found) // PAGE_SIZE))
    current = min(listing.page, pages)
    shown = found[(current - 1) * PAGE_SIZE : current * PAGE_SIZE]
    kept = joined(html('<input type="hidden" name="{k}" value="{v}">', k=k, v=v) for k, v in fixed.items())
    controls = html(
        '<form class="narrow" action="{path}" method="get">{kept}'
        '<p><label for="sort">Sort by</label> <select id="sort" name="sort">{sorts}</select></p>'
        '<p><label for="price">Price</label> <select id="price" name="price">{prices}</select></p>'
        '<p><label><input type="checkbox" name="in_stock" value="yes"{ticked}> In stock only</label></p>'
        '<p><button type="submit" class="quiet">Apply</button></p></form>',
        path=path,
        kept=kept,
        sorts=options(tuple(SORTS.items()), listing.sort),
        prices=options(tuple(PRICES.items()), listing.price),
        ticked=Html(" checked") if listing.in_stock else "",
    )
    if not found:
        return html("{controls}<p>No article fits. Try fewer words or another price.</p>", controls=controls)
    return html(
        '{controls}<p class="tally">{count} article{s}</p>{cards}{pager}',
        controls=controls,
        count=len(found),
        s="" if len(found) == 1 else "s",
        cards=_cards(shown),
        pager=_pager(path, fixed, listing, current, pages),
    )


def _pager(path: str, fixed: dict[str, str], listing: Listing, current: int, pages: int) -> Html:
    if pages == 1:
        return Html("")

    def link(number: int, text: str) -> Html:
        return html(
            '<li><a href="{href}">{text}</a></li>', href=address(path, **fixed, **listing.query(number)), text=text
        )

    links = [link(current - 1, "Previous page")] if current > 1 else []
    for number in range(1, pages + 1):
        here = html('<li><span aria-current="page">{n}</span></li>', n=number)
        links.append(here if number == current else link(number, str(number)))
    if current < pages:
        links.append(link(current + 1, "Next page"))
    return html('<nav class="pager" aria-label="Pages"><ul>{links}</ul></nav>', links=links)


# One article


def article(product: Product, reviews: Sequence[Review], *, notice: str, problem: str, chosen: str) -> Html:
    notices = {
        "basket": Html('Added to your basket. <a href="/basket">View basket</a>'),
        "wish": Html('Added to your wish list. <a href="/wish-list">View wish list</a>'),
        "review": Html("Thank you, your review is published."),
    }
    stars = [review.stars for review in reviews]
    rating = round(sum(stars) / len(stars), 1) if stars else 0.0
    name, _ = CATEGORIES[product.category]
    return html(
        '<nav class="crumbs" aria-label="You are here"><a href="/">Home</a> / '
        '<a href="/department/{p.category}">{department}</a></nav>{notice}{problem}'
        '<div class="article"><img src="/pictures/{p.slug}.svg" alt="{p.name}" width="420" height="420">'
        '<div><h1>{p.name}</h1><p class="price">{price}</p><p>{stars}</p><p>{p.summary}</p>{buy}{details}</div></div>'
        "{reviews}",
        p=product,
        department=name,
        notice=notice_box(notices.get(notice, "")),
        problem=notice_box(problem, bad=True),
        price=euros(product.cents),
        stars=_stars(rating, len(stars)),
        buy=_buy(product, chosen),
        details=_details(product),
        reviews=_reviews(product, reviews),
    )


def _buy(product: Product, chosen: str) -> Html:
    wish = html(
        '<form action="/article/{p.slug}/wish" method="post"><button type="submit" class="quiet">'
        "Add to wish list</button></form>",
        p=product,
    )
    if product.stock == 0:
        return html('<p class="sold-out">Sold out. We expect more in April.</p>{wish}', wish=wish)
    choice = ""
    if product.choices:
        pairs = (("", f"Choose a {product.option.lower()}"), *((choice, choice) for choice in product.choices))
        choice = html(
            '<p><label for="choice">{p.option}</label><select id="choice" name="choice">{o}</select></p>',
            p=product,
            o=options(pairs, chosen),
        )
    return html(
        '<form class="buy" action="/article/{p.slug}/basket" method="post">{choice}'
        '<p><label for="quantity">Quantity</label>'
        '<input type="number" id="quantity" name="quantity" value="1" min="1" max="{most}"></p>'
        '<button type="submit">Add to basket</button></form>{wish}',
        p=product,
        choice=choice,
        most=min(MOST_OF_ONE, product.stock),
        wish=wish,
    )


def _details(product: Product) -> Html:
    stock = "Sold out" if product.stock == 0 else f"Only {product.stock} left" if product.stock < 6 else "In stock"
    rows = [
        ("Material", product.material),
        ("Size", product.size),
        ("Weight", f"{product.grams} g"),
        ("Availability", stock),
    ]
    if product.choices:
        rows.append((product.option, ", ".join(product.choices)))
    return html("<h2>Details</h2><table>{rows}</table>", rows=table_rows(rows))


def _reviews(product: Product, reviews: Sequence[Review]) -> Html:
    written = joined(
        html(
            '<li><h3>{r.title}</h3><p class="by">{stars} of 5 stars, by {r.name}</p>{text}</li>',
            r=review,
            stars=review.stars,
            text=paragraphs(review.text),
        )
        for review in reviews
    )
    return html(
        '<section class="reviews"><h2>Reviews</h2><p><a href="/article/{p.slug}/review">Write a review</a></p>'
        "<ul>{written}</ul></section>",
        p=product,
        written=written,
    )


def wish_list(products: Sequence[Product]) -> Html:
    if not products:
        return Html("<h1>Wish list</h1><p>Your wish list is empty. Articles have a button that adds them here.</p>")
    rows = joined(
        html(
            '<tr><td><a href="/article/{p.slug}">{p.name}</a></td><td class="sum">{price}</td>'
            '<td><form action="/wish-list/remove" method="post"><input type="hidden" name="article" value="{p.slug}">'
            '<button type="submit" class="quiet" aria-label="Remove {p.name}">Remove</button></form></td></tr>',
            p=product,
            price=euros(product.cents),
        )
        for product in products
    )
    return html(
        '<h1>Wish list</h1><table class="lines"><thead><tr><th>Article</th><th class="sum">Price</th><td></td></tr>'
        "</thead><tbody>{rows}</tbody></table>",
        rows=rows,
    )


def review_form(product: Product, filled: Filled) -> Html:
    return html(
        '<h1>Write a review</h1><p>About <a href="/article/{p.slug}">{p.name}</a></p>{wrong}'
        '<form class="long" action="/article/{p.slug}/review" method="post" novalidate>{fields}'
        '<button type="submit">Publish review</button></form>',
        p=product,
        wrong=problem_summary(REVIEW_FORM, filled),
        fields=drawn(REVIEW_FORM, filled),
    )
