"""Consent by program: whoever sends something names the sentence they agree to, by its digest."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.http import HttpRequest

from arena_site.rest.bodies import Body, TextField
from governance.consent import current_text, give_consent, has_consented
from governance.errors import ArenaError
from governance.models import ConsentText, Judge
from judging.identity import current_judge, ensure_judge

WORDS = (
    "The SHA-256 of the consent sentence (GET /api/consent, in_force) that the person has read and agrees to. Needed "
    "once, and again after the sentence has changed; a script must not send what nobody has read."
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
    return f'{reason} “{text.sentence}” If you agree, send "consent": "{text.sha256}".'


class Consenting(Body):
    """A body with the sentence that its sender agrees to."""

    consent = TextField(
        required=False,
        # The pattern alone would let a line end behind it.
        max_length=64,
        help_text=WORDS,
        validators=[RegexValidator("^[0-9a-f]{64}$", "This is no SHA-256.", "invalid")],
    )


def agreeing_judge(request: HttpRequest, sha256: str | None) -> Judge:
    """The judge of a request that gives something, after the consent it carries was stored.

    Nobody becomes a judge by being refused.

    Raises:
        ConsentMissing: none was named, and there is no consent from before.
        ConsentOutdated: another sentence is in force.
    """
    text = current_text()
    if sha256 is not None and sha256 != text.sha256:
        raise ConsentOutdated(text)
    judge = current_judge(request)
    if judge is not None and has_consented(judge):
        return judge
    if sha256 is None:
        raise ConsentMissing(text)
    judge = ensure_judge(request)
    give_consent(judge=judge, text=text, rendered=text.sentence)
    return judge
