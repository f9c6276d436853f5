"""Postal addresses, best effort: a street with a number, what stands before it, and the place behind it.

Three anchors: a postcode with a house number to its left; a word for a street with a number beside it, in a dozen
languages; and what a label calls an address. From the anchor the address grows word by word over what can belong to
it: capitalised words, numbers, flats and floors, the small words inside names of streets and places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from governance.redaction.anchors import anchored
from governance.redaction.letters import UPPER
from governance.redaction.nearby import any_of
from governance.redaction.spans import Kind, Span

LEFT, RIGHT = 22, 26
"""How many words and commas an address may reach to each side of its anchor."""

_TOKEN = re.compile(r"'(?=\d)|[^\s,;\"<>]+|[,;\"<>]|\n")
_DIGIT = re.compile(r"\d")
_CAPITALISED = re.compile(rf"[(\"']?(?:[dlDL]')?[{UPPER}]")
_SMALL = frozenset(
    "de la las los del della delle dello dei degli di da do dos das du des le les el l' van von zu zum zur der den "
    "dem het ter ten te "
    "tie en et y am an im in ob bei auf unter sur sous lès saint st. of the upon o nad na af av på ved aan op i og 't "
    "dell' d' et. e a".split()
)
_UNITS = frozenset(
    "apt apt. apartment apto suite ste ste. unit flat floor fl room rm studio bldg building block box po p.o. "
    "postfach postboks boks apartado bp "
    "piano interno int int. scala piso puerta pta esc depto dpto bloco andar sala casa apto. edificio lgh leil "
    "etage stock og eg top whg whg. tür "
    "appartement appt appt. bât bâtiment étage escalier porte daire kat kat: no no: no. nr nr. d: m. lok. lok bus "
    "hus as krs sal tv th mf tr vån bis ter c/o s/n sn # "
    "puerta: local bajo izq dcha esq. número num. número. unidad north south east west n s e w ne nw se sw".split()
)
_HOUSE = re.compile(r"#?\d{1,6}(?:[A-Za-z]|[-/]\d{1,4}[A-Za-z]?|-\d{1,4}-\d{1,4}|[ºª°]|[A-Za-z]?[-/][A-Za-z0-9]{1,3})?")
_POSTCODE = re.compile(
    r"(?:[A-Z]{1,3}-)?\d{5}(?:-\d{3,4})?|\d{4}-\d{3}|(?:PL-)?\d{2}-\d{3}|(?:[A-Z]{1,2}-)?\d{4}(?:[A-Z]{2})?|\d{6}|"
    r"\d{8}|〒?\d{3}-\d{4}|[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}|[A-Z]\d[A-Z]\d[A-Z]\d"
)
_POSTCODE_PAIR = re.compile(
    r"\d{4} [A-Z]{2}|\d{3} \d{2}|(?:[A-Z]{1,2}-)\d{3} \d{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d"
)
_STOPS = ".?!:)'"
_YEAR = re.compile(r"(?:19|20)\d\d")
_REGION_CODE = re.compile(r"\(?[A-Z]{2}\)?")

_ENGLISH = frozenset(
    "street st road rd avenue ave lane ln drive dr boulevard blvd court ct place pl square sq terrace way close "
    "crescent cres gardens grove hill row walk mews parkway pkwy "
    "highway hwy circle cir trail trl alley parade quay rise turnpike".split()
)
_PREFIXES = frozenset(
    "rue avenue av av. ave bd bd. boulevard blvd impasse allée allee chemin quai route cours passage place calle c/ "
    "cl avda avda. avenida plaza pza paseo camino carrera carretera ronda "
    "travesía glorieta callejón pasaje alameda rambla via viale v.le piazza p.za corso largo vicolo strada stretto "
    "borgo contrada rotonda rua r. travessa praça estrada rodovia beco ladeira "
    "ul. ul ulica al. aleja aleje pl. plac os. osiedle ул. улица проспект пр. calea aleea bulevardul str. str jalan "
    "jl.".split()
)
_ENDINGS = tuple(
    "straße strasse str. str weg platz gasse allee ufer damm steig chaussee straat laan gracht dreef singel plein "
    "kade steenweg gata gatan gate gaten gade vej vejen veien vegen väg vägen "
    "plassen plads plass torget torvet bakken backen svingen stien stræde vænget katu kuja polku kaari tie "
    "bulevardi tori ranta penger utca út sokak sokağı sk. caddesi cad. bulvarı mahallesi mah. ulice náměstí "
    "třída".split()
)
_STREET_ENDS = frozenset(word.rstrip(".")[-2:] for word in (*_ENGLISH, *_ENDINGS))
"""How a word for a street ends, if it is none of the prefixes."""
_WHOLE_STREET_WORDS = frozenset({*_ENDINGS, "straße", "gate", "vei", "veg", "utca", "út", "tér", "sokak"}) - {
    "gate",
    "tie",
    "str",
}
_NO_STREET = frozenset(
    "week page gate table room chapter order invoice version windows chrome model line bus flight track platform "
    "coach seat article section step case ticket build part figure "
    "season episode volume no nr level lot item total price page. uke woche kapitel seite gleis sitz terminal exit "
    "route highway january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec iso rfc en din mon tue "
    "wed thu fri sat sun monday tuesday wednesday thursday friday saturday "
    "sunday phase group team player win population rank score size resolution firefox ubuntu debian python node "
    "django release bible psalm apollo boeing airbus iphone galaxy pixel tire".split()
)
_NO_PLACE = re.compile(
    r"(?:GB|MB|KB|TB|MHz|GHz|Hz|EUR|USD|NOK|SEK|DKK|GBP|JPY|PLN|CHF|Watt|Volt|UTC|CET|PM|AM|Edition|Update|Inc|Ltd|"
    r"ISBN|Uhr|RPM|DPI)\b"
)
_LABEL_WORDS = (
    r"address(?:[ _]?line ?\d?)?(?: (?:is|to|as|on file|with|was))?|liv(?:es?|ing|ed) (?:at|in)|resid(?:es?|ing|"
    r"ent) (?:at|in)|staying (?:at|in)|located (?:at|in)|home (?:at|in)|"
    r"(?:deliver|deliver(?:ed)?|ship(?:ped)?|send|sent|mail(?:ed)?|post(?:ed)?|goes|returned?|forward(?:ed)?)(?: "
    r"(?:it|this|the \w+|them|my \w+))? to|ship[- ]?to|bill[- ]?to|(?:moved?) (?:from|to)|pick ?up (?:at|from)|drop "
    r"off at|meet (?:\w+ )?at|"
    r"(?:liefer|rechnungs|post|wohn|privat|heimat|e-mail-)?(?:adresse|anschrift)(?: lautet| ist)?|wohnhaft(?: in)?|"
    r"wohn[et] (?:in|an|am)|adresse (?:postale|est)|domicile|domicili[eé]e?|habite (?:au|à|à l')?|demeurant|"
    r"domicilio|direcci[oó]n(?: postal| es)?|vive en|vivo en|reside en|indirizzo|residente (?:in|a)|abit[oa] (?:in|"
    r"a)|resid[eo] in|endere[cç]o|morada|mor[oa] (?:na|no|em)|residente (?:na|no|em)|"
    r"adres(?:i|im|iniz)?|bezorgadres|woon(?:t|achtig)? (?:in|aan|op)|adres zamieszkania|mieszka(?:m)?(?: przy| "
    r"na)?|zamieszkał[ay](?: przy)?|bor (?:på|i|ved)|bosatt|leveringsadresse|leveransadress|"
    r"osoit\w+|lakcím|cím|adresa|bydliště|ikamet|адрес|διεύθυνση|ship|delivery|shipping|billing|street|straße|rue|"
    r"calle|via"
)
_LABEL = anchored(
    rf"(?:(?<![^\W_]){any_of(_LABEL_WORDS)}(?![^\W_])|住所|地址|お届け先|주소|पता|العنوان|عنوان)"
    r"[\"']?\s{0,2}[:=,>-]{0,2}\s{0,3}[\"']?",
    re.I,
)
_OTHER_ADDRESS = re.compile(r"(?:e-?mail|ip|mac|web|url)[ _-]?$", re.I)
_HAN = anchored(
    r"(?:〒?\d{3}-\d{4}\s?)?[\u4e00-\u9fff]{1,6}[都道府県][\u3040-\u30ff\u4e00-\u9fff]{1,20}[\d丁目番地号の\-ー－"
    r"\s]{1,16}(?:[\u3"
    r"040-\u30ffA-Za-z\u4e00-\u9fff]{0,16}\d{1,4}号?室?)?"
    r"|(?:[\u4e00-\u9fff]{2,8}(?:省|市|自治区|区|县|縣)){1,3}[\u4e00-\u9fff]{1,14}?(?:路|街|道|巷|弄|大道|"
    r"胡同)[\u4e00-\u9fff]{0,4}\d{1,5}(?:号|號|弄)(?:[\u4e00-\u9fff\d]{0,12}(?:室|楼|樓|单元))?"
)
_UNCASED_LABEL = re.compile(r"(?:住所|地址|お届け先|주소|पता|العنوان|عنوان)\s?[:=]\s?(?P<rest>[^\n;]{4,120})")


class _Token:
    """A word, a sign or a line's end of a text, and where it stands."""

    def __init__(self, match: re.Match[str]) -> None:
        self.start, self.end = match.span()
        self.text = match.group()
        self.lowered = self.text.casefold()

    @cached_property
    def belongs(self) -> bool:
        return _belongs(self)

    @property
    def bare(self) -> str:
        return self.text.strip("()\"'.:")

    @property
    def ends_sentence(self) -> bool:
        """A full stop that is not an abbreviation's; any question or exclamation mark."""
        word = self.text
        if word[-1] in "?!:":
            return True
        return word[-1] == "." and len(word) > 5 and not word.casefold().endswith(("str.", "gatan.", "apt."))


