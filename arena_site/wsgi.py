"""The WSGI entry point for granian or any other server."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from django.utils.http import parse_header_parameters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

_site = get_wsgi_application()


def application(environ: dict[str, Any], start_response: "StartResponse") -> Iterable[bytes]:
    """The site, asked with a type of the body that can be read: Django fails on others before it calls anything."""
    if not _is_readable(environ.get("CONTENT_TYPE", "")):
        environ["CONTENT_TYPE"] = ""
    return _site(environ, start_response)


def _is_readable(kind: str) -> bool:
    """Whether a type can be parsed and names UTF-8 or nothing; Python knows charsets that are none, base64 say."""
    try:
        _, parameters = parse_header_parameters(kind)
    except (LookupError, ValueError):
        return False
    return parameters.get("charset", "utf-8").lower() in {"utf-8", "utf8"}


from battles.blindness.lexicon import maintained_lexicon  # noqa: E402
from judging.trust_rule import wrong_mark_words  # noqa: E402


def prepare() -> None:
    """Do at the start what the first visitor of a page would wait for, seconds in all. Asks the database nothing."""
    _ = get_resolver().url_patterns
    maintained_lexicon()
    wrong_mark_words()


prepare()
