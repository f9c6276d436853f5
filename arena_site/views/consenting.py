"""The consent sentence on a page, and the box that was ticked under it."""

from typing import Any

from django.http import HttpRequest

from governance.consent import ConsentNeeded, current_text, give_consent, has_consented
from governance.errors import ArenaError
from governance.models import Judge
from judging.identity import current_judge, ensure_judge


def consent_view(viewer: Judge | None) -> dict[str, Any]:
    """The sentence in force with its version and digest; ``given`` when this viewer has agreed to it."""
    text = current_text()
    return {
        "sentence": text.sentence,
        "version": text.version,
        "sha256": text.sha256,
        "given": has_consented(viewer),
    }


def consenting_judge(request: HttpRequest) -> Judge:
    """The judge of a request that posts something, after the consent it carries was stored.

    Nobody becomes a judge by being refused.

    Raises:
        ConsentNeeded: the box was not ticked, and there is no consent from before.
        ArenaError: ``consent_outdated``: the sentence has changed since the page was opened.
    """
    judge = current_judge(request)
    if judge is not None and has_consented(judge):
        return judge
    if not request.POST.get("consent"):
        raise ConsentNeeded
    text = current_text()
    if request.POST.get("consent_sha256") != text.sha256:
        raise ArenaError(
            "The consent sentence has changed since this page was opened. Please read it again.",
            code="consent_outdated",
            field="consent",
        )
    judge = ensure_judge(request)
    give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge
