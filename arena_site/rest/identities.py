"""How the schema says who asks: by a token, by the site's own cookies, or as nobody."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class Token(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # the library has no types
    """A token of an account."""

    target_class = "arena_site.rest.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "Made on your own page, under API tokens. It acts as you, within its scope.",
        }


class Browser(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # the library has no types
    """A browser as the site knows it."""

    target_class = "arena_site.rest.authentication.SiteAuthentication"
    name = "browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "For scripts of the site's own pages. What is sent needs the X-CSRFToken header besides.",
        }
