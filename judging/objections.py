"""What a judge can do with a battle instead of voting: skip it, report it, or say that its task is impossible."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from battles.models import Battle
from battles.racing import void_battle
from governance.consent import receipt_in_force
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict, NotFound
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge
from judging.access import NoSuchBattle, may_read
from judging.models import Assignment, ImpossibleMark, Report, Vote
from judging.remarks import has_control_characters
from judging.seats import end_assignment, take_back
from judging.trust import require_reason

#: Why a judge passes a battle on, by stable key.
SKIP_REASONS = {
    "language": "I do not know the language",
    "subject": "I cannot tell what is right here",
    "too_long": "It takes too long",
    "cannot_see": "Something does not show",
    "other": "Something else",
}
#: What can be wrong with a battle, by stable key.
REPORT_KINDS = {
    "private": "It shows somebody's personal details",
    "identity": "It shows which model ran",
    "harmful": "It asks for or shows something harmful",
    "broken": "The recording is broken",
    "other": "Something else",
}
#: An operator looks at a report in this time: meanwhile nobody can judge the battle.
REPORT_DUE = timedelta(days=3)
#: A remark, not an essay.
REPORT_NOTE_MAX = 1000
#: One judge may be mistaken about what can be done; two who do not know of each other rarely are.
IMPOSSIBLE_NEEDED = 2
#: Shown on a battle that two judges found impossible.
IMPOSSIBLE_WORDS = "Two judges found that this task cannot be done by anybody."


class ObjectionRefused(ArenaError):
    code = "objection_refused"
    status = 422


class NoSuchReport(NotFound):
    code = "no_such_report"

    def __init__(self) -> None:
        super().__init__("There is no such report. A list of reports names those that wait.")


def _locked(battle: Battle, judge: Judge) -> Battle:
    """The battle, with judge and battle locked.

    Raises:
        NoSuchBattle: this judge may not read it.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    battle = Battle.objects.select_for_update(no_key=True, of=("self",)).select_related("task").get(pk=battle.pk)
    if not may_read(battle, judge):
        raise NoSuchBattle
    return battle


def _check_may_give(judge: Judge) -> None:
    """What holds for every label holds for what is said instead of one: it takes a battle from others.

    Raises:
        ConsentNeeded, TooMany: as for every label.
    """
    check_label_limit(judge)
    receipt_in_force(judge)


def _in_hand(battle: Battle, judge: Judge) -> Assignment | None:
    return Assignment.objects.filter(battle=battle, judge=judge, outcome=Assignment.Outcome.OPEN).first()


@done_again
def skip(*, battle: Battle, judge: Judge, reason: str) -> Assignment:
    """Pass a battle on: its seat is free at once, and it does not come to this judge again.

    A practice battle, which nobody holds, is marked so that another one comes next.

    Raises:
        ObjectionRefused: ``unknown_reason``.
        NoSuchBattle: this judge may not read it.
        Conflict: ``already_voted``; ``not_in_hand``: there is nothing to pass on.
        ConsentNeeded, TooMany: as for every label.
    """
    if reason not in SKIP_REASONS:
        raise ObjectionRefused("Please say why from the list.", code="unknown_reason", field="reason")
    battle = _locked(battle, judge)
    now = timezone.now()
    held = _in_hand(battle, judge)
    if held is None:
        held = _skippable(battle, judge, now)
    if held.outcome == Assignment.Outcome.SKIPPED:
        return held
    _check_may_give(judge)
    end_assignment(held, Assignment.Outcome.SKIPPED, now, skip_reason=reason)
    record(
        actor=f"judge:{judge.pk}",
        action="judging:assignment:skip",
        subject=str(held.pk),
        battle=str(battle.pk),
        why=reason,
    )
    return held


def _skippable(battle: Battle, judge: Judge, now: datetime) -> Assignment:
    """What a judge without a running lease passes on: their latest assignment, or a practice battle."""
    if Vote.objects.filter(battle=battle, judge=judge).exists():
        raise Conflict("You have voted on this battle; it is not coming back.", code="already_voted")
    latest = Assignment.objects.filter(battle=battle, judge=judge).order_by("-leased_at").first()
    if latest is not None and latest.outcome in {Assignment.Outcome.SKIPPED, Assignment.Outcome.EXPIRED}:
        return latest
    if latest is None and battle.kind == Battle.Kind.PRACTICE:
        return Assignment(battle=battle, judge=judge, leased_at=now, leased_until=now)
    raise Conflict("This battle was not handed to you, so there is nothing to skip.", code="not_in_hand")


