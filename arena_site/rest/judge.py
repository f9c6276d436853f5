"""The next battle, and how a judge's calls came out."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from arena_site.judge_page import call_views
from arena_site.rest.battle_documents import named
from arena_site.rest.examples import ASKING, BATTLE, answered, told
from arena_site.rest.shapes import CalibrationShown, NextShown
from arena_site.rest.taking_part import Reading
from arena_site.views.judging import next_battle
from governance.models import Judge
from judging.calibration import calibration
from judging.identity import current_judge
from judging.pool import PRACTICE_NEEDED, practice_votes
from judging.trust import State, distance_to_decision, trust_state
from judging.trust_rule import CALLS_NEEDED

NOT_YET = "no_scored_calls"


class Next(Reading):
    """The next battle to judge."""

    scope = "judge"
    heading = "Judging"

    @extend_schema(
        operation_id="next_battle",
        responses={200: NextShown, **told(ASKING, {429: ("label_limit",)})},
        examples=[
            answered(
                {
                    "reason": "handed_out",
                    "battle": {"id": BATTLE, "url": f"/api/battles/{BATTLE}", "page": f"/battles/{BATTLE}"},
                    "lease": {"until": "2026-11-30T13:04:07Z"},
                    "practice": {"done": 3, "needed": 3},
                }
            )
        ],
    )
    def get(self, request: Request, **path: Any) -> Any:
        """Take the next battle to judge.

        Your own battles come first, then what the pool hands out, for half an hour; asked again, it gives the same
        one. `battle` is null where there is none, and `reason` says why.
        """
        return super().get(request, **path)

    def found(self, request: HttpRequest, **path: Any) -> Any:
        viewer = current_judge(request)
        battle, found = next_battle(request)
        otherwise = "own_battle" if viewer is not None else "practice_first"
        lease = found.assignment if found is not None else None
        return {
            "reason": found.reason if found is not None else otherwise,
            "battle": named(battle.pk) if battle is not None else None,
            "lease": {"until": lease.leased_until} if lease is not None else None,
            "practice": _practice(viewer),
        }


class OwnCalibration(Reading):
    """How one's calls came out."""

    heading = "Judging"

    @extend_schema(operation_id="read_calibration", responses={200: CalibrationShown, **told(ASKING)})
    def get(self, request: Request, **path: Any) -> Any:
        """Read how your calls came out, call by call, each once it is settled.

        Scored are battles whose outcome a check knows, and battles that three people judged, against what most of the
        others said.
        """
        return super().get(request, **path)

    def found(self, request: HttpRequest, **path: Any) -> Any:
        viewer = current_judge(request)
        document: dict[str, Any] = {
            "trust": State.NEW,
            "accuracy": None,
            "lower": None,
            "upper": None,
            "reason": NOT_YET,
            "scored": 0,
            "needed": CALLS_NEEDED,
            "calls": [],
            "practice": _practice(viewer),
        }
        return document if viewer is None else document | _scored(viewer)


def _scored(judge: Judge) -> dict[str, Any]:
    found = calibration(judge)
    scored, _ = distance_to_decision(judge)
    newest = list(found.calls)[::-1]
    return {
        "trust": trust_state(judge),
        "accuracy": found.accuracy,
        "lower": found.lower,
        "upper": found.upper,
        "reason": None if found.calls else NOT_YET,
        "scored": scored,
        "calls": [
            {
                "instruction": view.battle,
                "battle": f"/api{view.href}" if view.href else None,
                "known_from": call.source,
                "said": view.said,
                "expected": view.expected,
                "right": view.right,
                "settled_at": view.settled_at,
            }
            for view, call in zip(call_views(judge, found), newest, strict=False)
        ],
    }


def _practice(judge: Judge | None) -> dict[str, int]:
    return {"done": practice_votes(judge) if judge is not None else 0, "needed": PRACTICE_NEEDED}