def find_addresses(text: str) -> Iterator[Span]:
    """Postal addresses in a folded text."""
    for match in _HAN.finditer(text):
        yield Span(match.start(), match.end(), Kind.ADDRESS)
    if not re.search(r"\d", text):
        return
    for match in _UNCASED_LABEL.finditer(text):
        if re.search(r"\d", match["rest"]):
            yield Span(*match.span("rest"), Kind.ADDRESS)
    tokens = [_Token(match) for match in _TOKEN.finditer(text)]
    starts = {token.start: index for index, token in enumerate(tokens)}
    for index, token in enumerate(tokens):
        code_end = _postcode_end(tokens, index) if _DIGIT.search(token.text) else None
        if code_end is not None:
            yield from _by_postcode(tokens, index, code_end)
        if token.lowered in _PREFIXES or token.lowered.rstrip(".")[-2:] in _STREET_ENDS:
            yield from _by_street(tokens, index)
    for match in _LABEL.finditer(text):
        first = starts.get(match.end())
        if first is not None and not _OTHER_ADDRESS.search(text, max(0, match.start() - 8), match.start()):
            yield from _by_label(tokens, first)


def _belongs(token: _Token) -> bool:
    """Whether a word can stand inside an address."""
    word = token.text
    if (
        word in ",\n"
        or _CAPITALISED.match(word)
        or _HOUSE.fullmatch(word.rstrip(".:)"))
        or _POSTCODE.fullmatch(word.rstrip(_STOPS))
    ):
        return True
    lowered = token.lowered
    return (
        word in _SMALL
        or lowered in _UNITS
        or lowered in _PREFIXES
        or lowered in {"-", "/", "street", "road"}
        or lowered in _WHOLE_STREET_WORDS
        or (len(lowered) > 5 and lowered.endswith(_ENDINGS))
    )


