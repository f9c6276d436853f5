"""The dataset: a page for everybody, manifests, and the files of a snapshot for whoever it was delivered to."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena_site.dataset_page import disclosed_licensees, public_manifest
from governance.licensing import STANDING_TERMS, newest_snapshot


@require_safe
def dataset(request: HttpRequest) -> HttpResponse:
    """What is in the newest snapshot, what is not, and on which terms it is handed out."""
    snapshot = newest_snapshot()
    context: dict[str, Any] = {
        "page_title": "Dataset",
        "active": "dataset",
        "allowed": bool(settings.ARENA_LEGAL_NAME),
        "terms": STANDING_TERMS,
        "licensees": disclosed_licensees(),
    }
    if snapshot is not None:
        manifest = public_manifest(snapshot.manifest)
        context |= {
            "manifest": manifest,
            "snapshot": snapshot,
            "claims": manifest.get("not_entitled", {}).get("not_entitled", []),
            "text": manifest["redaction"]["text"],
            "imagery": manifest["redaction"]["imagery"],
        }
    return render(request, "governance/dataset.html", context)
