"""Who may do what, by the table in docs/admin.md: every list, page and act is asked for by every role."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from arena_site.environment import CHECKOUT
from governance.models import JournalEntry
from governance.operators import ROLES, Ability
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_judge

pytestmark = pytest.mark.django_db

#: The columns of the table, after the role.
COLUMNS = (Ability.LOOK, Ability.MODERATE, Ability.STEWARD, Ability.ADMINISTER)


def documented():
    lines = (CHECKOUT / "docs" / "admin.md").read_text(encoding="utf-8").splitlines()
    rows = lines[next(number for number, line in enumerate(lines) if line.startswith("| role |")) + 2 :]
    found = {}
    for row in rows:
        if not row.startswith("|"):
            break
        name, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert set(cells) <= {"yes", "no"}
        found[name] = {ability for ability, cell in zip(COLUMNS, cells, strict=True) if cell == "yes"}
    return found


def pages():
    return list(admin.site._registry.values())


def address(page, which, *arguments):
    return reverse(f"admin:{page.opts.app_label}_{page.opts.model_name}_{which}", args=arguments)


def test_the_document_names_every_role():
    assert documented() == {role.name: set(role.abilities) for role in ROLES}


@pytest.mark.parametrize("role", [role.name for role in ROLES])
def test_a_role_is_given_what_the_document_says_and_nothing_else(client, role):
    allowed = documented()[role]
    sign_in_operator(client, role)
    acts = 0
    for page in pages():
        seen = page.seen_with in allowed
        assert client.get(address(page, "changelist")).status_code == (200 if seen else 403), page
        # Nothing has this key: who may look is told so, and nobody else is told anything.
        assert client.get(address(page, "change", "nothing")).status_code == (404 if seen else 403), page
        for act in page.acts:
            may = seen and act.ability in allowed
            for ask in (client.get, client.post):
                answer = ask(address(page, "act", act.name), {"ids": "nothing"})
                assert (answer.status_code == 403) is not may, (role, page, act.name)
            acts += may
    assert acts >= (1 if role == "viewer" else 3)


def test_every_act_is_some_roles_and_the_viewers_are_those_that_change_nothing():
    for page in pages():
        for act in page.acts:
            assert act.ability in Ability
            assert act.name == "export" or act.ability != Ability.LOOK


@pytest.mark.parametrize("role", ["viewer", "data steward"])
def test_a_role_that_may_not_decide_is_not_offered_it_either(client, role):
    sign_in_operator(client, role)
    judge = make_judge()
    for path in ("/admin/governance/judge/", f"/admin/governance/judge/{judge.pk}/change/"):
        assert "uspend" not in client.get(path).content.decode()
    forced = client.post(
        "/admin/governance/judge/", {"action": "suspend", "_selected_action": [judge.pk], "index": "0"}
    )
    assert "act/suspend" not in forced.headers.get("Location", "")


def test_nothing_is_done_without_the_token_of_a_form():
    client = Client(enforce_csrf_checks=True)
    sign_in_operator(client)
    judge = make_judge()
    answer = client.post("/admin/governance/judge/act/suspend/", {"ids": [judge.pk], "reason": "Why."})
    assert answer.status_code == 403
    assert not JournalEntry.objects.filter(subject=judge.pk, action="judging:judge:suspended").exists()
