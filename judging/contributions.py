"""The kinds of label this app stores: votes, step verdicts, annotations, clicks.

A change leaves one row here however often it is made, so changes are counted by their rows in the journal.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

from governance.contributions import ALL, Contribution, Part, register_contribution
from governance.models import JournalEntry, Judge
from judging.labels import ANNOTATION_ERASED, CLICK_ERASED
from judging.models import (
    Annotation,
    Assignment,
    Attention,
    Click,
    Completion,
    ImpossibleMark,
    RepeatCompletion,
    RepeatVote,
    Report,
    StepOpened,
    StepVerdict,
    Vote,
    VoteRevision,
)

#: Times, as queries that are not asked yet.
Times: TypeAlias = QuerySet[Any, datetime]


def _times(model: type[models.Model], column: str, judge: Judge, since: datetime) -> Times:
    rows = model._default_manager.filter(judge=judge, **{f"{column}__gte": since})
    return rows.order_by().values_list(column, flat=True)


def vote_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    """Votes and second votes."""
    return [_times(model, "cast_at", judge, since) for model in (Vote, RepeatVote)]


def instead_of_vote_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    """Revisions, and what may be said instead of a vote: each costs somebody's time."""
    return [
        _times(Report, "opened_at", judge, since),
        _times(ImpossibleMark, "at", judge, since),
        _times(Assignment, "ended_at", judge, since).filter(outcome=Assignment.Outcome.SKIPPED),
        _changes(Vote, "revised_at", "judging:vote:revise", judge, since),
        _changes(RepeatVote, "revised_at", "judging:repeat:revise", judge, since),
    ]


def _changes(model: type[models.Model], column: str, action: str, judge: Judge, since: datetime) -> Times:
    """Times of changes to one judge's rows; only rows whose last change is recent can have a recent one."""
    changed = model._default_manager.filter(judge=judge, **{f"{column}__gte": since})
    subjects = changed.annotate(subject=Cast("pk", models.TextField())).values("subject")
    entries = JournalEntry.objects.filter(subject__in=subjects, at__gte=since, action=action)
    return entries.order_by().values_list("at", flat=True)


def standing_votes(judge: Judge, part: Part) -> QuerySet[Vote]:
    return Vote.objects.filter(judge=judge, withdrawn_at__isnull=True, **part.columns("battle"))


def standing_repeats(judge: Judge, part: Part) -> QuerySet[RepeatVote]:
    return RepeatVote.objects.filter(judge=judge, withdrawn_at__isnull=True, **part.columns("battle"))


def held_votes(judge: Judge, part: Part) -> int:
    """Votes and second votes."""
    return standing_votes(judge, part).count() + standing_repeats(judge, part).count()


def withdraw_votes(judge: Judge, part: Part) -> int:
    """Take votes out of the corpus; notes, reasons and completion marks go, the bare choice stays counted.

    What was said instead of a vote or about it goes too: remarks in reports, and how long the judge looked.
    """
    now = timezone.now()
    votes, repeats = standing_votes(judge, part), standing_repeats(judge, part)
    Completion.objects.filter(vote__in=votes).delete()
    RepeatCompletion.objects.filter(vote__in=repeats).delete()
    before = VoteRevision.objects.filter(vote__in=votes, erased_at__isnull=True)
    before.update(completions=None, confidence=None, erased_at=now)
    Report.objects.filter(judge=judge, **part.columns("battle")).update(note="")
    Attention.objects.filter(judge=judge, **part.columns("battle")).delete()
    StepOpened.objects.filter(judge=judge, **part.columns("step__lane__attempt__battle")).delete()
    said: dict[str, Any] = {"withdrawn_at": now, "note": "", "reasons": [], "confidence": ""}
    # A client may put words into a key.
    return votes.update(**said, idempotency_key="") + repeats.update(**said)


def erase_words_of_votes(judge: Judge) -> None:
    """Notes, remarks and keys go; the votes rate on."""
    Vote.objects.filter(judge=judge).update(note="", idempotency_key="")
    RepeatVote.objects.filter(judge=judge).update(note="")
    Report.objects.filter(judge=judge).update(note="")


def step_verdict_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    return [_times(StepVerdict, "at", judge, since)]


def changed_step_verdict_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    return [_changes(StepVerdict, "changed_at", "judging:step_verdict:change", judge, since)]


def standing_step_verdicts(judge: Judge, part: Part) -> QuerySet[StepVerdict]:
    columns = part.columns("step__lane__attempt__battle")
    return StepVerdict.objects.filter(judge=judge, erased_at__isnull=True, **columns)


def held_step_verdicts(judge: Judge, part: Part) -> int:
    return standing_step_verdicts(judge, part).count()


def withdraw_step_verdicts(judge: Judge, part: Part) -> int:
    return standing_step_verdicts(judge, part).update(verdict="", erased_at=timezone.now())


def annotation_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    """Those deleted again included, so that drawing and deleting has the same limit as drawing."""
    return [_times(Annotation, "at", judge, since)]


def standing_annotations(judge: Judge, part: Part) -> QuerySet[Annotation]:
    columns = part.columns("frame__lane__attempt__battle")
    return Annotation.objects.filter(judge=judge, erased_at__isnull=True, **columns)


def held_annotations(judge: Judge, part: Part) -> int:
    return standing_annotations(judge, part).count()


def withdraw_annotations(judge: Judge, part: Part) -> int:
    return standing_annotations(judge, part).update(**ANNOTATION_ERASED, erased_at=timezone.now())


def erase_annotations_with_words(judge: Judge) -> None:
    """The row is append-only, so that a remark goes with its box or not at all."""
    said = standing_annotations(judge, ALL).exclude(note="")
    said.update(**ANNOTATION_ERASED, erased_at=timezone.now())


def click_instants(judge: Judge, since: datetime) -> Sequence[Times]:
    return [_times(Click, "at", judge, since)]


def standing_clicks(judge: Judge, part: Part) -> QuerySet[Click]:
    columns = part.columns("frame__lane__attempt__battle")
    return Click.objects.filter(judge=judge, erased_at__isnull=True, **columns)


def held_clicks(judge: Judge, part: Part) -> int:
    return standing_clicks(judge, part).count()


def withdraw_clicks(judge: Judge, part: Part) -> int:
    return standing_clicks(judge, part).update(**CLICK_ERASED, erased_at=timezone.now())


register_contribution(
    Contribution(
        kind="vote",
        instants=vote_instants,
        held=held_votes,
        withdraw=withdraw_votes,
        besides=instead_of_vote_instants,
        erase_words=erase_words_of_votes,
    )
)
register_contribution(
    Contribution(
        kind="step verdict",
        instants=step_verdict_instants,
        held=held_step_verdicts,
        withdraw=withdraw_step_verdicts,
        besides=changed_step_verdict_instants,
    )
)
register_contribution(
    Contribution(
        kind="annotation",
        instants=annotation_instants,
        held=held_annotations,
        withdraw=withdraw_annotations,
        erase_words=erase_annotations_with_words,
    )
)
register_contribution(Contribution(kind="click", instants=click_instants, held=held_clicks, withdraw=withdraw_clicks))
