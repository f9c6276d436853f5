"""What a battle's page shows to one viewer: lanes in the order they are shown, own labels, the lease, what can be done.

No name leaves here but through the reveal, which :func:`judging.visibility.identity_visibility` decides.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.text import Truncator

from arena_site.practice_words import lesson
from arena_site.vote_bar import LeaseView, bar_of, ground_of, shown_battle
from battles.imagery.masks import sees_originals
from battles.models import Battle, Lane
from battles.presentation import LaneView, lane_views, live_version, replay_data, shown_lanes
from governance.models import Judge
from judging.labels import ANNOTATION_NOTE_MAX
from judging.models import Annotation, Click, Offer, RepeatVote, StepVerdict, Vote
from judging.objections import REPORT_KINDS, REPORT_NOTE_MAX, SKIP_REASONS
from judging.pool import OPEN_STATES, PRACTICE_NEEDED, practice_votes
from judging.presentation import (
    own_completions,
    reveal_view,
)
from judging.repeats import second_look, shown_slot
from judging.votes import Ballot
from ratings.ticker import points_of_vote

RUNNING = {Battle.State.QUEUED, Battle.State.RACING}
#: A tab shows a few words; a bookmark some more.
TITLE_CHARACTERS = 60
#: What a step can be, in the order of the buttons, each with its key.
VERDICTS = (("helpful", "h"), ("unnecessary", "u"), ("wrong", "w"), ("unsafe", "s"))


@dataclass(frozen=True, slots=True)
class MarkView:
    """One's own box on a frame; shares of width and height."""

    id: str
    frame: str
    lane: str
    slot: str
    where: str
    tag: str
    tag_words: str
    note: str
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class OfferView:
    """Whether a submitter may offer this battle; ``refusal`` says why not, in words."""

    offered: bool
    refusal: str
    task_id: str = ""


def page_context(battle: Battle, viewer: Judge | None, ballot: Ballot | None = None) -> dict[str, Any]:
    """What the page and its vote bar show; ``ballot`` is what was just refused, else the stored vote shows."""
    ground = ground_of(battle, viewer, ballot)
    bar = bar_of(ground, ballot)
    lanes, cast = ground.lanes, ground.cast
    original = sees_originals(battle.task, viewer)
    shown = shown_battle(ground, original=original)
    views = lane_views(battle, lanes, ground.completions, original=original)
    views = _with_verdicts(_in_shown_order(views, lanes, swapped=ground.again), viewer)
    marks = own_marks(battle, viewer, views)
    return bar | {
        "page_title": Truncator(shown.instruction).chars(TITLE_CHARACTERS),
        "active": "judge",
        "battle": shown,
        "lanes": views,
        "live_version": live_version(battle, lanes),
        "replay_data": replay_data(views),
        "marks_data": _marks_data(battle, viewer, marks),
        "starts_differ": bool(battle.starts_differ),
        "reveal": _reveal(battle, lanes, viewer, cast),
        "practice": practice_progress(viewer) if battle.kind == Battle.Kind.PRACTICE else None,
        "offer": offer_view(battle, viewer),
        "may_wait": _own_live(battle, viewer) and battle.state in OPEN_STATES and cast is None,
        "objections": _objections(battle, viewer, cast is not None, ground.lease),
        "may_mark": bar["consent"]["given"] and battle.state not in RUNNING | {Battle.State.VOID},
        "marks": marks,
        "verdicts": [{"value": value, "key": key.upper()} for value, key in VERDICTS],
        "tags": [{"value": value, "label": label.capitalize()} for value, label in Annotation.Tag.choices],
        "note_max": ANNOTATION_NOTE_MAX,
    }


def _in_shown_order(views: Sequence[LaneView], lanes: Sequence[Lane], *, swapped: bool) -> list[LaneView]:
    if not swapped:
        return list(views)
    turned = [replace(view, slot=shown_slot(lane, swapped=True)) for view, lane in zip(views, lanes, strict=True)]
    return sorted(turned, key=lambda view: view.slot)


def shown_views(battle: Battle, viewer: Judge) -> list[LaneView]:
    """The lanes as they are shown to this viewer, without anything they said."""
    lanes = shown_lanes(battle)
    views = lane_views(battle, lanes, {}, original=sees_originals(battle.task, viewer))
    return _in_shown_order(views, lanes, swapped=second_look(battle, viewer) is not None)


def _with_verdicts(views: Sequence[LaneView], viewer: Judge | None) -> list[LaneView]:
    """The viewer's own verdicts on the steps they are about."""
    lanes = [uuid.UUID(view.id) for view in views if view.id]
    if viewer is None or not lanes:
        return list(views)
    said = {
        (str(lane), number): verdict
        for lane, number, verdict in StepVerdict.objects.filter(
            judge=viewer, step__lane__in=lanes, erased_at__isnull=True
        ).values_list("step__lane_id", "step__number", "verdict")
    }
    if not said:
        return list(views)
    return [
        replace(view, steps=[replace(step, my_verdict=said.get((view.id, step.number), "")) for step in view.steps])
        for view in views
    ]


