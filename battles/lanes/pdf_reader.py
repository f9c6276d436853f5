"""Reads the text of a PDF, as a process of its own: ``python -I pdf_reader.py FILE CHARACTERS``.

A PDF from anywhere can be built to take all memory or to be read for ever, so it is read where both have a limit
from the operating system. Prints ``{"pages": n, "text": "..."}``; exits with 1 when the file cannot be read.
"""

from __future__ import annotations

import json
import logging
import resource
import sys

from pypdf import PdfReader

#: Bytes of memory and seconds of processor for one file.
MEMORY = 1 << 30
PROCESSOR = 6

#: Pages that are read; the first of them say what a document is, and time is short.
MOST_PAGES = 100


def read(path: str, limit: int) -> dict[str, object]:
    """Number of pages, and the text up to ``limit`` characters. Raises whatever the library makes of a broken file."""
    reader = PdfReader(path)
    texts: list[str] = []
    length = 0
    for page in reader.pages[:MOST_PAGES]:
        texts.append(page.extract_text())
        length += len(texts[-1]) + 1
        if length >= limit:
            break
    return {"pages": len(reader.pages), "text": "\n".join(texts).strip()[:limit]}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    logging.disable()
    try:
        answer = read(sys.argv[1], int(sys.argv[2]))
    except Exception as broken:
        sys.exit(f"{type(broken).__name__}: {broken}"[:200])
    # As escapes: a PDF may hold halves of characters, which are no text.
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
