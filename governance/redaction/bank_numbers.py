"""Payment cards and bank accounts: issuer ranges, lengths and check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from governance.redaction.anchors import anchored
from governance.redaction.nearby import before, behind, cues, nearest
from governance.redaction.spans import Kind, Span

_CARD = re.compile(r"(?<![0-9A-Za-z_.+-])\d(?:[ ._/-]{0,2}\d){11,18}(?![0-9A-Za-z_]|[ .-]?\d)")
_CARD_CUE = cues(
    r"(?:credit|debit|bank|payment|gift)?[ _-]?cards? ?(?:number|no|nr|num|#)? | card[ _-]?(?:number|no|num|pan) | "
    r"cc | ccn | pan | visa | master ?card | amex | "
    r"american express | maestro | diners | discover | jcb | union ?pay | "
    r"\w*karte(?:nnummer)? | kartennr | kreditkarte\w* | carte\w*(?: bancaire)? | tarjeta\w* | carta(?: di "
    r"credito)? | cart[aã]o\w* | kredi kart\w* | kart\w* | karty | "
    r"creditcard\w* | kaart\w* | kort\w*(?:nummer)? | kredittkort\w* | kortti\w* | luottokortti\w* | karet\w* | "
    r"bankkártya\w* | cardul\w*",
    "カード | クレジット | 卡号 | 卡號 | 信用卡 | 银行卡 | 카드 | कार्ड | بطاقة | карт",
)
_CARD_OTHER = cues(
    r"track\w* | order\w* | isbn | imei | gtin | ean | upc | parcel | shipment | sending | sporing | invoice | "
    r"serial | meeting | barcode | reference | ref"
)
_CARD_CODE = anchored(
    r"(?<![A-Za-z])(?:cvv2?|cvc2?|cv2|csc|security code|prüfziffer|kartenprüfnummer|cryptogramme|c[oó]digo de "
    r"seguridad)\W{1,4}(?:is |code )?(\d{3,4})(?!\d)",
    re.I,
)

#: Issuer ranges: first and last prefix, and the lengths in use.
_ISSUERS: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({13, 16, 19})),
    (51, 55, frozenset({16})),
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),
    (37, 37, frozenset({15})),
    (300, 305, frozenset(range(14, 20))),
    (309, 309, frozenset(range(14, 20))),
    (36, 36, frozenset(range(14, 20))),
    (38, 39, frozenset(range(14, 20))),
    (3528, 3589, frozenset(range(16, 20))),
    (6011, 6011, frozenset(range(16, 20))),
    (644, 659, frozenset(range(16, 20))),
    (60, 60, frozenset({16})),
    (62, 62, frozenset(range(16, 20))),
    (81, 82, frozenset({16, 17, 18, 19})),
    (2200, 2205, frozenset(range(16, 20))),
    (50, 50, frozenset(range(12, 20))),
    (56, 58, frozenset(range(12, 20))),
    (63, 63, frozenset(range(16, 20))),
    (67, 67, frozenset(range(12, 20))),
    (9792, 9792, frozenset({16})),
)
_GROUPINGS = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 5), (6, 13), (8, 8), (4, 4, 4, 1)})

#: Lengths of an IBAN by country (SWIFT's IBAN registry).
IBAN_LENGTHS = {
    country: int(length)
    for length, countries in {
        "15": "NO",
        "16": "BE",
        "18": "DK FI FK FO GL NL SD",
        "19": "MK SI",
        "20": "AT BA EE KZ LT LU MN XK",
        "21": "CH HR LI LV",
        "22": "BG BH CR DE GB GE IE ME RS VA",
        "23": "AE GI IL IQ OM SO TL",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG",
        "25": "LY PT ST",
        "26": "IS TR",
        "27": "BI DJ FR GR IT MC MR SM",
        "28": "AL AZ BY CY DO GT HN HU LB NI PL SV",
        "29": "BR EG PS QA UA",
        "30": "JO KW MU YE",
        "31": "MT SC",
        "33": "RU",
    }.items()
    for country in countries.split()
}
_IBAN = re.compile(r"(?<![0-9A-Za-z_])[A-Za-z]{2}[ -]?\d\d(?:[ .-]{0,2}[0-9A-Za-z]){11,30}")
_IBAN_CUE = cues(
    r"ibans? | konto\w* | account\w* | bank\w* | rekening\w* | cuenta | compte | conto | conta | hesap | rachun\w+ |"
    r" tili\w* | 口座 | 账号 | खाता | حساب"
)
_ACCOUNT = anchored(
    r"(?<![A-Za-z])(?:(?:bank )?account (?:number|no\.?|nr\.?|#)|acct\.?(?: no\.?)?|a/c(?: no\.?)?|sort code|"
    r"routing (?:number|no\.?)|aba|bsb|clabe|kontonummer|konto-?nr\.?|"
    r"bankkonto|num[eé]ro de compte|n[uú]mero de cuenta|rekeningnummer|numer konta|numero di conto|número da conta|"
    r"bankgiro|tilinumero)"
    r"(?: is| lautet| est| es| er| är)?\W{1,4}(\d[\d .-]{4,32}\d)(?![0-9A-Za-z])",
    re.I,
)


def find_bank_numbers(text: str) -> Iterator[Span]:
    """Card numbers, codes on cards, IBANs and account numbers behind their label, in a folded text."""
    for match in _CARD.finditer(text):
        if _is_card(text, match):
            yield Span(match.start(), match.end(), Kind.CARD)
    for match in _CARD_CODE.finditer(text):
        yield Span(*match.span(1), Kind.CARD)
    for match in _IBAN.finditer(text):
        end = _iban_end(text, match)
        if end:
            yield Span(match.start(), end, Kind.BANK_ACCOUNT)
    for match in _ACCOUNT.finditer(text):
        yield Span(*match.span(1), Kind.BANK_ACCOUNT)


def _is_card(text: str, match: re.Match[str]) -> bool:
    """In an issuer's range with a right check digit; a mistyped one only where a card is spoken of."""
    digits = re.sub(r"\D", "", match.group())
    window = before(text, match.start())
    cue = nearest(_CARD_CUE, window) > nearest(_CARD_OTHER, window)
    if not any(
        len(digits) in lengths and first <= int(digits[: len(str(first))]) <= last for first, last, lengths in _ISSUERS
    ):
        return cue and len(digits) >= 15 and luhn.is_valid(digits)
    groups = tuple(map(len, re.findall(r"\d+", match.group())))
    if not luhn.is_valid(digits):
        return cue and len(digits) >= 14
    if cue:
        return True
    if nearest(_CARD_OTHER, window) >= 0 or len(digits) < 14:
        return bool(_CARD_CUE.search(behind(text, match.end())))
    return len(groups) == 1 or groups in _GROUPINGS


def _iban_end(text: str, match: re.Match[str]) -> int:
    """Where the IBAN that begins the match ends; 0 when there is none."""
    country = match.group()[:2].upper()
    length = IBAN_LENGTHS.get(country)
    if length is None:
        return 0
    taken = 0
    end = match.start()
    for position in range(match.start(), match.end()):
        if text[position].isalnum():
            taken += 1
            end = position + 1
            if taken == length:
                break
    if taken < length or re.match(r"[0-9A-Za-z]", text[end : end + 1]):
        return 0
    compact = re.sub(r"[^0-9A-Za-z]", "", text[match.start() : end]).upper()
    if mod_97_10.is_valid(compact[4:] + compact[:4]):
        return end
    return end if sum(map(str.isdigit, compact)) >= 10 and _IBAN_CUE.search(before(text, match.start(), 30)) else 0
