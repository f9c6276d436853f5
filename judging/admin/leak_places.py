"""Where the scan finds what gives an agent away, looked for anew on the page of a battle that leaked.

The places are not kept: what stands in a recording is scrubbed as the scan saw it, so that the same search finds them.
"""

from __future__ import annotations

from django.http import HttpRequest

from battles.blindness.leak_scan import LeakReport, battle_leak_report
from battles.models import Battle, Lane, Step
from battles.presentation import shown_lanes
from battles.shown_words import shown_remark
from governance.admin_base import Panel
from judging.admin.viewing import HIDDEN, is_private
from judging.leak_reviews import LEAKS

TITLE = "Where the scan finds something"
ASK = {"ask": "places", "words": "Look for the places again"}
#: So many places tell enough.
SHOWN = 50
NOTHING = "Nothing is found any more, with the names and the rules of today."


def leak_places(request: HttpRequest, battle: Battle, *, names: bool) -> list[Panel]:
    """The places, of a battle that did not come out clean; worked out when asked for.

    Args:
        names: whether this operator may know who raced. Otherwise a place is all that shows, as it is of a recording
            that stays its poster's.
    """
    if battle.leak_scan not in LEAKS:
        return []
    if ASK["ask"] not in request.GET:
        return [Panel(TITLE, template="admin/judging/ask.html", context=ASK)]
    lanes = shown_lanes(battle)
    report = battle_leak_report(lanes)
    trouble = f"It could not look everywhere: {report.trouble}." if report.trouble else ""
    empty = "Nothing was found before that." if trouble else NOTHING
    return [
        Panel(
            TITLE,
            ("place", "rule", "what stands there"),
            _rows(battle, lanes, report, words=names and not is_private(battle)),
            empty,
            trouble,
        )
    ]


def _rows(battle: Battle, lanes: list[Lane], report: LeakReport, *, words: bool) -> list[tuple[str, str, str]]:
    rows = {
        (found.where.replace("_", " "), found.reason.replace("_", " "), found.text)
        if words
        else (found.where.replace("_", " "), HIDDEN, HIDDEN): None
        for found in report.findings
    }
    steps = list(Step.objects.filter(lane__in=lanes)) if words else []
    return [
        (where, rule, shown_remark(battle.task, text, original=False, steps=steps))
        for where, rule, text in list(rows)[:SHOWN]
    ]
