"""The first page, and the way to the next battle to judge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.forms import TaskForm
from battles.models import Battle
from battles.presentation import battle_view, lane_views, live_version, shown_lanes
from governance.models import Judge
from judging.identity import current_judge
from ratings.standings import axis_of, board_in_force, standings_rows

#: Rows of the standings on the first page.
TOP = 5
#: Battles of one's own on one page; older ones keep their addresses.
LISTED = 50


@never_cache
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    battle = _practice_battle()
    lanes = shown_lanes(battle) if battle else []
    publication = board_in_force()
    rows = standings_rows(publication)
    return render(
        request,
        "arena_site/home.html",
        {
            "page_title": "",
            "active": "home",
            "form": TaskForm(),
            "practice_battle": battle_view(battle) if battle else None,
            "lanes": lane_views(battle, lanes, {}) if battle else [],
            "live_version": live_version(battle, lanes) if battle else "",
            "top_rows": rows[:TOP],
            "axis": axis_of(rows[:TOP]),
            "board": publication.board if publication else "demo",
            "publication": publication,
        },
    )


def _practice_battle() -> Battle | None:
    """The practice battle racing now; else the newest one that can be judged or has been."""
    practice = Battle.objects.select_related("task").filter(kind=Battle.Kind.PRACTICE).order_by("-created_at")
    racing = practice.filter(state=Battle.State.RACING).first()
    return racing or practice.exclude(state__in=[Battle.State.QUEUED, Battle.State.VOID]).first() or practice.first()


def next_to_judge(viewer: Judge | None) -> Battle | None:
    """The viewer's own votable battle without their vote, else the longest-waiting practice battle without it."""
    waiting = Battle.objects.filter(state__in=[Battle.State.VOTABLE, Battle.State.RESOLVED]).order_by("votable_at")
    if viewer is not None:
        waiting = waiting.exclude(votes__judge=viewer)
        own = waiting.filter(task__judge=viewer).first()
        if own is not None:
            return own
    return waiting.filter(kind=Battle.Kind.PRACTICE).first()


@never_cache
@require_safe
def judge_next(request: HttpRequest) -> HttpResponse:
    """Go to the next battle to judge, or say that none waits."""
    viewer = current_judge(request)
    battle = next_to_judge(viewer)
    if battle is not None:
        return redirect("battle", battle_id=battle.pk)
    return render(request, "judging/nothing.html", {"page_title": "Nothing to judge", "active": "judge"})


@never_cache
@require_safe
def judge_me(request: HttpRequest) -> HttpResponse:
    """What this browser has posted and judged."""
    viewer = current_judge(request)
    battles = Battle.objects.select_related("task").order_by("-created_at") if viewer else Battle.objects.none()
    posted = battles.filter(task__judge=viewer, task__withdrawn_at__isnull=True)
    judged = battles.filter(votes__judge=viewer, votes__withdrawn_at__isnull=True)
    return render(
        request,
        "judging/me.html",
        {
            "page_title": "My judging",
            "active": "me",
            "posted": [battle_view(battle) for battle in posted[:LISTED]],
            "judged": [battle_view(battle) for battle in judged[:LISTED]],
        },
    )
