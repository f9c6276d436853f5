"""Labels below the level of a battle: verdicts on steps, boxes on frames, clicks."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from arena_site.rest.bodies import IdentifierField, NumberField, OneOfField, TextField, WholeNumberField
from arena_site.rest.consent import Consenting, agreeing_judge
from arena_site.rest.examples import FRAME, GIVING, KEY, LABELLING, LANE, NO_PART, answered, sent, told
from arena_site.rest.repeats import Made
from arena_site.rest.shapes import MarkMade, StepMarked
from arena_site.rest.taking_part import Giving, address_of
from arena_site.views.labels import step_of
from judging.access import readable_battle
from judging.identity import current_judge
from judging.labels import ANNOTATION_NOTE_MAX, CLICK_MAX_MS, annotate, click_next, judge_step
from judging.models import Annotation, StepVerdict

TO_MARK = {409: ("not_votable",), 410: ("void",)}
SHARE = "From 0 to 1, a share of the frame's {side}."


class VerdictBody(Consenting):
    """What a step was."""

    lane = IdentifierField(help_text="The identifier of the lane; both lanes count their steps from 1.")
    verdict = OneOfField(StepVerdict.Verdict.values)


class AVerdict(Giving):
    """Say what a step was."""

    scope = "judge"
    heading = "Judging"
    body = VerdictBody

    @extend_schema(
        operation_id="judge_step",
        parameters=[KEY],
        request=VerdictBody,
        responses={200: StepMarked, **told(GIVING, LABELLING, NO_PART, TO_MARK)},
        examples=[
            sent({"lane": LANE, "verdict": "unnecessary"}),
            answered({"lane": LANE, "step": 3, "verdict": "unnecessary"}),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Say what a step was: helpful, unnecessary, wrong or unsafe.

        One verdict of yours for a step: saying something else changes it.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        step = step_of(battle, str(said["lane"]), str(path["number"]))
        judge = agreeing_judge(request, said.get("consent"))
        given = judge_step(battle=battle, judge=judge, step_id=step.pk, verdict=said["verdict"])
        return Made({"lane": str(said["lane"]), "step": step.number, "verdict": given.verdict})


class BoxBody(Consenting):
    """A box on a frame."""

    frame = IdentifierField(help_text="The last part of the frame's address.")
    x = NumberField(help_text=SHARE.format(side="width"))
    y = NumberField(help_text=SHARE.format(side="height"))
    width = NumberField(help_text=SHARE.format(side="width"))
    height = NumberField(help_text=SHARE.format(side="height"))
    tag = OneOfField(Annotation.Tag.values, help_text="What the box marks.")
    note = TextField(allow_blank=True, required=False, max_length=ANNOTATION_NOTE_MAX)


class Annotations(Giving):
    """Draw a box on a frame."""

    scope = "judge"
    heading = "Judging"
    body = BoxBody

    @extend_schema(
        operation_id="annotate_frame",
        parameters=[KEY],
        request=BoxBody,
        responses={
            201: MarkMade,
            **told(
                GIVING, LABELLING, NO_PART, TO_MARK, {422: ("box_off_frame", "note_too_long", "control_characters")}
            ),
        },
        examples=[
            sent({"frame": FRAME, "x": 0.1, "y": 0.2, "width": 0.3, "height": 0.05, "tag": "wrong_target"}),
            answered({"id": "b7c2f6c0-5a0e-4b07-9d2c-0a4f0d1e2f3a"}, 201),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Draw a box on a frame, with a tag and a remark.

        The same box with the same words again is the one that is there.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        drawn = annotate(
            battle=battle,
            judge=agreeing_judge(request, said.get("consent")),
            frame_id=said["frame"],
            box=(said["x"], said["y"], said["width"], said["height"]),
            tag=said["tag"],
            note=said.get("note", "").strip(),
        )
        return Made({"id": str(drawn.pk)}, 201, address_of(battle.pk))


class ClickBody(Consenting):
    """Where somebody would click next."""

    frame = IdentifierField(help_text="The last part of the frame's address.")
    x = NumberField(help_text=SHARE.format(side="width"))
    y = NumberField(help_text=SHARE.format(side="height"))
    milliseconds = WholeNumberField(
        min_value=0, max_value=CLICK_MAX_MS, help_text="From the frame being shown to the click."
    )


class Clicks(Giving):
    """Click on a frame where one would click next."""

    scope = "judge"
    heading = "Judging"
    body = ClickBody

    @extend_schema(
        operation_id="click_next",
        parameters=[KEY],
        request=ClickBody,
        responses={
            201: MarkMade,
            **told(GIVING, LABELLING, NO_PART, TO_MARK, {409: ("already_clicked",), 422: ("point_off_frame",)}),
        },
        examples=[
            sent({"frame": FRAME, "x": 0.42, "y": 0.13, "milliseconds": 1840}),
            answered({"id": "7d7e2a52-1c54-4a51-9a0f-6f0c2b1d3e4f"}, 201),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Click on a frame where you would click next.

        With the task in mind, before seeing what the agent did. The first click on a frame stands.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        given = click_next(
            battle=battle,
            judge=agreeing_judge(request, said.get("consent")),
            frame_id=said["frame"],
            point=(said["x"], said["y"]),
            milliseconds=said["milliseconds"],
        )
        return Made({"id": str(given.pk)}, 201, address_of(battle.pk))
