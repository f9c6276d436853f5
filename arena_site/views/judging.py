"""The next battle, and what a judge does with one besides voting: offer, skip, report, call it impossible."""

import uuid
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from arena_site.battle_page import practice_progress
from arena_site.put_aside import put_aside, put_battle_aside
from arena_site.views.battles import at_post, battle_page_with
from arena_site.views.consenting import consenting_judge
from battles.models import Battle
from battles.presentation import frame_url, shown_lanes
from governance.errors import ArenaError, Conflict, TooMany
from governance.models import Judge
from judging.access import readable_battle, under_report
from judging.accounts import is_signed_in
from judging.identity import current_judge
from judging.objections import REPORT_DUE, mark_impossible, report_problem, skip
from judging.pool import NextBattle, next_for_judge, offer_battle, practice_battles

#: Why no battle is handed out, by the pool's reason; each has a page.
WAITING_TEMPLATES = {
    "sign_in_first": "judging/sign_in.html",
    "suspended": "judging/suspended.html",
    "practice_first": "judging/nothing.html",
    "nothing_waits": "judging/nothing.html",
}
#: What is said after something that is no vote, by the word in the address.
THANKS = {
    "reported": (
        "Reported",
        f"The battle is hidden from everybody at once. An operator looks at it within {REPORT_DUE.days} days and "
        "brings it back or takes it out for good. Your vote was not needed.",
    ),
    "impossible": (
        "Noted",
        "When a second judge says the same, the battle counts for nobody. You will not get it again.",
    ),
}


@never_cache
@require_safe
def judge_next(request: HttpRequest) -> HttpResponse:
    """Go to the next battle to judge, or say why there is none and what to do."""
    try:
        battle, found = next_battle(request)
    except TooMany as limit:
        return _limit_page(request, limit)
    if battle is not None:
        return redirect("battle", battle_id=battle.pk)
    return _waiting_page(request, found)


def next_battle(request: HttpRequest) -> tuple[Battle | None, NextBattle | None]:
    """The viewer's own battle first, unless put aside, then what the pool says; somebody new gets a practice battle.

    Raises:
        TooMany: as the pool does.
    """
    viewer = current_judge(request)
    if viewer is None:
        return _public_practice().first(), None
    own = own_waiting(viewer).exclude(pk__in=put_aside(request)).first()
    if own is not None:
        return own, None
    found = next_for_judge(judge=viewer)
    return found.battle, found


def own_waiting(judge: Judge) -> QuerySet[Battle]:
    """A judge's own battles in which their vote would count, the longest waiting first."""
    own = Battle.objects.filter(
        ~Q(under_report()),
        kind=Battle.Kind.LIVE,
        state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED],
        leak_scan=Battle.Leak.CLEAN,
        task__judge=judge,
        task__withdrawn_at__isnull=True,
    )
    return own.exclude(votes__judge=judge).order_by("votable_at")


def _public_practice() -> QuerySet[Battle]:
    practice = Battle.objects.filter(~Q(under_report()), kind=Battle.Kind.PRACTICE)
    return practice.filter(state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED]).order_by("votable_at")


def _waiting_page(request: HttpRequest, found: NextBattle | None) -> HttpResponse:
    viewer = current_judge(request)
    reason = found.reason if found else "practice_first"
    more = practice_battles(viewer).exists() if viewer is not None else False
    context = {
        "page_title": "Judge",
        "active": "judge",
        "reason": reason,
        "practice": practice_progress(viewer),
        "more_practice": more,
        "signed_in": is_signed_in(viewer),
        "put_aside": own_waiting(viewer).filter(pk__in=put_aside(request)).count() if viewer is not None else 0,
    }
    return render(request, WAITING_TEMPLATES[reason], context)


