"""Every address that names something, asked for by those who have no business with it: the same answer as for nothing.

Which battles a judge may read is tested state by state elsewhere (tests/judging/test_access.py, test_access_check.py);
here are all other things that an address can name, and every address is one of them or stated to be public.
"""

import re
import uuid

import pytest
from django.test import Client

from tests.arena_site.security.addresses import addresses, asked
from tests.arena_site.security.board import browser_of, browser_of_account, browser_of_operator

pytestmark = pytest.mark.django_db

#: Whatever they name is public: what is published, and pages about methods.
PUBLIC = {
    "agent",
    "agent_chart",
    "api_agent",
    "api_metric",
    "api_publication",
    "chart",
    "publication",
    "publication_csv",
    "publication_json",
    "rubric_version",
    "thanks",
}
#: A withdrawal's own page names nobody: its random address is all that whoever asked has, and all that opens it.
BY_ADDRESS = {"withdrawal", "api_withdrawal"}
#: Who gets something, besides the battle's judges; nobody else may tell it from nothing.
ALLOWED = {
    "snapshot_file": {"licensee", "administrator"},
}
#: Of an operator's pages the address alone is enough to be asked to sign in.
OPERATORS = "admin:"
RANDOM = re.compile(r'(?:name="(?:csrfmiddlewaretoken|next)" value="[^"]*"|[0-9a-zA-Z]{64}|next=[^"&]*)')
OF_THE_MOMENT = {"Content-Length", "Expires", "RateLimit", "X-Request-ID"}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@pytest.fixture
def browsers(arena):
    licensee = Client(headers={"authorization": f"Bearer {arena.token}"})
    found = {
        "nobody": Client(),
        "stranger": browser_of(arena.stranger),
        "licensee": licensee,
        "administrator": browser_of_operator(arena.operators["administrator"]),
    }
    for browser in found.values():
        # The first visit of an account makes its judge.
        browser.get("/battles/new")
    return found


def named(arena):
    """Addresses that name something which is not public, and no page of operators."""
    for address in addresses(arena):
        if address.places and address.name not in PUBLIC | BY_ADDRESS and not address.name.startswith(OPERATORS):
            yield address


def test_every_address_that_names_something_is_stated(arena):
    named_here = {address.name: address.places for address in named(arena)}
    assert {name for name, places in named_here.items() if "battle_id" not in places} == set(ALLOWED)


def test_what_is_somebody_elses_is_told_apart_from_nothing_by_nobody(arena, browsers):
    compared = 0
    for address in named(arena):
        missing = UUID.sub(lambda _: str(uuid.UUID(int=uuid.uuid4().int)), address.path)
        assert missing != address.path, address.name
        for who, browser in browsers.items():
            if who in ALLOWED.get(address.name, set()):
                continue
            for method in ("GET", "POST"):
                there, wrote, statements = asked(browser, method, address.path)
                nothing, _, statements_for_nothing = asked(browser, method, missing)
                about = (address.name, who, method, there.status_code)
                assert blank(there) == blank(nothing), about
                assert statements == statements_for_nothing, about
                # That somebody asked is counted.
                assert set(wrote) <= {"accounts_attempt"}, about
                assert there.status_code >= 300, about
                compared += 1
    assert compared > 80


def blank(answer):
    """What can be told of an answer, but for what is random or the time of day."""
    body = UUID.sub("#", RANDOM.sub("#", answer.said))
    told = {name: UUID.sub("#", value) for name, value in answer.items() if name not in OF_THE_MOMENT}
    return answer.status_code, body, told


def test_operators_rows_are_nothing_to_those_who_are_none(arena):
    """A visitor is asked to sign in wherever an operator's page might be; an account gets what is not there."""
    account = browser_of_account(arena.account)
    for address in addresses(arena):
        if not address.name.startswith(OPERATORS) or address.name == "admin:app_list":
            continue
        for method in ("GET", "POST"):
            visitor, _, _ = asked(Client(), method, address.path)
            assert visitor.url.startswith("/account/sign-in?next="), address.path
            there, wrote, statements = asked(account, method, address.path)
            nothing, _, for_nothing = asked(account, method, "/admin/battles/nothing/12/change/")
            assert there.status_code == nothing.status_code == 404, address.path
            assert RANDOM.sub("", there.said) == RANDOM.sub("", nothing.said), address.path
            assert wrote == []
            assert statements <= for_nothing + 1, address.path


def test_a_frame_of_another_battle_is_no_frame_of_this_one(arena):
    judge = browser_of(arena.judge)
    own, foreign = arena.frame(arena.in_hand).pk, arena.frame(arena.own).pk
    assert judge.get(f"/battles/{arena.in_hand.pk}/frames/{own}").status_code == 200
    assert judge.get(f"/battles/{arena.in_hand.pk}/frames/{foreign}").status_code == 404
    assert judge.get(f"/battles/{arena.own.pk}/frames/{foreign}").status_code == 404


def test_a_file_of_a_snapshot_is_none_of_the_machines(arena):
    licensee = Client(headers={"authorization": f"Bearer {arena.token}"})
    for path in ("../../secret_key", "..%2f..%2fsecret_key", "/etc/passwd", "votes/../../x", "%00", "a\\..\\b"):
        answer = licensee.get(f"/api/dataset/snapshots/{arena.snapshot.pk}/{path}")
        assert answer.status_code == 404, path


def test_somebody_elses_withdrawal_says_nothing_of_them(arena):
    page = Client().get(f"/withdraw/{arena.withdrawal.pk}")
    assert page.status_code == 200
    assert arena.poster.pk not in page.content.decode()
    assert "margot" not in page.content.decode()
    assert Client().get(f"/withdraw/{uuid.uuid4()}").status_code == 404
