"""Labels below the level of a battle: a verdict on a step, a box on a frame, a click.

On battles the judge may read, whether names show or not: what is marked is what a lane did, not whose it was.
"""

import math
import uuid

from django.db import transaction
from django.utils import timezone

from battles.models import Attempt, Battle, Frame, Step
from governance.consent import receipt_in_force
from governance.deadlocks import done_again
from governance.errors import ArenaError, Conflict, Gone, NotFound
from governance.journal import record
from governance.limits import check_label_limit
from governance.models import Judge
from judging.access import NoSuchBattle, may_read
from judging.models import Annotation, Click, StepVerdict
from judging.objections import check_words

#: A remark beside a box.
ANNOTATION_NOTE_MAX = 500
#: Nobody ponders one click for an hour; longer is a page that was left open.
CLICK_MAX_MS = 3_600_000
#: A box that touches the edge may be beyond it by what rounding does.
ROUNDING = 1e-6
#: A side of less than a tenth of a pixel, on a frame of a thousand or so, marks nothing.
SMALLEST_SIDE = 1e-4


class LabelRefused(ArenaError):
    code = "label_refused"
    status = 422


class NoSuchPart(NotFound):
    code = "no_such_part"

    def __init__(self) -> None:
        super().__init__("This battle has no such step or frame.")


