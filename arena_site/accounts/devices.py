"""Which judge a browser is: its account's while it is signed in, and one of its own otherwise.

A judge of an account is recognised by the session alone. The cookie that a browser keeps for two years names a judge,
but once that judge is an account's it opens nothing without the sign-in: whoever signed out, changed the password
elsewhere or stayed away for too long is a new visitor until they sign in again.
"""

from django.conf import settings
from django.http import HttpRequest

from arena_site.accounts.models import Account
from governance.identifiers import judge_identifier
from governance.models import Judge
from judging.accounts import bind_device
from judging.identity import current_judge, prepare_identity
from judging.models import JudgeAccount

#: How judging names the accounts of this site.
ACCOUNT_PREFIX = "account:"


def account_key(account: Account) -> str:
    """The name under which judging binds an account: its random identifier, never its name."""
    return f"{ACCOUNT_PREFIX}{account.pk}"


def account_of_judge(judge: Judge) -> Account | None:
    """The account whose judge this is, or None."""
    key = JudgeAccount.objects.filter(judge=judge, account__startswith=ACCOUNT_PREFIX).values_list("account").first()
    return Account.objects.filter(pk=key[0].removeprefix(ACCOUNT_PREFIX)).first() if key else None


def judge_of_account(account: Account) -> Judge | None:
    """The judge an account is, or None while it was never signed in."""
    known = JudgeAccount.objects.select_related("judge").filter(account=account_key(account)).first()
    return known.judge if known is not None else None


def signed_in_account(request: HttpRequest) -> Account | None:
    """The account that is signed in on this browser, if any."""
    account: Account | None = getattr(request, "account", None)
    return account


def recognise(request: HttpRequest) -> None:
    """Put the signed-in account and its judge on a request; hide a judge whose account is not signed in."""
    request.account = None  # type: ignore[attr-defined]  # our own addition
    # Without the cookie there is nothing to look up, and the answer does not depend on it.
    if settings.SESSION_COOKIE_NAME in request.COOKIES and isinstance(request.user, Account):
        _become(request, request.user, _judge_of(request, request.user))
    else:
        judge = current_judge(request)
        if judge is not None and _is_an_accounts(judge):
            start_afresh(request)


def bind_browser(request: HttpRequest, account: Account) -> Judge:
    """Make the browser's judge the account's, with everything it gave, and the browser the account's judge."""
    judge = _judge_of(request, account, moving=True)
    _become(request, account, judge)
    return judge


def start_afresh(request: HttpRequest) -> None:
    """Give the browser a new identity, so that whoever comes next is not who was here."""
    request.account = None  # type: ignore[attr-defined]  # our own addition
    request.judge = None  # type: ignore[attr-defined]  # as the middleware of judging has it
    request.judge_identifier = judge_identifier()  # type: ignore[attr-defined]  # remembered with the answer


def _judge_of(request: HttpRequest, account: Account, *, moving: bool = False) -> Judge:
    key = account_key(account)
    known = JudgeAccount.objects.select_related("judge").filter(account=key).first()
    if known is not None and not moving:
        return known.judge
    device = current_judge(request)
    if device is not None and _is_an_accounts(device):
        # Another's: never linked to this account.
        start_afresh(request)
        device = None
    if device is None and known is not None:
        return known.judge
    if device is None:
        device, _ = Judge.objects.get_or_create(pk=prepare_identity(request))
    return bind_device(device=device, account=key, actor=f"judge:{device.pk}")


def _is_an_accounts(judge: Judge) -> bool:
    return JudgeAccount.objects.filter(judge=judge, account__startswith=ACCOUNT_PREFIX).exists()


def _become(request: HttpRequest, account: Account, judge: Judge) -> None:
    request.account = account  # type: ignore[attr-defined]  # our own addition
    request.judge = judge  # type: ignore[attr-defined]  # as the middleware of judging has it
    request.judge_identifier = judge.pk  # type: ignore[attr-defined]  # remembered with the answer
