"""Capital letters of the Latin, Greek and Cyrillic scripts, as the inside of a character class.

Python's own regular expressions know no class for them.
"""

from __future__ import annotations

UPPER = "".join(
    chr(point)
    for first, last in ((0x41, 0x5A), (0xC0, 0x24F), (0x386, 0x3AB), (0x400, 0x42F), (0x1E00, 0x1EFF))
    for point in range(first, last + 1)
    if chr(point).isupper()
)
