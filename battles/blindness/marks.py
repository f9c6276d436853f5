"""The private characters that stand for names in a skeleton, one for each kind of mention.

A skeleton is folded text in which every mention of a name is one such character, so that a rule can be written
like the sentence it is about, whatever the name.
"""

from battles.blindness.normalise import folded

FULL, FAMILY, WORD, MAKER, HOUSE, SMALL = "\ue001", "\ue002", "\ue003", "\ue004", "\ue005", "\ue006"

ANY = f"[{FULL}-{SMALL}]"
#: Anything but a house, whose names are everyday words of the web.
NAME = f"[{FULL}{FAMILY}{WORD}{MAKER}]"
#: Something that can act: a model or a product, not a company.
MODEL = f"[{FULL}{FAMILY}{WORD}]"
SURE = f"[{FULL}{FAMILY}]"
#: Like MODEL, also where an ordinary word is written small.
LOOSE = f"[{FULL}{FAMILY}{WORD}{SMALL}]"
#: Neither a word nor a name.
PLAIN_SIGN = rf"[^\w\n{FULL}-{SMALL}]"
#: Where a sentence, a line or a bracket begins.
START = r"(?:^|[.!?\n(\[] ?)"


def words(listed: str) -> str:
    """A comma-separated list, folded, as alternatives of a regular expression."""
    return "|".join(folded(word.strip()) for word in listed.split(",") if word.strip())
