"""Pictures of a tab, by DevTools: no waiting for fonts, no side effects on the page.

A picture takes as long as coming to rest does, so one is begun while the page is watched for changes
(:class:`EarlyPicture`) and used when, afterwards, nothing is known to have changed since it was begun.
"""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

from battles.lanes.bounds import Bounds
from battles.lanes.tabs import Tab

#: JPEG at this quality keeps 11 px text legible and is encoded in a few ms, against some 60 ms for WebP.
JPEG_QUALITY = 80
MIME = "image/jpeg"

#: Seconds after which an early picture is old, although nothing has been done since.
FRESH = 0.25

#: Part of the quiet time that passes before the picture is begun: what an action changes at once is drawn by then.
HEAD_START = 0.4


async def screenshot(tab: Tab, clip: dict[str, float] | None = None) -> bytes:
    """The view as the browser drew it.

    Raises:
        CallTimedOut, TabClosed, TabCrashed, DocumentReplaced: as :meth:`Tab.send`.
    """
    wanted: dict[str, Any] = {"format": "jpeg", "quality": JPEG_QUALITY, "optimizeForSpeed": True}
    if clip is not None:
        wanted["clip"] = clip
    answer = await tab.send("Page.captureScreenshot", wanted)
    return base64.b64decode(answer["data"])


class EarlyPicture:
    """A picture begun while its page comes to rest. Whoever makes one keeps or drops it."""

    def __init__(self, tab: Tab, bounds: Bounds) -> None:
        self.tab = tab
        self._begun_at = 0.0
        self._kept_at = 0.0
        self._taking = asyncio.ensure_future(self._take(bounds.quiet * HEAD_START))

    def shows(self, still_ms: float | None) -> bool:
        """Whether it shows the page as it is now, when nothing has changed for ``still_ms`` (``None``: not known)."""
        if still_ms is None or not self._begun_at:
            return False
        self._kept_at = time.monotonic()
        return (self._kept_at - self._begun_at) * 1000 <= still_ms

    def drop(self) -> None:
        self._taking.cancel()
        self._taking.add_done_callback(_unheeded)

    async def take(self) -> bytes | None:
        """The picture, unless it has become old. Raises as :func:`screenshot`."""
        if time.monotonic() - self._kept_at > FRESH:
            self.drop()
            return None
        return await self._taking

    async def _take(self, delay: float) -> bytes:
        await asyncio.sleep(delay)
        self._begun_at = time.monotonic()
        return await screenshot(self.tab)


def _unheeded(taking: asyncio.Future[bytes]) -> None:
    """See the end of a picture that nobody waits for."""
    if not taking.cancelled():
        taking.exception()
