"""National identifiers: forms that speak for themselves, check digits of many countries, and values behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stdnum.ar import cuit
from stdnum.cn import ric
from stdnum.cz import rc
from stdnum.dk import cpr
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.ie import pps
from stdnum.in_ import aadhaar
from stdnum.kr import rrn
from stdnum.mx import curp
from stdnum.no import fodselsnummer
from stdnum.ro import cnp
from stdnum.se import personnummer
from stdnum.za import idnr as south_africa

from governance.redaction.anchors import anchored
from governance.redaction.nearby import any_of, before, cues, nearest
from governance.redaction.spans import Kind, Span

FEWEST_DIGITS = 4
"""Behind a label; shorter values are more often a step or a page."""

Check = Callable[[str], bool]

#: Forms found without any word near: pattern and check, None where the form alone is telling.
_FORMS: tuple[tuple[str, Check | None], ...] = (
    (r"\d{3}-\d{2}-\d{4}", None),  # United States: SSN, ITIN
    (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", None),  # Italy: codice fiscale
    (r"\d{8}-?[A-Z]", dni.is_valid),  # Spain
    (r"[XYZ]-?\d{7}-?[A-Z]", nie.is_valid),
    (r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D]", None),  # United Kingdom: National Insurance
    (r"[A-Z9]{5}\d{6}[A-Z9]{2}\d[A-Z]{2}", None),  # United Kingdom: driving licence
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", None),  # Brazil: CPF
    (r"\d{1,2}\.\d{3}\.\d{3}-[\dkKxX]", None),  # Chile: RUT; Brazil: RG
    (r"756\.\d{4}\.\d{4}\.\d{2}", None),  # Switzerland
    (r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d", nir.is_valid),  # France
    (r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", hetu.is_valid),  # Finland
    (r"(?:19|20)?\d{6}[-+]\d{4}", lambda value: personnummer.is_valid(value) or cpr.is_valid(value)),  # Sweden, Denmark
    (r"\d{6} ?\d{5}", fodselsnummer.is_valid),  # Norway
    (r"\d{6}/\d{3,4}", rc.is_valid),  # Czechia, Slovakia
    (r"\d{17}[\dXx]", ric.is_valid),  # China
    (r"\d{6}-[1-8]\d{6}", rrn.is_valid),  # Korea
    (r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", curp.is_valid),  # Mexico
    (r"\d{2}-\d{8}-\d", cuit.is_valid),  # Argentina
    (r"\d\d\.\d\d\.\d\d-\d{3}[.-]\d\d", None),  # Belgium
    (r"\d{7}[A-W][A-IW]?", pps.is_valid),  # Ireland
    (r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]", None),  # India: PAN
    (r"[2-9]\d{3} \d{4} \d{4}", aadhaar.is_valid),  # India: Aadhaar
    (r"[STFGM]\d{7}[A-Z]", None),  # Singapore
    (r"[A-Z]{1,2}\d{6}\([0-9A]\)", None),  # Hong Kong
    (r"\d{5}-\d{7}-\d", None),  # Pakistan
    (r"\d{6}-\d{2}-\d{4}", None),  # Malaysia
    (r"\d{8} \d [A-Z]{2}\d", None),  # Portugal
    (r"[1-8]\d{12}", lambda value: cnp.is_valid(value) or south_africa.is_valid(value)),  # Romania, South Africa
    (r"[A-Z0-9<]{5,20}<<[A-Z0-9<]{10,37}", None),  # machine-readable line of a passport
)
_NOTHING_BEFORE, _NOTHING_BEHIND = r"(?<![0-9A-Za-z_.+/-])", r"(?![0-9A-Za-z_]|-\d|\.\d)"
_ALONE = tuple((re.compile(f"{_NOTHING_BEFORE}{form}{_NOTHING_BEHIND}"), check) for form, check in _FORMS)
_ANY_ALONE = re.compile(
    rf"{_NOTHING_BEFORE}(?=\d|[A-Z9]{{1,6}}[ -]?\d|[A-Z0-9<]{{5,20}}<<)(?:{'|'.join(form for form, _ in _FORMS)})"
    rf"{_NOTHING_BEHIND}"
)
"""Any of the forms: most texts have none, and are read once for all of them."""

_OTHER = cues(
    r"order\w* | track\w* | invoice\w* | ref(?:erence)? | booking | isbn | issn | ean | gtin | upc | sku | asin | "
    r"part(?: no\.?)? | model | serial | "
    r"lccn | doi | pmid | imei | vin | parcel | shipment | product | item | article | build | lot | batch | patent |"
    r" population | meeting"
)

_LABELS = "|".join(
    (
        r"(?:your|my) social|ssn|itin|tin|ein|social[ _-]?sec(?:urity)?(?:[ _-]?(?:number|no|num))?|social "
        r"insurance|nino?|ni number|ni no|national insurance|nhs|"
        r"medicare|medicaid|medical record|mrn|health (?:card|insurance)|sin|tfn|tax file|tax[ _-]?(?:payer)?[ "
        r"_-]?(?:id|number|no|identification)|"
        r"national[ _-]?id(?:entity|entification)?|id(?:entity)? (?:card|number|no|document)|identity|"
        r"identification|citizen(?:ship)? (?:id|card|number)|"
        r"passports?|travel document|driver'?s?[ _-]?licen[cs]e|driving licen[cs]e|licen[cs]e (?:number|no)|dl|"
        r"resident (?:id|registration)|residence permit|"
        r"my number|utr|pps[n]?|ppsn|ird|pan|pan card|aadhaar|aadhar|uidai|voter id|epic|nric|fin|hkid|cnic|nik|"
        r"mykad|rrn|ric|emirates id|iqama",
        r"ausweis\w*|personalausweis\w*|reisepass\w*|pass[- ]?nr|passnummer|steuer[- ]?id\w*|"
        r"steuer(?:identifikations)?nummer|idnr|"
        r"sozialversicherungs\w*|svnr|sv[- ]nummer|rentenversicherungs\w*|versichertennummer|führerschein\w*|"
        r"ahv\w*(?:-nr)?|avs|krankenversicher\w*",
        r"num[eé]ro (?:de )?s[eé]curit[eé] sociale|s[eé]curit[eé] sociale|num[eé]ro national|nir|nif|passeport|"
        r"carte d'identit[eé]|pi[eè]ce d'identit[eé]|cni|"
        r"permis de conduire|num[eé]ro fiscal|spi|num[eé]ro avs",
        r"dni|nie|nif|c[eé]dula|curp|rfc|pasaporte|documento(?: nacional)?(?: de identidad)?|carn[eé] de conducir|"
        r"seguridad social|nss|clave curp|rut|cuil|cuit|run",
        r"codice fiscale|c\.?f\.?|carta d'identità|passaporto|patente|tessera sanitaria",
        r"cpf|rg|bilhete de identidade|cart[aã]o de cidad[aã]o|passaporte|cnh|contribuinte|pis|n[uú]mero de "
        r"identificação",
        r"bsn|burgerservicenummer|sofinummer|paspoort\w*|identiteitskaart\w*|rijbewijs\w*|rijksregisternummer|insz",
        r"pesel|numer pesel|nip|dow[oó]d\w*(?: osobist\w+)?|paszport\w*|prawo jazdy",
        r"personn(?:umme)?r|f[oø]dsels?n(?:umme)?r|fødselsnummer|f[oø]dselsnr|cpr\w*|pass\w*nummer|henkilötunnus|"
        r"hetu|samordningsnummer|d-nummer|passi\w*|kennitala|isikukood|asmens kodas|personas kods",
        r"tc(?: kimlik)?(?: no| numaras[ıi])?|t\.?c\.? kimlik|kimlik|pasaport|rodn[eé] č[ií]slo|rč|č[ií]slo "
        r"občansk[eé]ho|cestovn[ií] pas|személyi\w*|taj|adóazonosító|útlevél|cnp|cod numeric personal|"
        r"pașaport|егн|паспорт\w*|снилс|инн|єдрпоу|ипн|оиб|oib|emšo|jmbg|amka|αμκα|αφμ|διαβατήριο",
    )
)
_UNSPACED_LABELS = (
    "身份证号码?|身份证|身分證字號|身分證|護照號碼|护照号码?|护照|護照|マイナンバー|個人番号|パスポート番号|"
    "旅券番号|免許証番号|주민등록번호|여권번호|운전면허번호|"
    "आधार(?: (?:संख्या|नंबर))?|पैन|पासपोर्ट|رقم الهوية|الهوية|جواز السفر|رقم الجواز|الإقامة|תעודת זהות|דרכון|"
    "บัตรประชาชน"
)
_LABEL = rf"(?:(?<![^\W_]){any_of(_LABELS)}(?:number|num|no|nr|id|code)?(?![^\W\d_])|{_UNSPACED_LABELS})"
_FILLER_WORDS = (
    r"numbers?|num|no|nr|n|nummer|numer|n[uú]mero|numéro|numero|nº|n°|code|id|card|field|value|text|is|was|has|are|"
    r"ist|lautet|war|est|es|è|é|er|är|on|file|my|the|of|"
    r"in|as|with|to|document|für|de|di|do|da|na|op|and|given|says|shown|reads|entered|you|i|belongs|numaras[ıi]|"
    r"č[ií]slo|numarul|szám|szövege|sz[aá]ma|номер|серия|currently|now|ends|used|here|it|it's|that"
)
_VALUE = (
    r"(?P<value>(?:[A-Z]{1,3}[ -](?=\d))?[A-Za-z]{0,6}<?\d[0-9A-Za-z]*(?:[ "
    r"./+-](?:[0-9A-Za-z]{0,12}\d[0-9A-Za-z]{0,12}|[A-Z]{1,2}(?![0-9A-Za-z]))){0,8}(?:\([0-9A]\))?"
    r"|[A-Z]{6}\d{2}[0-9A-Z]{8})"
)
_LABELLED = anchored(
    rf"{_LABEL}(?:(?:[\W_]{{0,6}}{any_of(_FILLER_WORDS)}(?![^\W_])){{0,4}}|"
    rf"[^\n\d:=.!?]{{1,32}}[:=])[\W_]{{0,6}}(?<![0-9A-Za-z]){_VALUE}",
    re.I,
)
_FAR_FROM_LABEL = anchored(
    rf"{_LABEL}(?:[\W_]{{1,4}}[^\W\d_]{{1,14}}){{1,3}}[\W_]{{1,4}}(?P<value>\d{{7,18}}|\d{{6}}[-+]\d{{4,7}}|"
    rf"\d{{3}}[ .-]\d{{3}}[ .-]\d{{3,4}})"
    r"(?![0-9A-Za-z])",
    re.I,
)
"""Behind a label and a few words of any kind, only what is as long as identifiers are."""
_LABEL_BEHIND = rf" (?:into|in|for|as|to|is)(?: \w+){{0,2}}[\W_]{{1,4}}{_LABEL}"
_BEFORE_LABEL = re.compile(
    rf"(?<![0-9A-Za-z])(?P<value>[0-9A-Z][0-9A-Z ./+-]{{3,24}}[0-9A-Z])[\"'`)]{{0,2}}{_LABEL_BEHIND}", re.I
)
_SOME_LABEL_BEHIND = anchored(_LABEL_BEHIND, re.I)
_DOCUMENT = re.compile(
    r"(?<![^\W_])documento?s?\W{1,3}(?:no\.? |number |nr\.? )?([A-Z]{1,3}\d{5,9}|[A-Z][0-9A-Z]{7}\d|"
    r"[A-Z]{2,3}[0-9A-Z]{5,6})(?![0-9A-Za-z])"
)
_SOLID_LENGTH = (6, 26)


def find_identity_numbers(text: str) -> Iterator[Span]:
    """National identifiers, tax numbers, passports and licences in a folded text."""
    if not re.search(r"\d", text):
        return
    for pattern, check in _ALONE if _ANY_ALONE.search(text) else ():
        for match in pattern.finditer(text):
            if (check is None or check(match.group())) and nearest(_OTHER, before(text, match.start())) < 0:
                yield _span(match.start(), match.end())
    for match in _FAR_FROM_LABEL.finditer(text):
        yield _span(*match.span("value"))
    for match in _LABELLED.finditer(text):
        if _is_value(match["value"]):
            yield _span(*match.span("value"))
    for match in _DOCUMENT.finditer(text):
        if re.search(r"\d", match[1]):
            yield _span(*match.span(1))
    for match in _BEFORE_LABEL.finditer(text) if _SOME_LABEL_BEHIND.search(text) else ():
        start, end = match.span("value")
        value = match["value"]
        quote = max(value.rfind("'"), value.rfind(" "))
        if _is_value(value) or _is_value(value[quote + 1 :]):
            yield _span(start, end)


def _span(start: int, end: int) -> Span:
    return Span(start, end, Kind.NATIONAL_ID)


def _is_value(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    solid = sum(map(str.isalnum, value))
    if digits < FEWEST_DIGITS:
        return digits >= 1 and solid in {8, 9} and value.isupper()
    return _SOLID_LENGTH[0] <= solid <= _SOLID_LENGTH[1]
