"""How the success of a practice task is read: from the site's state, or from the words of an answer.

Answers come in a person's phrasing ("It costs 39 euros."), so the wording is free and the value is
not: an answer passes when it says the right value and no other value of that sort, except those that
belong to it (the arrival beside the departure that was asked for), and those not as alternatives. So a
list of guesses never passes.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

#: A sentence or two says any value asked for here; more is a page copied out.
LONGEST_ANSWER = 600

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")
_MONTHS = [name.lower() for name in calendar.month_name[1:]]
_MONTH = "(?:" + "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else "may" for name in _MONTHS) + r")\b\.?"
_NUMBER = r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:[.,](\d{1,2}))?(?![.,]?\d)"
_CURRENCY = r"(?:€|eur\b|euros?\b)"
#: How many values in a row are told apart; the rest of a longer list fails with them.
_MOST_GUESSES = 12

Check = Callable[[Any, str], bool]
Value = TypeVar("Value")


def by_answer(predicate: Callable[[str], bool]) -> Check:
    """A check of the final answer alone. ``predicate`` gets it lower-cased, with plain quotes and blanks."""

    def check(_site: Any, answer: str) -> bool:
        text = plain(answer)
        return 0 < len(text) <= LONGEST_ANSWER and predicate(text)

    return check


def by_state(predicate: Callable[[Any], bool]) -> Check:
    """A check of what the lane left behind on the site, whatever it answered."""

    def check(site: Any, _answer: str) -> bool:
        with site.lock:
            return predicate(site)

    return check


def plain(text: str) -> str:
    """Case, typographic quotes, dashes and blanks made plain, so that wording can be compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"[\u2010-\u2015\u2212]", "-", folded)
    folded = re.sub(r"[\u2018\u2019\u201c\u201d\u00ab\u00bb`\"*_]", "'", folded)
    return " ".join(folded.split())


def same_text(typed: str, wanted: str) -> bool:
    """Whether a form received the wanted text, apart from case, blanks and a full stop at the end."""
    return plain(typed).rstrip(".") == plain(wanted).rstrip(".")


def _only(text: str, found: Collection[Value], right: Value, also: Iterable[Value]) -> bool:
    if len(found) > 1 and re.search(r"\b(or|either|maybe|perhaps)\b", text):
        return False
    return right in found and set(found) <= {right, *also}


def says_amount(text: str, cents: int, also: Iterable[int] = ()) -> bool:
    """Whether the one amount of money named is ``cents``; ``also`` are amounts that may stand beside it."""
    return _only(text, amounts(text), cents, also)


def amounts(text: str) -> set[int]:
    """Amounts of money in cents; bare numbers count as euros when nothing looks like money."""
    in_words = r"(\d{1,6}) euros?(?: and|,)? (\d{1,2}) cents?\b"
    found = {int(whole) * 100 + int(cents) for whole, cents in re.findall(in_words, text)}
    text = re.sub(in_words, " ", text)
    text = _units_repeated(re.sub(rf"(?<!\d)(?<!\d ){_CURRENCY} ?(\d[\d.,]*\d|\d)", r"\1 euros", text), _CURRENCY)
    bare: set[int] = set()
    for match in re.finditer(_NUMBER, text):
        whole, fraction = match.group(1).replace(",", ""), match.group(2) or ""
        is_money = len(fraction) == 2 or re.match(rf" ?{_CURRENCY}", text[match.end() :])
        (found if is_money else bare).add(int(whole) * 100 + int(fraction.ljust(2, "0")))
    return found or bare


def _units_repeated(text: str, unit: str, number: str = r"\d+(?:[.,]\d+)?") -> str:
    """Give every number of a list its unit, so that each guess counts: "29 or 30 days" has two."""
    ahead = rf"(?<![\d.,:])(?!(?:19|20)\d\d\b)({number})( ?, | ?[/&-] ?| or | and | to )(?={number} ?({unit}))"
    behind = rf"({number}) ?({unit})( ?/ ?| or )({number})(?![\d:]|[.,]\d| ?(?:{unit}))"
    for _ in range(_MOST_GUESSES):
        again = re.sub(behind, r"\1 \2\3\4 \2", re.sub(ahead, r"\1 \3\2", text))
        if again == text:
            break
        text = again
    return text


def says_number(text: str, value: int | str, *, unit: str, also: Iterable[int] = ()) -> bool:
    """Whether the one number named is ``value``, written as text when it has decimals ("4.2").

    When numbers with the unit (a pattern such as "pages?") are there, only those count.
    """
    return _only(text, numbers(text, unit), Decimal(value), [Decimal(other) for other in also])


def numbers(text: str, unit: str) -> set[Decimal]:
    """The numbers that stand before ``unit``, or else all of them; words below a hundred count as well."""
    found: set[Decimal] = set()
    with_unit: set[Decimal] = set()
    spelled = _units_repeated(_in_figures(text), unit)
    for match in re.finditer(_NUMBER, spelled):
        number = Decimal(f"{match.group(1).replace(',', '')}.{match.group(2) or 0}")
        found.add(number)
        if re.match(rf"[\s-]?(?:{unit})\b", spelled[match.end() :]):
            with_unit.add(number)
    return with_unit or found


def _in_figures(text: str) -> str:
    def figures(match: re.Match[str]) -> str:
        tens, ones = match.group("tens"), match.group("ones") or match.group("more")
        return str((_TENS.index(tens) * 10 + 20 if tens else 0) + (_ONES.index(ones) if ones else 0))

    tens, ones = "|".join(_TENS), "|".join(reversed(_ONES))
    return re.sub(rf"\b(?:(?P<tens>{tens})(?:[ -](?P<more>{ones})\b)?|(?P<ones>{ones}))\b", figures, text)


