"""How long a text is held up by redaction, and whether any text can hold it up: ``python -m bench.redaction``.

First the usual texts of 2,000 characters. Then hostile ones: each repeats a piece that a detector could be led to try
again and again. Their CPU time is told as a multiple of a harmless text's of the same length, at a length and at twice
that length: where time is linear in length, both columns agree.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time

from bench.blindness import TEXTS
from governance.redaction import redact

LENGTH = 2000
HARMLESS = (
    "The page lists 24 hotels in Rome, sorted by price from 84 EUR to 210 EUR. I will open the first one, read its "
    "reviews and check whether breakfast is included. If the rating is below 8.0 I go back. "
)
HOSTILE = {
    "digits": "1",
    "spaced digits": "1 ",
    "one letter": "a",
    "capitals": "Aa ",
    "initials": "A.",
    "signs": "a@a.",
    "dots": "a.",
    "spelled out": "a at ",
    "brackets": "[at]",
    "colons": "ab:",
    "quotes": '"a',
    "password": "password with ",
    "token": "token=",
    "born": "born 1 ",
    "streets": "12 A Street, ",
    "postcodes": "Aa 12, 12345 Aa, ",
    "labels": "ssn no ",
    "IBAN": "DE12 ",
    "addresses": "http://a:",
    "private keys": "-----BEGIN PRIVATE KEY-----",
    "web tokens": "eyJaaaaaaaaa.",
    "names": "van de De ",
    "titles": "Mr. Aa ",
    "dialogue": "Bot: a? ",
    "typed": 'typed "a" into ',
    "pairs": '"text":"a","x":"y",',
    "accents": "a\u0301",
    "mixed alphabets": "\u0430a",
    "percent": "%20",
    "empty lines": "\n",
}


def seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


def filled(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument(
        "--length", type=int, default=50_000, help="characters of a hostile text; 500000 for a megabyte"
    )
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}")
    for name, piece in TEXTS.items():
        times = [seconds(filled(f"{number} {piece}", LENGTH)) * 1000 for number in range(arguments.rounds)]
        print(f"{name:<20}{statistics.median(times):>8.2f} ms for {LENGTH} characters (worst {max(times):.2f})")
    print(f"\n{'hostile text':<20}{'at length':>12}{'at twice':>12}")
    bases = {factor: seconds(filled(HARMLESS, arguments.length * factor)) for factor in (1, 2)}
    for name, piece in HOSTILE.items():
        shares = [seconds(filled(piece, arguments.length * factor)) / bases[factor] for factor in (1, 2)]
        print(f"{name:<20}{shares[0]:>11.1f}x{shares[1]:>11.1f}x")


if __name__ == "__main__":
    main()
