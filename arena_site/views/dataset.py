"""The dataset: a page for everybody, manifests, and the files of a snapshot for whoever it was delivered to."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from arena_site.dataset_page import disclosed_licensees, public_manifest, public_text
from governance.dataset.home import snapshots_home
from governance.dataset.manifest import MANIFEST, digest_of
from governance.dataset_models import Licensee, Snapshot
from governance.errors import ArenaError, NotFound
from governance.licensing import STANDING_TERMS, SnapshotGone, is_served, licensee_of, newest_snapshot
from governance.operators import Ability, may
from governance.public_answers import problem_json

JSON = "application/json"
PUBLICLY, PRIVATELY = "public, no-cache", "private, no-store"


class NoSnapshot(NotFound):
    code = "no_snapshot"

    def __init__(self) -> None:
        super().__init__("There is no such snapshot.")


class NoSuchFile(NotFound):
    code = "no_such_file"

    def __init__(self) -> None:
        super().__init__("The snapshot has no such file. Its manifest names all of them.")


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


@require_safe
def manifest_json(request: HttpRequest) -> HttpResponse:
    """The manifest: in full for operators and for licensees that have the snapshot, else without any count."""
    try:
        snapshot = _snapshot(request.GET.get("snapshot"))
        if not is_served(snapshot):
            raise SnapshotGone
    except ArenaError as refusal:
        return problem_json(refusal)
    full = _has(request, snapshot)
    body = snapshot.manifest if full else public_text(snapshot.manifest)
    tag = f'"{digest_of(body)}"'
    if tag in [each.removeprefix("W/") for each in parse_etags(request.headers.get("If-None-Match", ""))]:
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(body, content_type=JSON)
    response["ETag"] = tag
    response["Vary"] = "Authorization, Cookie"
    response["Cache-Control"] = PRIVATELY if full else PUBLICLY
    return response


@require_safe
def snapshot_file(request: HttpRequest, snapshot_id: str, path: str) -> HttpResponse | FileResponse:
    """A file of a snapshot, for operators and for licensees that have it; to others it is not there."""
    try:
        snapshot = _snapshot(snapshot_id)
        if not _has(request, snapshot):
            raise NoSnapshot
        if not is_served(snapshot):
            raise SnapshotGone
        return _file(snapshot, path)
    except ArenaError as refusal:
        return problem_json(refusal)


def _file(snapshot: Snapshot, path: str) -> FileResponse:
    """A file that the manifest names, and no other."""
    if path != MANIFEST and path not in {file["path"] for file in json.loads(snapshot.manifest)["files"]}:
        raise NoSuchFile
    try:
        response = FileResponse((snapshots_home() / snapshot.path / path).open("rb"), as_attachment=True)
    except FileNotFoundError:
        raise NoSuchFile from None
    response["Cache-Control"] = PRIVATELY
    return response


def _snapshot(identifier: str | None) -> Snapshot:
    if identifier is None:
        newest = newest_snapshot()
        if newest is None:
            raise NoSnapshot
        return newest
    try:
        return Snapshot.objects.get(pk=uuid.UUID(identifier))
    except (ValueError, Snapshot.DoesNotExist):
        raise NoSnapshot from None


def _has(request: HttpRequest, snapshot: Snapshot) -> bool:
    """Whether whoever asks may have all of it."""
    if may(request.user, Ability.STEWARD):
        return True
    licensee = _licensee(request)
    return licensee is not None and snapshot.deliveries.filter(licensee=licensee).exists()


def _licensee(request: HttpRequest) -> Licensee | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return licensee_of(token.strip()) if scheme.casefold() == "bearer" and token.strip() else None