def _is_named(token: _Token) -> bool:
    """Whether a token is a capitalised word rather than a code: three letters in a row, or two with a small one."""
    return bool(_CAPITALISED.match(token.text) and re.search(r"[^\W\d_]{3}|[^\W\d_][a-zà-ž]", token.text))


def _postcode_end(tokens: list[_Token], index: int) -> int | None:
    """Index of the last token of the postcode that begins at ``index``; None when none does."""
    word = tokens[index].text.rstrip(_STOPS)
    if index + 1 < len(tokens) and _POSTCODE_PAIR.fullmatch(f"{word} {tokens[index + 1].text.rstrip(_STOPS)}"):
        return index + 1
    return index if _POSTCODE.fullmatch(word) else None


def _left(tokens: list[_Token], index: int) -> int:
    """The first token of the run of belonging words that ends before ``index``."""
    first = index
    at = index - 1
    while at >= 0 and index - at <= LEFT:
        token = tokens[at]
        if not token.belongs or (token.text not in ",\n" and token.ends_sentence):
            break
        if token.text == "\n" and at and tokens[at - 1].text == "\n":
            break
        if token.text not in ",\n" and token.text not in _SMALL:
            first = at
        at -= 1
    return first


def _right(tokens: list[_Token], index: int) -> int:
    """The last token of the run of belonging words that begins at ``index``; ``index - 1`` when it is empty."""
    last = index - 1
    for at in range(index, min(len(tokens), index + RIGHT)):
        token = tokens[at]
        if not token.belongs:
            break
        if (
            token.text == "\n"
            and at + 1 < len(tokens)
            and (tokens[at + 1].text == "\n" or tokens[at + 1].text.endswith(":"))
        ):
            break
        if token.text not in ",\n" and token.text not in _SMALL:
            last = at
        if token.text not in ",\n" and token.ends_sentence:
            break
    return last


