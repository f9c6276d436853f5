"""The first page."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena_site.forms import TaskForm
from battles.models import Battle
from battles.presentation import battle_view, lane_views, live_version, shown_lanes
from judging.access import under_report
from ratings.standings import axis_of, board_in_force, standings_rows

#: Rows of the standings on the first page.
TOP = 5


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
    """The practice battle racing now; else the newest one that can be judged or has been. None that is reported."""
    shown = Battle.objects.select_related("task").filter(~Q(under_report()), kind=Battle.Kind.PRACTICE)
    practice = shown.order_by("-created_at")
    racing = practice.filter(state=Battle.State.RACING).first()
    return racing or practice.exclude(state__in=[Battle.State.QUEUED, Battle.State.VOID]).first() or practice.first()
