"""Which accounts are operators, and with which role. Every change is recorded, with its reason."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import QuerySet

from arena_site.accounts.models import Account, SignInSession
from arena_site.accounts.names import fold_name
from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record
from governance.operators import ROLES

ROLE_NAMES = tuple(role.name for role in ROLES)
#: As long as a reason may be where the journal keeps it.
REASON_MAX = 500


class NoSuchAccount(NotFound):
    code = "no_such_account"

    def __init__(self) -> None:
        super().__init__("There is no account of this name. Whoever is to be an operator makes one on the site first.")


class OperatorRefused(ArenaError):
    code = "operator_refused"
    status = 422


def operators() -> QuerySet[Account]:
    """Accounts that are staff, by name, with their groups."""
    return Account.objects.filter(is_staff=True).prefetch_related("groups").order_by("username")


def role_of(account: Account) -> str:
    """The role of an operator; "" where they have none, and so may nothing."""
    return next((group.name for group in account.groups.all() if group.name in ROLE_NAMES), "")


@transaction.atomic
def appoint(*, name: str, role: str, actor: str, reason: str) -> Account:
    """Make an account an operator with this role, or give an operator another one. They have one role at a time.

    Raises:
        NoSuchAccount: nobody signs in under this name.
        OperatorRefused: ``unknown_role``; ``reason_needed``, ``reason_too_long``.
        Conflict: they have this role already.
    """
    if role not in ROLE_NAMES:
        raise OperatorRefused(f"There is no such role; there are: {', '.join(ROLE_NAMES)}.", code="unknown_role")
    reason = _reason(reason)
    account = _locked(name)
    before = role_of(account) if account.is_staff else ""
    if before == role:
        raise Conflict(f"They are {role} already.", code="same_role")
    account.is_staff = True
    # Nobody is above roles, whatever made the account.
    account.is_superuser = False
    account.save(update_fields=["is_staff", "is_superuser"])
    account.groups.set([Group.objects.get(name=role)])
    record(
        actor=actor,
        action="accounts:operator:appoint",
        subject=str(account.pk),
        reason=reason,
        role=role,
        before=before,
    )
    return account


@transaction.atomic
def dismiss(*, name: str, actor: str, reason: str) -> Account:
    """Make an operator an account like any other, and end their sessions.

    Raises:
        NoSuchAccount: nobody signs in under this name.
        OperatorRefused: ``reason_needed``, ``reason_too_long``.
        Conflict: they are no operator.
    """
    reason = _reason(reason)
    account = _locked(name)
    if not account.is_staff:
        raise Conflict("They are no operator.", code="no_operator")
    before = role_of(account)
    account.is_staff = account.is_superuser = False
    account.save(update_fields=["is_staff", "is_superuser"])
    account.groups.clear()
    SignInSession.objects.filter(account=account).delete()
    record(actor=actor, action="accounts:operator:dismiss", subject=str(account.pk), reason=reason, before=before)
    return account


@transaction.atomic
def take_off_second_factor(*, name: str, actor: str, reason: str) -> Account:
    """For somebody who lost their app and their codes: they set up a new one when they sign in again.

    Raises:
        NoSuchAccount: nobody signs in under this name.
        OperatorRefused: ``reason_needed``, ``reason_too_long``.
        Conflict: there is none.
    """
    reason = _reason(reason)
    account = _locked(name)
    factors = Authenticator.objects.filter(user=account)
    if not factors.exists():
        raise Conflict("They have no second factor.", code="no_second_factor")
    factors.delete()
    SignInSession.objects.filter(account=account).delete()
    record(actor=actor, action="accounts:second_factor:take_off", subject=str(account.pk), reason=reason)
    return account


def _locked(name: str) -> Account:
    account = Account.objects.select_for_update(no_key=True).filter(username=fold_name(name)).first()
    if account is None:
        raise NoSuchAccount
    return account


def _reason(reason: str) -> str:
    reason = " ".join(reason.split())
    if not reason:
        raise OperatorRefused(
            "Please say why: the reason is kept in the journal.", code="reason_needed", field="reason"
        )
    if len(reason) > REASON_MAX:
        raise OperatorRefused(f"The reason is longer than {REASON_MAX} characters.", code="reason_too_long")
    return reason
