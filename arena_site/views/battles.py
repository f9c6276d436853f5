"""A battle's page: live, replay, vote and reveal."""

import functools
import secrets
import uuid
from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import Truncator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena_site.views.consenting import consent_view, consenting_judge
from arena_site.views.posted_keys import posted_key
from battles.lanes.frame_store import read_frame
from battles.models import Battle, Frame
from battles.presentation import battle_view, lane_views, live_version, replay_data, shown_lanes
from governance.errors import ArenaError, TooMany
from judging.access import NoSuchBattle, readable_battle
from judging.identity import current_judge, ensure_judge, prepare_identity
from judging.presentation import (
    completions_on_ballot,
    own_completions,
    own_vote,
    reason_tags,
    reveal_view,
    vote_view,
)
from judging.votes import Ballot, cast_vote, lock_vote
from ratings.ticker import points_of_vote

RUNNING = {Battle.State.QUEUED, Battle.State.RACING}
OPEN = {Battle.State.VOTABLE, Battle.State.RESOLVED}
#: A tab shows a few words; a bookmark some more.
TITLE_CHARACTERS = 60
#: HTMX stops polling on this status.
STOP_POLLING = 286


@never_cache
@require_safe
def battle_page(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    return _battle_page(request, readable_battle(battle_id, current_judge(request)))


@never_cache
@require_safe
def live(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """The part of a running battle that changes; 204 when nothing did, 286 once the race is over."""
    battle = readable_battle(battle_id, current_judge(request))
    lanes = shown_lanes(battle)
    version = live_version(battle, lanes)
    over = battle.state not in RUNNING
    if version == request.GET.get("seen") and not over:
        return HttpResponse(status=204)
    context = {"battle": battle_view(battle), "lanes": lane_views(battle, lanes, {}), "live_version": version}
    return render(request, "battles/_live.html", context, status=STOP_POLLING if over else 200)


@require_safe
def frame(request: HttpRequest, battle_id: uuid.UUID, frame_id: uuid.UUID) -> HttpResponse:
    """One screenshot. Its content never changes, so the browser may keep it; nobody in between may."""
    battle = readable_battle(battle_id, current_judge(request))
    found = Frame.objects.filter(pk=frame_id, lane__attempt__battle=battle).first()
    # A withdrawal leaves the row of a frame without its picture.
    if found is None or not found.sha256:
        raise NoSuchBattle
    try:
        image = read_frame(found.sha256, found.mime)
    except FileNotFoundError:
        raise Http404 from None
    response = HttpResponse(image, content_type=found.mime)
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def at_post(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For addresses of forms: whoever opens one as a page, after a refusal say, gets the battle's page."""

    @never_cache
    @require_http_methods(["GET", "HEAD", "POST"])
    @functools.wraps(view)
    def post_or_page(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
        if request.method == "POST":
            return view(request, battle_id)
        return redirect("battle", battle_id=battle_id)

    return post_or_page


@at_post
def vote(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Cast or revise a vote; HTMX gets the bar back, a plain form the page."""
    battle = readable_battle(battle_id, current_judge(request))
    ballot = _ballot(request)
    try:
        _cast(request, battle, ballot)
    except ArenaError as refusal:
        return _refused(request, battle, ballot, refusal)
    if request.headers.get("HX-Request"):
        return _vote_bar(request, battle)
    return redirect("battle", battle_id=battle_id)


@at_post
def lock(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Save what the form says, make it final, and show the names."""
    battle = readable_battle(battle_id, current_judge(request))
    ballot = _ballot(request)
    try:
        if ballot.choice:
            _cast(request, battle, ballot)
        lock_vote(battle=battle, judge=ensure_judge(request))
    except ArenaError as refusal:
        return _refused(request, battle, ballot, refusal)
    response = redirect("battle", battle_id=battle_id)
    response["Location"] += "#reveal"
    response.status_code = 303
    return response


def _cast(request: HttpRequest, battle: Battle, ballot: Ballot) -> None:
    cast_vote(
        battle=battle,
        judge=consenting_judge(request),
        ballot=ballot,
        idempotency_key=posted_key(request),
    )


def _ballot(request: HttpRequest) -> Ballot:
    posted = request.POST
    opened = [step for step in posted.get("opened", "").split(",") if step]
    return Ballot(
        choice=posted.get("choice", ""),
        completions={
            name.removeprefix("completion_"): verdict
            for name, verdict in posted.items()
            if name.startswith("completion_") and isinstance(verdict, str) and verdict
        },
        confidence=posted.get("confidence", ""),
        reasons=posted.getlist("reasons"),
        note=posted.get("note", "").strip(),
        focus_ms=_whole(posted.get("focused_ms", ""), most=24 * 3600 * 1000),
        steps_opened=min(len(set(opened)), 200) if opened else None,
    )


def _whole(text: str, *, most: int) -> int | None:
    """A whole number from a form, capped; None when it is none."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _refused(request: HttpRequest, battle: Battle, ballot: Ballot, refusal: ArenaError) -> HttpResponse:
    """The page or the bar again with the reason; what was picked is still marked."""
    problem = {"title": "Your vote was not stored", "message": refusal.message, "code": refusal.code}
    extra = {"problem": problem, "missing": refusal.field}
    if request.headers.get("HX-Request"):
        return _vote_bar(request, battle, ballot, **extra)
    response = _battle_page(request, battle, ballot, status=refusal.status, **extra)
    if isinstance(refusal, TooMany):
        response["Retry-After"] = str(refusal.retry_after)
    return response


def _vote_bar(request: HttpRequest, battle: Battle, ballot: Ballot | None = None, **extra: Any) -> HttpResponse:
    battle.refresh_from_db()
    context = {**_context(request, battle, ballot), "fragment": True, **extra}
    return render(request, "judging/_vote_bar.html", context)


def _battle_page(
    request: HttpRequest, battle: Battle, ballot: Ballot | None = None, *, status: int = 200, **extra: Any
) -> HttpResponse:
    return render(request, "battles/battle.html", {**_context(request, battle, ballot), **extra}, status=status)


def _context(request: HttpRequest, battle: Battle, ballot: Ballot | None) -> dict[str, Any]:
    """What the page and its vote bar show; ``ballot`` is what was just refused, else the stored vote shows."""
    viewer = current_judge(request)
    prepare_identity(request)
    lanes = shown_lanes(battle)
    cast = own_vote(battle, viewer)
    stored = vote_view(cast)
    views = lane_views(battle, lanes, completions_on_ballot(lanes, ballot) if ballot else own_completions(cast))
    return {
        "page_title": Truncator(battle.task.instruction).chars(TITLE_CHARACTERS),
        "active": "judge",
        "battle": battle_view(battle),
        "lanes": views,
        "live_version": live_version(battle, lanes),
        "replay_data": replay_data(views),
        "starts_differ": bool(battle.starts_differ),
        "may_vote": battle.state in OPEN and (cast is None or not cast.is_locked()),
        "vote": stored,
        "ballot": ballot or stored,
        "reveal": reveal_view(battle, lanes, viewer, cast, points_of_vote(cast.pk) if cast else {}),
        "idempotency_key": secrets.token_urlsafe(16),
        "reason_tags": reason_tags(),
        "may_offer": False,
        "offered": False,
        "may_skip": False,
        "consent": consent_view(viewer),
    }
