"""Withdrawing tasks: their battles are void, and everything that shows what was asked is erased."""

import logging
import uuid
from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from battles.lane_facts import hold_lane_facts
from battles.lanes.ending_words import our_void_words
from battles.lanes.frame_store import delete_frame
from battles.models import Battle, Frame, Lane, Step, Task
from battles.racing import void_battle
from governance.contributions import Part
from governance.errors import ArenaError
from governance.models import Judge

logger = logging.getLogger(__name__)

#: Shown on the battle to whoever may still open it.
REASON = "Its task was withdrawn by the person who posted it."


def standing_tasks(judge: Judge, part: Part) -> QuerySet[Task]:
    """A judge's tasks that a withdrawal of that part takes out. A battle by itself is nobody's to give."""
    tasks = Task.objects.filter(judge=judge, withdrawn_at__isnull=True)
    if part.battle is not None:
        return tasks.none()
    return tasks if part.task is None else tasks.filter(pk=part.task)


def withdraw_tasks(judge: Judge, part: Part) -> int:
    """Erase a judge's tasks with the recordings of their battles; returns how many tasks.

    Rows stay without content; images go once no other frame is the same picture. What was counted of the lanes goes
    with the content, by triggers, and is counted anew of what is left.
    """
    hold_lane_facts()
    tasks = list(standing_tasks(judge, part).select_for_update(no_key=True))
    for battle in Battle.objects.filter(task__in=tasks).exclude(state=Battle.State.VOID):
        _void(battle.pk, f"judge:{judge.pk}")
    _erase_why_void(Battle.objects.filter(task__in=tasks).exclude(void_reason=REASON))
    lanes = Lane.objects.filter(attempt__battle__task__in=tasks)
    _erase_recordings(list(lanes.values_list("pk", flat=True)))
    for task in tasks:
        task.instruction, task.start_url, task.hosts, task.overlap_match = "", "", [], ""
        # A client may put words into a key.
        task.submission_key = ""
        task.withdrawn_at = timezone.now()
        task.save()
    return len(tasks)


def erase_words_of_tasks(judge: Judge) -> None:
    """Tasks stay whole, since that is what was asked; the keys under which a client posted them go."""
    Task.objects.filter(judge=judge).update(submission_key="")


def _void(battle: uuid.UUID, actor: str) -> None:
    """Void a battle of a withdrawn task, unless somebody else was a moment faster."""
    try:
        void_battle(battle_id=battle, reason=REASON, actor=actor)
    except ArenaError as refusal:
        if refusal.code != "already_void":
            raise


def _erase_why_void(battles: QuerySet[Battle]) -> None:
    """Of a battle that was void before, what a browser, a provider or an operator said of it goes; our words stay."""
    for battle in battles.select_for_update(no_key=True).order_by("pk"):
        battle.void_reason = our_void_words(battle.void_reason) or REASON
        battle.save(update_fields=["void_reason"])


def _erase_recordings(lanes: list[uuid.UUID]) -> None:
    Lane.objects.filter(pk__in=lanes).update(answer="", detail="")
    Step.objects.filter(lane__in=lanes).update(
        arguments={},
        reasoning="",
        result="",
        page_text="",
        changes=[],
        target=None,
        refusals=[],
        url_before="",
        url_after="",
        title="",
    )
    frames = Frame.objects.filter(lane__in=lanes)
    images = set(frames.exclude(sha256="").values_list("sha256", "mime"))
    # Where something personal stood on a page, and of which kind, is said of the page too.
    frames.update(sha256="", size=0, text_boxes=[], picture_boxes=[])
    transaction.on_commit(lambda: _delete_images(images))


def _delete_images(images: Iterable[tuple[str, str]]) -> None:
    for sha256, mime in images:
        if Frame.objects.filter(sha256=sha256).exists():
            continue
        try:
            delete_frame(sha256, mime)
        except OSError:
            logger.warning("an image could not be deleted at once; the sweep tries again")
