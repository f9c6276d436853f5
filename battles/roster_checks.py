"""Is a rostered agent ready to race? Answered without a call; with one, which is paid, only when asked to."""

import struct
import time
import zlib
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from battles.agents.base import AgentFailure, ProviderFailure
from battles.agents.hosted.settings import KeyMissing, SettingsRefused
from battles.agents.registry import UnknownAdapter, check_settings, key_of, make_agent
from battles.blindness.lexicon import roster_spelling
from battles.lanes.events import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Observation, Usage
from battles.models import Agent, LexiconName
from battles.prices import price_at
from battles.roster import settings_of

#: Longest wait for the one call of a check, in seconds.
CALL_SECONDS = 60.0

INSTRUCTION = "This is a check of the connection. Call give_up with the reason: checked."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``ok`` is ``None`` for what is worth knowing and no fault."""

    what: str
    ok: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Call:
    """What came of the paid call."""

    ok: bool
    words: str
    seconds: float
    usage: Usage | None


def check_agent(agent: Agent, *, now: datetime | None = None) -> list[Finding]:
    """Look at everything that can be known without asking the provider."""
    findings = [_settings(agent)]
    if findings[0].ok:
        findings.append(_key(agent))
    findings.append(_lexicon(agent))
    if agent.kind == Agent.Kind.MODEL:
        priced = price_at(agent.model_version, now or timezone.now()) is not None
        words = "There is a list price." if priced else "There is no list price, so its costs stay unknown."
        findings.append(Finding("price", True if priced else None, words))
    if agent.affiliated_from is not None:
        since = f"{agent.affiliated_from:%Y-%m-%d %H:%M} UTC"
        findings.append(Finding("draw", None, f"The operator has a stake in it: it is not drawn from {since} on."))
    elif agent.retired_at is not None:
        words = "leaves the draw" if agent.races(now) else "left the draw"
        findings.append(Finding("draw", None, f"It {words} on {agent.retired_at:%Y-%m-%d %H:%M} UTC, for good."))
    return findings


def _settings(agent: Agent) -> Finding:
    try:
        check_settings(agent.adapter, settings_of(agent))
    except (UnknownAdapter, SettingsRefused) as problem:
        return Finding("settings", False, str(problem))
    return Finding("settings", True, "Its adapter can use them.")


def _key(agent: Agent) -> Finding:
    try:
        variable = key_of(agent.adapter, settings_of(agent))
    except KeyMissing as problem:
        return Finding("key", False, str(problem))
    return Finding("key", True, f"Read from {variable}." if variable else "None is needed.")


def _lexicon(agent: Agent) -> Finding:
    spellings = {name: roster_spelling(name) for name in (agent.name, agent.key, agent.model_version, agent.provider)}
    everyday = [name for name, spelling in spellings.items() if not spelling]
    wanted = {spelling for spelling in spellings.values() if spelling}
    if LexiconName.objects.filter(name__in=wanted).count() < len(wanted):
        return Finding("blindness", False, "Not all of its names are in the lexicon of what is scrubbed.")
    if everyday:
        words = ", ".join(f'"{name}"' for name in everyday)
        return Finding("blindness", None, f"An everyday word cannot be scrubbed: {words}. Its other names are.")
    return Finding("blindness", True, "Its names are scrubbed from what judges see.")


def call_once(agent: Agent, *, seconds: float = CALL_SECONDS) -> Call:
    """Ask the agent for one decision about an empty page. A hosted model's provider is paid for it."""
    began = time.monotonic()
    try:
        made = make_agent(agent.adapter, settings_of(agent))
    except (UnknownAdapter, SettingsRefused, KeyMissing) as problem:
        return Call(False, str(problem), 0.0, None)
    try:
        decision = made.next_action(INSTRUCTION, _empty_page(seconds), ())
    except ProviderFailure as failure:
        return Call(False, str(failure), time.monotonic() - began, None)
    except AgentFailure:
        return Call(False, "Nothing usable came back.", time.monotonic() - began, None)
    finally:
        made.close()
    verbs = ", ".join(action.verb[:40] for action in decision.actions)
    words = f"It chose {verbs}." if verbs else f"It answered without a verb: {decision.complaint}"
    return Call(True, words, time.monotonic() - began, decision.usage)


def _empty_page(seconds: float) -> Observation:
    return Observation(
        screenshot=_white_png(),
        screenshot_mime="image/png",
        url="about:blank",
        title="",
        tabs=(),
        elements=(),
        last_result=None,
        steps_left=1,
        seconds_left=seconds,
    )


def _white_png() -> bytes:
    """A white picture of the size of the view, 8 bits of grey."""
    rows = (b"\x00" + b"\xff" * VIEWPORT_WIDTH) * VIEWPORT_HEIGHT
    header = struct.pack(">IIBBBBB", VIEWPORT_WIDTH, VIEWPORT_HEIGHT, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
