"""A visitor's judge identifier: a signed cookie, given with the first form, and a judge from the first contribution on.

The identifier is drawn before anybody is stored under it, so that a double click in a new browser is one person.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from governance.identifiers import judge_identifier
from governance.models import Judge

COOKIE = "ringside_judge"
SALT = "judging.identity"
#: Two years: people come back, and a lost cookie loses their history.
COOKIE_AGE = 2 * 365 * 24 * 3600


def identifier_of_cookie(request: HttpRequest) -> str | None:
    """The identifier this browser was given, or None for a new or forged one."""
    try:
        return signing.Signer(salt=SALT).unsign(request.COOKIES.get(COOKIE, ""))
    except signing.BadSignature:
        return None


def judge_of_cookie(request: HttpRequest) -> Judge | None:
    """The judge this browser is, or None while it has given nothing or was forgotten."""
    identifier = identifier_of_cookie(request)
    return Judge.objects.filter(pk=identifier, erased_at=None).first() if identifier else None


def current_judge(request: HttpRequest) -> Judge | None:
    """The judge making this request, if this browser has contributed before."""
    judge: Judge | None = getattr(request, "judge", None)
    return judge


def prepare_identity(request: HttpRequest) -> str:
    """The identifier of this browser, drawn now where it has none; called for pages that show a form."""
    identifier: str | None = getattr(request, "judge_identifier", None)
    if identifier is None:
        identifier = identifier_of_cookie(request)
        if identifier is None or Judge.objects.filter(pk=identifier, erased_at__isnull=False).exists():
            identifier = judge_identifier()
        request.judge_identifier = identifier  # type: ignore[attr-defined]  # remembered with the answer
    return identifier


def sign_again(request: HttpRequest) -> None:
    """Have a judge's cookie remembered anew where an earlier key signed it, so that it outlives that key."""
    judge = current_judge(request)
    if judge is not None and request.COOKIES[COOKIE] != _signed(judge.pk):
        request.judge_identifier = judge.pk  # type: ignore[attr-defined]  # remembered with the answer


def ensure_judge(request: HttpRequest) -> Judge:
    """The judge making this request; stored now where this is the browser's first contribution."""
    judge = current_judge(request)
    if judge is None:
        judge, _ = Judge.objects.get_or_create(pk=prepare_identity(request))
        request.judge = judge  # type: ignore[attr-defined]  # set by JudgeMiddleware on every request
    return judge


@contextmanager
def contribution(request: HttpRequest) -> Iterator[None]:
    """One transaction in which this browser may become a judge. Where it is undone, nobody became one.

    The identifier stays: it was drawn before anybody is stored under it, and another try stores the same judge.
    """
    before = current_judge(request)
    try:
        with transaction.atomic():
            yield
    except BaseException:
        request.judge = before  # type: ignore[attr-defined]  # set by JudgeMiddleware on every request
        raise


def remember_identity(request: HttpRequest, response: HttpResponse) -> None:
    """Give the browser the cookie of its identifier, unless it has that.

    Nothing is given with what others may keep: whoever was handed such an answer from a cache would be this judge.
    """
    identifier: str | None = getattr(request, "judge_identifier", None)
    if identifier is None or "public" in response.get("Cache-Control", ""):
        return
    value = _signed(identifier)
    if request.COOKIES.get(COOKIE) == value:
        return
    response.set_cookie(
        COOKIE,
        value,
        max_age=COOKIE_AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _signed(identifier: str) -> str:
    return signing.Signer(salt=SALT).sign(identifier)
