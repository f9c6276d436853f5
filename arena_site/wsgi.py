"""The WSGI entry point for granian or any other server."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

application = get_wsgi_application()

from battles.blindness.lexicon import maintained_lexicon  # noqa: E402
from judging.trust_rule import wrong_mark_words  # noqa: E402


def prepare() -> None:
    """Do at the start what the first visitor of a page would wait for, seconds in all. Asks the database nothing."""
    _ = get_resolver().url_patterns
    maintained_lexicon()
    wrong_mark_words()


prepare()
