"""Values in text: money, counts, times, dates, lengths of time, and what they amount to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MONTHS = tuple("january february march april may june july august september october november december".split())
# Of ASCII letters alone: a long s would match an s as well, and then begin no month.
_MONTH = "(?a:" + "|".join(f"{month[:3]}(?:{month[3:]})?" if month != "may" else "may" for month in MONTHS) + r")\b\.?"
_CURRENCY = r"(?:[£€$]|\b(?:EUR|USD|GBP|CHF)\b)"

VALUE_PATTERNS = {
    "money": re.compile(
        rf"{_CURRENCY}\s?\d(?:[\d,. ]*\d)?|"
        r"\d[\d,.]*\s?(?:[£€$]|\b(?:EUR|USD|GBP|CHF|euros?|pounds?|dollars?|crowns?|cents?|pence|kr)\b)|"
        r"\bfree(?: of charge)?\b(?!-)",
        re.IGNORECASE,
    ),
    "count": re.compile(r"(?<![\w.,:/-])\d{1,3}(?:,\d{3})+(?![\w:-])|(?<![\w.,:-])\d+(?![\w:-]|[.,]\d)"),
    "number": re.compile(r"(?<![\w:-])\d+(?:[.,]\d+)?(?![\w:-])"),
    "time": re.compile(
        r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])(?:\s?[ap]\.?m\b\.?)?|(?<![\d:.])(?:1[0-2]|[1-9])"
        r"(?:\.[0-5]\d)?\s?[ap]\.?m\b\.?|\bnoon\b|\bmidnight\b",
        re.IGNORECASE,
    ),
    "duration": re.compile(
        r"(?:\b\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|an?))\s?(?:h|hrs?|hours?)\b"
        r"(?:\s?(?:and\s)?\d+\s?(?:m|min|mins|minutes?)\b)?|\b\d+\s?(?:min|mins|minutes?)\b|"
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?:\s?(?:-|–|to)\s?\d+)?\s"
        r"(?:working\s|calendar\s|business\s)?(?:days?|weeks?|months?|years?|nights?)\b",
        re.IGNORECASE,
    ),
    "date": re.compile(
        rf"\b(?:(?:mon|tues?|wednes|wed|thurs?|fri|satur|sat|sun)(?:day)?,?\s)?\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}"
        rf"(?:,?\s\d{{4}})?|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s)?{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b"
        r"(?:,?\s\d{4})?|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b|"
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
        re.IGNORECASE,
    ),
    "year": re.compile(r"(?<![\d.,:/-])(?:1[5-9]|20)\d{2}(?![\d:/-]|[.,]\d)"),
    "mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "phone": re.compile(r"(?<![\w/-])\+?\d[\d ()/-]{4,}\d(?![\w/-])"),
    "measure": re.compile(
        r"(?<![\w.,-])\d[\d.,]*(?:\s?[x×]\s?\d[\d.,]*)*\s?(?:mm|cm|km|m|kg|g|mg|lb|oz|l|ml|cl|litres?|liters?|grams?|"
        r"kilograms?|kilos?|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|inch(?:es)?|feet|ft|°\s?[CF]|degrees|%|percent|kcal|"
        r"calories|hectares?|km/h|mph|hPa|watts?|W|kWh)(?![\w])",
        re.IGNORECASE,
    ),
}

_GIVEN_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})(?:,?\s+(\d{{4}}))?|"
    rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?|\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b|"
    r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b",
    re.IGNORECASE,
)
#: What may stand between the two ends of a range.
_BETWEEN_ENDS = re.compile(r"\s*(?:-|–|—|to|till|until|and|through|→)\s*", re.IGNORECASE)
_SMALL = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
NUMBER_WORDS = {word: str(number) for word, number in _SMALL.items() if number}


@dataclass(frozen=True, slots=True)
class Value:
    """A value where it stands in a text. ``end`` says which end of a range it is: "first", "last" or ""."""

    text: str
    start: int
    stop: int
    end: str = ""


def values_in(kind: str, text: str) -> list[Value]:
    """Values of a kind in a text, in order, with the ends of ranges marked."""
    found = [Value(match[0].strip(), match.start(), match.end()) for match in VALUE_PATTERNS[kind].finditer(text)]
    marked: list[Value] = []
    for at, value in enumerate(found):
        opens = at + 1 < len(found) and bool(_BETWEEN_ENDS.fullmatch(text[value.stop : found[at + 1].start]))
        closes = at > 0 and bool(_BETWEEN_ENDS.fullmatch(text[found[at - 1].stop : value.start]))
        end = "first" if opens and not closes else "last" if closes else ""
        marked.append(Value(value.text, value.start, value.stop, end))
    return marked


def date_parts(text: str) -> tuple[int | None, int, int] | None:
    """Year (None where none is given), month and day of the first date in a text; 3/5/2027 is 3 May."""
    match = _GIVEN_DATE.search(text)
    if match is None:
        return None
    if match[7]:
        return int(match[7]), int(match[8]), int(match[9])
    if match[10]:
        return int(match[12]), int(match[11]), int(match[10])
    month = next(at for at, name in enumerate(MONTHS, 1) if name.startswith((match[2] or match[4])[:3].lower()))
    year = match[3] or match[6]
    return int(year) if year else None, month, int(match[1] or match[5])


def given_dates(text: str) -> Sequence[re.Match[str]]:
    """Every date in a text that has a day and a month."""
    return list(_GIVEN_DATE.finditer(text))


def minutes_of(text: str) -> int | None:
    """A time of day in minutes after midnight."""
    low = text.lower()
    if "noon" in low or "midnight" in low:
        return 720 if "noon" in low else 0
    match = re.search(r"(\d{1,2})(?:[:.](\d{2}))?\s?([ap])?", low)
    if match is None:
        return None
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0) if match[3] else int(match[1])
    return hour * 60 + int(match[2] or 0)


def amount_of(text: str, kind: str = "") -> float | None:
    """A value as a number: money, minutes, the time of day in minutes, or a date as days since the year 0 or so."""
    low = text.lower().strip()
    if low.startswith("free"):
        return 0.0
    if kind == "date":
        parts = date_parts(low)
        return None if parts is None else (parts[0] or 0) * 372.0 + parts[1] * 31 + parts[2]
    if kind == "time" or re.fullmatch(r"\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?", low):
        return minutes_of(low)
    lasting = _minutes_long(low)
    if lasting is not None:
        return lasting
    number = re.search(r"\d[\d,. ]*", low)
    if number is None:
        return None
    amount = _plain_number(number[0])
    return amount / 100 if amount is not None and re.search(r"\b(?:cents?|pence)\b", low) else amount


def _minutes_long(low: str) -> float | None:
    units = (
        (r"(?:h|hrs?|hours?)", 60),
        (r"(?:m|min|mins|minutes?)", 1),
        (r"(?:working |calendar |business )?(?:days?|nights?)", 1440),
        (r"weeks?", 10_080),
        (r"months?", 43_200),
        (r"years?", 525_600),
    )
    amounts = []
    for pattern, minutes in units:
        match = re.search(rf"\b(\d+|{'|'.join(_SMALL)}|an?)\s?{pattern}\b", low)
        if match:
            amounts.append((int(match[1]) if match[1].isdigit() else _SMALL.get(match[1], 1)) * minutes)
    return float(sum(amounts)) if amounts else None


def _plain_number(text: str) -> float | None:
    digits = text.strip(" .,").replace(" ", "")
    if re.search(r"[.,]\d{1,2}$", digits):
        whole, fraction = re.split(r"[.,](?=\d{1,2}$)", digits)
        digits = f"{re.sub('[.,]', '', whole)}.{fraction}"
    else:
        digits = re.sub(r"[,.](?=\d{3}(?:\D|$))", "", digits)
    try:
        return float(digits)
    except ValueError:
        return None