def says_time(text: str, hhmm: str, also: Iterable[str] = ()) -> bool:
    """Whether the one time of day named is ``hhmm`` ("14:24"); "2:24 pm" says the same."""
    return _only(text, times(text), hhmm, also)


def times(text: str) -> set[str]:
    """Times of day as "HH:MM". Four digits in a row count when nothing else looks like a time."""
    found: set[str] = set()
    half = r"\s?(a\.?m\b\.?|p\.?m\b\.?)"
    for hour, minute, part in re.findall(rf"(?<![\d:.])(\d{{1,2}})[:.h](\d{{2}})(?![\d:])(?:{half})?", text):
        found |= _time_of_day(int(hour), int(minute), part)
    for hour, part in re.findall(rf"(?<![\d:.])(\d{{1,2}}){half}", text):
        found |= _time_of_day(int(hour), 0, part)
    for hour in re.findall(r"(?<![\d:.])(\d{1,2}) ?o'clock", text):
        found |= _time_of_day(int(hour), 0, "")
    if re.search(r"\b(noon|midday)\b", text):
        found.add("12:00")
    return found or {f"{h}:{m}" for h, m in re.findall(r"(?<!\d)([01]\d|2[0-3])([0-5]\d)(?!\d)", text)}


def _time_of_day(hour: int, minute: int, part: str) -> set[str]:
    if part:
        hour = hour % 12 + (12 if part.startswith("p") else 0)
    return {f"{hour:02d}:{minute:02d}"} if hour < 24 and minute < 60 else set()


def says_duration(text: str, minutes: int) -> bool:
    """Whether the one duration named is ``minutes``: "1 h 15 min", "75 minutes", "1:15 hours"."""
    hour, minute = r"(?:h|hrs?|hours?)(?![a-z])", r"(?:m|mins?|minutes?)(?![a-z])"
    text = _units_repeated(text, f"(?:{hour}|{minute})")
    found: set[int] = set()
    for form in (
        rf"(?P<h>\d{{1,2}}) ?{hour},?(?: and)? ?(?P<m>\d{{1,2}}) ?{minute}",
        rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}}) ?{hour}",
        rf"(?<![\d:.])(?P<h>)(?P<m>\d{{1,3}}) ?{minute}",
        rf"(?<![\d:.])(?P<h>\d{{1,2}})(?P<m>) ?{hour}",
    ):
        found |= {int(match["h"] or 0) * 60 + int(match["m"] or 0) for match in re.finditer(form, text)}
        text = re.sub(form, " ", text)
    return _only(text, found, minutes, ())


def says_date(text: str, day: date, also: Iterable[date] = ()) -> bool:
    """Whether the one date named is ``day``; the year and the weekday may be left out."""
    return _only(text, dates(text), (day.month, day.day), [(other.month, other.day) for other in also])


def dates(text: str) -> set[tuple[int, int]]:
    """Dates as (month, day). A date in figures that can be read two ways counts as both."""
    found = {(int(month), int(day)) for _, month, day in re.findall(r"(\d{4})-(\d{1,2})-(\d{1,2})", text)}
    text = re.sub(r"\d{4}-\d{1,2}-\d{1,2}", " ", text)
    text = text.replace(",", ", ").replace("  ", " ")
    day_number = r"\d{1,2}(?:st|nd|rd|th)?"
    text = _units_repeated(text, rf"(?:of )?{_MONTH}", day_number)
    month_first = rf"\b({_MONTH} )({day_number})( ?, | ?[/&-] ?| or | and | to )(?={day_number}\b)"
    for _ in range(_MOST_GUESSES):
        text = re.sub(month_first, r"\1\2\3\1", text)
    ordinal = r"(\d{1,2})(?:st|nd|rd|th)?"
    for day, month in re.findall(rf"(?<!\d){ordinal}(?: of)?[ .-]+({_MONTH})", text):
        found.add((_month_number(month), int(day)))
    text = re.sub(rf"(?<!\d){ordinal}(?: of)?[ .-]+{_MONTH}", " ", text)
    for month, day in re.findall(rf"\b({_MONTH})[ -]+(?:the )?{ordinal}\b(?!\d)", text):
        found.add((_month_number(month), int(day)))
    for first, second in re.findall(r"(?<![\d./])(\d{1,2})[./](\d{1,2})(?:[./]\d{2,4}|\.)?(?![\d])", text):
        found |= {pair for pair in ((int(second), int(first)), (int(first), int(second))) if pair[0] <= 12}
    return found


def _month_number(name: str) -> int:
    return [month[:3] for month in _MONTHS].index(name[:3]) + 1


def says_name(text: str, right: str, among: Iterable[str] | Mapping[str, Iterable[str]]) -> bool:
    """Whether exactly one of the candidates is named, and it is ``right``.

    ``among`` are the candidates, or candidates with further spellings of each ("R. Aldane").
    """
    spellings: dict[str, str] = {}
    for name in among:
        further = among[name] if isinstance(among, Mapping) else ()
        spellings |= {_bare(spelling): name for spelling in (name, *further)}
    spellings[_bare(right)] = right
    longest_first = sorted(filter(None, spellings), key=len, reverse=True)
    found = re.findall(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", _bare(text))
    return {spellings[spelling] for spelling in found} == {right}


def _bare(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", plain(text).replace("'s ", " ")).split())