def _span(tokens: list[_Token], first: int, last: int) -> Span:
    end = tokens[last].end - (len(tokens[last].text) - len(tokens[last].text.rstrip(".:!?\"'")))
    start = tokens[first].start + (len(tokens[first].text) - len(tokens[first].text.lstrip("\"'(")))
    return Span(start, end, Kind.ADDRESS)


def _by_postcode(tokens: list[_Token], index: int, last: int) -> Iterator[Span]:
    """A postcode that a street with a number stands before."""
    code = " ".join(token.text for token in tokens[index : last + 1])
    first = _left(tokens, index)
    run = [token for token in tokens[first:index] if token.text not in ",\n"]
    words = [token for token in run if _is_named(token)]
    numbers = [at for at, token in enumerate(run) if _HOUSE.fullmatch(token.text.rstrip("."))]
    region_before = bool(run) and bool(_REGION_CODE.fullmatch(run[-1].text))
    zipped = region_before and len(words) >= 3 and re.fullmatch(r"\d{5}", code)
    if not words or not (numbers or zipped or any(token.text.casefold() in _PREFIXES for token in run)):
        return
    behind = tokens[last + 1 : last + 4]
    place = next((token for token in behind if token.text not in ",\n"), None)
    lettered = bool(re.search(r"[A-Z]", code)) or "-" in code or last > index
    placed = place is not None and bool(_CAPITALISED.match(place.text)) and not _NO_PLACE.match(place.text)
    if not (lettered or placed or region_before or len(code) >= 5):
        return
    street_words = [token.bare.casefold() for token in words]
    if all(word in _NO_STREET for word in street_words) or (
        street_words[0] in _NO_STREET and not _is_streetlike(street_words)
    ):
        return
    comma = tokens[index - 1].text in ",\n" and _HOUSE.fullmatch(tokens[index - 2].text)
    if _YEAR.fullmatch(code) and not _is_streetlike(street_words) and not (comma and placed and len(words) <= 2):
        return
    if not placed and not region_before and not lettered and not _is_streetlike(street_words) and len(words) < 2:
        return
    yield _span(tokens, first, max(last, _right(tokens, last + 1)))


