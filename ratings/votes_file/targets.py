"""Files that a fit writes: whole or not at all, and never over what it reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ratings.votes_file.rejections import VotesFileError

#: Where JSON goes instead of to a file.
STDOUT = "-"


def check_targets(targets: Mapping[str, str | None], inputs: Sequence[str]) -> None:
    """Refuse before the work what could not, or must not, be written after it.

    Args:
        targets: files to write, by the option that names them; None for those that are not asked for.
        inputs: files that are read.

    Raises:
        VotesFileError: a target is in no folder, or is an input or another target.
    """
    taken = {Path(name).resolve() for name in inputs}
    for option, target in targets.items():
        if target is None or (target == STDOUT and option == "json"):
            continue
        path = Path(target).resolve()
        if target == STDOUT or path.is_dir() or not path.parent.is_dir():
            raise VotesFileError(
                f"--{option} cannot write {target}: name a file in a folder that exists.", code="bad_target"
            )
        if path in taken and not _is_device(path):
            raise VotesFileError(f"--{option} would overwrite {target}: name another file.", code="bad_target")
        taken.add(path)


def write_whole(target: str, text: str) -> None:
    """Write a whole file or none.

    Raises:
        VotesFileError: it cannot be written.
    """
    path = Path(target).resolve()
    try:
        if _is_device(path):
            path.write_text(text, "utf-8")
            return
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


def _is_device(path: Path) -> bool:
    """Whether it is a pipe, a terminal or the like, which is written to and never replaced."""
    return path.exists() and not path.is_file()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
