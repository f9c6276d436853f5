"""Dates of birth: a date behind or before a word for being born. A date alone says nothing about a person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from governance.redaction.anchors import anchored
from governance.redaction.nearby import any_of
from governance.redaction.spans import Kind, Span

FIRST_YEAR = 1900
"""Who was born before is no longer a person to protect, and history pages are full of them."""

_MONTHS = (
    r"jan(?:uary|uar|vier|uari|eiro)?|ene(?:ro)?|gen(?:naio)?|styczni\w*|ocak|januar|sausi\w*|tammikuu\w*|leden|"
    r"ledna|ianuarie|"
    r"feb(?:ruary|ruar|rero|braio|ruari)?|f[eé]vr(?:ier)?|fev(?:ereiro)?|luty|lutego|[sş]ubat|helmikuu\w*|únor\w*|"
    r"februarie|"
    r"mar(?:ch|zo|ço|s|t)?|märz|mrz|maart|mrt|marzec|marca|maaliskuu\w*|březen|března|martie|"
    r"apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|kwie\w*|nisan|huhtikuu\w*|duben|dubna|aprilie|"
    r"may|mai|mayo|mag(?:gio)?|maio|mei|maj|maja|may[ıi]s|toukokuu\w*|květ\w*|"
    r"june?|juin|junio|giu(?:gno)?|junho|juni|czerw\w*|haziran|kesäkuu\w*|iunie|"
    r"july?|juil(?:let)?|julio|lug(?:lio)?|julho|juli|lip(?:iec|ca)|temmuz|heinäkuu\w*|iulie|"
    r"aug(?:ust|usti|ustus)?|ao[uû]t|ago(?:sto)?|sierp\w*|a[gğ]ustos|elokuu\w*|srp\w*|"
    r"sept?(?:ember|embre|iembre)?|set(?:tembre|embro|iembre)?|wrze\w*|eyl[uü]l|syyskuu\w*|zář\w*|septembrie|"
    r"o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?|out(?:ubro)?|pa[zź]dziern\w*|ekim|lokakuu\w*|říj\w*|octombrie|"
    r"nov(?:ember|embre|iembre|embro)?|listopad\w*|kas[ıi]m|marraskuu\w*|noiembrie|"
    r"de[cszk](?:ember|embre|embro)?|dic(?:iembre|embre)?|dez(?:ember|embro)?|déc(?:embre)?|grud\w*|aral[ıi]k|"
    r"joulukuu\w*|prosin\w*|decembrie|"
    r"январ\w|феврал\w|март\w?|апрел\w|ма[йя]|июн\w|июл\w|август\w?|сентябр\w|октябр\w|ноябр\w|декабр\w|"
    r"जनवरी|फ़?रवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर|يناير|فبراير|مارس|أبريل|مايو|يونيو|"
    r"يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر"
)
_MONTH = any_of(_MONTHS)
_YEAR = r"(?:1[0-9]\d\d|20\d\d)"
_DATE = (
    rf"(?:{_YEAR}\s?[-./年]\s?\d\d?\s?[-./月]\s?\d\d?日?(?!\d)|\d\d?\s?[-./]\s?\d\d?\s?[-./]\s?(?:{_YEAR}|"
    rf"['’]?\d\d)(?!\d)|{_YEAR}(?:0\d|1[0-2])[0-3]\d(?!\d)|"
    rf"\d\d?(?:st|nd|rd|th|er|º|ª|\.)?,?[\s-](?:(?:of|de|del|d'|den) ?)?{_MONTH}\.?,?(?:[\s-](?:de |del "
    rf")?['’]?(?:{_YEAR}|\d\d(?!\d)))?|"
    rf"{_MONTH}\.?[\s-]\d\d?(?:st|nd|rd|th)?(?:,\s?|\s)(?:{_YEAR})|"
    rf"{_YEAR},?\s{_MONTH}\s\d\d?)"
)
_CUE_WORDS = (
    r"born|d\.?o\.?b\.?|date[ _-]?of[ _-]?birth|birth[ _-]?dates?|birthdays?|bday|b-day|birth|geb(?:\.|oren)?|"
    r"geburtsdatum|geburtstag|"
    r"n[eé]{1,2}(?:\(e\))?|naissance|nat[oai]|nascita|nasc[ei]\w{0,4}|nascimento|aniversário|nac(?:id[oa]|"
    r"i[oóíe]\w{0,3}|imiento|í)|cumpleaños|geboortedatum|geboren|verjaardag|"
    r"f[øo]dte?s?|f[øo]dsels(?:dato|dag|år)|född\w{0,2}|födde?s|f[öo]delse(?:datum|dag|tid)|syntynyt|"
    r"syntym[äa](?:aika|päivä)|s\.|"
    r"urodz\w{1,8}|ur\.|"
    r"do[gğ]um(?: tarihi(?:niz)?| günü| yeri)?|do[gğ]umlu|do[gğ](?:d|mu[sş])\w{1,5}|naro[zd]\w{1,5}|nar\.|"
    r"születési(?: dátum| idő| ideje)?|született|szül\.|născut[ăa]?|na[sș]terii|data de nastere|"
    r"дата рождения|родил(?:ся|ась)|народження|рожд\w+|γεννήσεως|γεννηθ\w+|gimimo data|sünniaeg|rođen[ai]?|datum "
    r"rođenja|tanggal lahir|ngày sinh"
)
_CUE = (
    rf"(?:(?<![^\W_]){any_of(_CUE_WORDS)}(?![^\W\d_])|"
    r"(?<=[a-z])(?:Birth|BirthDate|Birthday)(?![^\W\d_])|birth_?date|dob(?=[=:\"'_])|生年月日|誕生日|出生日期|"
    r"出生年月日|出生|生日|생년월일|"
    r"생일|जन्म(?: ?(?:तिथि|तारीख|दिन))?|تاريخ الميلاد|مواليد|ولد|תאריך לידה|วันเกิด)"
)
_FILLER = r"(?:[^\d\n.!?;]|\.(?=\d|[ ]?[A-Za-z]?[a-z]?:)|\n(?=\s*\d)){0,32}?"
_BEHIND_CUE = anchored(rf"{_CUE}{_FILLER}(?<![\d/.-])(?P<date>{_DATE})", re.I)
_QUESTION = anchored(
    rf"{_CUE}[^\n]{{0,24}}[.?!:]\s{{0,3}}(?:[A-Z]\w{{2,9}}: ?)?(?:(?:it'?s|it is|that'?s|on|es|c'est|è|é|"
    rf"am)\s){{0,2}}(?P<date>{_DATE})",
    re.I,
)
_BEFORE_CUE = anchored(
    rf"(?<![\d/.-])(?P<date>{_DATE})[\"')]{{0,2}}\s{{0,2}}(?:\(|is (?:my|his|her|their|the)|as (?:the|my|your|her|"
    rf"his|their)|into|in|as|to|for)[\"' #(]{{0,3}}(?:\w+ ){{0,2}}{_CUE}",
    re.I,
)
_BORN_BEHIND = anchored(
    rf"(?<![\d/.-])(?P<date>{_DATE})(?: ?(?:tarihinde|'\w{{1,3}})? ?(?:do[gğ](?:d|mu[sş])\w{{1,5}}|生まれ|"
    rf"生(?!\w)|출생)| "
    rf"(?:born|geboren|született))",
    re.I,
)
_YEAR_INSIDE = re.compile(_YEAR)


def find_birth_dates(text: str) -> Iterator[Span]:
    """Dates of birth in a folded text, of people born since :data:`FIRST_YEAR`."""
    if not re.search(r"\d", text):
        return
    for pattern in (_BEHIND_CUE, _QUESTION, _BEFORE_CUE, _BORN_BEHIND):
        for match in pattern.finditer(text):
            year = _YEAR_INSIDE.search(match["date"])
            if year is None or int(year.group()) >= FIRST_YEAR:
                yield Span(*match.span("date"), Kind.BIRTH_DATE)
