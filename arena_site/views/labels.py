"""Labels below the level of a battle: verdicts on steps, boxes on frames, clicks.

A script that asks for JSON gets JSON; a plain form goes back to the battle's page.
"""

import dataclasses
import math
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from arena_site.battle_page import mark_view, shown_views
from arena_site.middleware import wants_json
from arena_site.views.battles import at_post, battle_page_with
from arena_site.views.consenting import consenting_judge
from battles.models import Battle, Step
from battles.presentation import shown_lanes
from governance.errors import ArenaError
from governance.public_answers import problem_json
from judging.access import readable_battle
from judging.identity import current_judge
from judging.labels import NoSuchPart, annotate, click_next, delete_annotation, judge_step


@at_post
def step_verdict(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """``lane``, ``step`` (its number) and ``verdict``."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        step = step_of(battle, request.POST.get("lane", ""), request.POST.get("step", ""))
        said = judge_step(
            battle=battle,
            judge=consenting_judge(request),
            step_id=step.pk,
            verdict=request.POST.get("verdict", ""),
        )
    except ArenaError as refusal:
        return _refused(request, battle, refusal, "The step was not marked")
    return _done(request, battle, {"verdict": said.verdict})


def step_of(battle: Battle, lane: str, number: str) -> Step:
    """The step with this number in a shown lane.

    Raises:
        NoSuchPart: there is none.
    """
    lanes = {str(shown.pk): shown for shown in shown_lanes(battle)}
    if lane not in lanes or not (number.isascii() and number.isdecimal() and len(number) < 6):
        raise NoSuchPart
    step = lanes[lane].steps.filter(number=int(number)).first()
    if step is None or step.number == 0:
        raise NoSuchPart
    return step


@at_post
def annotations(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """``frame``, ``x``, ``y``, ``width``, ``height`` (shares), ``tag`` and ``note``."""
    battle = readable_battle(battle_id, current_judge(request))
    posted = request.POST
    try:
        drawn = annotate(
            battle=battle,
            judge=consenting_judge(request),
            frame_id=_identifier(posted.get("frame", "")),
            box=tuple(_share(posted.get(name, "")) for name in ("x", "y", "width", "height")),  # type: ignore[arg-type]  # four of them
            tag=posted.get("tag", ""),
            note=posted.get("note", "").strip(),
        )
    except ArenaError as refusal:
        return _refused(request, battle, refusal, "The box was not kept")
    lane = next(view for view in shown_views(battle, drawn.judge) if view.id == str(drawn.frame.lane_id))
    return _done(request, battle, {"mark": dataclasses.asdict(mark_view(drawn, lane))})


@at_post
def delete_mark(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Take one's own box away."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        mark = _identifier(request.POST.get("annotation", ""))
        judge = current_judge(request)
        if judge is None:
            raise NoSuchPart
        delete_annotation(judge=judge, annotation_id=mark)
    except ArenaError as refusal:
        return _refused(request, battle, refusal, "The box was not deleted")
    return _done(request, battle, {"deleted": str(mark)})


@at_post
def clicks(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """``frame``, ``x``, ``y`` (shares) and ``milliseconds``: where the judge would click next."""
    battle = readable_battle(battle_id, current_judge(request))
    posted = request.POST
    waited = posted.get("milliseconds", "")
    try:
        given = click_next(
            battle=battle,
            judge=consenting_judge(request),
            frame_id=_identifier(posted.get("frame", "")),
            point=(_share(posted.get("x", "")), _share(posted.get("y", ""))),
            milliseconds=int(waited) if waited.isascii() and waited.isdecimal() and len(waited) < 10 else -1,
        )
    except ArenaError as refusal:
        return _refused(request, battle, refusal, "The click was not kept")
    return _done(request, battle, {"frame": str(given.frame_id)})


def _identifier(text: str) -> uuid.UUID:
    """An identifier from a form.

    Raises:
        NoSuchPart: it is none.
    """
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NoSuchPart from None


def _share(text: str) -> float:
    """A share from a form; not a number, which lies on no frame, for anything else."""
    try:
        return float(text) if len(text) < 40 else math.nan
    except ValueError:
        return math.nan


def _done(request: HttpRequest, battle: Battle, said: dict[str, Any]) -> HttpResponse:
    return JsonResponse(said) if wants_json(request) else redirect("battle", battle_id=battle.pk)


def _refused(request: HttpRequest, battle: Battle, refusal: ArenaError, title: str) -> HttpResponse:
    if wants_json(request):
        return problem_json(refusal)
    problem = {"title": title, "message": refusal.message, "code": refusal.code}
    return battle_page_with(request, battle, refusal, problem)
