"""The operators among the accounts. Other accounts are nobody's to look at: a name is for signing in only."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from arena_site.accounts.models import Account
from arena_site.accounts.operators import appoint, dismiss, operators, role_of, take_off_second_factor
from arena_site.accounts.second_factor import has_second_factor
from governance.admin_base import Act, OperatorAdmin, ReasonForm
from governance.operators import ROLES, Ability


class RoleForm(ReasonForm):
    role = forms.ChoiceField(choices=[(role.name, f"{role.name}: {role.words}") for role in ROLES])


class AppointForm(RoleForm):
    name = forms.CharField(max_length=80, help_text="The name they sign in with. They make the account first.")


@admin.register(Account)
class OperatorAccountAdmin(OperatorAdmin):
    introduction = "Who opens these pages, with one role each."
    list_display = ("username", "role")
    ordering = ("username",)
    seen_with = Ability.ADMINISTER
    facts = ("username", "id", "role", "second_factor")
    acts = (
        Act(
            name="appoint",
            words="Make somebody an operator",
            ability=Ability.ADMINISTER,
            of_rows=False,
            form=AppointForm,
            do=appoint,
            meaning="They set up a second factor when they sign in next, and reach nothing before.",
        ),
        Act(
            name="role",
            words="Give another role",
            ability=Ability.ADMINISTER,
            form=RoleForm,
            do=lambda *, row, role, actor, reason: appoint(name=row.username, role=role, actor=actor, reason=reason),
            meaning="It holds from their next page on.",
        ),
        Act(
            name="dismiss",
            words="Make an account like any other",
            ability=Ability.ADMINISTER,
            do=lambda *, row, actor, reason: dismiss(name=row.username, actor=actor, reason=reason),
            meaning="They are signed out, and these pages are nothing to them.",
        ),
        Act(
            name="reset-second-factor",
            words="Take off the second factor",
            ability=Ability.ADMINISTER,
            do=lambda *, row, actor, reason: take_off_second_factor(name=row.username, actor=actor, reason=reason),
            fits=has_second_factor,
            meaning="For somebody who lost their app and their codes. Make sure that it is them who ask.",
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Account]:
        return operators()

    @admin.display(description="role")
    def role(self, row: Account) -> str:
        return role_of(row) or "none"

    @admin.display(description="second factor")
    def second_factor(self, row: Account) -> str:
        return "set up" if has_second_factor(row) else "not yet"
