"""Telephone numbers, by the numbering plans that ``phonenumbers`` knows and by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers

from governance.redaction.nearby import before, behind, cues, nearest
from governance.redaction.spans import Kind, Span

FEWEST_DIGITS, MOST_DIGITS = 6, 15
"""E.164 allows 15; a subscriber's number alone has at least six in practice."""

_CANDIDATE = re.compile(
    r"(?<![0-9A-Za-zÀ-ɏ_.,/+#$€£-])(?<![$€£¥] )(?:tel:)?(?P<number>(?:\+\s?|\(\+?|00)?\d(?:[ "
    r"./()\u00a0-]{0,3}\d){5,17})(?![0-9A-Za-zÀ-ɏ_%€£$°]|[.,-]\d|\s?[€£$°])"
)
_SPOKEN = cues(
    r"(?:tele)?phone(?:\s?n(?:umber|r|o)\.?)? | phones? | mobile | cell(?:phone)? | tel | tlf | tél | fone | fax | "
    r"call(?:ed|ing|s)? | ring | dial | sms | "
    r"text(?:ed)? me | text | whats ?app | signal | telegram | viber | contact[ _]?n(?:umber|o) | (?:my|new|his|her|"
    r"our|your|their) number | "
    r"hotline | landline | reach(?: out| me| us)? | backup codes? sent to | codes? sent to | messages to | "
    r"registered | leave | msisdn",
    r"telefon\w* | handy\w* | mobil\w* | rufnummer | anrufen | rufen | ruf | festnetz | nummer | rückruf",
    r"téléphone | portable | numéro | appele[rz](?:-\w+)? | appel | joindre | joignable | num[eé]ro",
    r"tel[eé]fono | n[uú]mero | m[oó]vil | celular | ll[aá]m\w+ | tfno",
    r"telefone | telem[oó]vel | ligue | ligar | ligação | contacto | contato",
    r"cellulare | telefonare | chiam\w+ | recapito | telefonico",
    r"telefoon\w* | bellen | bel | gsm | sms naar",
    r"telefonu | numer | kom[oó]rk\w+ | dzwoń | zadzwoń",
    r"telefonnummer | ring(?:a|e)? | puhelin\w* | soita | puh | tlfnr | mob",
    r"telefonunuz | telefon numaranız | cep | arayın | gsm | ara",
    r"mobiln[ií] | volejte | telefonszám | hívj\w* | sunați | телефон\w* | моб\w* | звон\w+ | тел",
    "電話 | 拨打 | 拨 | 来电 | कॉल | للتواصل | 携帯 | 连絡先 | 連絡先 | ケータイ | ファックス | 电话 | 手机 | "
    "联系方式 | 致电 | 號碼 | 手機 | 联系 | 전화 | "
    "휴대폰 | 연락처",
    "फ़ोन | फोन | मोबाइल | संपर्क | दूरभाष | هاتف | الهاتف | الجوال | جوال | موبايل | رقم | اتصل | טלפון | נייד | โทร",
)
_BEHIND = cues(
    r"as contact | पर | as (?:the|my|a|his|her|their) (?:\w+ )?number | is my (?:new )?(?:number|phone|mobile) | "
    r"anrufen | \((?:mobile|cell|home|work|evenings?)\)"
)
_OTHER = cues(
    r"order\w* | waybill | receipt | quote | contract | code | barcode | track\w* | invoice\w* | ref(?:erence)? | "
    r"customer | client | booking | reservation | ticket | case | isbn | issn | ean | gtin | upc | sku | "
    r"asin | part | model | serial | s/n | version | build | product | item | article | art | lot | batch | flight |"
    r" population | price | total | sum | amount | "
    r"imei | imo | vin | pmid | doi | lccn | oclc | arxiv | cas | un | meeting id | zoom | member\w* | card | visa |"
    r" account | iban | konto\w* | policy | "
    r"passport | licen[cs]e | id | ssn | tax | coordinates? | latitude | longitude | lat | lon | nok | sek | dkk | "
    r"eur | usd | gbp | jpy | kr | pln | huf | czk | "
    r"parcel | shipment | posten | sporing | sendung\w* | paket | bestell\w* | auftrag\w* | rechnung\w* | kunden\w* "
    r"| commande | facture | colis | pedido | factura | "
    r"ordine | fattura | zamówieni\w+ | patent | port | page | pages | pid | uid | index | timestamp | epoch | "
    r"bytes? | size | rows? | views | week | "
    r"区号 | 订单 | 注文 | 商品 | 快递 | 单号 | number (?=\d)"
)
_URL_KEY = re.compile(
    r"(?:phone|tel|mobile|cell|msisdn|whatsapp|handy|telefon\w*|movil|fax|sms)\w*[\"']?\s*[=:>]\s*[\"']?\+?$", re.I
)
_DATE_OR_TIME = re.compile(r"(?:19|20)\d\d[-./ ]\d\d?[-./ ]\d\d?\b|\d\d?[-./]\d\d?[-./](?:19|20)\d\d\b|\d{4}-\d\d-\d\d")
# Groups that are a telephone number in the country that writes so, even with no word near: French pairs, North
# American threes and four, British and German area codes.
_TYPICAL = re.compile(
    r"0[1-9](?:([ .-])\d\d)(?:\1\d\d){3}|\(?[2-9]\d\d\)?[ .-]{1,2}[2-9]\d\d[ .-]\d{4}|0\d{3,4}[ ]\d{3}[ ]?\d{3,4}|"
    r"\(0\d{1,4}\)[ ]?\d{3,5}[ -]?\d{2,5}|02\d \d{4} \d{4}"
    r"|0[1-9]\d{0,3}[ /-]\d{3,8}(?:[ -]\d{2,5}){0,2}|0\d0-\d{4}-\d{4}"
)


def find_phones(text: str) -> Iterator[Span]:
    """Telephone numbers in a folded text."""
    for match in _CANDIDATE.finditer(text):
        start, end = match.span("number")
        number = match["number"]
        if number.count("(") != number.count(")"):
            if number[0] == "(" and ")" not in number:
                start, number = start + 1, number[1:]
            else:
                continue
        if _is_phone(text, number, start, end):
            yield Span(start, end, Kind.PHONE)


def _is_phone(text: str, number: str, start: int, end: int) -> bool:
    digits = re.sub(r"\D", "", number)
    if not FEWEST_DIGITS <= len(digits) <= MOST_DIGITS + 2 or _DATE_OR_TIME.fullmatch(number):
        return False
    window = before(text, start)
    spoken, other = nearest(_SPOKEN, window), nearest(_OTHER, window)
    cue = spoken > other or bool(_URL_KEY.search(window)) or bool(_BEHIND.match(behind(text, end).lstrip()))
    if number.lstrip("(").startswith("+"):
        return cue or _is_international("+" + digits.lstrip("0"))
    if number.startswith("00") and len(digits) >= 10:
        return _is_international("+" + digits[2:]) and (cue or other < 0)
    if cue:
        return len(digits) >= 7 or spoken >= len(window) - 12
    return other < 0 and 9 <= len(digits) <= 11 and bool(_TYPICAL.fullmatch(number))


def _is_international(number: str) -> bool:
    """Whether a number in international form has a length that its country uses."""
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False
