"""What an operator's decision would do to the ranks, for the page that confirms it.

A large board is read and fitted by a worker. Its answer is a row of the journal about exactly these battles and labels,
holds, versions, or judges, with the instant as of which both corpora were read and their digests. It holds until
something is published or decided after that instant, and a day at the most; then it is asked for anew.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

from celery import current_app
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from kombu.exceptions import OperationalError

from battles.models import Agent, AgentMerge, Battle
from governance.errors import Conflict
from governance.journal import record
from governance.models import JournalEntry, Judge
from governance.withheld import withhold_detail
from judging.exclusions import Foreseen
from judging.models import Exclusion, HeldLabel, Report, TrustChange, Vote
from judging.trust import State
from ratings.exclusion_effect import (
    BoardEffect,
    Effects,
    effect_of_exclusions,
    effect_of_merge,
    effect_of_release,
    effect_of_trust,
)
from ratings.models import Publication, Refit

#: Keys of what a decision is about, by what they are of.
About: TypeAlias = Mapping[str, Sequence[str]]

logger = logging.getLogger(__name__)

#: With more votes than this a worker works it out: reading and fitting both boards twice takes a page a second.
VOTES_AT_MOST = 20_000
#: Older answers are asked for anew, whatever happened since.
LASTS = timedelta(days=1)
#: What was begun so long ago has lost its worker.
PATIENCE = timedelta(minutes=15)
#: How each step is journalled, under a digest of what the exclusion is about.
ASKED, BEGUN, FOUND, FAILED = (f"ratings:exclusion_effect:{word}" for word in ("ask", "begin", "find", "fail"))
TASK = "ratings.foresee_exclusion"

# It names agents of battles that an operator may still judge blind.
withhold_detail(FOUND)


class WorkersAway(Conflict):
    code = "workers_away"

    def __init__(self) -> None:
        super().__init__("No worker can be asked just now what it would do. Please try again in a minute.")


def foresee(battles: Collection[Battle], votes: Collection[Vote], actor: str) -> Foreseen:
    """What leaving these out would do, or how far the worker is who works it out; asks for it where nobody has.

    Raises:
        WorkersAway: on a large board, the workers cannot be reached.
    """
    return _foreseen({"battles": [str(row.pk) for row in battles], "votes": [str(row.pk) for row in votes]}, actor)


def foresee_release(held: Collection[HeldLabel], actor: str) -> Foreseen:
    """What releasing held labels would do; likewise.

    Raises:
        WorkersAway: on a large board, the workers cannot be reached.
    """
    return _foreseen({"released": [str(hold.pk) for hold in held]}, actor)


def foresee_merge(agent: Agent, into: Agent, actor: str) -> Foreseen:
    """What joining an agent into the row of another would do; likewise.

    Raises:
        WorkersAway: on a large board, the workers cannot be reached.
    """
    return _foreseen({"joined": [agent.pk], "into": [into.pk]}, actor)


def foresee_trust(judges: Collection[Judge], state: State, actor: str) -> Foreseen:
    """What giving these judges a state of trust would do; likewise.

    Raises:
        WorkersAway: on a large board, the workers cannot be reached.
    """
    return _foreseen({"judges": [judge.pk for judge in judges], "state": [state.value]}, actor)


def _foreseen(about: About, actor: str) -> Foreseen:
    key = _key(about)
    if Vote.objects.filter(locked_at__isnull=False)[: VOTES_AT_MOST + 1].count() <= VOTES_AT_MOST:
        effects = _effects(about)
        return Foreseen(boards=effects.boards, as_of=effects.as_of, seal=_seal(key, repr(effects.boards)))
    latest = JournalEntry.objects.filter(subject=key, action__in=[ASKED, BEGUN, FOUND, FAILED]).order_by("-at").first()
    if latest is not None and latest.action == FOUND and _holds(latest):
        boards = [BoardEffect.read(board) for board in latest.detail["boards"]]
        return Foreseen(boards=boards, as_of=_as_of(latest), seal=_seal(key, str(latest.pk)))
    if latest is None or latest.action == FOUND or latest.at < timezone.now() - PATIENCE:
        latest = _ask(key, about, actor)
    elif latest.action == FAILED:
        again = _ask(key, about, actor)
        return Foreseen(since=again.at, progress=f"It failed ({latest.reason}) and was asked for again.")
    return Foreseen(since=latest.at, progress=_progress(latest))


def _effects(about: About) -> Effects:
    if "joined" in about:
        joined, into = (Agent.objects.get(pk__in=about[end]) for end in ("joined", "into"))
        return effect_of_merge(joined, into)
    if "judges" in about:
        return effect_of_trust(Judge.objects.filter(pk__in=about["judges"]), State(about["state"][0]))
    if "released" in about:
        return effect_of_release(HeldLabel.objects.filter(pk__in=about["released"]))
    battles, votes = Battle.objects.filter(pk__in=about["battles"]), Vote.objects.filter(pk__in=about["votes"])
    return effect_of_exclusions(battles, votes)


def _key(about: About) -> str:
    named = sorted(f"{what} {pk}" for what, keys in about.items() for pk in keys)
    return hashlib.sha256("\n".join(named).encode()).hexdigest()


def _seal(key: str, what: str) -> str:
    return salted_hmac("ratings.foreseen_effects", f"{key} {what}", algorithm="sha256").hexdigest()


def _as_of(found: JournalEntry) -> datetime:
    return datetime.fromisoformat(found.detail["as_of"])


def _holds(found: JournalEntry) -> bool:
    as_of = _as_of(found)
    if as_of < timezone.now() - LASTS:
        return False
    changed = Exclusion.objects.order_by("-pk").values_list("at", flat=True)[:1]
    merged = AgentMerge.objects.order_by("-pk").values_list("at", flat=True)[:1]
    published = Publication.objects.order_by("-published_at").values_list("published_at", flat=True)[:1]
    # The rule changes trust and detectors put labels aside all the time; what is shown would never hold until it is
    # confirmed.
    trusted = TrustChange.objects.filter(calls__isnull=True).order_by("-pk").values_list("at", flat=True)[:1]
    put_aside = HeldLabel.objects.exclude(held_by__startswith="system:").order_by("-pk")
    held = put_aside.values_list("held_at", flat=True)[:1]
    if HeldLabel.objects.filter(decided_at__gt=as_of).exists():
        return False
    if Report.objects.filter(resolution=Report.Resolution.VOIDED, resolved_at__gt=as_of).exists():
        return False
    return all(at <= as_of for at in [*changed, *merged, *trusted, *held, *published])


@transaction.atomic
def _ask(key: str, about: About, actor: str) -> JournalEntry:
    detail: dict[str, Any] = {**about}
    entry = record(actor=actor, action=ASKED, subject=key, **detail)
    transaction.on_commit(partial(_ring, str(entry.pk)))
    return entry


def _ring(entry: str) -> None:
    try:
        current_app.send_task(TASK, args=[entry], ignore_result=True)
    except OperationalError as problem:
        raise WorkersAway from problem


def _progress(latest: JournalEntry) -> str:
    """How far it is, and what a refit took, which reads and fits each board once where this does it twice."""
    words = "A worker reads and fits the boards." if latest.action == BEGUN else "It waits for a worker."
    last = Refit.objects.filter(ended_at__isnull=False).order_by("-pk").first()
    if last is None or last.ended_at is None:
        return words
    return f"{words} The last refit took {(last.ended_at - last.started_at).total_seconds():.0f} s; this takes longer."


def work_out(asked: JournalEntry) -> JournalEntry | None:
    """Answer one question, and keep the answer in the journal. None where it was answered before."""
    later = JournalEntry.objects.filter(subject=asked.subject, at__gte=asked.at)
    if later.filter(action=FOUND).exists():
        return None
    actor = "system:effect"
    record(actor=actor, action=BEGUN, subject=asked.subject)
    try:
        effects = _effects(asked.detail)
    # Whatever went wrong is told to whoever asked.
    except Exception as problem:
        logger.exception("the effect of an exclusion was not worked out")
        return record(actor=actor, action=FAILED, subject=asked.subject, reason=type(problem).__name__)
    return record(actor=actor, action=FOUND, subject=asked.subject, **_document(effects))


def _document(effects: Effects) -> dict[str, Any]:
    return {
        "as_of": effects.as_of.isoformat(),
        "corpora": effects.corpora,
        "boards": [asdict(board) for board in effects.boards],
    }