@done_again
def report_problem(*, battle: Battle, judge: Judge, kind: str, note: str = "") -> Report:
    """Hide a battle at once and open a ticket. A second report by the same judge is the first one.

    Hidden means: handed to nobody, its leases taken back, readable by its submitter only until an operator decides; a
    practice battle, which nobody submitted, by nobody.

    Raises:
        ObjectionRefused: ``unknown_kind``, ``note_too_long``, ``control_characters``.
        NoSuchBattle: this judge may not read it.
        ConsentNeeded, TooMany: as for every label, since each ticket costs an operator's time.
    """
    if kind not in REPORT_KINDS:
        raise ObjectionRefused("Please say what is wrong from the list.", code="unknown_kind", field="kind")
    check_words(note, most=REPORT_NOTE_MAX)
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    open_one = Report.objects.filter(battle=battle, judge=judge, resolved_at__isnull=True).first()
    if open_one is not None:
        return open_one
    battle = _locked(battle, judge)
    _check_may_give(judge)
    now = timezone.now()
    held = _in_hand(battle, judge)
    if held is not None:
        end_assignment(held, Assignment.Outcome.REPORTED, now)
    take_back(battle, now)
    report = Report.objects.create(
        battle=battle, judge=judge, kind=kind, note=note, opened_at=now, due_at=now + REPORT_DUE
    )
    record(
        actor=f"judge:{judge.pk}",
        action="judging:report:open",
        subject=str(report.pk),
        battle=str(battle.pk),
        kind=kind,
    )
    return report


def check_words(note: str, *, most: int) -> None:
    """Refuse a remark that cannot be kept.

    Raises:
        ObjectionRefused: ``note_too_long``, ``control_characters``.
    """
    if len(note) > most:
        raise ObjectionRefused(f"The note is longer than {most:,} characters.", code="note_too_long", field="note")
    if has_control_characters(note):
        raise ObjectionRefused("The note contains control characters.", code="control_characters", field="note")


@transaction.atomic
def resolve_report(*, report_id: uuid.UUID, resolution: str, actor: str, reason: str) -> Report:
    """An operator's decision: the battle comes back, or is void with the reason.

    Voiding decides every open report on the battle. Restoring decides this one; another one still hides it.

    Raises:
        ReasonNeeded: no reason was given.
        ObjectionRefused: ``unknown_resolution``.
        NoSuchReport: there is none of this identifier.
        Conflict: ``already_resolved``.
    """
    reason = require_reason(reason)
    if resolution not in Report.Resolution:
        raise ObjectionRefused("Please restore the battle or void it.", code="unknown_resolution", field="resolution")
    report = Report.objects.filter(pk=report_id).first()
    if report is None:
        raise NoSuchReport
    battle = Battle.objects.select_for_update(no_key=True).get(pk=report.battle_id)
    report.refresh_from_db()
    if report.resolution == resolution == Report.Resolution.VOIDED and report.resolved_reason == reason[:500]:
        # Of a battle that was reported twice, the first of two chosen rows has decided both.
        record(actor=actor, action=f"judging:report:{resolution}", subject=str(report.pk), reason=reason[:500])
        return report
    if report.resolved_at is not None:
        raise Conflict(f"This report was decided already: {report.resolution}.", code="already_resolved")
    decided = Report.objects.filter(pk=report_id)
    if resolution == Report.Resolution.VOIDED:
        decided = Report.objects.filter(battle=battle, resolved_at__isnull=True)
        if battle.state != Battle.State.VOID:
            void_battle(battle_id=battle.pk, reason=reason, actor=actor)
    decided.update(
        resolved_at=timezone.now(), resolution=resolution, resolved_by=actor[:80], resolved_reason=reason[:500]
    )
    record(actor=actor, action=f"judging:report:{resolution}", subject=str(report.pk), reason=reason[:500])
    report.refresh_from_db()
    return report


def open_reports() -> QuerySet[Report]:
    """Tickets that wait for an operator, the most urgent first."""
    return Report.objects.filter(resolved_at__isnull=True).select_related("battle").order_by("due_at")


@done_again
def mark_impossible(*, battle: Battle, judge: Judge) -> ImpossibleMark:
    """Say that nobody could do the task. The second independent judge who says so makes the battle void.

    Where a check has passed in a lane, the task is possible whoever says otherwise: such a battle stays. So does one
    on which the second of them has voted before, whose vote says that it can be judged.

    Raises:
        NoSuchBattle: this judge may not read it.
        Conflict: ``not_in_hand``: only a judge to whom it was handed is independent; ``already_voted``.
        ConsentNeeded, TooMany: as for every label.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    said = ImpossibleMark.objects.filter(battle=battle, judge=judge).first()
    if said is not None:
        return said
    battle = _locked(battle, judge)
    held = _in_hand(battle, judge)
    # At a second look nothing tells that there was a first: what is said there settles it, and adds no judge's word.
    if not (held and held.swapped) and Vote.objects.filter(battle=battle, judge=judge).exists():
        raise Conflict("You have voted on this battle; a vote says that it can be judged.", code="already_voted")
    if held is None:
        raise Conflict("Only a judge who was handed this battle can say that.", code="not_in_hand")
    _check_may_give(judge)
    end_assignment(held, Assignment.Outcome.IMPOSSIBLE, timezone.now())
    mark = ImpossibleMark.objects.create(battle=battle, judge=judge)
    record(actor=f"judge:{judge.pk}", action="judging:battle:mark_impossible", subject=str(battle.pk))
    if (
        battle.kind == Battle.Kind.LIVE
        and battle.state in {Battle.State.VOTABLE, Battle.State.RESOLVED}
        and battle.impossible_marks.exclude(judge__in=battle.votes.values("judge")).count() >= IMPOSSIBLE_NEEDED
    ):
        take_back(battle, timezone.now())
        void_battle(battle_id=battle.pk, reason=IMPOSSIBLE_WORDS, actor="system:judges")
    return mark
