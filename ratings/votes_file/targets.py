"""Files that a fit writes: whole or not at all, and never over what it reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ratings.votes_file.rejections import VotesFileError
from ratings.votes_file.sources import Identity, file_identity, identity

#: Where JSON goes instead of to a file.
STDOUT = "-"


def check_targets(targets: Mapping[str, str | None], inputs: Sequence[str]) -> None:
    """Refuse before the work what could not, or must not, be written after it.

    Args:
        targets: files to write, by the option that names them; None for those that are not asked for.
        inputs: files that are read.

    Raises:
        VotesFileError: a target is in no folder, or is an input, another target, or where stdout or stderr goes.
    """
    taken = {file_identity(name) for name in inputs} | _streams()
    for option, target in targets.items():
        if target is None or (target == STDOUT and option == "json"):
            continue
        folder = os.path.dirname(os.path.realpath(target))
        if target in {"", STDOUT} or os.path.isdir(target) or not os.path.isdir(folder):
            raise VotesFileError(
                f"--{option} cannot write {target}: name a file in a folder that exists.", code="bad_target"
            )
        itself = file_identity(target)
        if itself in taken and not _is_device(target):
            raise VotesFileError(f"--{option} would overwrite {target}: name another file.", code="bad_target")
        taken.add(itself)


def write_whole(target: str, text: str) -> None:
    """Write a whole file or none.

    Raises:
        VotesFileError: it cannot be written.
    """
    try:
        if _is_device(target):
            Path(target).write_text(text, "utf-8")
            return
        path = Path(os.path.realpath(target))
        with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as file:
            unfinished = Path(file.name)
            try:
                file.write(text)
                unfinished.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
            except BaseException:
                unfinished.unlink()
                raise
        unfinished.replace(path)
    except OSError as problem:
        why = problem.strerror or problem
        raise VotesFileError(f"{target} cannot be written: {why}.", code="unwritable") from problem


def _streams() -> set[Identity]:
    """The files that stdout and stderr go to, where they are open."""
    found = set()
    for stream in (1, 2):
        with suppress(OSError):
            found.add(identity(os.fstat(stream)))
    return found


def _is_device(target: str) -> bool:
    """Whether it is a pipe, a terminal or the like, which is written to and never replaced."""
    return os.path.exists(target) and not os.path.isfile(target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
