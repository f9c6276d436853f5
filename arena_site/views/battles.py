"""A battle's page: live, replay, vote and reveal."""

import dataclasses
import functools
import re
import uuid
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena_site.accounts.devices import signed_in_account
from arena_site.battle_page import RUNNING, page_context
from arena_site.drafts import sign_in_first, take_draft
from arena_site.views.consenting import consenting_judge
from arena_site.views.posted_keys import posted_key
from arena_site.vote_bar import vote_bar_context
from battles.imagery.masks import image_in, look_of, look_tag, sees_originals
from battles.models import Battle, Frame, Step
from battles.presentation import battle_view, lane_views, live_version, shown_lanes
from governance.errors import ArenaError, TooMany
from governance.models import Judge
from judging.access import NoSuchBattle, readable_battle, readable_by
from judging.attention import record_attention, steps_opened
from judging.identity import current_judge, prepare_identity
from judging.models import Vote
from judging.repeats import cast_repeat, lock_repeat, looks_twice
from judging.votes import Ballot, NoVoteYet, cast_vote, lock_vote

#: HTMX stops polling on this status.
STOP_POLLING = 286
#: A browser asks again after ten minutes whether a picture is masked as before: nobody watches a replay for longer.
KEPT_FOR_A_REPLAY = "private, max-age=600"
#: A page cannot show more steps than two lanes may take, with room.
MOST_OPENED = 400
STEP_NUMBER = re.compile("[0-9]{1,5}")
DRAFT_WORDS = "What you picked before signing in is still marked below. It is not saved yet."


