"""The names of accounts: one spelling each, and nothing in them that cannot be seen.

A name serves for signing in and is shown to nobody else, so letters of all scripts may be mixed; what must not be is a
name that looks like another one because it holds a character that shows nothing.
"""

import unicodedata

from governance.errors import ArenaError

#: One or two characters are taken at once and typed by mistake.
NAME_MIN = 3
#: Room for a name in any script; it fits on one line of a phone.
NAME_MAX = 40
#: Marks that may stand in a name, between letters and digits.
NAME_MARKS = frozenset("-._")
#: Letters and marks of Unicode that show nothing or only change what stands before them: fillers, joiners, selectors.
UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(
    chr(code)
    for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
    for code in range(first, last + 1)
)
#: No script sets more than two marks on one letter; more is a pile that hides the letters around it.
MARKS_ON_A_LETTER = 2
#: Folding some letters gives letters that fold again; three rounds settle every one there is.
FOLDINGS = 3


class NameRefused(ArenaError):
    """The name cannot be an account's."""

    code = "name_refused"


def fold_name(text: str) -> str:
    """The one spelling of a name: compatibility forms resolved (NFKC), case folded, outer white space gone."""
    name = text.strip()
    for _ in range(FOLDINGS):
        name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold().lower())
    return name.strip()


def clean_name(text: str) -> str:
    """The folded name, fit to be an account's.

    Raises:
        NameRefused: not 3 to 40 characters, or something else than letters, digits, ``-``, ``.`` and ``_``.
    """
    name = fold_name(text)
    if not NAME_MIN <= len(name) <= NAME_MAX:
        raise NameRefused(f"A name has {NAME_MIN} to {NAME_MAX} characters.", code="name_length", field="username")
    if "@" in name:
        raise NameRefused(
            "Please choose a name that is no e-mail address: none is needed here.", code="name_is_address"
        )
    if not all(_may_stand(character) for character in name) or _piles_marks(name):
        raise NameRefused(
            "A name is made of letters and digits, with - . _ between them, and no spaces.", code="name_characters"
        )
    if not _is_letter_or_digit(name[0]):
        raise NameRefused("A name begins with a letter or a digit.", code="name_start", field="username")
    return name


def _is_letter_or_digit(character: str) -> bool:
    return unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"}


def _may_stand(character: str) -> bool:
    if character in NAME_MARKS:
        return True
    if character in UNSEEN:
        return False
    return _is_letter_or_digit(character) or unicodedata.category(character) in {"Mn", "Mc"}


def _piles_marks(name: str) -> bool:
    run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character) in {"Mn", "Mc"} else 0
        if run > MARKS_ON_A_LETTER:
            return True
    return False
