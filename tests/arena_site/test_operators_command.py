"""Operators from the terminal: who they are, with which role, and why."""

import json

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from arena_site.accounts.models import SignInSession
from governance.models import JournalEntry
from governance.operators import ROLES, Ability, keep_roles_true
from tests.arena_site.accounts.people import make_account
from tests.arena_site.operators import make_operator, sign_in_operator, with_second_factor

pytestmark = pytest.mark.django_db


def run(*arguments, capsys):
    call_command("operators", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def refused(*arguments, capsys):
    with pytest.raises(SystemExit) as left:
        call_command("operators", *arguments)
    assert left.value.code == 2
    return capsys.readouterr().err


def test_an_account_becomes_an_operator_and_gets_another_role(capsys):
    account = make_account("olga")
    assert run("list", capsys=capsys) == []
    run("add", "Olga", "--role", "viewer", "--reason", "She joined.", capsys=capsys)
    run("role", "olga", "--role", "moderator", "--reason", "She learned it.", capsys=capsys)
    (row,) = run("list", capsys=capsys)
    assert (row["name"], row["role"], row["second_factor"]) == ("olga", "moderator", False)
    entries = JournalEntry.objects.filter(action="accounts:operator:appoint", subject=str(account.pk)).order_by("pk")
    assert [(entry.reason, entry.detail["role"]) for entry in entries] == [
        ("She joined.", "viewer"),
        ("She learned it.", "moderator"),
    ]


def test_what_is_refused_says_so(capsys):
    make_account("olga")
    assert "no_such_account" in refused("add", "nobody", "--role", "viewer", "--reason", "x", capsys=capsys)
    assert "reason_needed" in refused("add", "olga", "--role", "viewer", capsys=capsys)
    assert "no_operator" in refused("remove", "olga", "--reason", "x", capsys=capsys)
    assert "no_second_factor" in refused("reset-second-factor", "olga", "--reason", "x", capsys=capsys)
    assert not JournalEntry.objects.filter(action__startswith="accounts:").exists()


def test_whoever_is_dismissed_or_lost_their_factor_is_signed_out(client, capsys):
    account = sign_in_operator(client, account=with_second_factor(make_operator(name="olga")))
    run("reset-second-factor", "olga", "--reason", "The phone is lost.", capsys=capsys)
    assert not SignInSession.objects.filter(account=account).exists()
    run("remove", "olga", "--reason", "She left.", capsys=capsys)
    account.refresh_from_db()
    assert not account.is_staff
    assert not account.groups.exists()


def test_an_appointed_account_is_above_no_role(capsys):
    account = make_account("olga")
    account.is_superuser = True
    account.save()
    run("add", "olga", "--role", "viewer", "--reason", "She joined.", capsys=capsys)
    account.refresh_from_db()
    assert not account.is_superuser


def test_roles_are_made_true_again():
    viewer = Group.objects.get(name="viewer")
    viewer.permissions.add(Permission.objects.get(codename="administer"))
    Group.objects.get(name="moderator").permissions.clear()
    keep_roles_true()
    for role in ROLES:
        held = Group.objects.get(name=role.name).permissions.values_list("content_type__app_label", "codename")
        assert {Ability(f"{label}.{codename}") for label, codename in held} == role.abilities