def _limit_page(request: HttpRequest, limit: TooMany) -> HttpResponse:
    back_at = timezone.now() + timedelta(seconds=limit.retry_after)
    context = {
        "page_title": "Enough for now",
        "active": "judge",
        "message": limit.message,
        "back_at": back_at,
        "minutes": max(1, round(limit.retry_after / 60)),
    }
    response = render(request, "judging/limit.html", context, status=limit.status)
    response["Retry-After"] = str(limit.retry_after)
    return response


@never_cache
@require_safe
def practice_next(request: HttpRequest) -> HttpResponse:
    """One more practice battle, for somebody who wants one."""
    viewer = current_judge(request)
    battle = (practice_battles(viewer) if viewer is not None else _public_practice()).first()
    return redirect("battle", battle_id=battle.pk) if battle is not None else redirect("judge")


@never_cache
@require_POST
def ahead(request: HttpRequest) -> HttpResponse:
    """The first frames of the next battle, so that a page at rest can fetch them: ``{"frames": [...]}``.

    Like going to the next battle it may hand one out, so it is a POST and is asked for once a vote is final.
    """
    try:
        battle, _ = next_battle(request) if current_judge(request) is not None else (None, None)
    except TooMany:
        battle = None
    frames = [_first_frame(battle, lane) for lane in shown_lanes(battle)] if battle is not None else []
    return JsonResponse({"frames": [frame for frame in frames if frame]})


def _first_frame(battle: Battle, lane: Any) -> str | None:
    start = lane.steps.filter(number=0).values_list("frame_id", flat=True).first()
    return frame_url(battle.pk, start)


@never_cache
@require_safe
def thanks(request: HttpRequest, what: str) -> HttpResponse:
    """After a report or an "impossible": what happens now, and the way on."""
    if what not in THANKS:
        raise Http404
    title, words = THANKS[what]
    context = {"page_title": title, "active": "judge", "title": title, "words": words}
    return render(request, "judging/thanks.html", context)


@at_post
def offer(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Let others judge one's own battle."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        offer_battle(battle=battle, judge=consenting_judge(request))
    except ArenaError as refusal:
        return _not_done(request, battle, refusal, "It was not offered")
    return redirect("battle", battle_id=battle_id)


@at_post
def later(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Put one's own battle aside, and go to the next one."""
    viewer = current_judge(request)
    battle = readable_battle(battle_id, viewer)
    if viewer is None or battle.kind != Battle.Kind.LIVE or battle.task.judge_id != viewer.pk:
        refusal = Conflict("Only a battle of your own can wait. Another one can be skipped.", code="not_your_own")
        return _not_done(request, battle, refusal, "It was not put aside")
    put_battle_aside(request, battle.pk)
    return redirect("judge")


@at_post
def skip_battle(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Pass it on with a reason, and go to the next one."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        skip(battle=battle, judge=consenting_judge(request), reason=request.POST.get("reason", ""))
    except ArenaError as refusal:
        return _not_done(request, battle, refusal, "It was not skipped")
    return redirect("judge")


@at_post
def report(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Hide a battle at once, with what is wrong."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        report_problem(
            battle=battle,
            judge=consenting_judge(request),
            kind=request.POST.get("kind", ""),
            note=request.POST.get("note", "").strip(),
        )
    except ArenaError as refusal:
        return _not_done(request, battle, refusal, "It was not reported")
    return redirect("thanks", what="reported")


@at_post
def impossible(request: HttpRequest, battle_id: uuid.UUID) -> HttpResponse:
    """Say that nobody could do the task."""
    battle = readable_battle(battle_id, current_judge(request))
    try:
        mark_impossible(battle=battle, judge=consenting_judge(request))
    except ArenaError as refusal:
        return _not_done(request, battle, refusal, "It was not noted")
    return redirect("thanks", what="impossible")


def _not_done(request: HttpRequest, battle: Battle, refusal: ArenaError, title: str) -> HttpResponse:
    problem = {"title": title, "message": refusal.message, "code": refusal.code}
    return battle_page_with(request, battle, refusal, problem)