def _is_streetlike(words: list[str]) -> bool:
    return any(word in _ENGLISH or word in _PREFIXES or (word.endswith(_ENDINGS) and len(word) > 5) for word in words)


def _by_street(tokens: list[_Token], index: int) -> Iterator[Span]:
    """A word for a street with a house number on the side where that language puts it."""
    lowered = tokens[index].lowered
    word = lowered if lowered in _PREFIXES else lowered.rstrip(".")
    if word in _ENGLISH and _CAPITALISED.match(tokens[index].text):
        for at in range(index - 1, max(-1, index - 6), -1):
            if _HOUSE.fullmatch(tokens[at].text) and index - at >= 2:
                if not _YEAR.fullmatch(tokens[at].text):
                    yield _span(tokens, _units_left(tokens, at), max(index, _right(tokens, index + 1)))
                break
            if not _CAPITALISED.match(tokens[at].text):
                break
    if word in _PREFIXES and index + 1 < len(tokens):
        last = _right(tokens, index + 1)
        run = tokens[index + 1 : last + 1]
        number_before = index and _HOUSE.fullmatch(tokens[index - 1].text)
        comma_number = index > 1 and tokens[index - 1].text == "," and _HOUSE.fullmatch(tokens[index - 2].text)
        named = any(_CAPITALISED.match(token.text) and len(token.bare) > 1 for token in run)
        if named and (
            number_before
            or comma_number
            or any(_HOUSE.fullmatch(token.text.rstrip(".")) and not _YEAR.fullmatch(token.text) for token in run)
        ):
            yield _span(tokens, index - (2 if comma_number else 1 if number_before else 0), last)
    long_enough = len(word) > 6 or (
        word in _WHOLE_STREET_WORDS and index and _CAPITALISED.match(tokens[index - 1].text)
    )
    ends = word.endswith(_ENDINGS) or lowered.endswith("str.")
    if ends and long_enough and word not in _NO_STREET:
        house = index + 1 + (index + 1 < len(tokens) and tokens[index + 1].text == ",")
        while house < len(tokens) and tokens[house].text.casefold().rstrip(".:") in {"no", "nr", "n"}:
            house += 1
        if (
            house < len(tokens)
            and re.match(r"(?:No[.:])?\d{1,4}", tokens[house].text)
            and not _YEAR.fullmatch(tokens[house].text)
        ):
            first = (
                _left(tokens, index) if _CAPITALISED.match(tokens[index].text) or word in _WHOLE_STREET_WORDS else index
            )
            if first < index or _CAPITALISED.match(tokens[index].text):
                yield _span(tokens, first, max(house, _right(tokens, house + 1)))


def _units_left(tokens: list[_Token], index: int) -> int:
    """Flat, studio or floor before a house number: ``Flat 3, 12 Mill Lane``."""
    first = _left(tokens, index)
    return next((at for at in range(first, index) if tokens[at].text.casefold() in _UNITS), index)


def _by_label(tokens: list[_Token], index: int) -> Iterator[Span]:
    """What a label calls an address: the run of belonging words behind it, if it has a number and a name."""
    last = _right(tokens, index)
    run = [token for token in tokens[index : last + 1] if token.text not in ",\n"]
    names = [token for token in run if _is_named(token)]
    if len(run) >= 2 and names and any(re.search(r"\d", token.text) for token in run):
        lowered = [token.bare.casefold() for token in names]
        if not all(word in _NO_STREET for word in lowered):
            yield _span(tokens, index, last)
