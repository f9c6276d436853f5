"""What signing in and out and a withdrawal mean for a browser and an account."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from arena_site.accounts.devices import account_of_judge, bind_browser, start_afresh
from arena_site.accounts.models import Account, KeptAnswer, ProofRecord, SignInSession
from arena_site.accounts.tokens import erase_tokens, revoke_all_tokens
from governance.identities import IdentityTrace, register_identity_trace
from governance.journal import record
from governance.models import Judge
from judging.identity import current_judge


@receiver(user_logged_in, dispatch_uid="accounts.on_sign_in")
def on_sign_in(*, request: HttpRequest, user: Account, **_: Any) -> None:
    device = current_judge(request)
    judge = bind_browser(request, user)
    if device is not None and device != judge:
        # What was kept for the device alone would not go with the account.
        KeptAnswer.objects.filter(owner=device.pk).delete()
        ProofRecord.objects.filter(judge=device).update(judge=judge)
    # A session made to keep a draft was to end soon.
    request.session.set_expiry(None)


@receiver(user_logged_out, dispatch_uid="accounts.on_sign_out")
def on_sign_out(*, request: HttpRequest, **_: Any) -> None:
    start_afresh(request)


@receiver(post_save, sender=Account, dispatch_uid="accounts.on_new_password")
def on_new_password(*, instance: Account, created: bool, **_: Any) -> None:
    """Whoever knew the old one may have signed in and made tokens with it, whoever sets the new one and where.

    The browser in which it is changed is given another session by the page that does so.
    """
    if not created and instance.has_new_password:
        SignInSession.objects.filter(account=instance).delete()
        revoke_all_tokens(account=instance, actor="system:accounts", reason="The password was changed.")


def erase_account(judge: Judge, labels_stay: bool) -> None:
    """An account goes with its sessions, whether labels stay or not: nobody signs in as this judge again."""
    ProofRecord.objects.filter(judge=judge).delete()
    account = account_of_judge(judge)
    if account is not None:
        account.delete()
        record(actor=f"judge:{judge.pk}", action="accounts:account:erase", subject=judge.pk)


# The last one registered goes first: tokens are found through the account.
register_identity_trace(IdentityTrace("account", erase_account))
register_identity_trace(IdentityTrace("API tokens", erase_tokens))
