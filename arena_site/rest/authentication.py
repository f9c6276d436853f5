"""Who asks: a token, or a browser as the site knows it. What cannot be told from both is nobody."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from django.http import HttpRequest, HttpResponse
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.request import Request

from arena_site.accounts.devices import judge_of_account, signed_in_account
from arena_site.accounts.models import Account, ApiToken
from arena_site.accounts.tokens import PREFIX, BadToken, check_token
from governance.errors import ArenaError
from governance.public_answers import READING

SCHEME = "bearer"
#: Names under which tokens are put into addresses elsewhere.
IN_ADDRESSES = frozenset({"token", "access_token", "api_key", "apikey", "auth_token", "bearer"})


class TokenInAddress(ArenaError):
    code = "token_in_address"

    def __init__(self) -> None:
        super().__init__(
            "A token does not belong in an address, which logs and histories keep. Send it as Authorization: Bearer, "
            "and revoke the one that was sent: it is no secret any more."
        )


class CsrfRefused(ArenaError):
    code = "csrf_refused"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "Without a token, what is sent needs the X-CSRFToken header with the value that a page of this site has in "
            "its forms. Scripts of your own use a token."
        )


class TokenHolder:
    """Whom a token speaks for, as the framework's user: an account's owner, and never an operator."""

    is_authenticated: ClassVar[Literal[True]] = True
    is_anonymous: ClassVar[Literal[False]] = False
    is_active: ClassVar[Literal[True]] = True
    is_staff: ClassVar[Literal[False]] = False
    is_superuser: ClassVar[Literal[False]] = False

    def __init__(self, account: Account) -> None:
        self.pk = account.pk

    def has_perm(self, *_: Any) -> bool:
        """Whatever the account may as an operator, its tokens may not."""
        return False

    has_perms = has_module_perms = has_perm


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer ringside_...``. Cookies that come along mean nothing then."""

    def authenticate(self, request: Request) -> tuple[TokenHolder, ApiToken] | None:
        """The holder and the token; None where none is shown.

        Raises:
            TokenInAddress: something that may be a token stands in the address.
            BadToken: what is shown opens nothing.
        """
        plain = request._request
        if any(name.lower() in IN_ADDRESSES for name in plain.GET) or PREFIX in plain.META.get("QUERY_STRING", ""):
            raise TokenInAddress
        header = plain.META.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, shown = header.partition(" ")
        if scheme.lower() != SCHEME:
            # The server passes on an empty one where it holds anything but ASCII.
            if PREFIX in header or not scheme:
                raise BadToken("Send the token as Authorization: Bearer, then a space, then the token.")
            return None
        token = check_token(shown.strip())
        _speak_for(plain, token.account)
        return TokenHolder(token.account), token

    def authenticate_header(self, request: Request) -> str:
        return challenge()


def challenge(error: str = "", scope: str = "") -> str:
    """The ``WWW-Authenticate`` header (RFC 6750)."""
    parts = ['realm="ringside"']
    parts += [f'error="{error}"'] if error else []
    parts += [f'scope="{scope}"'] if scope else []
    return f"Bearer {', '.join(parts)}"


def _speak_for(request: HttpRequest, account: Account) -> None:
    """Make the request the account's judge's, as signing in does, and give the client no cookie."""
    judge = judge_of_account(account)
    if judge is None:
        raise BadToken("There is no such token. Please make one on your own page, under API tokens.")
    request.account = account  # type: ignore[attr-defined]  # as the middleware of accounts has it
    request.judge = judge  # type: ignore[attr-defined]  # as the middleware of judging has it
    request.judge_identifier = None  # type: ignore[attr-defined]  # nothing to remember


class SiteAuthentication(BaseAuthentication):
    """The browser's own identity, found by the middleware before: an account's session, or a judge's cookie.

    What writes is refused without the token against forged requests, whoever asks: a judge's cookie is sent along by
    the browser as a session's is.
    """

    def authenticate(self, request: Request) -> tuple[Account, None] | None:
        plain = request._request
        if plain.method not in READING:
            _check_csrf(plain)
        account = signed_in_account(plain)
        return (account, None) if account is not None else None


def _check_csrf(request: HttpRequest) -> None:
    check = CSRFCheck(_unanswered)
    check.process_request(request)
    if check.process_view(request, _unanswered, (), {}) is not None:
        raise CsrfRefused


def _unanswered(request: HttpRequest) -> HttpResponse:
    """Stands where a view would: the check is asked, and answers nothing itself."""
    return HttpResponse()
