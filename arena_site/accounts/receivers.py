"""What signing in and out and a withdrawal mean for a browser and an account."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from arena_site.accounts.devices import account_of_judge, bind_browser, start_afresh
from arena_site.accounts.models import Account, ProofRecord
from governance.identities import IdentityTrace, register_identity_trace
from governance.journal import record
from governance.models import Judge


@receiver(user_logged_in, dispatch_uid="accounts.on_sign_in")
def on_sign_in(*, request: HttpRequest, user: Account, **_: Any) -> None:
    bind_browser(request, user)
    # A session made to keep a draft was to end soon.
    request.session.set_expiry(None)


@receiver(user_logged_out, dispatch_uid="accounts.on_sign_out")
def on_sign_out(*, request: HttpRequest, **_: Any) -> None:
    start_afresh(request)


def erase_account(judge: Judge, labels_stay: bool) -> None:
    """An account goes with its sessions, whether labels stay or not: nobody signs in as this judge again."""
    ProofRecord.objects.filter(judge=judge).delete()
    account = account_of_judge(judge)
    if account is not None:
        account.delete()
        record(actor=f"judge:{judge.pk}", action="accounts:account:erase", subject=judge.pk)


register_identity_trace(IdentityTrace("account", erase_account))
