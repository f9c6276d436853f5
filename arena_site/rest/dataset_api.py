"""The dataset for programs: manifests for everybody, and the files of a snapshot for whoever it was delivered to."""

from __future__ import annotations

import json
import uuid
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django.http import FileResponse, HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from arena_site.dataset_page import PUBLIC, as_shipped, public_text, without_figures
from arena_site.rest.operations import refused
from governance.dataset.manifest import MANIFEST, digest_of
from governance.dataset.stores import snapshot_store
from governance.dataset_models import Licensee, Snapshot
from governance.errors import NotFound
from governance.json_shapes import text as text_shape
from governance.licensing import SnapshotGone, is_served, licensee_of, newest_snapshot
from governance.operators import Ability, may
from governance.public_answers import require_known, require_reading
from governance.public_reading import FOR_NOW, Answer, PublicRead, text
from ratings.public_shapes import Leaves, json_shape

PRIVATELY = "private, no-store"
SNAPSHOT = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
#: Of the manifest's own leaves.
LEAVES: Leaves = {as_shipped: {"description": "Figures that ship with the code."}, without_figures: text_shape()}


class NoSnapshot(NotFound):
    code = "no_snapshot"

    def __init__(self) -> None:
        super().__init__("There is no such snapshot.")


class NoSuchFile(NotFound):
    code = "no_such_file"

    def __init__(self) -> None:
        super().__init__("The snapshot has no such file. Its manifest names all of them.")


class Manifest(PublicRead):
    """What a snapshot of the dataset holds, and what was done to it.

    Without any count, unless the token of a licensee that has the snapshot comes with the request.
    """

    label = "dataset_manifest"
    heading = "Dataset"
    parameters = (text("snapshot", "Which snapshot; by default the newest.", SNAPSHOT),)
    components = {"Manifest": json_shape({**PUBLIC, "digest": PUBLIC["id"]}, further=LEAVES)}
    shape = {"$ref": "#/components/schemas/Manifest"}
    refusals = {404: ("no_snapshot",), 410: ("snapshot_gone",)}

    def answer(self, request: HttpRequest, **path: Any) -> Answer:
        snapshot = snapshot_named(self.asked.get("snapshot"))
        if not is_served(snapshot):
            raise SnapshotGone
        full = has(request, snapshot)
        body = snapshot.manifest if full else public_text(snapshot.manifest)
        caching = PRIVATELY if full else FOR_NOW
        return Answer(body, tag=digest_of(body), caching=caching, vary=("Authorization", "Cookie"))


class SnapshotFile(APIView):
    """Files of snapshots, for whoever may have them."""

    heading = "Dataset"

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    metadata_class = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse what cannot be answered.

        Raises:
            ArenaError: another method than reading; a parameter.
        """
        require_reading(request._request)
        require_known(request._request, ())

    @extend_schema(
        operation_id="dataset_file",
        parameters=[
            OpenApiParameter(
                "snapshot_id", {"type": "string", "pattern": SNAPSHOT}, OpenApiParameter.PATH, required=True
            ),
            OpenApiParameter("path", OpenApiTypes.STR, OpenApiParameter.PATH, description="As the manifest names it."),
        ],
        responses={
            (200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, description="The file."),
            **refused(
                {404: ("no_snapshot", "no_such_file", "not_found"), 410: ("snapshot_gone",), 503: ("snapshots_away",)}
            ),
        },
    )
    def get(self, request: Request, snapshot_id: str, path: str) -> FileResponse:
        """Get a file of a snapshot.

        For operators, and for licensees that have the snapshot, with their token; to others it is not there.
        """
        snapshot = snapshot_for(request._request, snapshot_id)
        if not is_served(snapshot):
            raise SnapshotGone
        if path != MANIFEST and path not in {file["path"] for file in json.loads(snapshot.manifest)["files"]}:
            raise NoSuchFile
        try:
            kept = snapshot_store().open(snapshot.path, path)
        except FileNotFoundError:
            raise NoSuchFile from None
        response = FileResponse(cast("BinaryIO", kept.file), as_attachment=True, filename=PurePosixPath(path).name)
        response["Content-Length"] = kept.size
        response["Cache-Control"] = PRIVATELY
        return response

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: what an answer may say of itself is said where it is made."""
        return {}


def snapshot_named(identifier: str | None) -> Snapshot:
    """The snapshot, or the newest one.

    Raises:
        NoSnapshot: there is none.
    """
    if identifier is None:
        newest = newest_snapshot()
        if newest is None:
            raise NoSnapshot
        return newest
    try:
        return Snapshot.objects.get(pk=uuid.UUID(identifier))
    except (ValueError, Snapshot.DoesNotExist):
        raise NoSnapshot from None


def snapshot_for(request: HttpRequest, identifier: str) -> Snapshot:
    """The snapshot of this identifier, for whoever may have all of it.

    Who asks is found out first, so that to others one that is there answers as one that is not: in its headers too, and
    by as many questions to the database.

    Raises:
        NoSnapshot: there is none, or none for whoever asks.
    """
    everything = may(request.user, Ability.STEWARD)
    licensee = None if everything else _licensee(request)
    try:
        found = Snapshot.objects.filter(pk=uuid.UUID(identifier))
    except ValueError:
        raise NoSnapshot from None
    if not everything:
        found = found.filter(deliveries__licensee=licensee) if licensee is not None else found.none()
    snapshot = found.first()
    if snapshot is None:
        raise NoSnapshot
    return snapshot


def has(request: HttpRequest, snapshot: Snapshot) -> bool:
    """Whether whoever asks may have all of it."""
    if may(request.user, Ability.STEWARD):
        return True
    licensee = _licensee(request)
    return licensee is not None and snapshot.deliveries.filter(licensee=licensee).exists()


def _licensee(request: HttpRequest) -> Licensee | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return licensee_of(token.strip()) if scheme.casefold() == "bearer" and token.strip() else None
