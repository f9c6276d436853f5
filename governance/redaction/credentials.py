"""Secrets and passwords: tokens in their issuers' forms, and values that something near calls so."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from governance.redaction.anchors import anchored
from governance.redaction.nearby import any_of
from governance.redaction.spans import Kind, Span

HIGH_ENTROPY_BITS = 3.5
"""Bits per character from which 32 mixed characters are taken for a key with no word near."""

# Forms published by those who issue the tokens, so that others can find them in public places.
_ISSUED = anchored(
    r"(?<![0-9A-Za-z_-])(?:"
    r"sk-(?:ant-|proj-|svcacct-|or-|admin-)?[\w-]{16,}|(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,}|"
    r"gh[opusr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w.-]{16,}|"
    r"xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|"
    r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[0-9A-Z]{12,20}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|1//0[\w-]{30,}|"
    r"GOCSPX-[\w-]{20,}|"
    r"do[opr]_v1_[0-9a-f]{32,}|npm_[0-9A-Za-z]{30,}|pypi-[\w-]{30,}|hf_[0-9A-Za-z]{24,}|SG\.[\w-]{16,}\.[\w-]{16,}|"
    r"key-[0-9a-f]{32}|"
    r"sq0(?:atp|csp)-[\w-]{20,}|EAA[0-9A-Za-z]{40,}|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{20,}|lin_(?:api|oauth)_\w{20,}|"
    r"ntn_\w{30,}|secret_\w{30,}|"
    r"figd_[\w-]{20,}|dckr_pat_[\w-]{20,}|NRAK-[0-9A-Z]{20,}|tskey-[\w-]{16,}|ATATT3[\w=-]{40,}|r8_\w{30,}|"
    r"gsk_\w{30,}|xai-\w{30,}|pplx-\w{30,}|"
    r"sbp_\w{30,}|PMAK-[\w-]{30,}|rubygems_\w{30,}|dapi[0-9a-f]{32}|hv[sbr]\.[\w-]{16,}|rzp_(?:live|test)_\w{10,}|"
    r"FLWSECK\S{20,}|"
    r"AGE-SECRET-KEY-1[0-9A-Z]{40,}|pscale_(?:tkn|pw|oauth)_[\w.-]{20,}|CCIPAT_\w{20,}|glsa_\w{20,}|"
    r"sntry[us]_\w{20,}|nvapi-[\w-]{20,}|"
    r"vercel_\w{20,}|fly_?[\w]*FlyV1\S{20,}|AC[0-9a-f]{32}|SK[0-9a-f]{32}|\d{8,10}:[\w-]{35}|"
    r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}"
    r")(?![0-9A-Za-z_])"
)
_JWT = re.compile(r"(?<![\w.])eyJ[\w-]{8,}(?:\.[\w-]{2,}){1,4}\.?")
_PEM = re.compile(
    r"-----BEGIN ((?:[A-Z0-9]+ ){0,3}(?:PRIVATE KEY|PRIVATE KEY BLOCK))-----(?:(?!-----BEGIN ).){1,8000}?-----END "
    r"\1-----",
    re.S,
)
_PEM_OPEN = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n){0,4}(?:[A-Za-z0-9+/=]{12,80}(?:\s|"
    r"\\n){0,4}){1,120}"
)
_WEBHOOK = re.compile(
    r"hooks\.slack\.com/services/(\S{20,80})|discord(?:app)?\.com/api/webhooks/(\S{20,120})|otpauth://\S{8,300}"
)
_USER_INFO = re.compile(r"(?<![\w.+-])[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/@:?#'\"<>]{0,200}):([^\s/@'\"<>]{1,300})@")
_USER_TOKEN = re.compile(r"(?<![\w.+-])https?://([^\s/@:?#'\"<>]{16,300})@")
_HEADER = anchored(
    r"(?<![\w-])(?:proxy-)?(?:authorization|cookie2?|set-cookie2?)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|"
    r"token|digest|negotiate|apikey|bot) )?([^\n\r\"']{6,4096})",
    re.I,
)
_BEARER = anchored(r"(?<![A-Za-z])(?:bearer|basic)[ :=]{1,3}([\w.~+/=-]{12,2048})", re.I)

_KEY_WORDS = (
    r"api[ _-]?keys?|api[ _-]?secret|app(?:lication)?[ _-]?(?:key|secret)|access[ _-]?(?:key|token)(?:[ _-]?id)?|"
    r"secret(?:[ _-]?(?:access)?[ _-]?key)?|"
    r"client[ _-]?secret|consumer[ _-]?(?:key|secret)|private[ _-]?key|auth(?:entication|orization)?[ _-]?(?:key|"
    r"token|code)|(?:refresh|id|session|bearer|csrf|xsrf|reset|"
    r"deploy|bot|personal access|security|auth|oauth2?|registration|device|push|invite|magic|login)[ _-]?(?:token|"
    r"link)|token|session[ _-]?(?:id|key)?|sess|sid|phpsessid|jsessionid|"
    r"signature|sig|hmac|signing[ _-]?(?:key|secret)|encryption[ _-]?key|master[ _-]?key|licen[cs]e[ _-]?key|"
    r"account[ _-]?key|sharedaccesskey|sas|credentials?|webhook[ _-]?secret|seed phrase|"
    r"recovery[ _-]?(?:code|key)s?|backup[ _-]?codes?|"
    r"api[ -]?schlüssel|schlüssel|zugangs(?:schlüssel|token)|geheimnis|geheimer schlüssel|cl[eé](?: d'| )?(?:api|"
    r"secr[eè]te|d'acc[eè]s)|jeton(?: d'acc[eè]s)?|"
    r"clave (?:de )?(?:api|secreta|de acceso)|llave (?:de )?api|ficha|chiave (?:api|segreta|di accesso)|chave (?:de "
    r")?(?:api|secreta|de acesso)|klucz (?:api|dost[eę]pu|tajny)|"
    r"sleutel|api[ -]?sleutel|api[ -]?nyckeln?|api[ -]?n[øo]kkel(?:en)?|nyckel|api[ -]?anahtar[ıi]|anahtar|api[ "
    r"-]?avain|"
    r"api[ -]?kl[ií]č|api[ -]?kulcs|cheie api|ключ(?: api)?|токен"
)
_UNSPACED_KEY_WORDS = (
    "密钥|金鑰|令牌|访问令牌|トークン|APIキー|秘密鍵|アクセスキー|토큰|비밀키|टोकन|कुंजी|مفتاح|رمز الوصول"
)
_KEYED = anchored(
    rf"(?:(?<![A-Za-z]){any_of(_KEY_WORDS)}|(?<=[a-z])(?-i:Token|Secret|ApiKey|SecretKey|AccessKey)|"
    rf"(?<=[A-Z0-9])(?-i:TOKEN|SECRET|APIKEY)|_KEY|{_UNSPACED_KEY_WORDS})(?:[_-][A-Za-z0-9]{{1,20}}){{0,2}}"
    rf"(?:[\"'\s:=>|-]{{0,5}}(?:value|text|is|was|to|of|with|set|lautet|ist|est|es|è|é|är|er|"
    rf"on)(?![^\W_])){{0,3}}[\s\"':=>|-]{{1,5}}(?P<value>[\w.~+/=-]{{8,2048}})",
    re.I,
)
_KEY_SHOWN = anchored(
    r"(?<![^\W_])(?:keys?|token|secret|credentials?|clave|jeton|schlüssel|chave|chiave|klucz|sleutel|"
    r"nyckeln?)(?![^\W_])"
    r"(?:[^\n:=]{0,40}[:=]\s{0,3}|\s)[\"'`]?(?P<value>[\w.~+/=-]{16,2048})",
    re.I,
)
_PARAMETER = re.compile(
    r"[?&#](?:ticket|sig|signature|code|key|auth|session|sid|sess|state|nonce|assertion|hmac|hash|invite|magic|t|k|s)="
    r"(?P<value>[\w.~+/%-]{12,2048})",
    re.I,
)
_CODE = anchored(
    r"(?<![A-Za-z])(?:one[- ]time|verification|security|confirmation|log ?in|sign[- ]?in|2fa|otp|sms|authentication|"
    r"auth|access|bestätigungs|sicherheits|verifizierungs|de vérification|"
    r"de verificación|di verifica|de verificação|weryfikacyjny|doğrulama)[ -]?(?:pass)?(?:code|kode|kod|pin|"
    r"password|codes|kodu|otp)?[ ,]{0,2}(?:is|was|:|=|lautet|est|es|è|é)?[ :=\"']{1,3}(\d{4,8}|\d{3}[ "
    r"-]\d{3})(?![\w%]|[.,]\d)",
    re.I,
)
_LONG_RUN = re.compile(r"(?<![\w./+=-])[\w+/-]{32,512}={0,2}(?![\w/+-])")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HARMLESS_VALUES = frozenset(
    "required expired invalid missing undefined null none true false string optional example placeholder "
    "authentication password passwords management settings".split()
)

_LABELS = (
    r"(?:wi-?fi|wlan|network|netzwerk)[ -]?(?:key|schlüssel|code|clé|clave)|pass ?words?|passwd|passwrd|pwd|pword|"
    r"passcode|pass ?phrase|pass|pw|psw|pin(?:[ -]?(?:code|number|nummer))?|"
    r"passw[oö]rter|passwort|kennwort|zugangscode|pass ?wort|mots? de passe|mdp|contrase[nñ]a|clave|senha|"
    r"palavra-passe|parola d'ordine|parola\w{0,5}|password di accesso|wachtwoord|"
    r"l[oö]senord(?:et)?|passord(?:et)?|adgangskoden?|kodeord(?:et)?|salasanan?i?|tunnussana|has[lł]o|heslo|"
    r"jelsz[oó]|parol[aăe]|lozinka|[sş]ifre\w{0,6}|parolanız|пароль|парол[аь]|κωδικ[oό]ς|m[aậ]t kh[aẩ]u|kata sandi|"
    r"slaptažodis|parool"
)
_UNSPACED_LABELS = "密码|密碼|口令|パスワード|暗証番号|비밀번호|पासवर्ड|كلمة المرور|كلمة السر|הסיסמה|סיסמה|รหัสผ่าน"
_LABEL = (
    rf"(?:(?<![^\W_]){any_of(_LABELS)}(?:_?\d)?(?![^\W_])|(?<=[a-z])(?-i:Password|Pwd|Passwd)(?![^\W_])|"
    rf"(?<=[A-Z])(?-i:PASSWORD|PASS)(?![^\W_])|{_UNSPACED_LABELS})"
)
_LABEL_ENDS = r"[\"'`)\]*]{0,3}"
_QUOTED = r"\"(?P<dq>[^\"\n]{1,128})\"|'(?P<sq>[^'\n]{1,128})'|`(?P<bq>[^`\n]{1,128})`"
_VALUE = rf"(?:{_QUOTED}|(?P<bare>[^\s\"'<>]{{3,128}}))"
_AFTER_SIGN = anchored(
    rf"{_LABEL}{_LABEL_ENDS}(?: \([^)\n]{{1,30}}\)| [^\W\d_]{{1,14}})?\s{{0,3}}(?:[:=]|=>|->|<-|←|"
    rf"→){{1,2}}\s{{0,3}}{_VALUE}",
    re.I,
)
_AFTER_VERB = anchored(
    rf"{_LABEL}{_LABEL_ENDS}(?: (?:field|box|input|for [\w.@-]{{1,40}}))?\s{{1,3}}(?:is|was|to|with|of|ist|"
    rf"lautet|war|est|es|è|é|är|er|on|jest|to|być|becomes|as|value|set to|now){_LABEL_ENDS}\s{{1,3}}"
    rf"(?:now |set to |the following: )?{_VALUE}",
    re.I,
)
_AFTER_SPACE = anchored(rf"{_LABEL}{_LABEL_ENDS}[ ,]{{1,2}}(?:value=)?{_VALUE}", re.I)
_IN_FIELD = anchored(
    rf"{_LABEL}[\"'`)\]>\s]{{0,6}}(?:[,:=]|\s(?:with|to|as|value|text|field|input|box|←|<-|"
    rf"->)){{1,3}}[^\"'\n]{{0,25}}(?:{_QUOTED})",
    re.I,
)
_FILLED = re.compile(
    rf"(?:{_QUOTED})[)\s,;]{{0,3}}"
    rf"(?:(?:was |typed |entered |filled )?(?:into|in|to|for|as|->|→|=>|im|ins|in das|dans|en|nel|no|w|i|"
    rf"als)(?![^\W_])[^\n]{{0,25}}?|(?:selector|field|label|target|name|id|"
    rf"type)[\"']?\s?[=:][^\n]{{0,20}}?){_LABEL}",
    re.I,
)
_AS_PASSWORD = re.compile(
    rf"(?<!\S)(?P<bare>[^\s\"'<>]{{4,64}}) (?:as|for|als|comme|como|come|som|jako) (?:the |my |your |a |das |le |la "
    rf"|il |a )?{_LABEL}",
    re.I,
)
_FLAG = re.compile(
    r"(?<!\S)(?:--?(?:password|passwd|pass|pw)[ =]|curl[^\n]{0,60} -u [^\s:]{1,64}:|login[^\n]{0,40} -p |(?:mysql|"
    r"mysqldump|mariadb)[^\n]{0,60} -p)([^\s]{3,128})",
    re.I,
)
_UNSPACED_SAID = re.compile(
    rf"(?P<label>{_UNSPACED_LABELS}|"
    rf"{_UNSPACED_KEY_WORDS})[^\x21-\x7e\n]{{0,24}}[:=]?\s?[\"']?(?P<bare>[\x21\x23-\x26\x28-\x7e]{{4,256}})"
)
_TYPED_NEXT = anchored(
    rf"{_LABEL}{_LABEL_ENDS}[;,.:]? (?:so |then |and )?(?:I |we |now )?(?:am |will |just )?(?:typ(?:e|ed|"
    rf"ing)|enter(?:ed|ing)?|us(?:e|ed|ing)|put|try|trying|tried) {_VALUE}",
    re.I,
)
_MASKED = re.compile(r"[*•●·xX.▪_-]+|\W{1,2}")
_NO_PASSWORD = frozenset(
    "required is was the a an and or but for to of in on at with must should can cannot may not no has have had are "
    "be been will field fields reset change changed "
    "changes forgotten forgot incorrect wrong invalid missing empty blank expired weak strong correct too short "
    "long again here below above manager hint policy "
    "protected please enter your you my this that confirm confirmation new old current optional true false null "
    "none yes hidden visible show hide being set string "
    "text submit case-sensitive stored safe secure secret different least minimum between length input box login "
    "username user email e-mail settings "
    "erforderlich falsch vergessen zurücksetzen ändern ist das ein oublié requis incorrecta obligatoria olvidada "
    "obbligatoria errata esquecida obrigatória vergeten vereist".split()
)


def find_issued(text: str) -> Iterator[Span]:
    """Keys in a form of their own, which nothing near has to call so."""
    for pattern in (_ISSUED, _JWT, _PEM, _PEM_OPEN):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), Kind.SECRET)


def find_credentials(text: str) -> Iterator[Span]:
    """Secrets and passwords in a folded text."""
    yield from find_issued(text)
    for match in _WEBHOOK.finditer(text):
        yield Span(match.start(), match.end(), Kind.SECRET)
    if "://" in text:
        yield from _user_info(text)
    for pattern in (_HEADER, _BEARER):
        for match in pattern.finditer(text):
            if match[1].strip():
                yield Span(*match.span(1), Kind.SECRET)
    for match in chain(_KEYED.finditer(text), _KEY_SHOWN.finditer(text), _PARAMETER.finditer(text)):
        if _looks_random(match["value"]):
            yield Span(*match.span("value"), Kind.SECRET)
    for match in _CODE.finditer(text):
        yield Span(*match.span(1), Kind.SECRET)
    for match in _LONG_RUN.finditer(text):
        if _is_high_entropy(match.group()):
            yield Span(match.start(), match.end(), Kind.SECRET)
    yield from _passwords(text)


def _user_info(text: str) -> Iterator[Span]:
    for match in _USER_INFO.finditer(text):
        yield Span(*match.span(2), Kind.SECRET)
    for match in _USER_TOKEN.finditer(text):
        yield Span(*match.span(1), Kind.SECRET)


def is_ordinary_word(value: str) -> bool:
    """Whether a word is one that pages and addresses have where a secret could stand: ``required``, ``forgot``."""
    return value.casefold().strip(".,!?:;") in _HARMLESS_VALUES | _NO_PASSWORD


def _looks_random(value: str) -> bool:
    """Whether a value behind a word for a key is one: letters and digits mixed, or long and no word."""
    if value.casefold() in _HARMLESS_VALUES:
        return False
    has_digit, has_letter = re.search(r"\d", value), re.search(r"[A-Za-z]", value)
    mixed_case = re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", value)
    if has_digit and has_letter:
        return not re.fullmatch(r"[a-z]+[-_]?\d{1,3}", value)
    return len(value) >= 16 and bool(mixed_case or has_digit)


def _is_high_entropy(value: str) -> bool:
    """Whether a long run is a key though no word says so: both cases and digits, evenly spread, and no path."""
    if (
        not (re.search(r"[a-z]", value) and re.search(r"[A-Z]", value) and re.search(r"\d", value))
        or value.count("/") > 3
    ):
        return False
    if _UUID.fullmatch(value) or max(map(len, re.split(r"[-_/]", value))) < 16:
        return False
    counts = Counter(value).values()
    bits = -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
    return bits >= HIGH_ENTROPY_BITS


def _passwords(text: str) -> Iterator[Span]:
    for pattern in (_AFTER_SIGN, _IN_FIELD, _FILLED):
        for match in pattern.finditer(text):
            yield from _password(match, firm=True)
    for pattern in (_AFTER_VERB, _AFTER_SPACE, _AS_PASSWORD, _TYPED_NEXT):
        for match in pattern.finditer(text):
            yield from _password(match, firm=False)
    for match in _UNSPACED_SAID.finditer(text):
        if re.search(r"\d|[^\w.]", match["bare"]) and re.search(r"\w", match["bare"]):
            yield Span(*match.span("bare"), Kind.PASSWORD)
    for match in _FLAG.finditer(text):
        yield Span(*match.span(1), Kind.PASSWORD)


def _password(match: re.Match[str], *, firm: bool) -> Iterator[Span]:
    """The value of a match, unless it is a mask or an ordinary word; ``firm`` when a sign or a form says it is one."""
    group = next((name for name in ("dq", "sq", "bq", "bare") if match.groupdict().get(name)), None)
    if group is None:
        return
    start, end = match.span(group)
    value = match[group]
    if group == "bare":
        trimmed = re.split(r"&(?=[\w.-]{1,40}=)", value)[0].rstrip(".,;:")
        end -= len(value) - len(trimmed)
        value = trimmed
        if not firm and not re.search(r"\d|[^\w\s-]|[a-z][A-Z]", value):
            return
    if value.startswith(("(", "[", "<")) and not re.search(r"\d", value):
        return
    if len(value) < 3 or _MASKED.fullmatch(value) or value.casefold().strip(".,!?:;") in _NO_PASSWORD:
        return
    yield Span(start, end, Kind.PASSWORD)