def _readable(battle: Battle, judge: Judge) -> None:
    """Lock judge and battle, and check that the battle can be labelled by this judge.

    Raises:
        NoSuchBattle: this judge may not read it.
        Conflict: ``not_votable``: it still runs.
        Gone: ``void``.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    battle = Battle.objects.select_for_update(no_key=True).get(pk=battle.pk)
    if not may_read(battle, judge):
        raise NoSuchBattle
    if battle.state in {Battle.State.QUEUED, Battle.State.RACING}:
        raise Conflict("The race is still running; marks can be made when both lanes have ended.", code="not_votable")
    if battle.state == Battle.State.VOID:
        raise Gone("This battle is void, so it takes no marks. Nothing else was lost.", code="void")


def _step(battle: Battle, step_id: uuid.UUID) -> Step:
    step = Step.objects.filter(
        pk=step_id, lane__attempt__battle=battle, lane__attempt__outcome=Attempt.Outcome.FINISHED
    ).first()
    if step is None:
        raise NoSuchPart
    return step


def _frame(battle: Battle, frame_id: uuid.UUID) -> Frame:
    frame = Frame.objects.filter(
        pk=frame_id, lane__attempt__battle=battle, lane__attempt__outcome=Attempt.Outcome.FINISHED
    ).first()
    if frame is None:
        raise NoSuchPart
    return frame


@done_again
def judge_step(*, battle: Battle, judge: Judge, step_id: uuid.UUID, verdict: str) -> StepVerdict:
    """Say what a step was: helpful, unnecessary, wrong or unsafe. Saying something else changes it.

    Raises:
        LabelRefused: ``unknown_verdict``.
        NoSuchBattle, NoSuchPart, Conflict, Gone: there is no such step to be judged by this judge.
        ConsentNeeded, TooMany: as for every label.
    """
    if verdict not in StepVerdict.Verdict:
        raise LabelRefused(
            "Please choose helpful, unnecessary, wrong or unsafe.", code="unknown_verdict", field="verdict"
        )
    _readable(battle, judge)
    step = _step(battle, step_id)
    said = StepVerdict.objects.filter(judge=judge, step=step, erased_at__isnull=True).first()
    if said is not None and said.verdict == verdict:
        return said
    check_label_limit(judge)
    receipt = receipt_in_force(judge)
    if said is None:
        said = StepVerdict.objects.create(judge=judge, step=step, receipt=receipt, verdict=verdict)
        action = "judging:step_verdict:give"
    else:
        said.verdict = verdict
        said.receipt = receipt
        said.changed_at = timezone.now()
        said.save(update_fields=["verdict", "receipt", "changed_at"])
        action = "judging:step_verdict:change"
    record(actor=f"judge:{judge.pk}", action=action, subject=str(said.pk), verdict=verdict)
    return said


@done_again
def annotate(
    *,
    battle: Battle,
    judge: Judge,
    frame_id: uuid.UUID,
    box: tuple[float, float, float, float],
    tag: str,
    note: str = "",
) -> Annotation:
    """Draw a box on a frame. The same box with the same words again is the one that is there.

    Args:
        box: left, top, width, height as shares of the frame's width and height.

    Raises:
        LabelRefused: ``unknown_tag``, ``box_off_frame``.
        ObjectionRefused: ``note_too_long``, ``control_characters``.
        NoSuchBattle, NoSuchPart, Conflict, Gone: there is no such frame to be marked by this judge.
        ConsentNeeded, TooMany: as for every label.
    """
    if tag not in Annotation.Tag:
        raise LabelRefused("Please choose what the box marks from the list.", code="unknown_tag", field="tag")
    check_words(note, most=ANNOTATION_NOTE_MAX)
    x, y, width, height = _box(box)
    _readable(battle, judge)
    frame = _frame(battle, frame_id)
    drawn = {"x": x, "y": y, "width": width, "height": height, "tag": tag, "note": note}
    there = Annotation.objects.filter(judge=judge, frame=frame, erased_at__isnull=True, **drawn).first()
    if there is not None:
        return there
    check_label_limit(judge)
    annotation = Annotation.objects.create(judge=judge, frame=frame, receipt=receipt_in_force(judge), **drawn)
    record(actor=f"judge:{judge.pk}", action="judging:annotation:draw", subject=str(annotation.pk), tag=tag)
    return annotation


def _box(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    x, y, width, height = box
    inside = all(math.isfinite(value) and 0 <= value <= 1 for value in box)
    if inside and x + width <= 1 + ROUNDING and y + height <= 1 + ROUNDING:
        width, height = min(width, 1 - x), min(height, 1 - y)
        if min(width, height) >= SMALLEST_SIDE:
            return x, y, width, height
    raise LabelRefused("The box must lie on the frame and have a size.", code="box_off_frame", field="box")


@transaction.atomic
def delete_annotation(*, judge: Judge, annotation_id: uuid.UUID) -> Annotation:
    """Take one's own box away: what it said is erased, a stamped row stays. Deleting twice is deleting once.

    Raises:
        NoSuchPart: there is no such box of this judge's.
    """
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    annotation = Annotation.objects.filter(pk=annotation_id, judge=judge).first()
    if annotation is None:
        raise NoSuchPart
    if annotation.erased_at is None:
        Annotation.objects.filter(pk=annotation.pk).update(**ANNOTATION_ERASED, erased_at=timezone.now())
        record(actor=f"judge:{judge.pk}", action="judging:annotation:delete", subject=str(annotation.pk))
        annotation.refresh_from_db()
    return annotation


@done_again
def click_next(
    *, battle: Battle, judge: Judge, frame_id: uuid.UUID, point: tuple[float, float], milliseconds: int
) -> Click:
    """Store where a judge would click next. The first one stands: a second thought is another task.

    Args:
        point: shares of the frame's width and height.
        milliseconds: from the frame being shown to the click.

    Raises:
        LabelRefused: ``point_off_frame``, ``bad_time``.
        NoSuchBattle, NoSuchPart, Gone: there is no such frame to be clicked by this judge.
        Conflict: ``already_clicked``, elsewhere; ``not_votable``.
        ConsentNeeded, TooMany: as for every label.
    """
    x, y = point
    if not all(math.isfinite(value) and 0 <= value <= 1 for value in point):
        raise LabelRefused("The point must lie on the frame.", code="point_off_frame", field="point")
    if not 0 <= milliseconds <= CLICK_MAX_MS:
        raise LabelRefused("The time must be between 0 and an hour.", code="bad_time", field="milliseconds")
    _readable(battle, judge)
    frame = _frame(battle, frame_id)
    there = Click.objects.filter(judge=judge, frame=frame, erased_at__isnull=True).first()
    if there is not None and (there.x, there.y) != (x, y):
        raise Conflict("You have clicked on this frame before; the first click stands.", code="already_clicked")
    if there is not None:
        return there
    check_label_limit(judge)
    click = Click.objects.create(
        judge=judge, frame=frame, receipt=receipt_in_force(judge), x=x, y=y, milliseconds=milliseconds
    )
    record(actor=f"judge:{judge.pk}", action="judging:click:give", subject=str(click.pk))
    return click


#: What the lawful exit of each append-only table empties.
ANNOTATION_ERASED = dict.fromkeys(("x", "y", "width", "height", "tag", "note"))
CLICK_ERASED = dict.fromkeys(("x", "y", "milliseconds"))
