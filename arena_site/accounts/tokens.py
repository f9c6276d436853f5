"""API tokens: made by somebody who is signed in, shown once, told from a digest, and ended by time or by hand.

A token acts for the judge of its account and never for an operator: it is one factor that lies in a file for months,
where operators prove two in a session. There is no scope that would give it more.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena_site.accounts.devices import account_of_judge
from arena_site.accounts.models import Account, ApiToken, KeptAnswer
from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record
from governance.models import Judge

#: By this beginning scanners of published code find a token that got into it.
PREFIX = "ringside_"
TOKEN = re.compile(r"ringside_([0-9a-z]{12})_([0-9A-Za-z_-]{43})", re.ASCII)
PUBLIC_ID = re.compile(r"[0-9a-z]{12}", re.ASCII)
_ID_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 12
SECRET_BYTES = 32

#: What a token may be allowed, in the order of the form. Reading comes with each of the others.
SCOPES = {
    "read": "Read what is yours: battles you may see, your calibration, your withdrawals",
    "judge": "Take battles from the pool, vote on them and mark them",
    "submit": "Post tasks and offer their battles to other judges",
    "withdraw": "Take back what you gave, your account included",
}
READ = "read"
DEFAULT_DAYS = 90
#: What can be chosen; a token that lives for ever is one that nobody remembers.
DAYS = (7, 30, DEFAULT_DAYS, 365)
LABEL_MAX = 60
#: Living tokens of one account: one for each script or machine, and some to spare.
MOST_TOKENS = 20
#: A token that ended is listed for so long, then its row goes.
LISTED_FOR = timedelta(days=30)
#: An answer is kept for so long for whoever repeats the request under the same key.
ANSWERS_KEPT_FOR = timedelta(hours=24)
#: Compared where there is no such token, so that the answer takes the same way.
_NO_DIGEST = "0" * 64


class TokenRefused(ArenaError):
    """The token cannot be made as asked."""

    code = "token_not_made"
    status = 422


class NoSuchToken(NotFound):
    code = "no_such_token"

    def __init__(self) -> None:
        super().__init__("You have no such token.")


class BadToken(ArenaError):
    """What was shown opens nothing: ``invalid_token``, ``token_expired``, ``token_revoked``."""

    code = "invalid_token"
    status = 401


@transaction.atomic
def make_token(
    *, account: Account, judge: Judge, label: str, scopes: Collection[str], days: int = DEFAULT_DAYS
) -> tuple[ApiToken, str]:
    """Make a token of an account; returns its row and the token itself, which nobody can be told again.

    Raises:
        TokenRefused: ``label_needed``, ``label_too_long``, ``unknown_scope``, ``unknown_duration``.
        Conflict: ``too_many_tokens``; ``password_changed`` since the account was read, which ended its tokens.
    """
    label = " ".join(label.split())
    if not label or not label.isprintable():
        raise TokenRefused("Please say in a few words what the token is for.", code="label_needed", field="label")
    if len(label) > LABEL_MAX:
        raise TokenRefused(f"The name is longer than {LABEL_MAX} characters.", code="label_too_long", field="label")
    if not set(scopes) <= SCOPES.keys():
        raise TokenRefused("Please choose from the list what it may do.", code="unknown_scope", field="scopes")
    if days not in DAYS:
        raise TokenRefused("Please choose from the list how long it lasts.", code="unknown_duration", field="days")
    # One after the other, so that of two at once no more than the limit are made, and none after a new password.
    stored = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    if not hmac.compare_digest(stored.password, account.password):
        raise Conflict("Your password was changed meanwhile. Please sign in again.", code="password_changed")
    now = timezone.now()
    if living_tokens(account, now=now).count() >= MOST_TOKENS:
        raise Conflict(
            f"You have {MOST_TOKENS} tokens, the most that one account can have. Please revoke one first.",
            code="too_many_tokens",
        )
    public_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(ID_LENGTH))
    text = f"{PREFIX}{public_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
    token = ApiToken.objects.create(
        account=account,
        public_id=public_id,
        digest=_digest(text),
        label=label,
        scopes=[scope for scope in SCOPES if scope == READ or scope in scopes],
        made_at=now,
        expires_at=now + timedelta(days=days),
    )
    record(
        actor=f"judge:{judge.pk}",
        action="accounts:token:make",
        subject=str(token.pk),
        scopes=token.scopes,
        days=days,
    )
    return token, text


@transaction.atomic
def revoke_token(*, account: Account, judge: Judge, public_id: str) -> ApiToken:
    """End a token now. Ending it twice is ending it once.

    Raises:
        NoSuchToken: this account has none of this name.
    """
    mine = ApiToken.objects.select_for_update(no_key=True).filter(account=account)
    # A form can hold what no query takes.
    token = mine.filter(public_id=public_id).first() if PUBLIC_ID.fullmatch(public_id) else None
    if token is None:
        raise NoSuchToken
    if token.revoked_at is None:
        _revoke(token, timezone.now(), actor=f"judge:{judge.pk}", reason="")
    return token


@transaction.atomic
def revoke_all_tokens(*, account: Account, actor: str, reason: str) -> int:
    """End every living token of an account; returns how many."""
    now = timezone.now()
    living = list(living_tokens(account, now=now).select_for_update(no_key=True))
    for token in living:
        _revoke(token, now, actor=actor, reason=reason)
    return len(living)


def _revoke(token: ApiToken, now: datetime, *, actor: str, reason: str) -> None:
    token.revoked_at = now
    token.save(update_fields=["revoked_at"])
    record(actor=actor, action="accounts:token:revoke", subject=str(token.pk), reason=reason)


def living_tokens(account: Account, *, now: datetime | None = None) -> QuerySet[ApiToken]:
    """Tokens of an account that open something."""
    return ApiToken.objects.filter(account=account, revoked_at=None, expires_at__gt=now or timezone.now())


def listed_tokens(account: Account) -> QuerySet[ApiToken]:
    """Tokens of an account, the newest first, with those that ended not long ago."""
    return ApiToken.objects.filter(account=account).order_by("-made_at")


def check_token(text: str, *, now: datetime | None = None) -> ApiToken:
    """The token with this text, marked as used today.

    A text that is no token, one that never was, and one whose secret is wrong take the same way and get the same
    answer. That a token ended is said only to whoever holds it whole.

    Raises:
        BadToken: ``invalid_token``, ``token_revoked``, ``token_expired``.
    """
    now = now or timezone.now()
    form = TOKEN.fullmatch(text)
    token = ApiToken.objects.select_related("account").filter(public_id=form[1] if form else "").first()
    right = hmac.compare_digest(_digest(text), token.digest if token is not None else _NO_DIGEST)
    if token is None or not right or not token.account.is_active:
        raise BadToken("There is no such token. Please make one on your own page, under API tokens.")
    if token.revoked_at is not None:
        raise BadToken("This token was revoked. Please use another one.", code="token_revoked")
    if token.expires_at <= now:
        raise BadToken(f"This token ended on {token.expires_at:%Y-%m-%d}. Please make a new one.", code="token_expired")
    if token.last_used_on != now.date():
        ApiToken.objects.filter(pk=token.pk).update(last_used_on=now.date())
    return token


def erase_tokens(judge: Judge, labels_stay: bool) -> None:
    """Tokens of the judge's account, and answers kept for a judge's scripts, go with the person."""
    KeptAnswer.objects.filter(owner=judge.pk).delete()
    account = account_of_judge(judge)
    if account is not None:
        ApiToken.objects.filter(account=account).delete()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
