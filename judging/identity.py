"""A visitor's judge identifier: a signed cookie, made when somebody first contributes and not before."""

from django.core import signing
from django.http import HttpRequest, HttpResponse

from governance.models import Judge

COOKIE = "ringside_judge"
SALT = "judging.identity"
#: Two years: people come back, and a lost cookie loses their history.
COOKIE_AGE = 2 * 365 * 24 * 3600


def judge_of_cookie(request: HttpRequest) -> Judge | None:
    """The judge this browser is, or None for a new or forged one."""
    value = request.COOKIES.get(COOKIE)
    if not value:
        return None
    try:
        identifier = signing.Signer(salt=SALT).unsign(value)
    except signing.BadSignature:
        return None
    return Judge.objects.filter(pk=identifier).first()


def current_judge(request: HttpRequest) -> Judge | None:
    """The judge making this request, if this browser has contributed before."""
    judge: Judge | None = getattr(request, "judge", None)
    return judge


def ensure_judge(request: HttpRequest) -> Judge:
    """The judge making this request; a new one where there is none, kept by ``remember_judge``."""
    judge = current_judge(request)
    if judge is None:
        judge = Judge.objects.create()
        request.judge = judge  # type: ignore[attr-defined]  # set by JudgeMiddleware on every request
    return judge


def remember_judge(request: HttpRequest, response: HttpResponse) -> None:
    """Give a new judge the cookie that makes this browser theirs."""
    judge = current_judge(request)
    if judge is None:
        return
    value = signing.Signer(salt=SALT).sign(judge.pk)
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
