"""What the addresses through which people take part share: who asks, how often, and how things are answered."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from http import HTTPStatus
from typing import Any, ClassVar, cast

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.http.multipartparser import MultiPartParserError
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import add_never_cache_headers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena_site.accounts.models import ApiToken
from arena_site.accounts.tokens import BadToken
from arena_site.rest.authentication import SiteAuthentication, TokenAuthentication, challenge
from arena_site.rest.bodies import Body
from arena_site.rest.limits import asker_of, count_reading, count_writing, network_of
from arena_site.rest.negotiation import Negotiation
from arena_site.rest.repeats import Made, once
from governance.errors import ArenaError
from governance.public_answers import READING, ParameterRefused
from governance.public_reading import PreconditionFailed

REPLAYED = "Idempotency-Replayed"
IF_MATCH = "If-Match"


class ScopeMissing(ArenaError):
    """The token may not do this."""

    code = "scope_missing"
    status = 403

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"This token may not do that: it lacks “{scope}”. Please make one that has it on your own page."
        )
        self.scope = scope


def keep_to_one(response: HttpResponseBase) -> None:
    """What one person gets is nobody else's, and no other site's script's to read."""
    del response["Access-Control-Allow-Origin"]
    if "Cache-Control" not in response:
        add_never_cache_headers(response)
    response["Vary"] = "Authorization, Cookie"


def keep_where_ones_own(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The answer, kept to one where the address is one person's own: told by the path, since no view was reached."""
    try:
        view = resolve(request.path_info).func
    except Resolver404:
        return response
    if issubclass(getattr(view, "cls", object), TakingPart):
        keep_to_one(response)
    return response


class TakingPart(APIView):
    """An address for one person's own things; answers are kept by nobody.

    Attributes:
        scope: what a token must be allowed.
        heading: the group of addresses it belongs to in the schema.
        tagged: whether an answer has an ETag, by which the next one may be a 304.
    """

    authentication_classes = (TokenAuthentication, SiteAuthentication)
    permission_classes = ()
    content_negotiation_class = Negotiation
    metadata_class = None
    #: The middleware leaves the counting to this view, which knows the token.
    counts_itself = True

    scope: ClassVar[str] = "read"
    heading: ClassVar[str] = ""
    tagged: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Count whoever asks before anything else is looked at, so that whatever is refused has been counted.

        Raises:
            TooMany: one too many.
            ArenaError: whoever asks is refused, the address has parameters, or another version is asked for.
        """
        plain = request._request
        self._count(request)
        super().initial(request, *args, **kwargs)
        if plain.GET:
            raise ParameterRefused("This address takes no parameters.", code="unknown_parameter")
        # What has no tag is never the version that somebody names.
        if plain.method in READING and not self.tagged and plain.headers.get(IF_MATCH, "*").strip() != "*":
            raise PreconditionFailed

    def _count(self, request: Request) -> None:
        plain = request._request
        count = count_reading if plain.method in READING else count_writing
        try:
            shown = request.auth
        except (ArenaError, SuspiciousOperation, MultiPartParserError):
            # Nobody is known by what was refused, or cannot be read: not the account whose cookie a forged request
            # brought along either.
            count(plain, network_of(plain))
            raise
        count(plain, asker_of(plain, shown if isinstance(shown, ApiToken) else None))

    def check_permissions(self, request: Request) -> None:
        """Refuse a token that lacks the scope. What an account or a browser may do, the use cases say.

        Raises:
            ScopeMissing: it is not among the token's.
        """
        token = request.auth
        if isinstance(token, ApiToken) and self.scope not in token.scopes:
            raise ScopeMissing(self.scope)

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        if isinstance(exc, BadToken):
            response["WWW-Authenticate"] = challenge("invalid_token")
        elif isinstance(exc, ScopeMissing):
            response["WWW-Authenticate"] = challenge("insufficient_scope", exc.scope)
        elif response.status_code == HTTPStatus.UNAUTHORIZED:
            response["WWW-Authenticate"] = challenge()
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        keep_to_one(final)
        return final

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: what an answer may say of itself is said where it is made."""
        return {}


class Reading(TakingPart, ABC):
    """One that is read."""

    def get(self, request: Request, **path: Any) -> Response:
        return Response(self.found(request._request, **path))

    @abstractmethod
    def found(self, request: HttpRequest, **path: Any) -> Any:
        """The document, as JSON values."""


class Giving(TakingPart, ABC):
    """One that takes what a person gives. Under an ``Idempotency-Key`` the same request makes something once.

    Attributes:
        body: the form of what is sent.
    """

    body: ClassVar[type[Body]] = Body

    def post(self, request: Request, **path: Any) -> Response:
        plain = request._request
        form = self.body(data=request.data)
        form.is_valid(raise_exception=True)
        said = cast("dict[str, Any]", form.validated_data)
        made = once(plain, said=request.data, make=lambda: self.give(plain, said, **path))
        response = Response(made.body, status=made.status)
        if made.location:
            response["Location"] = made.location
        if made.again:
            response[REPLAYED] = "true"
        return response

    @abstractmethod
    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        """Do it, through the use case."""


def address_of(battle_id: uuid.UUID) -> str:
    """Where a battle is read."""
    return reverse("api_battle", kwargs={"battle_id": battle_id})
