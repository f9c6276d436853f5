"""E-mail addresses, also those written so that machines should not find them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from governance.redaction.anchors import anchored
from governance.redaction.spans import Kind, Span

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_TOP = r"(?:[^\W\d_]{2,24}|xn--[a-z0-9-]{2,40})"

# What ends like a domain and is a file.
_FILE_ENDINGS = frozenset(
    "png jpg jpeg gif svg webp ico css js mjs ts tsx jsx json xml html htm md txt py rb go rs tgz gz zip whl jar "
    "pdf csv yml "
    "yaml lock map woff local internal localhost".split()
)

_PLAIN = re.compile(
    rf"(?<![\w@])[\w+](?:[\w.!#$%'*+/?^`{{|}}~=-]{{0,63}}[\w+~-])?@(?:{_LABEL}\.){{1,8}}{_TOP}(?![\w@])"
)
_QUOTED = re.compile(rf'"[^"\n@]{{1,62}}"@(?:{_LABEL}\.){{1,8}}{_TOP}(?![\w@])')

# Words for the sign in several languages, in brackets or bare, and for the dot.
_AT_WORDS = (
    r"a|@|at|ät|aet|arroba|arobase|chez|chiocciola|snabel-?a|kr[oø]ll?-?alfa|apenstaart(?:je)?|ma[lł]pa|"
    r"zavin[aá][cč]|kukac|собака|аt"
)
_DOT_WORDS = r"\.|dot|d0t|punkt|point|punto|ponto|punt|kropka|prik|te[cč]ka|pont|nokta|piste|точка"
_BRACKETED_AT = rf"\s{{0,3}}[\[({{<]\s{{0,2}}(?:{_AT_WORDS})\s{{0,2}}[\])}}>]\s{{0,3}}"
_BRACKETED_DOT = rf"\s{{0,3}}[\[({{<]\s{{0,2}}(?:{_DOT_WORDS})\s{{0,2}}[\])}}>]\s{{0,3}}"
_BARE_DOT = r"\s{1,3}(?:dot|punkt|point|punto|ponto|punt|kropka|prik|te[cč]ka|nokta|piste)\s{1,3}"
_ANY_DOT = rf"(?:{_BRACKETED_DOT}|{_BARE_DOT}|\s{{0,2}}\.\s{{0,2}})"
_FIRM_DOT = rf"(?:{_BRACKETED_DOT}|{_BARE_DOT})"
_SPELLED_AT_WORDS = r"at|ät|arroba|arobase|chiocciola|apenstaartje|ma[lł]pa|snabel-?a|kr[oø]llalfa|zavin[aá][cč]|kukac"
_SPELLED_LOCAL = (
    r"(?<![\w@.])[\w+](?:[\w.+'-]{0,63}[\w+-])?"
    r"(?:\s{0,2}[\[(](?:dot|punkt|underscore|unterstrich|minus|dash|plus|\.|_|-)[\])]\s{0,2}[\w+-]{1,40}|\s(?:dot|"
    r"underscore)\s[\w+-]{1,40}){0,3}"
)

_BRACKETED = re.compile(
    rf"{_SPELLED_LOCAL}{_BRACKETED_AT}{_LABEL}(?:{_ANY_DOT}{_LABEL}){{0,4}}{_ANY_DOT}{_TOP}(?!\w)", re.I
)
_SPACED = re.compile(
    rf"{_SPELLED_LOCAL}(?:\s{{1,3}}@\s{{0,3}}|@\s{{0,3}}){_LABEL}(?:\s{{0,2}}(?:\.|"
    rf"{_FIRM_DOT})\s{{0,2}}{_LABEL}){{0,4}}"
    rf"\s{{0,2}}(?:\.|{_FIRM_DOT})\s{{0,2}}{_TOP}(?!\w)",
    re.I,
)
_WORDED = re.compile(
    rf"{_SPELLED_LOCAL}\s{{1,3}}(?:{_SPELLED_AT_WORDS})\s{{1,3}}"
    rf"{_LABEL}(?:{_ANY_DOT}{_LABEL}){{0,4}}(?P<dot>{_ANY_DOT}){_TOP}(?!\w)",
    re.I,
)
_PROVIDERS = "(?:g(?:oogle)?mail|outlook|hotmail|yahoo|icloud|proton(?:mail)?|gmx)"
_PROVIDER = re.compile(
    rf"(?<![\w@.])[\w+][\w.+-]{{1,63}}\s{{0,3}}(?:@|[\[(]at[\])]|\sat)\s{{0,3}}{_PROVIDERS}(?![\w.]\w)", re.I
)
# What the three need at the least. It is looked for first, since each of them can begin at any letter.
_SOME_BRACKETED = re.compile(rf"[\[({{<]\s{{0,2}}(?:{_AT_WORDS})\s{{0,2}}[\])}}>]", re.I)
_SOME_WORDED = anchored(rf"\s(?:{_SPELLED_AT_WORDS})\s{{1,3}}{_LABEL}{_ANY_DOT}", re.I)
_SOME_PROVIDER = anchored(_PROVIDERS, re.I)

# Before the sign in ``redis://user:word@host`` stands a password, which is another detector's.
_AUTHORITY = re.compile(r"://[^\s/@]{0,60}:$")
_MAIL_CUE = re.compile(
    r"e-?mail|mail|write|contact|reach|correo|courriel|schreib|kontakt|escr[ií]b|scriv|epost|e-?posta|poczta|skriv|"
    r"enquir|address"
    r"|メール|邮|ईमेल|بريد",
    re.I,
)
# "look at example.com" names a place, not an address.
_NOT_A_PERSON = frozenset(
    "look looking looks be is are was were am been stay meet meeting available buy found find see hosted live page "
    "site shop sold "
    "book read sign log login order work works working arrive visit start started documentation docs download check "
    "run running "
    "me us it him her them out up listed out and or more now here there online price prices tickets info details "
    "back".split()
)


def find_email_addresses(text: str) -> Iterator[Span]:
    """E-mail addresses in a folded text: plain, with spaces, with the sign or the dots spelled out."""
    if "@" in text:
        for match in _PLAIN.finditer(text):
            in_authority = _AUTHORITY.search(text, max(0, match.start() - 80), match.start())
            if not in_authority and not _is_package_or_file(match.group(), text, match.start(), match.end()):
                yield _span(match)
        yield from map(_span, _QUOTED.finditer(text))
        for match in _SPACED.finditer(text):
            if " " in match.group() and not _is_package_or_file(match.group(), text, match.start(), match.end()):
                yield _span(match)
    if _SOME_BRACKETED.search(text):
        yield from map(_span, _BRACKETED.finditer(text))
    for match in _WORDED.finditer(text) if _SOME_WORDED.search(text) else ():
        local = match.group().split()[0]
        bare_words = match["dot"].strip() == "."
        telling = re.search(r"[\d._+]", local) or _MAIL_CUE.search(text[max(0, match.start() - 40) : match.start()])
        if local.casefold() not in _NOT_A_PERSON and (telling or not bare_words):
            yield _span(match)
    for match in _PROVIDER.finditer(text) if _SOME_PROVIDER.search(text) else ():
        local = re.split(r"[\s@\[(]", match.group())[0]
        cue = _MAIL_CUE.search(text[max(0, match.start() - 40) : match.start()])
        if local.casefold() not in _NOT_A_PERSON and (re.search(r"[\d._+@]", match.group()) or cue):
            yield _span(match)


def _span(match: re.Match[str]) -> Span:
    return Span(match.start(), match.end(), Kind.EMAIL)


def _is_package_or_file(address: str, text: str, start: int, end: int) -> bool:
    """``git@host:path``, ``name@1.2.tgz`` and ``picture@2x.png`` are no mail addresses."""
    local, _, domain = address.partition("@")
    if domain.rpartition(".")[2].strip().casefold() in _FILE_ENDINGS:
        return True
    if local.strip().casefold() in {"git", "hg", "svn"} and text[end : end + 1] in {":", "/"}:
        return True
    return domain.strip()[:1].isdigit() and "." in domain and text[max(0, start - 1) : start] in {"@", "/"}
