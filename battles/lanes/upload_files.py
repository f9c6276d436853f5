"""The small fixed set of files that every lane can give to a file input.

They are made here, byte for byte the same on every machine, so that no lane reads anything from a
disk and two agents never upload different things under one name.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

_PNG_SIDE = 64


@dataclass(frozen=True, slots=True)
class UploadFile:
    name: str
    mime: str
    content: bytes


def _csv() -> bytes:
    rows = [("item", "quantity", "price"), ("pencil", 12, "0.80"), ("notebook", 3, "4.50"), ("lamp", 1, "29.00")]
    return "".join(",".join(str(cell) for cell in row) + "\r\n" for row in rows).encode()


def _pdf(line: str) -> bytes:
    """A one-page PDF with one line of text (ISO 32000-1, 7.5: header, objects, cross-reference table, trailer)."""
    drawing = f"BT /F1 18 Tf 72 720 Td ({line}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table_at = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        body += b"%010d 00000 n \n" % offset
    body += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table_at)
    return bytes(body)


def _png() -> bytes:
    """A square of four coloured quarters (PNG, third edition: signature, IHDR, IDAT, IEND)."""
    colours = ((200, 60, 60), (60, 140, 200), (240, 200, 80), (80, 160, 90))
    half = _PNG_SIDE // 2
    rows = bytearray()
    for y in range(_PNG_SIDE):
        rows.append(0)
        for x in range(_PNG_SIDE):
            rows += bytes(colours[(y // half) * 2 + x // half])

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", _PNG_SIDE, _PNG_SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(rows), 9))
        + chunk(b"IEND", b"")
    )


UPLOAD_FILES: Mapping[str, UploadFile] = {
    file.name: file
    for file in (
        UploadFile("note.txt", "text/plain", b"A short note.\nIt has two lines.\n"),
        UploadFile("table.csv", "text/csv", _csv()),
        UploadFile("page.pdf", "application/pdf", _pdf("A page with one line of text.")),
        UploadFile("picture.png", "image/png", _png()),
    )
}