def own_marks(battle: Battle, viewer: Judge | None, views: Sequence[LaneView]) -> list[MarkView]:
    """The viewer's boxes on this battle's frames, oldest first."""
    if viewer is None:
        return []
    lanes = {view.id: view for view in views}
    drawn = Annotation.objects.filter(
        judge=viewer, frame__lane__attempt__battle=battle, erased_at__isnull=True
    ).select_related("frame")
    marks = []
    for mark in drawn.order_by("at"):
        view = lanes.get(str(mark.frame.lane_id))
        if view is not None:
            marks.append(mark_view(mark, view))
    return marks


def mark_view(mark: Annotation, lane: LaneView) -> MarkView:
    return MarkView(
        id=str(mark.pk),
        frame=str(mark.frame_id),
        lane=lane.id,
        slot=lane.slot,
        where=_where(str(mark.frame_id), lane),
        tag=mark.tag or "",
        tag_words=mark.get_tag_display().capitalize(),
        note=mark.note or "",
        box=(mark.x or 0.0, mark.y or 0.0, mark.width or 0.0, mark.height or 0.0),
    )


def _where(frame: str, lane: LaneView) -> str:
    """The page a frame shows, as the step list counts."""
    for step in lane.steps:
        if (step.frame_url or "").endswith(frame):
            return f"page after step {step.number}"
    return "start page"


def _marks_data(battle: Battle, viewer: Judge | None, marks: Sequence[MarkView]) -> dict[str, Any]:
    """What the script that draws needs: own boxes by frame, and frames clicked on before."""
    clicked: list[str] = []
    if viewer is not None:
        own = Click.objects.filter(judge=viewer, frame__lane__attempt__battle=battle, erased_at__isnull=True)
        clicked = [str(frame) for frame in own.values_list("frame_id", flat=True)]
    return {
        "marks": [{"id": mark.id, "frame": mark.frame, "box": mark.box, "words": mark.tag_words} for mark in marks],
        "clicked": clicked,
    }


def practice_progress(viewer: Judge | None) -> dict[str, int]:
    """Practice battles voted on, needed, and still to do."""
    done = practice_votes(viewer) if viewer is not None else 0
    return {"done": done, "needed": PRACTICE_NEEDED, "left": PRACTICE_NEEDED - done}


def _own_live(battle: Battle, viewer: Judge | None) -> bool:
    return viewer is not None and battle.kind == Battle.Kind.LIVE and battle.task.judge_id == viewer.pk


def offer_view(battle: Battle, viewer: Judge | None) -> OfferView | None:
    """For the submitter of a live battle until their own vote is final; None for everybody else."""
    if viewer is None or battle.kind != Battle.Kind.LIVE or battle.task.judge_id != viewer.pk:
        return None
    if Offer.objects.filter(battle=battle).exists():
        return OfferView(offered=True, refusal="")
    vote = Vote.objects.filter(battle=battle, judge=viewer).first()
    if battle.state in {Battle.State.CLOSED, Battle.State.VOID} or (vote is not None and vote.is_locked()):
        return None
    if not settings.ARENA_LEGAL_NAME:
        return OfferView(
            offered=False,
            refusal="It cannot be offered to other judges: this installation’s operator has set no legal name, so "
            "tasks stay with whoever posted them.",
        )
    return OfferView(offered=False, refusal="", task_id=str(battle.task_id))


def _objections(battle: Battle, viewer: Judge | None, voted: bool, lease: LeaseView | None) -> dict[str, Any] | None:
    """What can be done instead of voting; None where nothing can."""
    if battle.state not in OPEN_STATES and lease is None:
        return None
    in_hand = lease is not None and lease.state == "running"
    own = viewer is not None and battle.task.judge_id == viewer.pk
    skippable = not voted and not own and (in_hand or battle.kind == Battle.Kind.PRACTICE)
    return {
        "skip": [{"value": value, "label": label} for value, label in SKIP_REASONS.items()] if skippable else [],
        "impossible": in_hand and not voted,
        "report": [{"value": value, "label": label} for value, label in REPORT_KINDS.items()],
        "note_max": REPORT_NOTE_MAX,
    }


def _reveal(
    battle: Battle, lanes: list[Lane], viewer: Judge | None, cast: Vote | RepeatVote | None
) -> dict[str, Any] | None:
    """Names; for a practice battle also what it teaches."""
    reveal = reveal_view(battle, lanes, viewer, cast, points_of_vote(cast.pk) if cast else {})
    return reveal and reveal | {"lesson": lesson(battle, lanes, cast, own_completions(cast))}
