"""Files as bytes, whatever packed and encoded them: gzip, byte order marks, UTF-16, line ends of three kinds."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias

from ratings.votes_file.rejections import VotesFileError

#: Bytes read at a time: small enough for the cache of current processors, large enough that blocks cost nothing.
BLOCK = 1 << 21
#: No line of a table is longer. A conversation may be some megabytes long.
LONGEST_LINE = 1 << 26
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
ZIP_MAGIC = b"PK\x03\x04"

#: Longest marks first: that of UTF-32 begins with one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


#: What all names of one file have in common.
Identity: TypeAlias = tuple[int, int] | str


def identity(status: os.stat_result) -> Identity:
    """Of a file that is there: its device and its number on it."""
    return status.st_dev, status.st_ino


def file_identity(name: str | os.PathLike[str]) -> Identity:
    """Of a file by a name, links followed; of one that is not there or cannot be asked for, its full path."""
    try:
        return identity(os.stat(name))
    except OSError:
        return os.path.realpath(name)


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """The file's bytes, unpacked if gzip packed them; reading what gzip cannot unpack is an error too.

    Raises:
        VotesFileError: it is not there, is a folder, or may not be read.
    """
    try:
        with path.open("rb") as file:
            packed = file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
            yield io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file
    except FileNotFoundError as problem:
        hint = " Votes on standard input are read from /dev/stdin." if str(path) == "-" else ""
        raise VotesFileError(f"There is no file {path}.{hint}", code="no_such_file") from problem
    except IsADirectoryError as problem:
        raise VotesFileError(f"{path} is a folder. Name the files in it.", code="is_a_folder") from problem
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise VotesFileError(f"{path} is cut short or damaged: gzip cannot unpack it.", code="broken_gzip") from problem
    except OSError as problem:
        raise VotesFileError(f"{path} cannot be read: {problem.strerror or problem}.", code="unreadable") from problem


def text_blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """A text as UTF-8 with line feeds alone, in blocks that may end anywhere; nothing is checked yet.

    Raises:
        VotesFileError: it has the mark of an encoding that it is not in.
    """
    return _unified(_decoded(file, name))


def whole_lines(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The same text in blocks of whole lines, the last one ended too.

    Raises:
        VotesFileError: it is no text, not in UTF-8, or has an endless line.
    """
    begun = 1
    rest: list[bytes] = []
    waiting = 0
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if not end:
            rest.append(block)
            waiting += len(block)
            if waiting > LONGEST_LINE:
                raise VotesFileError(
                    f"{name}, line {begun} is longer than {LONGEST_LINE >> 20} MB: that is no table of votes.",
                    code="line_too_long",
                )
            continue
        lines = b"".join((*rest, block[:end]))
        rest, waiting = [block[end:]], len(block) - end
        yield _checked(lines, name, begun)
        begun += lines.count(b"\n")
    last = b"".join(rest)
    if last:
        yield _checked(last + b"\n", name, begun)


def characters(blocks: Iterator[bytes], name: str) -> Iterator[str]:
    """The same text as characters, for formats whose lines may be as long as the file.

    Raises:
        VotesFileError: it is no text, or not in UTF-8.
    """
    decode = codecs.getincrementaldecoder("utf-8")()
    line = 1
    for block in chain(blocks, [b""]):
        _refuse_zeros(block, name)
        try:
            yield decode.decode(block, final=not block)
        except UnicodeDecodeError as problem:
            line += problem.object.count(b"\n", 0, problem.start)
            raise _not_utf8(name, line) from problem
        line += block.count(b"\n")


def _decoded(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Blocks of UTF-8, or what the file calls so."""
    block = file.read(BLOCK)
    mark, encoding = next(((mark, code) for mark, code in _MARKS if block.startswith(mark)), (b"", "utf-8"))
    block = block[len(mark) :]
    decode = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)()
    while block:
        try:
            yield block if decode is None else decode.decode(block).encode()
        except UnicodeError as problem:
            raise VotesFileError(f"{name} says it is {encoding.upper()} and is not.", code="bad_encoding") from problem
        block = file.read(BLOCK)
    if decode is not None and decode.getstate()[0]:
        raise VotesFileError(f"{name} ends in the middle of a character.", code="bad_encoding")


def _unified(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same with every line end a line feed."""
    held = b""
    for block in blocks:
        text = held + block
        # A return at the end of a block may have its line feed in the next one.
        held = b"\r" if text.endswith(b"\r") else b""
        text = text[: len(text) - len(held)]
        yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text
    if held:
        yield b"\n"


def _checked(lines: bytes, name: str, begun: int) -> bytes:
    _refuse_zeros(lines, name)
    if not lines.isascii():
        try:
            lines.decode()
        except UnicodeDecodeError as problem:
            raise _not_utf8(name, begun + lines.count(b"\n", 0, problem.start)) from problem
    return lines


def _refuse_zeros(block: bytes, name: str) -> None:
    if b"\x00" in block:
        packed = block.startswith(ZIP_MAGIC)
        hint = "Unpack it, or save the spreadsheet as CSV." if packed else "Save the votes as CSV, JSON or Parquet."
        raise VotesFileError(f"{name} is no text. {hint}", code="not_text")


def _not_utf8(name: str, line: int) -> VotesFileError:
    return VotesFileError(f"{name}, line {line} is not in UTF-8. Save the file as UTF-8.", code="not_utf8")
