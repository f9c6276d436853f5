"""Consent by program: whoever sends something names the version of the sentence they agree to."""

from __future__ import annotations

from django.http import HttpRequest

from arena_site.rest.bodies import Body, WholeNumberField
from governance.consent import current_text, give_consent, has_consented
from governance.errors import ArenaError
from governance.models import ConsentText, Judge
from judging.identity import current_judge, ensure_judge

WORDS = (
    "The version of the consent sentence (GET /api/consent) that the person has read and agrees to. Needed once, and "
    "again after the sentence has changed; a script must not send it by itself."
)


class ConsentMissing(ArenaError):
    code = "consent_needed"
    status = 403

    def __init__(self, text: ConsentText) -> None:
        super().__init__(_ask("Nothing was kept, since you have not agreed to this yet:", text), field="consent")


class ConsentOutdated(ArenaError):
    code = "consent_outdated"
    status = 409

    def __init__(self, text: ConsentText) -> None:
        super().__init__(_ask("Nothing was kept, since another sentence is in force:", text), field="consent")


def _ask(reason: str, text: ConsentText) -> str:
    return f'{reason} “{text.sentence}” If you agree, send "consent": {text.version}.'


class Consenting(Body):
    """A body with the version of the sentence that its sender agrees to."""

    consent = WholeNumberField(min_value=1, max_value=2**31 - 1, required=False, help_text=WORDS)


def agreeing_judge(request: HttpRequest, version: int | None) -> Judge:
    """The judge of a request that gives something, after the consent it carries was stored.

    Nobody becomes a judge by being refused.

    Raises:
        ConsentMissing: no version was sent, and there is no consent from before.
        ConsentOutdated: another version is in force.
    """
    text = current_text()
    if version is not None and version != text.version:
        raise ConsentOutdated(text)
    judge = current_judge(request)
    if judge is not None and has_consented(judge):
        return judge
    if version is None:
        raise ConsentMissing(text)
    judge = ensure_judge(request)
    give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge
