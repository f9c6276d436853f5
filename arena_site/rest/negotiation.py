"""Which kind of answer somebody gets: told in one way, whether it is published or one person's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from governance.public_reading import NotAcceptable, preferred_kind


class Negotiation(DefaultContentNegotiation):
    """As published documents choose; the framework's own way takes what was excluded, and no parameters."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The renderer of the kind that is liked best, and that kind.

        Raises:
            NotAcceptable: all are left out.
        """
        by_kind = {str(renderer.media_type): renderer for renderer in renderers}
        kind = preferred_kind(request.headers.get("Accept"), list(by_kind))
        if kind is None:
            raise NotAcceptable(list(by_kind))
        return by_kind[kind], kind


class WebPicture(BaseRenderer):
    """Says that an address gives pictures; its view makes them."""

    media_type = "image/webp"
    format = "webp"
    charset = None
    render_style = "binary"

    def render(self, data: bytes, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """The picture as it is."""
        return data
