"""Parts of the schema that the addresses for people share: a header, refusals by code, examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from arena_site.rest.operations import refused
from arena_site.rest.repeats import HEADER, LONGEST_KEY

#: What everybody may be told.
ASKING: Mapping[int, tuple[str, ...]] = {
    400: ("token_in_address", "unknown_parameter"),
    401: ("invalid_token", "token_expired", "token_revoked"),
    403: ("scope_missing",),
    429: ("limit_reading",),
}
GIVING: Mapping[int, tuple[str, ...]] = {
    400: ("token_in_address", "unknown_parameter", "bad_idempotency_key", "invalid"),
    401: ("invalid_token", "token_expired", "token_revoked"),
    403: ("scope_missing", "csrf_refused"),
    409: ("request_in_flight",),
    422: ("idempotency_key_reused",),
    429: ("limit_api_write",),
}
#: And whoever gives a label.
LABELLING: Mapping[int, tuple[str, ...]] = {
    403: ("consent_needed",),
    409: ("consent_outdated",),
    429: ("label_limit",),
}
NO_BATTLE: Mapping[int, tuple[str, ...]] = {404: ("no_such_battle",)}
NO_PART: Mapping[int, tuple[str, ...]] = {404: ("no_such_battle", "no_such_part")}

KEY = OpenApiParameter(
    name=HEADER,
    type={"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+( [!-~]+)*$"},
    location=OpenApiParameter.HEADER,
    required=False,
    description=(
        "Of your choosing, one for each thing you ask for; a UUID does well. The same request under the same key gets "
        "the first answer again for 24 hours, with Idempotency-Replayed: true."
    ),
)

LANE = "5b0f4f0e-8a52-4d0c-9a86-0f3a3c3f6a11"
BATTLE = "01994c1e-7c1d-7a52-b9a8-5b1f0c2d3e4f"
FRAME = "9f0f4a7e-3a14-4a6e-8d9c-6c1f2f0b7f55"


def told(*codes: Mapping[int, Iterable[str]]) -> dict[Any, OpenApiResponse]:
    """All refusals of several groups, by status."""
    together: dict[int, list[str]] = {}
    for group in codes:
        for status, names in group.items():
            known = together.setdefault(status, [])
            known += [name for name in names if name not in known]
    return dict(refused(together))


def sent(value: Mapping[str, Any]) -> OpenApiExample:
    """An example of what is sent."""
    return OpenApiExample("sent", value=value, request_only=True)


def answered(value: Mapping[str, Any], status: int = 200) -> OpenApiExample:
    """An example of what is answered."""
    return OpenApiExample("answered", value=value, response_only=True, status_codes=[str(status)])
