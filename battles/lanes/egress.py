"""The egress proxy of one lane as the lane sees it: started, asked what it refused, ended.

The proxy is a process of its own (``battles.lanes.egress_proxy``), so that a page cannot slow the lane's own loop
down and the lane cannot keep the proxy alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from battles.lanes.egress_policy import WORDS, Refusal, judge_url
from battles.lanes.runtime_dir import browser_user, check_runtime_dir

#: Seconds for the proxy to be up (a tenth of a second on an idle machine) and to be gone.
START_SECONDS = 15.0
STOP_SECONDS = 3.0

#: Different refusals kept between two drains. A page in a loop must not fill the lane's memory.
MAX_REFUSALS = 200

#: Schemes that a start page can have.
PAGE_SCHEMES = ("http://", "https://")

PROJECT_ROOT = Path(__file__).resolve().parents[2]


class EgressUnavailable(Exception):
    """The proxy did not come up; the lane must not start without it."""


def policy_refusal(url: str, pinned: Collection[str] = ()) -> str | None:
    """Why ``url`` cannot be a lane's start page, in plain words; ``None`` when the policy lets it through.

    ``pinned`` holds the ``host:port`` keys of the operator's allowlist. Nothing is resolved here: the
    proxy judges the addresses when the lane runs.
    """
    verdict = judge_url(url, pinned=pinned)
    if isinstance(verdict, Refusal):
        return verdict.words
    return None if url.lower().startswith(PAGE_SCHEMES) else WORDS["scheme"]


class EgressProxy:
    """One lane's proxy, as an async context manager.

    Args:
        allowlist: ``host:port`` as the browser asks for it to ``address:port`` as it is dialled.
        runtime_dir: a folder that :func:`battles.lanes.runtime_dir.check_runtime_dir` accepts.

    Raises:
        RuntimeDirUnusable: on entering, the folder will not do.
        EgressUnavailable: on entering, the process did not come up.
    """

    #: The module whose process it is.
    MODULE = "battles.lanes.egress_proxy"

    def __init__(self, allowlist: Mapping[str, str], runtime_dir: Path) -> None:
        self.socket_path = runtime_dir / "egress"
        self.port = 0
        self._allowlist = dict(allowlist)
        self._refusals: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._launch: dict[str, Any] = {}
        self._handed_over = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        check_runtime_dir(self.socket_path.parent)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self.MODULE,
            cwd=PROJECT_ROOT,
            env={"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            await asyncio.wait_for(self._hand_over(self.config()), START_SECONDS)
        except (OSError, ValueError) as problem:
            await self._stop()
            raise EgressUnavailable(f"The egress proxy did not start: {problem}") from problem
        self._reading = asyncio.create_task(self._read_events())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    @property
    def pid(self) -> int:
        return self._running().pid

    def config(self) -> dict[str, Any]:
        """What the process is told on its standard input."""
        user = browser_user()
        return {
            "control": str(self.socket_path),
            "allow": self._allowlist,
            "uid": user.uid if user else None,
            "gid": user.gid if user else None,
        }

    def take_event(self, kind: str, event: dict[str, Any]) -> None:
        """Take in one line of the process's output."""
        if kind == "launch":
            self._launch = event
            self._handed_over.set()
        elif kind == "refused" and event["reason"] != "background" and len(self._refusals) < MAX_REFUSALS:
            self._refusals.setdefault((event["host"], event["port"], event["reason"]), event)

    def drain_refusals(self) -> list[dict[str, Any]]:
        """What was refused since the last drain, each ``{"host", "port", "reason"}`` once, oldest first."""
        refused = list(self._refusals.values())
        self._refusals.clear()
        return refused

    async def wait_until_gone(self) -> None:
        """Return once the process has ended, which it does by itself when this object is left and in no other way."""
        await self._running().wait()

    async def launched(self, seconds: float) -> dict[str, Any]:
        """What the launcher said last of the browser it is about to become: ``pid``, ``parent``, ``isolated``.

        Raises:
            TimeoutError: no browser was handed over in time.
        """
        await asyncio.wait_for(self._handed_over.wait(), seconds)
        return self._launch

    def forget_launches(self) -> None:
        """Forget browsers that were handed over and did not come up."""
        self._handed_over.clear()

    async def _hand_over(self, config: Mapping[str, Any]) -> None:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(config).encode() + b"\n")
        await process.stdin.drain()
        answer = json.loads(await process.stdout.readline())
        if answer["event"] != "ready":
            raise OSError(answer["detail"])
        self.port = int(answer["port"])

    async def _read_events(self) -> None:
        stream = self._running().stdout
        assert stream is not None
        while line := await stream.readline():
            event = json.loads(line)
            self.take_event(event.pop("event"), event)

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise EgressUnavailable("The egress proxy is not running.")
        return self._process

    async def _stop(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        process = self._running()
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        self.socket_path.unlink(missing_ok=True)
