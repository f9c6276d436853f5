"""Who reaches the operators' pages, and what those pages never do."""

import pytest

from governance.operators import ROLES
from tests.arena_site.accounts.people import make_account
from tests.arena_site.operators import make_operator, sign_in_operator, with_second_factor

pytestmark = pytest.mark.django_db


def test_a_visitor_is_asked_to_sign_in_and_anybody_else_finds_nothing(client):
    assert client.get("/admin/").url == "/account/sign-in?next=/admin/"
    client.force_login(make_account())
    assert client.get("/admin/").status_code == 404
    assert client.get("/admin/governance/journalentry/").status_code == 404


@pytest.mark.parametrize("path", ["/admin/", "/", "/account", "/judge/me", "/admin/governance/journalentry/"])
def test_an_operator_without_a_second_factor_reaches_only_its_page(client, path):
    client.force_login(make_operator())
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer.url.startswith("/account/second-factor?next=")


def test_an_operator_whose_session_has_not_proved_it_must(client):
    client.force_login(with_second_factor(make_operator()))
    assert client.get("/admin/").url.startswith("/account/second-factor/again?next=")
    assert client.post("/withdraw").url == "/account/second-factor/again"


@pytest.mark.parametrize("role", [role.name for role in ROLES])
def test_every_role_sees_what_is_due_and_every_list(client, role):
    sign_in_operator(client, role)
    page = client.get("/admin/")
    assert page.status_code == 200
    assert "What is due" in page.content.decode()
    assert client.get("/admin/governance/journalentry/").status_code == 200


def test_staff_without_a_role_find_nothing(client):
    sign_in_operator(client, "")
    assert client.get("/admin/").status_code == 404
