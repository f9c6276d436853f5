"""The kinds of label this app stores: votes, step verdicts, annotations, clicks."""

from datetime import datetime
from typing import Any

from django.db import models
from django.utils import timezone

from governance.contributions import Contribution, register_contribution
from governance.models import Judge
from judging.labels import ANNOTATION_ERASED, CLICK_ERASED
from judging.models import (
    Annotation,
    Click,
    Completion,
    ImpossibleMark,
    RepeatCompletion,
    RepeatVote,
    Report,
    StepVerdict,
    Vote,
)


def _instants(model: type[models.Model], column: str, judge: Judge, since: datetime) -> list[datetime]:
    rows = model._default_manager.filter(judge=judge, **{f"{column}__gte": since})
    return list(rows.values_list(column, flat=True))


def vote_instants(judge: Judge, since: datetime) -> list[datetime]:
    """Votes, second votes, and what may be said instead of a vote: each costs somebody's time."""
    kinds = ((Vote, "cast_at"), (RepeatVote, "cast_at"), (Report, "opened_at"), (ImpossibleMark, "at"))
    return [at for model, column in kinds for at in _instants(model, column, judge, since)]


def withdraw_votes(judge: Judge) -> int:
    """Take a judge's votes out of the corpus; notes, reasons and completion marks go, the bare choice stays counted."""
    now = timezone.now()
    votes = Vote.objects.filter(judge=judge, withdrawn_at__isnull=True)
    repeats = RepeatVote.objects.filter(judge=judge, withdrawn_at__isnull=True)
    Completion.objects.filter(vote__in=votes).delete()
    RepeatCompletion.objects.filter(vote__in=repeats).delete()
    said: dict[str, Any] = {"withdrawn_at": now, "note": "", "reasons": [], "confidence": ""}
    return votes.update(**said) + repeats.update(**said)


def step_verdict_instants(judge: Judge, since: datetime) -> list[datetime]:
    return _instants(StepVerdict, "at", judge, since)


def withdraw_step_verdicts(judge: Judge) -> int:
    verdicts = StepVerdict.objects.filter(judge=judge, erased_at__isnull=True)
    return verdicts.update(verdict="", erased_at=timezone.now())


def annotation_instants(judge: Judge, since: datetime) -> list[datetime]:
    """Those deleted again included, so that drawing and deleting has the same limit as drawing."""
    return _instants(Annotation, "at", judge, since)


def withdraw_annotations(judge: Judge) -> int:
    annotations = Annotation.objects.filter(judge=judge, erased_at__isnull=True)
    return annotations.update(**ANNOTATION_ERASED, erased_at=timezone.now())


def click_instants(judge: Judge, since: datetime) -> list[datetime]:
    return _instants(Click, "at", judge, since)


def withdraw_clicks(judge: Judge) -> int:
    clicks = Click.objects.filter(judge=judge, erased_at__isnull=True)
    return clicks.update(**CLICK_ERASED, erased_at=timezone.now())


register_contribution(Contribution(kind="vote", instants=vote_instants, withdraw=withdraw_votes))
register_contribution(
    Contribution(kind="step verdict", instants=step_verdict_instants, withdraw=withdraw_step_verdicts)
)
register_contribution(Contribution(kind="annotation", instants=annotation_instants, withdraw=withdraw_annotations))
register_contribution(Contribution(kind="click", instants=click_instants, withdraw=withdraw_clicks))
