"""The constitution for programs: what is believed and enforced, and what people agreed to."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest

from governance.claims import claims_now
from governance.consent import SCOPE, current_sentence
from governance.json_shapes import digest, instant, listed, named, record, text, whole
from governance.models import ConsentText
from governance.public_reading import Answer, PublicRead
from governance.theses import Section, Standing

HEADING = "Governance"

CLAIM = record(
    "A belief that holds now, beside the mechanism that keeps it.",
    section=text(options=[section.value for section in Section]),
    key=text(),
    standing=text("Whether a check of the running system proves it.", options=[each.value for each in Standing]),
    belief=text(),
    why=text(),
    mechanism=text(),
    file=text("Where the mechanism is."),
    symbol=text(),
    figures=named(text(), "The constants that the texts show, by where they stand in the code."),
)
GAP = record(
    "What cannot be claimed at present.",
    key=text(),
    section=text(),
    about=text(),
    why=text("What was found in place of the mechanism."),
    file=text(),
    symbol=text(),
)
CONSENT_TEXT = record(
    version=whole(),
    language=text(),
    grantee=text(),
    scope=text(),
    sentence=text(),
    sha256=digest("Of the sentence."),
    effective_from=instant(),
)


class Claims(PublicRead):
    """Every belief with its mechanism, and every gap.

    Each is asked of the running system, at most once a minute.
    """

    label = "claims"
    heading = HEADING
    components = {"Claim": CLAIM, "Gap": GAP}
    shape = record(
        proven=whole("How many beliefs a check proves."),
        stated=whole("How many are stated alone."),
        gaps=listed({"$ref": "#/components/schemas/Gap"}),
        claims=listed({"$ref": "#/components/schemas/Claim"}),
    )

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        claims = claims_now()
        return Answer(
            _plain(
                {
                    "proven": claims.count(Standing.PROVEN),
                    "stated": claims.count(Standing.STATED),
                    "gaps": [asdict(gap) for gap in claims.gaps],
                    "claims": [{**asdict(claim), "figures": dict(claim.figures)} for claim in claims.held],
                }
            )
        )


class Consent(PublicRead):
    """The sentence that everybody agrees to, with its digest, and every earlier one."""

    label = "consent"
    heading = HEADING
    components = {"ConsentText": CONSENT_TEXT}
    shape = record(
        in_force=record(sentence=text(), sha256=digest("What a contribution names to agree."), scope=text()),
        archive=listed({"$ref": "#/components/schemas/ConsentText"}),
    )

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        sentence = current_sentence()
        in_force = {"sentence": sentence, "sha256": ConsentText.digest(sentence), "scope": SCOPE}
        return Answer(_plain({"in_force": in_force, "archive": [_archived(text) for text in _archive()]}))


def _archive() -> list[ConsentText]:
    return list(ConsentText.objects.order_by("version"))


def _archived(kept: ConsentText) -> dict[str, Any]:
    return {
        "version": kept.version,
        "language": kept.language,
        "grantee": kept.grantee,
        "scope": kept.scope,
        "sentence": kept.sentence,
        "sha256": kept.sha256,
        "effective_from": kept.effective_from.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _plain(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, sort_keys=True)
