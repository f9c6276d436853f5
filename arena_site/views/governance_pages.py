"""What this arena believes and what it owes: the mission with its mechanisms, and the governance page."""

from __future__ import annotations

import itertools
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.claims import Claim, claims_now
from governance.disclosures import read_disclosures
from governance.theses import Standing


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
