"""What an answer without a reply means for a lane, the same for every provider.

The providers' error bodies differ in shape and agree in kind: some words of their own for the error, a sentence, and
perhaps how long to wait. The sentence is looked at and never repeated, since it may hold a part of a key.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from battles.agents.hosted.bodies import Unreadable, mapping, objects, read_json, text
from battles.agents.hosted.connection import Answer
from battles.agents.hosted.wire import Trouble, WireTrouble
from battles.lanes.events import Usage

#: Statuses that go away by themselves; everything from 500 on does too (529 is one provider's "overloaded").
PASSING_STATUSES = frozenset({408, 409, 425, 429})

#: Error kinds under a passing status that do not pass: the account has no credit.
NO_CREDIT = frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"})

#: Error kinds that say that a provider's rules stopped the request.
DECLINED = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "image_content_policy_violation",
        "misalignment_policy_violation",
        "bio_policy",
        "invalid_prompt",
        "moderation_blocked",
    }
)

#: Error kinds that say that the model's own call could not be parsed.
UNREADABLE = frozenset({"tool_use_failed"})

#: Error kinds and words of sentences that say that the conversation does not fit; some APIs have only the sentence.
TOO_LONG = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
_TOO_LONG_WORDS = re.compile(
    r"too long|context (?:length|window|size)|maximum context|exceeds the maximum number of tokens", re.IGNORECASE
)

#: Statuses that say why they do not serve us.
_REFUSALS = {
    401: "{provider} does not accept the key",
    402: "{provider} wants to be paid first",
    403: "{provider} does not accept the key",
    404: "{provider} does not know this model or address",
}

#: Error kinds that say that it is the key, whatever the status.
WRONG_KEY = frozenset({"API_KEY_INVALID", "invalid_api_key", "authentication_error"})

_BY_KIND = (
    (UNREADABLE, Trouble.UNREADABLE, "{provider} could not read the model's call"),
    (DECLINED, Trouble.DECLINED, "{provider} declined the request"),
    (NO_CREDIT, Trouble.REFUSED, "The account at {provider} has no credit left"),
    (WRONG_KEY, Trouble.REFUSED, _REFUSALS[401]),
)

#: An API's own word for an error, never a sentence that may hold a key.
_KIND = re.compile(r"[A-Za-z][A-Za-z_]{0,59}")

#: A longer wait than a day is nonsense: no lane and no quota is that long.
LONGEST_ASKED = 86_400.0

_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s")


def trouble_of(provider: str, answer: Answer, *, key: str) -> WireTrouble:
    """The trouble that an answer stands for which brought no reply.

    Args:
        provider: its name, for operators.
        answer: with an error's status, or a body that holds an error under the status of success.
        key: replaced wherever the body holds it.
    """
    error = _error_of(answer, key)
    status = answer.status if answer.status != 200 else _status_within(error)
    return error_trouble(provider, status, error, wait=_wait(answer.headers, error))


def error_trouble(
    provider: str, status: int, error: Mapping[str, Any], *, wait: float | None = None, usage: Usage | None = None
) -> WireTrouble:
    """The trouble that a status and an error object stand for.

    Args:
        provider: its name, for operators.
        status: the HTTP status, or the one that stands for what happened.
        error: the provider's object, whose own words for the error decide before the status does.
        wait: seconds it asked to wait.
        usage: what the call cost all the same.
    """
    kinds = tuple(_kinds(error))
    trouble, words = _meaning(status, frozenset(kinds), text(error.get("message")))
    label = " ".join(dict.fromkeys([str(status), *kinds]))
    return WireTrouble(trouble, f"{words.format(provider=provider)} ({label}).", wait=wait, usage=usage)


def _meaning(status: int, kinds: frozenset[str], sentence: str) -> tuple[Trouble, str]:
    if status == 413 or kinds & TOO_LONG or (status in {400, 422} and _TOO_LONG_WORDS.search(sentence)):
        return Trouble.TOO_LONG, "The conversation is too long for {provider}"
    for told, trouble, words in _BY_KIND:
        if kinds & told:
            return trouble, words
    if status in PASSING_STATUSES or status >= 500:
        return Trouble.PASSING, "{provider} could not answer"
    return Trouble.REFUSED, _REFUSALS.get(status, "{provider} does not take the request")


def unreadable_body(provider: str) -> WireTrouble:
    """The trouble of a body under the status of success in which there is no reply."""
    return WireTrouble(Trouble.PASSING, f"{provider} answered with something that is no reply.")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer asks to wait: ``retry-after-ms``, or ``Retry-After`` as seconds or as a date.

    Nonsense counts as nothing asked.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _sensible(milliseconds / 1_000)
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return _sensible(seconds)
    try:
        date = email.utils.parsedate_to_datetime(asked)
        # A date without a zone is meant in the zone of all HTTP dates.
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return _sensible(max(0.0, moment - time.time()))


def _number(asked: str | None) -> float | None:
    try:
        return float(asked) if asked is not None else None
    except ValueError:
        return None


def _sensible(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 <= seconds <= LONGEST_ASKED else None


def _error_of(answer: Answer, key: str) -> Mapping[str, Any]:
    """The object that tells the error, whichever of the usual shapes the body has."""
    try:
        body = read_json(answer.content, key=key)
    except Unreadable:
        return {}
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    inner = mapping(body).get("error")
    if isinstance(inner, str):
        return {"message": inner}
    return mapping(inner) or mapping(body)


def _status_within(error: Mapping[str, Any]) -> int:
    """The status that a body tells under the status of success; a failure of the server's where it tells none."""
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code <= 599 else 500


def _kinds(error: Mapping[str, Any]) -> Iterator[str]:
    told = [error.get("status"), error.get("type"), error.get("code")]
    told += [detail.get("reason") for detail in objects(error.get("details"))]
    for kind in told:
        if isinstance(kind, str) and _KIND.fullmatch(kind) and kind != "error":
            yield kind


def _wait(headers: Mapping[str, str], error: Mapping[str, Any]) -> float | None:
    """What the headers ask, else what one provider tells in the body: ``{"retryDelay": "34s"}``."""
    asked = retry_after(headers)
    if asked is not None:
        return asked
    for detail in objects(error.get("details")):
        told = _DURATION.fullmatch(text(detail.get("retryDelay")))
        if told:
            return _sensible(float(told[1]))
    return None
