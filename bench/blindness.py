"""How long a text is held up by blindness: ``python -m bench.blindness``.

Rival: one plain ``re.sub`` of the same names, ignoring case, which is what one writes first. It sees no disguise and
cannot tell naming from mentioning. All see the same texts in turn, round by round, and CPU time is measured, since
other programs share the machine. Texts are 2,000 characters: a model's reasoning in English, the same in German and
in Japanese, and one in which a model names itself. Caches are passed by: every text is new.
"""

from __future__ import annotations

import argparse
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterator

from battles.blindness.leak_scan import SeenText, scan_texts
from battles.blindness.lexicon import maintained_lexicon
from battles.blindness.scrubbing import scrub_blunt, scrub_narrow
from battles.blindness.self_identification import Voice

LENGTH = 2000
TARGET_MS = 1.0
ENGLISH = (
    "The page lists 24 hotels in Rome, sorted by price from 84 EUR to 210 EUR. I will open the first one (e12), read "
    "its reviews and check whether breakfast is included. If the rating is below 8.0 I go back and take the next. "
)
GERMAN = (
    "Die Seite zeigt 24 Hotels in Köln, sortiert nach Preis von 84 € bis 210 €. Ich öffne das erste (e12), lese die "
    "Bewertungen und prüfe, ob das Frühstück dabei ist. Liegt die Note unter 8,0, gehe ich zurück. "
)
JAPANESE = "このページには京都のホテルが24件あり、料金は8400円から21000円です。最初のホテルを開いて口コミを読みます。"
NAMING = ENGLISH + "As Claude Sonnet 4.5, made by Anthropic, I note that Google Maps says 2.1 km. "
TEXTS = {"English": ENGLISH, "German": GERMAN, "Japanese": JAPANESE, "naming itself": NAMING}


def texts(seed: str, rounds: int) -> Iterator[str]:
    """Texts of :data:`LENGTH` characters, no two alike."""
    for number in range(rounds):
        yield f"{number} {seed * (LENGTH // len(seed) + 1)}"[:LENGTH]


def milliseconds(call: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    call(text)
    return (time.process_time() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    lexicon = maintained_lexicon()
    names = "|".join(sorted((re.escape(name) for name in lexicon.refused_names()), key=len, reverse=True))
    plain = re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
    calls: dict[str, Callable[[str], object]] = {
        "plain re.sub": lambda text: plain.sub("", text),
        "scrub_narrow": lambda text: scrub_narrow(text, lexicon),
        "scrub_blunt": lambda text: scrub_blunt(text, lexicon),
        "leak scan": lambda text: scan_texts([SeenText("text", Voice.SPOKEN, text)], lexicon),
    }
    print(f"Python {platform.python_version()}, {len(lexicon.names)} names, {rounds} texts of {LENGTH} characters")
    print(f"{'text':<16}{'what':<16}{'median ms':>10}{'p90 ms':>10}{'x re.sub':>10}   target {TARGET_MS} ms")
    for title, seed in TEXTS.items():
        spent: dict[str, list[float]] = {name: [] for name in calls}
        for text in texts(seed, rounds):
            for name, call in calls.items():
                spent[name].append(milliseconds(call, text))
        rival = statistics.median(spent["plain re.sub"])
        for name, times in spent.items():
            median, p90 = statistics.median(times), statistics.quantiles(times, n=10)[-1]
            verdict = "" if name == "plain re.sub" else ("  reached" if median <= TARGET_MS else "  MISSED")
            print(f"{title:<16}{name:<16}{median:>10.3f}{p90:>10.3f}{median / rival:>10.2f}{verdict}")


if __name__ == "__main__":
    main()
