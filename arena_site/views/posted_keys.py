"""The key by which a form or client tells a retry from a new request."""

from django.http import HttpRequest

#: Longer keys are cut; ours have 22 characters.
LONGEST_KEY = 80


def posted_key(request: HttpRequest) -> str:
    """The posted ``idempotency_key``: printable ASCII only, whatever was sent; "" where there is none."""
    sent = request.POST.get("idempotency_key", "")
    return "".join(character for character in sent if character.isascii() and character.isprintable())[:LONGEST_KEY]
