"""Text inside text: base64, base32, hexadecimal, bits, character numbers, Morse and escapes.

Every reading is tried only where a cheap look at the characters says that it could be one, since almost no text
holds any of them.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE32 = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{8,}={0,6}")
_ESCAPE = re.compile(
    r"%[0-9a-fA-F]{2}|&#[xX]?[0-9a-fA-F]{2,6};|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\u\{[0-9a-fA-F]{2,5}\}|"
    r"U\+[0-9A-F]{4} ?"
)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[2-7][0-9A-Fa-f][ ,:-]{0,2}){4,}(?![0-9A-Za-z])")
_DECIMALS = re.compile(r"(?<!\d)(?:\d{1,3}[ ,;-]{1,2}){4,}\d{1,3}(?!\d)")
_BITS = re.compile(r"(?<![01])(?:[01]{8}[ ,]?){4,}")
_MORSE = re.compile(r"(?:[.\-·–−•]{1,5}[ /|]{1,3}){3,}[.\-·–−•]{1,5}")
_MORSE_CODE = {
    ".-": "a", "-...": "b", "-.-.": "c", "-..": "d", ".": "e", "..-.": "f", "--.": "g", "....": "h", "..": "i",
    ".---": "j", "-.-": "k", ".-..": "l", "--": "m", "-.": "n", "---": "o", ".--.": "p", "--.-": "q", ".-.": "r",
    "...": "s", "-": "t", "..-": "u", "...-": "v", ".--": "w", "-..-": "x", "-.--": "y", "--..": "z",
}  # fmt: skip
_OTHER_SIGNS = frozenset("·•–−")
_MORSE_SIGNS = str.maketrans("·•–−", "..--")


def _classes(**members: str) -> bytes:
    """A byte table that keeps the class of a character and turns every other into ``?``."""
    table = bytearray(b"?" * 256)
    for mark, characters in members.items():
        for character in characters:
            table[ord(character)] = ord({"space": " ", "sign": ".", "zero": "0"}[mark])
    return bytes(table)


_NUMBERS = _classes(zero="0123456789", space=" ,;-")
_HEX_DIGITS = _classes(zero="0123456789abcdefABCDEF", space=" ,:-\\x")
_BIG_LETTERS = _classes(zero="ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_SIGNS = _classes(sign=".-", space=" /|")


def codes_in(text: str, holds_name: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Start and end of every piece of ``text`` that decodes to something of which ``holds_name`` is true."""
    signed = text if text.isascii() or not _OTHER_SIGNS.intersection(text) else text.translate(_MORSE_SIGNS)
    raw = signed.encode("latin-1", "replace")
    numbers = raw.translate(_NUMBERS)
    hexadecimal = raw.translate(_HEX_DIGITS)
    signs = raw.translate(_SIGNS)
    readings: list[tuple[re.Pattern[str], Callable[[str], Iterator[str]]]] = []
    if any(_may_be_base64(word) for word in text.split()):
        readings.append((_BASE64, _from_base64))
    if b"00000000" in raw.translate(_BIG_LETTERS):
        readings.append((_BASE32, _from_base32))
    if (
        b"00000000" in hexadecimal
        or b"00 00 00 00" in hexadecimal
        or b"00  00  00" in hexadecimal
        or b"0 00 0 00" in hexadecimal
    ):
        readings.append((_HEX, _from_hex))
    if b"00000000" in numbers:
        readings.append((_BITS, _from_bits))
    if numbers.count(b"0 0") + numbers.count(b"0  0") >= 3:
        readings.append((_DECIMALS, _from_decimals))
    if signs.count(b". .") + signs.count(b".  .") + signs.count(b".   .") >= 3:
        readings.append((_MORSE, _from_morse))
    for shape, decode in readings:
        for token in shape.finditer(text):
            if any(holds_name(reading) for reading in decode(token.group())):
                yield token.span()


def _may_be_base64(word: str) -> bool:
    """Words have at most a capital in front; encoded text mixes."""
    return len(word) >= 6 and not word[1:].islower() and not word.isdecimal()


def _printable(raw: bytes) -> Iterator[str]:
    if raw.isascii():
        text = raw.decode("ascii")
        if text.isprintable():
            yield text


def _from_base64(token: str) -> Iterator[str]:
    if not _may_be_base64(token):
        return
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        yield from _printable(base64.b64decode(body + "=" * (-len(body) % 4)))
    except binascii.Error:
        return


def _from_base32(token: str) -> Iterator[str]:
    body = token.rstrip("=")
    try:
        yield from _printable(base64.b32decode(body + "=" * (-len(body) % 8)))
    except binascii.Error:
        return


def _from_hex(token: str) -> Iterator[str]:
    digits = re.sub(r"0x|\\x|[^0-9A-Fa-f]", "", token)
    if len(digits) % 2 == 0:
        yield from _printable(bytes.fromhex(digits))


def _from_bits(token: str) -> Iterator[str]:
    bits = re.sub("[^01]", "", token)
    yield from _printable(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))


def _from_decimals(token: str) -> Iterator[str]:
    """Character codes, or places in the alphabet."""
    numbers = [int(number) for number in re.findall(r"\d+", token)]
    if all(32 <= number < 127 for number in numbers):
        yield "".join(map(chr, numbers))
    if all(1 <= number <= 26 for number in numbers):
        yield "".join(chr(96 + number) for number in numbers)


def _from_morse(token: str) -> Iterator[str]:
    yield "".join(_MORSE_CODE.get(sign, " ") for sign in re.split(r"[ /|]+", token.translate(_MORSE_SIGNS)))


def escaped_letters(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """The text with its needless escapes (letters and digits written as ``%43``, ``&#67;``, ``\\x43``) resolved.

    Returns the resolved text in lower case and, for each of its characters, the slice of the original it came
    from; None when nothing was escaped needlessly.
    """
    if not ("%" in text or "&#" in text or "\\" in text or "U+" in text):
        return None
    resolved: list[str] = []
    origin: list[tuple[int, int]] = []
    position = 0
    for escape in _ESCAPE.finditer(text):
        character = _unescaped(escape.group())
        if character.isascii() and character.isalnum():
            resolved.extend(text[position : escape.start()])
            origin.extend((index, index + 1) for index in range(position, escape.start()))
            resolved.append(character)
            origin.append(escape.span())
            position = escape.end()
    if position == 0:
        return None
    resolved.extend(text[position:])
    origin.extend((index, index + 1) for index in range(position, len(text)))
    return "".join(character if len(character.lower()) != 1 else character.lower() for character in resolved), origin


def _unescaped(escape: str) -> str:
    if escape.startswith("&"):
        return html.unescape(escape)
    return chr(int(re.sub(r"[^0-9A-Fa-f]", "", escape.removeprefix("U")), 16))
