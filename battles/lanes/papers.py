"""PDFs that a page offers: kept out as every download is, but their text is read, since no agent could otherwise."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Download
from playwright.async_api import Error as PlaywrightError

from battles.lanes.bounds import CallTimedOut, bounded
from battles.lanes.vocabulary import READ_LIMIT

MIME = "application/pdf"

#: Largest PDF that is read, in bytes.
MOST_BYTES = 32 << 20

_BEGINNING = b"%PDF-"

#: Run as a process of its own, never imported here.
_READER = Path(__file__).with_name("pdf_reader.py")


@dataclass(frozen=True, slots=True)
class Paper:
    """What a PDF holds; ``pages`` is 0 when it could not be read."""

    pages: int = 0
    text: str = ""
    size: int = 0


def is_pdf(name: str, mime: str) -> bool:
    """Whether a download says that it is one."""
    return mime == MIME or name.lower().endswith(".pdf")


async def read_paper(download: Download, seconds: float) -> Paper:
    """Wait for the file and read it, both within ``seconds``; the browser's copy of it is removed."""
    try:
        return await bounded(_read(download), seconds, "reading a PDF")
    except (CallTimedOut, PlaywrightError, OSError):
        return Paper()
    finally:
        with contextlib.suppress(PlaywrightError, CallTimedOut):
            await bounded(_remove(download), seconds, "removing a file")


async def _read(download: Download) -> Paper:
    path = Path(await download.path())
    size = path.stat().st_size
    with path.open("rb") as file:
        beginning = file.read(1024)
    if size > MOST_BYTES or _BEGINNING not in beginning:
        return Paper(size=size)
    command = [sys.executable, "-I", str(_READER), str(path), str(READ_LIMIT)]
    # Without our environment, which holds keys.
    reading = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"LANG": "C.UTF-8"},
    )
    try:
        told, _ = await reading.communicate()
    finally:
        if reading.returncode is None:
            reading.kill()
            await reading.wait()
    if reading.returncode:
        return Paper(size=size)
    answer = json.loads(told)
    return Paper(int(answer["pages"]), _plain(str(answer["text"])), size)


def _plain(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


async def _remove(download: Download) -> None:
    await download.cancel()
    await download.delete()
