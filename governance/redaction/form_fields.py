"""What was typed into a field, and what was answered to a question: the name of the field says what the value is.

A value here needs no form of its own: an agent's step that types ``sunshine`` into a field called ``Password`` types a
password, and whatever is typed into ``Date of birth`` is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from governance.redaction.anchors import anchored
from governance.redaction.spans import Kind, Span
from governance.remembering import remembered

LONGEST_VALUE = 200
"""Characters of a value in quotes; longer texts are no fields."""

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (
            Kind.PASSWORD,
            r"pass ?-?_?(?:word|wort|wrd|code|phrase)|passwd|pwd|kennwort|mot[ _-]?de[ _-]?passe|mdp|contrase[nñ]a|"
            r"senha|palavra-passe|wachtwoord|l[oö]senord|passord|adgangskode|"
            r"salasana|has[lł]o|heslo|jelsz|parol[aă]|şifre|пароль|密码|密碼|パスワード|비밀번호|पासवर्ड|كلمة "
            r"المرور|\bpin\b|\bpw\b",
        ),
        (
            Kind.BIRTH_DATE,
            r"birth|\bdob\b|geburt|naissance|nacimiento|nascita|nascimento|geboorte|f[øo]dsels?(?:dato|dag)|"
            r"f[öo]delse|syntym|urodzenia|do[gğ]um|narozen|szület|na[sș]ter|рожден|生年月日|出生|생년월일|जन्म|الميلاد",
        ),
        (
            Kind.CARD,
            r"card[ _-]?(?:number|no|num)\b|ccnum|cc-number|\bpan\b|kartennummer|num[eé]ro de carte|n[uú]mero de "
            r"(?:la )?tarjeta|numero (?:della )?carta|kaartnummer|kortnummer|numer karty|\bcvv|\bcvc|security code|"
            r"カード番号|卡号",
        ),
        (Kind.BANK_ACCOUNT, r"\biban\b|account[ _-]?(?:number|no)\b|sort[ _-]?code|routing|kontonummer|rekeningnummer"),
        (
            Kind.NATIONAL_ID,
            r"\bssn\b|social security|national[ _-]?(?:id|insurance)|passport|pasaporte|passaporto|passeport|"
            r"reisepass|paszport|\b(?:nino|dni|nie|cpf|bsn|pesel|curp|sin|pan card|aadhaar)\b|"
            r"tax[ _-]?id|steuer-?id|codice fiscale|personn(?:umme)?r|fødselsnummer|identity (?:card|number)|\bid "
            r"(?:card|number)|driver'?s? licen[cs]e|ausweis|护照|身份证|パスポート|マイナンバー",
        ),
        (
            Kind.PHONE,
            r"phone|mobile|\btel\b|telefon|téléphone|tel[eé]fono|telefone|telefoon|\bcell\b|handy|whatsapp|电话|"
            r"電話|手机|"
            r"휴대폰|फ़ोन|هاتف",
        ),
        (Kind.EMAIL, r"e-?mail|courriel|correo|メール|邮箱"),
        (
            Kind.ADDRESS,
            r"(?:street|postal|home|billing|shipping|delivery|mailing) ?address|address ?(?:line)?|\bstreet\b|"
            r"adresse|anschrift|dirección|indirizzo|endereço|\badres\b|straße|住所|地址",
        ),
        (Kind.SECRET, r"api[ _-]?key|secret|token(?!s)|one[- ]?time|otp|verification code|security answer|access key"),
        (
            Kind.NAME,
            r"(?:first|last|full|given|family|middle|maiden|card ?holder|passenger|guest|your|contact|recipient|"
            r"account ?holder|legal|real) ?_?name|\bname\b(?! of (?:the )?(?:product|item|file|list|project|"
            r"company))|surname|vorname|nachname|"
            r"\bnom\b|pr[ée]nom|nombre|apellido|cognome|\bnome\b|sobrenome|achternaam|voornaam|fornavn|etternavn|"
            r"efternavn|f[öo]rnamn|imi[eę]|nazwisko|soyad|姓名|氏名|名前|travell?ing|who is (?:the|coming|staying)|"
            r"cardholder|holder",
        ),
    )
)
_NOT_PERSONAL = re.compile(
    r"user ?name|file ?name|host ?name|domain|company|ip address|mac address|web ?address|search|coupon|promo|"
    r"product|project|forgot|reset|hotel name|city name|street name|list name",
    re.I,
)

_OPEN, _CLOSE = r"[\"'`]", r"[\"'`]"
_FIELD = r"[^\n\"'`,;{}]{0,40}"
_TYPED = anchored(
    rf"(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|fill(?:ed|ing)?|input|put|insert(?:ed)?|wrote|write|past(?:e|ed|ing)|set|"
    rf"select(?:ed)?|"
    rf"past)\b[^\n\"'`]{{0,24}}(?P<q>[\"'`])(?P<value>(?:(?!(?P=q)).){{1,{LONGEST_VALUE}}})(?P=q)[)\]]?\s?"
    rf"(?:,\s?)?(?:into|in|to|for|as|im|ins|into=|field=|selector=|target=|label=)\s?(?:the |das |le |el |field "
    rf")?{_OPEN}?[#.\[(]?(?P<field>{_FIELD})",
    re.I,
)
_TYPED_BARE = anchored(
    rf"(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|fill(?:ed|ing)?|put|insert(?:ed)?|past(?:e|ed|ing)|use[d]?|using) "
    rf"(?P<value>[^\s\"'`]{{4,{LONGEST_VALUE}}}) (?:into|in|as|for) (?:the |my |a )?(?P<field>{_FIELD})",
    re.I,
)
_INTO_FIELD = (
    r" (?:en el|nel|dans le|im|in das|in dem|i|no|in het|w|into the|in the|into|in) "
    r"(?:campo|champ|feld|feltet|fältet|veld|polu|pole|field|box) "
)
_IN_NAMED_FIELD = re.compile(
    rf"(?P<value>[^\s\"'`]{{4,64}}){_INTO_FIELD}(?:de |del |di |du |da )?[\"'`]?(?P<field>[^\n\"'`,;{{}}.]{{2,40}})",
    re.I,
)
_PAIR = re.compile(
    r"[\"'](?:text|value|content|input|"
    r"typed)[\"']\s{0,2}:\s{0,2}[\"'](?P<value>[^\"'\n]{1,200})[\"']\s{0,2},\s{0,2}(?:[\"']\w{1,20}[\"']\s{0,2}:\s{0"
    r",2}[\w.]{1,20}\s{0,2},\s{0,2}){0,3}"
    r"[\"'](?:into|field|target|label|name|selector|element|placeholder|aria_label|role|key|"
    r"id)[\"']\s{0,2}:\s{0,2}[\"'](?P<field>[^\"'\n]{1,80})[\"']"
)
_PAIR_BACK = re.compile(
    r"[\"'](?:into|field|target|label|name|selector|element|placeholder|aria_label|key|"
    r"id)[\"']\s{0,2}:\s{0,2}[\"'](?P<field>[^\"'\n]{1,80})[\"']\s{0,2},\s{0,2}(?:[\"']\w{1,20}[\"']\s{0,2}:\s{0,2}["
    r"\w.\"']{1,20}\s{0,2},\s{0,2}){0,3}"
    r"[\"'](?:text|value|content|input|typed)[\"']\s{0,2}:\s{0,2}[\"'](?P<value>[^\"'\n]{1,200})[\"']"
)
_WHO = (
    "User|Customer|Me|Client|Caller|Guest|A|Human|Visitor|You|Kunde|Kunden|Utilisateur|Usuario|Utente|Cliente|Patient"
)
_ANSWERED = re.compile(
    r"(?:(?<=^)|(?<=\n)|(?<=[.\"] )|(?<=\"))(?P<asker>[A-Z][\w ]{0,18}): "
    rf"(?P<field>[^\n?.!:]{{2,100}})[?.!:]\s{{1,3}}(?P<who>{_WHO}): (?P<value>[^\n]{{1,160}})"
)
# What the two need at the least. It is looked for first, since both can begin nearly anywhere.
_SOME_FIELD = anchored(_INTO_FIELD, re.I)
_SOME_ANSWER = anchored(rf"(?:{_WHO}): ")
_SHOUTED = anchored(
    r"(?i)\b(?:log ?in|sign ?in|signed in|logged in|credentials?|account|access|zugang|zugangsdaten|acceso|accès|"
    r"accesso|acesso|toegang|inloggning|innlogging)[^\n]{0,30}? ?(?:as|with|using|:|are) "
    r"(?P<user>\S{2,64})(?: and | / |/|:|, )(?P<value>\S{4,64})|used (?P<user2>\S{2,64}) and (?P<value2>\S{4,64}) "
    r"to (?:log|sign) ?in"
)


@remembered(most=4096)
def kind_of_field(label: str) -> Kind | None:
    """What a field with this label, name, placeholder or selector holds; None when it is nothing personal."""
    if _NOT_PERSONAL.search(label) and not re.search(r"password", label, re.I):
        return None
    return next((kind for kind, pattern in _KINDS if pattern.search(label)), None)


def find_typed_values(text: str) -> Iterator[Span]:
    """Values that a folded text says were typed into a field for something personal, or answered when asked for it."""
    for pattern in (_TYPED, _PAIR, _PAIR_BACK):
        for match in pattern.finditer(text):
            kind = kind_of_field(match["field"])
            if kind is not None and _could_be(kind, match["value"]):
                yield Span(*match.span("value"), kind)
    named = _IN_NAMED_FIELD.finditer(text) if _SOME_FIELD.search(text) else ()
    for match in chain(_TYPED_BARE.finditer(text), named):
        kind = kind_of_field(match["field"])
        if (
            kind is not None
            and kind is not Kind.NAME
            and re.search(r"\d", match["value"])
            and _could_be(kind, match["value"])
        ):
            yield Span(*match.span("value"), kind)
    for match in _ANSWERED.finditer(text) if _SOME_ANSWER.search(text) else ():
        kind = kind_of_field(match["field"])
        if kind is not None:
            yield from _answer(match, kind)
    for match in _SHOUTED.finditer(text):
        group = "value" if match["value"] else "value2"
        value = match[group].rstrip(".,;")
        if re.search(r"\d|[^\w.-]", value):
            yield Span(match.start(group), match.start(group) + len(value), Kind.PASSWORD)


def _could_be(kind: Kind, value: str) -> bool:
    """Whether a value can be of the kind its field asks for; a mask or a word of the page is not."""
    if not re.search(r"\w", value) or re.fullmatch(r"[*•●.xX-]+", value):
        return False
    if kind in {Kind.PASSWORD, Kind.SECRET}:
        return len(value) >= 3
    if kind in {Kind.BIRTH_DATE, Kind.CARD, Kind.BANK_ACCOUNT, Kind.NATIONAL_ID, Kind.PHONE, Kind.ADDRESS}:
        return sum(map(str.isdigit, value)) >= (1 if kind is Kind.ADDRESS else 3)
    if kind is Kind.EMAIL:
        return "@" in value or " at " in value.casefold()
    return bool(re.fullmatch(r"[^\W\d_][^\d@#<>{}=]{1,60}", value))


def _answer(match: re.Match[str], kind: Kind) -> Iterator[Span]:
    """The answer to a question: the whole of it when it is one value, its first value otherwise."""
    value = match["value"].rstrip(" .\"'")
    start = match.start("value")
    lead = re.match(r"(?:it'?s|it is|that'?s|sure,?|yes,?|my \w+ is|is|es|c'est|ist)\s+", value, re.I)
    if lead:
        start, value = start + lead.end(), value[lead.end() :]
    if kind is Kind.PASSWORD or kind is Kind.SECRET:
        word = value.split(" ")[0].rstrip(",")
        if len(word) >= 4 and (" " not in value or re.search(r"\d|[^\w-]", word)):
            yield Span(start, start + len(word), kind)
    elif kind is Kind.NATIONAL_ID:
        number = re.match(r"[0-9A-Za-z](?:[0-9A-Za-z]|[ ./-](?=[0-9A-Z])){4,30}", value)
        if number and sum(map(str.isdigit, number.group())) >= 3:
            yield Span(start, start + number.end(), kind)
    elif (
        len(value) <= 60
        and _could_be(kind, value)
        and (kind is not Kind.NAME or (value[:1].isupper() and re.fullmatch(r"(?:[^\W\d_][\w.'-]*,? ?){1,5}", value)))
    ):
        yield Span(start, start + len(value), kind)
