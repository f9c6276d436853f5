"""What signing in and out and a withdrawal mean for a browser and an account."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import pre_save
from django.dispatch import receiver
from django.http import HttpRequest

from arena_site.accounts.devices import account_of_judge, bind_browser, start_afresh
from arena_site.accounts.models import Account, ProofRecord
from governance.journal import record
from governance.models import Withdrawal


@receiver(user_logged_in, dispatch_uid="accounts.on_sign_in")
def on_sign_in(*, request: HttpRequest, user: Account, **_: Any) -> None:
    bind_browser(request, user)
    # A session made to keep a draft was to end soon.
    request.session.set_expiry(None)


@receiver(user_logged_out, dispatch_uid="accounts.on_sign_out")
def on_sign_out(*, request: HttpRequest, **_: Any) -> None:
    start_afresh(request)


@receiver(pre_save, sender=Withdrawal, dispatch_uid="accounts.on_withdrawal")
def on_withdrawal(*, instance: Withdrawal, **_: Any) -> None:
    """Erase the account with its sessions, before judging erases the binding that tells which one it is."""
    if not instance._state.adding:
        return
    judge = instance.judge
    ProofRecord.objects.filter(judge=judge).delete()
    account = account_of_judge(judge)
    if account is not None:
        account.delete()
        record(actor=f"judge:{judge.pk}", action="accounts:account:erase", subject=judge.pk)
