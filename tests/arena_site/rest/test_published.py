"""What is published, over HTTP: definitions beside values, the schema kept to, validators, tables, pages, refusals."""

import csv
import hashlib
import io
import re
from datetime import timedelta

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from governance.ledger.checkpoints import sign_head
from governance.public_reading import PublicRead
from ratings.models import Board, Publication
from tests.arena_site.rest.conforming import misfits, path_in_schema
from tests.arena_site.rest.published import FORMULA, publish_board
from tests.arena_site.rest.test_schema import views

pytestmark = pytest.mark.django_db

PUBLICATIONS = 3


@pytest.fixture(scope="module")
def board(django_db_setup, django_db_blocker):
    """Three publications of four agents, and measures; gone with the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = publish_board(publications=PUBLICATIONS)
        sign_head()
        yield made
        transaction.set_rollback(True)


@pytest.fixture
def api(board):
    """A program: it keeps nothing, and asks as it is told to."""

    def ask(path, method="get", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return getattr(Client(), method)(f"/api/{path}", headers=named)

    return ask


def digest_in(path, board):
    return path.replace("DIGEST", board[0].public_digest)


#: Every document in every kind, with its parameters; DIGEST is that of the first publication.
DOCUMENTS = (
    "metrics",
    "metrics?board=headline",
    "metrics/win_share?board=demo",
    "ratings",
    "ratings?board=headline",
    "ratings?variant=style-controlled",
    "ratings?variant=schedule-adjusted",
    "ratings?publication=DIGEST",
    "ratings/history",
    "ratings/history?agent=reference-lexical&limit=1",
    "ratings/history?agent=nobody&board=demo",
    "ratings/gaps?a=reference-explorer&b=visiting",
    "ratings/gaps?a=visiting&b=reference-explorer&publication=DIGEST",
    "matrix",
    "matrix?board=headline",
    "matrix?publication=DIGEST",
    "agents",
    "agents/reference-explorer",
    "publications",
    "publications?board=headline",
    "publications?limit=1",
    "publications/DIGEST",
    "plan?goal=gap&points=20&ties=30",
    "plan?goal=half-width&points=10",
    "dataset/action-map",
    "consent",
    "governance/claims",
    "ledger/checkpoint",
    "ledger/entries?index=0",
    "ledger/inclusion?index=0&size=1",
    "ledger/consistency?first=1&second=1",
    "ledger/keys",
    "health",
    "schema",
)
TABLES = ("metrics", "ratings", "ratings/history", "matrix", "agents", "publications", "publications/DIGEST")
#: Documents that only some may read, or that nothing is there for; other tests are about them.
ELSEWHERE = {"/api/docs", "/api/admin/quality", "/api/dataset/manifest", "/api/dataset/snapshots/{snapshot_id}/{path}"}


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_is_as_the_schema_says_for_everybody_and_asked_again_is_not_sent_again(api, board, path):
    address = digest_in(path, board)
    first = api(address)
    assert first.status_code in {200, 404}, first.content
    assert misfits(first, f"/api/{address}") == []
    assert not first.cookies
    assert "Cookie" not in first.get("Vary", "")
    head = api(address, method="head")
    assert (head.status_code, head.content) == (first.status_code, b"")
    assert told_beside(head) == told_beside(first)
    if "ETag" not in first:
        assert "no-store" in first["Cache-Control"]
        return
    assert first["Access-Control-Allow-Origin"] == "*"
    for known in (first["ETag"], f"W/{first['ETag']}", f'"other", {first["ETag"]}', "*"):
        again = api(address, if_none_match=known)
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert again["Access-Control-Allow-Origin"] == "*"
    assert api(address, if_none_match='"other"').content == first.content
    refused = api(address, if_match='"other"')
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert misfits(refused, f"/api/{address}") == []


def told_beside(answer):
    """Its headers, without the identifier and the rest of the limit, which differ from answer to answer."""
    passing = {"date", "x-request-id", "ratelimit", "ratelimit-policy"}
    return {name.lower(): value for name, value in answer.items() if name.lower() not in passing}


def test_every_published_document_is_among_those_that_were_asked_for():
    published = {path for path, view in views().items() if issubclass(view, PublicRead)}
    asked = {path_in_schema(f"/api/{path.replace('DIGEST', '0' * 64)}") for path in DOCUMENTS}
    assert published - asked == ELSEWHERE - {"/api/dataset/snapshots/{snapshot_id}/{path}"}


@pytest.mark.parametrize("path", ["publications/DIGEST", "metrics?board=demo"])
def test_what_says_since_when_it_is_so_can_be_asked_by_time(api, board, path):
    address = digest_in(path, board)
    answer = api(address)
    assert api(address, if_modified_since=answer["Last-Modified"]).status_code == 304
    earlier = (timezone.now() - timedelta(days=400)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert api(address, if_modified_since=earlier).status_code == 200


@pytest.mark.parametrize("path", TABLES)
def test_a_table_by_accept_and_by_query_is_the_same(api, board, path):
    address = digest_in(path, board)
    asked, accepted = api(f"{address}?format=csv"), api(address, accept="text/csv")
    assert asked.content == accepted.content
    assert asked["Content-Type"] == "text/csv; charset=utf-8"
    assert asked["Content-Disposition"].endswith('.csv"')
    assert asked["ETag"] == accepted["ETag"] != api(address)["ETag"]
    assert "Accept" in asked["Vary"]
    assert misfits(asked, f"/api/{address}") == []
    rows = list(csv.reader(io.StringIO(asked.content.decode())))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1
    assert not any(cell.startswith(("=", "@", "+")) for row in rows for cell in row)


def test_a_name_that_a_spreadsheet_would_run_is_marked_as_text(api):
    for path in ("ratings", "agents"):
        assert f"'{FORMULA}" in api(f"{path}?format=csv").content.decode()
        assert FORMULA in str(api(path).json())


def test_a_publication_is_the_bytes_that_its_digest_names(api, board):
    for published in board:
        answer = api(f"publications/{published.public_digest}")
        assert hashlib.sha256(answer.content).hexdigest() == published.public_digest
        assert answer["ETag"] == f'"{published.public_digest}"'
        assert "immutable" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("ratings", {"rating", "interval", "rank_range", "status"}),
        ("ratings/history", {"rating", "interval", "rank_range", "status"}),
        ("ratings/gaps?a=reference-explorer&b=reference-lexical", {"gap", "win_chance"}),
        ("matrix", {"win_share"}),
    ],
)
def test_what_the_numbers_mean_stands_beside_them(api, path, keys):
    found = api(path).json()["definitions"]
    assert set(found) >= keys
    assert all(set(one) == {"name", "counted", "over", "unit", "direction", "caveat"} for one in found.values())


def test_the_standings_are_those_of_the_publication(api, board):
    document = api(f"publications/{board[-1].public_digest}").json()
    shown = api("ratings").json()
    assert shown["publication"]["digest"] == board[-1].public_digest
    by_key = {row["agent"]: row for row in document["ratings"]}
    assert [row["rating"] for row in shown["ratings"]] == sorted(
        (row["rating"] for row in by_key.values()), reverse=True
    )
    for row in shown["ratings"]:
        assert {key: row[key] for key in by_key[row["agent"]]} == by_key[row["agent"]]


def test_a_gap_is_the_same_from_both_sides(api):
    one, other = (
        api(f"ratings/gaps?a={a}&b={b}")
        for a, b in (("reference-explorer", "reference-random"), ("reference-random", "reference-explorer"))
    )
    assert one.json() == other.json()
    assert one.json()["above"] == "reference-explorer"


def test_shares_of_a_pair_add_up_to_one(api):
    found = api("matrix").json()
    for row in range(len(found["agents"])):
        assert found["shares"][row][row] is None
        for column in range(row):
            one, other = found["shares"][row][column], found["shares"][column][row]
            assert one is None or one + other == pytest.approx(1, abs=0.011)


# Pages.


def walked(api, path):
    """Every page of a list, from the first on."""
    pages, address = [], path
    while address is not None:
        answer = api(address)
        pages.append(answer.json())
        onward = pages[-1]["next"]
        assert answer.get("Link") == (f'<{onward}>; rel="next"' if onward else None)
        address = onward.removeprefix("/api/") if onward else None
    return pages


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_together_are_the_list(api, board, limit):
    pages = walked(api, f"publications?board=demo&limit={limit}")
    found = [mark["digest"] for page in pages for mark in page["results"]]
    assert found == [published.public_digest for published in reversed(board)]
    histories = walked(api, f"ratings/history?limit={limit}&agent=reference-lexical")
    assert [one["publication"]["digest"] for page in histories for one in page["results"]] == found


def test_what_is_published_meanwhile_moves_no_page(api, board):
    first = api("publications?limit=1").json()
    with transaction.atomic():
        newest = board[-1]
        Publication.objects.create(
            digest="f" * 64,
            board=Board.DEMO,
            number=PUBLICATIONS + 1,
            previous=newest,
            corpus_digest="e" * 64,
            public_digest="d" * 64,
            labels_cast=1,
            document="{}",
            public_document="{}",
        )
        assert api("publications?limit=1").json()["results"][0]["digest"] == "d" * 64
        second = api(first["next"].removeprefix("/api/")).json()
        assert second["results"][0]["digest"] == board[-2].public_digest
        transaction.set_rollback(True)


def test_a_cursor_is_good_for_its_own_list_and_tells_no_count(api):
    cursor = re.search(r"cursor=([^&]+)", api("publications?limit=1").json()["next"])[1]
    for wrong in (f"{cursor}x", cursor[:-2], "a" * 40, cursor.swapcase()):
        refused = api(f"publications?cursor={wrong}")
        assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (400, "bad_cursor", "cursor")
    for elsewhere in ("ratings/history", "publications"):
        refused = api(f"{elsewhere}?board=demo&cursor={cursor}")
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_cursor")
    assert api("publications?cursor=%00").json()["code"] == "parameter_refused"


@given(st.text(alphabet=st.characters(codec="ascii", categories=("Lu", "Ll", "Nd", "Pd", "Pc", "Po")), max_size=120))
def test_no_cursor_of_anybodys_own_is_taken(cursor):
    # Only the board's own fixture could make it a good one, and it is refused before anything is read.
    answer = Client().get("/api/publications", {"cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["code"] in {"bad_cursor", "parameter_refused"}


# Refusals.


@pytest.mark.parametrize(
    ("trouble", "status", "code"),
    [(ZeroDivisionError("secret"), 500, "server_error"), (OperationalError("secret"), 503, "unavailable")],
)
def test_our_own_trouble_is_a_problem_too_and_tells_nothing_of_itself(board, monkeypatch, trouble, status, code):
    def fail(*_):
        raise trouble

    monkeypatch.setattr("ratings.api.asked_publication", fail)
    answer = Client(raise_request_exception=False).get("/api/ratings")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert misfits(answer, "/api/ratings") == []
    assert "secret" not in answer.content.decode()
    assert ("Retry-After" in answer) == (status == 503)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("ratings?bord=demo", 400, "unknown_parameter"),
        ("ratings?board=demo&board=demo", 400, "parameter_twice"),
        ("ratings?board=all", 400, "parameter_refused"),
        ("ratings?variant=headline&category=forms", 400, "parameter_refused"),
        ("ratings?publication=" + "0" * 64, 404, "no_such_publication"),
        ("ratings?publication=x", 400, "parameter_refused"),
        ("ratings?board=demo&publication=" + "0" * 64, 400, "parameter_refused"),
        ("ratings?category=nothing-of-the-kind", 404, "no_such_variant"),
        ("ratings?format=xml", 400, "bad_format"),
        ("ratings/gaps", 400, "parameter_missing"),
        ("ratings/gaps?a=reference-explorer", 400, "parameter_missing"),
        ("ratings/gaps?a=reference-explorer&b=reference-explorer", 400, "parameter_refused"),
        ("ratings/gaps?a=reference-explorer&b=nobody", 404, "not_in_publication"),
        ("ratings/gaps?a=reference-explorer&b=reference-lexical&board=headline", 404, "nothing_published"),
        ("ratings/gaps?a=%00&b=reference-lexical", 400, "parameter_refused"),
        ("publications?limit=0", 400, "parameter_refused"),
        ("publications?limit=101", 400, "parameter_refused"),
        ("publications?limit=1e1", 400, "parameter_refused"),
        ("publications?limit=%D9%A1", 400, "parameter_refused"),
        ("publications/" + "0" * 64, 404, "no_such_publication"),
        ("agents/nobody", 404, "no_such_agent"),
        ("metrics/quality_score", 404, "no_such_measure"),
        ("nothing", 404, "not_found"),
        ("metrics/a/b", 404, "not_found"),
        ("agents/%00", 404, "not_found"),
    ],
)
def test_a_wrong_question_is_refused_in_one_form(api, path, status, code):
    answer = api(path)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Cache-Control"] == "no-store"
    if path_in_schema(f"/api/{path}"):
        assert misfits(answer, f"/api/{path}") == []


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "trace"])
def test_nothing_published_can_be_written(api, board, method):
    for path in {address.partition("?")[0] for address in DOCUMENTS}:
        answer = api(digest_in(path, board), method=method)
        assert (answer.status_code, answer.json()["code"], answer["Allow"]) == (405, "only_read", "GET, HEAD"), path


@pytest.mark.parametrize("path", ["ratings", "agents/reference-explorer", "ledger/checkpoint", "schema"])
def test_who_takes_nothing_that_there_is_is_told_so(api, path):
    answer = api(path, accept="image/png")
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert misfits(answer, f"/api/{path}") == []


@pytest.mark.parametrize(
    "path",
    [
        "ratings?publication=DIGEST",
        "ratings/history?limit=1",
        "agents",
        "publications",
        "matrix",
        "metrics",
        "agents/reference-explorer",
    ],
)
def test_questions_to_the_database_do_not_grow_with_what_there_is(api, board, path):
    address = digest_in(path, board)
    api(address)
    with CaptureQueriesContext(connection) as few:
        api(address)
    with transaction.atomic():
        last = board[-1]
        for number in range(PUBLICATIONS + 1, PUBLICATIONS + 6):
            last = Publication.objects.create(
                digest=f"{number:064x}",
                board=Board.DEMO,
                number=number,
                previous=last,
                corpus_digest="e" * 64,
                public_digest=f"{number + 100:064x}",
                labels_cast=1,
                document=last.document,
                public_document=last.public_document,
            )
        api(address)
        with CaptureQueriesContext(connection) as many:
            api(address)
        transaction.set_rollback(True)
    assert len(many) <= len(few)
    assert len(few) <= 6
