"""What this arena believes and what it owes: the mission with its mechanisms, the governance page, and both as JSON."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from governance.claims import Claim, claims_now
from governance.consent import SCOPE, current_sentence
from governance.disclosures import read_disclosures
from governance.errors import ArenaError
from governance.ledger.entries import digest_of
from governance.models import ConsentText
from governance.public_answers import problem_json, require_known, require_reading
from governance.theses import Standing

#: What a reader may keep for a minute: the beliefs are asked no oftener.
FRESH = "public, max-age=60"


class ParameterRefused(ArenaError):
    code = "parameter_refused"


@require_safe
def mission(request: HttpRequest) -> HttpResponse:
    """The beliefs as numbered propositions, each beside its mechanism; what cannot be claimed stands first."""
    claims = claims_now()
    numbered = enumerate(claims.held, start=1)
    chapters = [
        {"title": section.value, "claims": [_entry(number, claim) for number, claim in found]}
        for section, found in itertools.groupby(numbered, key=lambda one: one[1].section)
    ]
    context = {
        "page_title": "Mission",
        "gaps": claims.gaps,
        "chapters": chapters,
        "proven": claims.count(Standing.PROVEN),
        "stated": claims.count(Standing.STATED),
    }
    return render(request, "governance/mission.html", context)


def _entry(number: int, claim: Claim) -> dict[str, Any]:
    """A proposition; its constants go by their own names, without the package, which would fill the line."""
    figures = [(".".join(name.split(".")[-2:]), value) for name, value in claim.figures]
    return {"number": number, "claim": claim, "figures": figures}


@require_safe
def governance(request: HttpRequest) -> HttpResponse:
    """What is disclosed, a part for each matter, as the apps declare them."""
    parts = [
        {
            "key": one.key,
            "title": one.title,
            "sheet": sheet,
            "labelled": [list(zip(sheet.columns, row, strict=True)) for row in sheet.rows] if sheet else [],
        }
        for one, sheet in read_disclosures()
    ]
    context = {"page_title": "Governance", "parts": parts, "gaps": claims_now().gaps}
    return render(request, "governance/governance.html", context)


@csrf_exempt
def claims_json(request: HttpRequest) -> HttpResponse:
    """Every belief with its mechanism, and every gap."""
    claims = claims_now()
    document = {
        "proven": claims.count(Standing.PROVEN),
        "stated": claims.count(Standing.STATED),
        "gaps": [asdict(gap) for gap in claims.gaps],
        "claims": [{**asdict(claim), "figures": dict(claim.figures)} for claim in claims.held],
    }
    return _answer(request, document)


@csrf_exempt
def consent_json(request: HttpRequest) -> HttpResponse:
    """The sentence in force with its digest, and every archived one."""
    sentence = current_sentence()
    archive = [
        {
            "version": text.version,
            "language": text.language,
            "grantee": text.grantee,
            "scope": text.scope,
            "sentence": text.sentence,
            "sha256": text.sha256,
            "effective_from": text.effective_from.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        for text in ConsentText.objects.order_by("version")
    ]
    in_force = {"sentence": sentence, "sha256": ConsentText.digest(sentence), "scope": SCOPE}
    return _answer(request, {"in_force": in_force, "archive": archive})


def _answer(request: HttpRequest, document: dict[str, Any]) -> HttpResponse:
    """JSON for everybody, the same for all, with its validator; refusals are problem+json."""
    try:
        require_reading(request)
        require_known(request, (), ParameterRefused)
    except ArenaError as refusal:
        return problem_json(refusal)
    text = json.dumps(document, ensure_ascii=False, sort_keys=True)
    response = HttpResponse(text, content_type="application/json")
    response["Cache-Control"] = FRESH
    response["Access-Control-Allow-Origin"] = "*"
    response["ETag"] = quote_etag(digest_of(response.content))
    return get_conditional_response(request, etag=response["ETag"], response=response) or response
