"""Which kind of answer somebody gets, by one rule for what is published and for what is one's own."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from governance.public_reading import preferred_kind
from tests.arena_site.rest.scripts import make_owner, problem, script_of, seated_owner
from tests.battles.factories import make_votable

pytestmark = pytest.mark.django_db

JSON, CSV, WEBP = "application/json", "text/csv", "image/webp"
#: What a published address with a table, and one of one's own, make of a header: the kind, or nothing.
HEADERS = [
    (None, JSON, JSON),
    ("", JSON, JSON),
    (" , ", JSON, JSON),
    ("*/*", JSON, JSON),
    ("application/json; charset=utf-8", JSON, JSON),
    ("APPLICATION/JSON;Charset=UTF-8", JSON, JSON),
    ("text/csv; charset=utf-8; header=present", CSV, None),
    ("text/csv;q=0.5, application/json;q=0.4", CSV, JSON),
    ("text/csv, */*;q=0.1", CSV, JSON),
    ("text/*", CSV, None),
    ("text/csv, application/json", CSV, JSON),
    ("*/*, text/csv", CSV, JSON),
    ("application/json;q=0, */*", CSV, None),
    ("application/json;v=1;q=0, application/json;v=2", JSON, JSON),
    ("*/*;q=0", None, None),
    ("*/*;q=0.0, text/csv", CSV, None),
    ("application/*;q=0, */*", CSV, None),
    ("image/webp", None, None),
    ("json", None, None),
    ("application/json;q=much", JSON, JSON),
    ("application/json;q", JSON, JSON),
    ("application/json; a*=nonsense''%41", JSON, JSON),
]


@pytest.mark.parametrize(("header", "of_both", "of_json"), HEADERS)
def test_each_header_means_one_thing(header, of_both, of_json):
    assert preferred_kind(header, (JSON, CSV)) == of_both
    assert preferred_kind(header, (JSON,)) == of_json


weights = st.floats(0, 1).map(lambda weight: f"{weight:.3f}")
ranges = st.builds("{}; q={}".format, st.sampled_from([JSON, CSV, "text/*", "application/*", "*/*", WEBP]), weights)


@given(st.lists(ranges, min_size=1, max_size=6))
@example(["*/*; q=1.000", "text/csv; q=0.000"])
def test_nothing_is_given_that_is_liked_less_than_something_else_there_is(header):
    def weight(kind):
        for name in (kind, kind.partition("/")[0] + "/*", "*/*"):
            said = [float(part.rpartition("=")[2]) for part in header if part.partition(";")[0] == name]
            if said:
                return max(said)
        return 0

    chosen = preferred_kind(",".join(header), (JSON, CSV))
    likes = {kind: weight(kind) for kind in (JSON, CSV)}
    if chosen is None:
        assert max(likes.values()) == 0
    else:
        assert likes[chosen] == max(likes.values()) > 0


@given(st.text(max_size=40))
def test_no_header_breaks_anything(header):
    assert preferred_kind(header, (JSON, CSV)) in {JSON, CSV, None}


def test_published_and_ones_own_addresses_take_the_same_headers(seeded):
    script = script_of(make_owner())
    for header, of_both, of_json in HEADERS:
        named = {} if header is None else {"Accept": header}
        published, own = script.get("/api/metrics", **named), script.get("/api/judge/calibration", **named)
        assert (published.status_code, own.status_code) == (200 if of_both else 406, 200 if of_json else 406), header
        if of_both:
            assert published.headers["Content-Type"].partition(";")[0] == of_both
        if of_json:
            assert own.headers["Content-Type"] == of_json
        else:
            assert problem(own) == (406, "not_acceptable")
            assert own.json()["detail"].startswith("This is given as application/json;")


@pytest.fixture
def picture(seeded):
    """A script, and the address of a frame that it may read."""
    battle = make_votable()
    script = script_of(seated_owner(battle))
    return script, script.get(f"/api/battles/{battle.pk}").json()["lanes"][0]["start_frame"]


@pytest.mark.parametrize(
    "header", ["image/webp", "image/*", "*/*", "", "image/webp, application/problem+json", "image/webp;q=0.1"]
)
def test_a_picture_is_given_as_what_it_is(picture, header):
    script, address = picture
    answer = script.get(address, Accept=header)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, WEBP)


@pytest.mark.parametrize("header", ["application/json", "image/png", "image/webp;q=0, */*"])
def test_who_takes_no_such_picture_is_told_what_it_is_given_as(picture, header):
    script, address = picture
    answer = script.get(address, Accept=header)
    assert problem(answer) == (406, "not_acceptable")
    assert answer.json()["detail"].startswith("This is given as image/webp;")


def test_a_precondition_holds_for_whatever_is_read(picture):
    script, address = picture
    tag = script.get(address).headers["ETag"]
    assert problem(script.get(address, **{"If-Match": '"x"'})) == (412, "precondition_failed")
    assert script.get(address, **{"If-Match": f'"x", {tag}'}).status_code == 200
    assert script.get(address, **{"If-Match": "*"}).status_code == 200
    assert script.get(address, **{"If-Match": tag, "If-None-Match": tag}).status_code == 304
    assert script.get(address, **{"If-Unmodified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}).status_code == 200
    # What has no tag is no version that could be named.
    own = "/api/judge/calibration"
    assert problem(script.get(own, **{"If-Match": '"x"'})) == (412, "precondition_failed")
    assert script.get(own, **{"If-Match": "*"}).status_code == 200