@never_cache
@require_safe
def battle_page(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    battle = readable_battle(battle_id, current_judge(request))
    typed = take_draft(request, draft_name(battle_id))
    if typed is None:
        return _battle_page(request, battle)
    return _battle_page(request, battle, _ballot(typed), notice=DRAFT_WORDS)


@never_cache
@require_safe
def live(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """The part of a running battle that changes; 204 when nothing did, 286 once the race is over."""
    viewer = current_judge(request)
    battle = readable_battle(battle_id, viewer)
    lanes = shown_lanes(battle)
    version = live_version(battle, lanes)
    over = battle.state not in RUNNING
    if version == request.GET.get("seen") and not over:
        return HttpResponse(status=204)
    original = sees_originals(battle.task, viewer)
    context = {
        "battle": battle_view(battle, original=original),
        "lanes": lane_views(battle, lanes, {}, original=original),
        "live_version": version,
    }
    return render(request, "battles/_live.html", context, status=STOP_POLLING if over else 200)


@require_safe
def frame(request: HttpRequest, battle_id: uuid.UUID, frame_id: uuid.UUID) -> HttpResponse:
    """One screenshot, as its viewer may see it right now; nobody in between may keep it.

    It changes: from coarse squares to what a detector left readable, to a larger mask, to nothing after a withdrawal.
    So a browser keeps it as long as a replay takes, and asks then whether its own is still the one, which is answered
    without the picture. Whoever signs in or out is another viewer.
    """
    viewer = current_judge(request)
    battle = readable_battle(battle_id, viewer)
    found = Frame.objects.filter(pk=frame_id, lane__attempt__battle=battle).first()
    # A withdrawal leaves the row of a frame without its picture.
    if found is None or not found.sha256:
        raise NoSuchBattle
    look = look_of(found, original=sees_originals(battle.task, viewer))
    tag = quote_etag(look_tag(found, look))
    response = get_conditional_response(request, etag=tag)
    if response is None or response.status_code != HTTPStatus.NOT_MODIFIED:
        try:
            response = HttpResponse(image_in(found, look), content_type=found.mime)
        except (FileNotFoundError, ValueError):
            raise Http404 from None
    response["ETag"] = tag
    response["Cache-Control"] = KEPT_FOR_A_REPLAY
    patch_vary_headers(response, ["Cookie"])
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


def draft_name(battle_id: uuid.UUID) -> str:
    """The name under which a vote is kept while its judge signs in."""
    return f"vote:{battle_id}"


def _sign_in_first(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse | None:
    """Keep a vote whose judge is signed out by now, and ask them to sign in.

    Whether there is such a battle makes no difference: whoever is not signed in is asked all the same.
    """
    viewer = current_judge(request)
    if not request.POST.get("choice") or signed_in_account(request) is not None:
        return None
    if Battle.objects.filter(readable_by(viewer), pk=battle_id).exists():
        return None
    back_to = reverse("battle", kwargs={"battle_id": battle_id})
    return sign_in_first(request, name=draft_name(battle_id), back_to=back_to)


@at_post
def vote(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Cast or revise a vote; HTMX gets the bar back, a plain form the page."""
    asked = _sign_in_first(request, battle_id)
    if asked is not None:
        return asked
    battle = readable_battle(battle_id, current_judge(request))
    ballot = _ballot(request.POST)
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
    asked = _sign_in_first(request, battle_id)
    if asked is not None:
        return asked
    battle = readable_battle(battle_id, current_judge(request))
    ballot = _ballot(request.POST)
    try:
        if ballot.choice:
            _cast(request, battle, ballot)
        judge = current_judge(request)
        if judge is None:
            raise NoVoteYet
        if looks_twice(battle, judge):
            lock_repeat(battle=battle, judge=judge)
        else:
            lock_vote(battle=battle, judge=judge)
    except ArenaError as refusal:
        return _refused(request, battle, ballot, refusal)
    response = redirect("battle", battle_id=battle_id)
    response["Location"] += "#reveal"
    response.status_code = 303
    return response


def _cast(request: HttpRequest, battle: Battle, ballot: Ballot) -> None:
    judge = consenting_judge(request)
    key = posted_key(request)
    ballot = _attended(request, battle, judge, ballot, key)
    if looks_twice(battle, judge):
        cast_repeat(battle=battle, judge=judge, ballot=ballot)
    else:
        cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=key)


def _attended(request: HttpRequest, battle: Battle, judge: Judge, ballot: Ballot, key: str) -> Ballot:
    """The ballot with what its judge looked at over all visits. A retry of the same form is counted once."""
    focus_ms = _whole(request.POST.get("focused_ms", ""), most=24 * 3600 * 1000)
    steps = _opened_steps(request.POST.get("opened", ""), battle)
    if focus_ms is None and not steps:
        return ballot
    if key and Vote.objects.filter(battle=battle, judge=judge, idempotency_key=key).exists():
        focus_ms = 0
    attention = record_attention(battle=battle, judge=judge, focus_ms=focus_ms or 0, steps=steps)
    return dataclasses.replace(ballot, focus_ms=attention.focus_ms, steps_opened=steps_opened(battle, judge))


def _opened_steps(said: str, battle: Battle) -> list[uuid.UUID]:
    """Identifiers of the steps a page says were opened: ``<lane>:1.2.7,<lane>:3``; what is none is left out."""
    wanted: set[tuple[str, int]] = set()
    for part in said[: 80 * MOST_OPENED].split(","):
        lane, _, numbers = part.partition(":")
        wanted |= {(lane, int(number)) for number in numbers.split(".") if STEP_NUMBER.fullmatch(number)}
    if not wanted:
        return []
    steps = Step.objects.filter(lane__in=shown_lanes(battle), number__gt=0).values_list("pk", "lane_id", "number")
    return [step for step, lane, number in steps if (str(lane), number) in wanted]


def _ballot(posted: QueryDict) -> Ballot:
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
        rubric=_whole(posted.get("rubric", ""), most=2**31 - 1),
    )


def _whole(text: str, *, most: int) -> int | None:
    """A whole number from a form, capped; None when it is none."""
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else None


def _refused(request: HttpRequest, battle: Battle, ballot: Ballot, refusal: ArenaError) -> HttpResponse:
    """The page or the bar again with the reason; what was picked is still marked."""
    problem = {"title": "Your vote was not stored", "message": refusal.message, "code": refusal.code}
    if request.headers.get("HX-Request"):
        return _vote_bar(request, battle, ballot, problem=problem, missing=refusal.field)
    return battle_page_with(request, battle, refusal, problem, ballot=ballot)


def battle_page_with(
    request: HttpRequest,
    battle: Battle,
    refusal: ArenaError,
    problem: dict[str, str],
    *,
    ballot: Ballot | None = None,
) -> HttpResponse:
    """The battle's page with a refusal above it, under the refusal's own status."""
    extra = {"problem": problem, "missing": refusal.field}
    response = _battle_page(request, battle, ballot, status=refusal.status, **extra)
    if isinstance(refusal, TooMany):
        response["Retry-After"] = str(refusal.retry_after)
    return response


def _vote_bar(request: HttpRequest, battle: Battle, ballot: Ballot | None = None, **extra: Any) -> HttpResponse:
    battle.refresh_from_db()
    prepare_identity(request)
    context = {**vote_bar_context(battle, current_judge(request), ballot), "fragment": True, **extra}
    return render(request, "judging/_vote_bar.html", context)


def _battle_page(
    request: HttpRequest, battle: Battle, ballot: Ballot | None = None, *, status: int = 200, **extra: Any
) -> HttpResponse:
    prepare_identity(request)
    context = {**page_context(battle, current_judge(request), ballot), **extra}
    response = render(request, "battles/battle.html", context, status=status)
    # With the header the browser asks for the pictures before it has read the page.
    first = [lane.start_frame_url for lane in context["lanes"] if lane.start_frame_url]
    if first and battle.state not in RUNNING and battle.task.instruction:
        response["Link"] = ", ".join(f"<{url}>; rel=preload; as=image; fetchpriority=high" for url in first)
    return response
