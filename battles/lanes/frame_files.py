"""Frames on a disk: a file is there whole under its name, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage


class WholeFileStorage(FileSystemStorage):
    """Writes beside the final name and renames: a full disk or a kill leaves nothing under a digest's name."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: it is the image's digest, so what stands there is the same picture or a cut one."""
        return name

    def files(self) -> Iterator[tuple[str, datetime]]:
        """Name and time of every file, whatever it is called; nothing while there is no folder."""
        for folder, _, names in os.walk(self.location):
            for name in names:
                inside = (Path(folder) / name).relative_to(self.location).as_posix()
                yield inside, self.get_modified_time(inside)

    def probe(self) -> None:
        """Find out whether files can be kept here.

        Raises:
            OSError: the disk refuses.
        """
        Path(self.location).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.location) as file:
            file.write(b"kept?")

    def _save(self, name: str, content: File[Any]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".draft-")
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, target)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
        return name
