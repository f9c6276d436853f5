"""Posting tasks, and reading battles with their frames."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from arena_site.posting import Posting, post_task
from arena_site.rest.battle_documents import battle_document, named
from arena_site.rest.bodies import OneOfField, TextField
from arena_site.rest.consent import Consenting, agreeing_judge
from arena_site.rest.examples import ASKING, BATTLE, GIVING, KEY, LABELLING, NO_BATTLE, answered, sent, told
from arena_site.rest.negotiation import WebPicture
from arena_site.rest.repeats import Made, key_of
from arena_site.rest.shapes import BattleShown, Noted, PostedBattle
from arena_site.rest.taking_part import IF_MATCH, Giving, Reading, TakingPart, address_of
from arena_site.views import battles as pages
from battles.intake import INSTRUCTION_MAX, INSTRUCTION_MIN, URL_MAX
from battles.models import Task
from battles.screening.category import CATEGORIES
from governance.public_reading import PreconditionFailed
from judging.access import readable_battle
from judging.identity import current_judge
from judging.pool import offer_battle


class TaskBody(Consenting):
    """A task: what should be done, and where the agents start."""

    instruction = TextField(
        # Whether it can be a task is the intake's to say, which counts it in its own way.
        max_length=4 * INSTRUCTION_MAX,
        help_text=f"What to find or do, and how to know that it is done; {INSTRUCTION_MIN} to {INSTRUCTION_MAX:,} "
        "characters. Copies of public benchmark items are refused.",
    )
    start_url = TextField(max_length=4 * URL_MAX, help_text="A public web address. Both agents begin there.")
    category = OneOfField(CATEGORIES, required=False, help_text="Told from the text where it is left out.")
    kind = OneOfField(
        Task.Kind.values, required=False, help_text="What is there at the end. Told from the text where it is left out."
    )
    proof = TextField(
        max_length=3000,
        required=False,
        help_text="Without a token or a session: the solved challenge of /account/proof?for=task. Left out, a stricter "
        "limit holds.",
    )


class Battles(Giving):
    """Post a task. Two agents race it, and you judge them blind."""

    scope = "submit"
    heading = "Battles"
    body = TaskBody

    @extend_schema(
        operation_id="post_battle",
        parameters=[KEY],
        request=TaskBody,
        responses={
            201: PostedBattle,
            **told(
                GIVING,
                LABELLING,
                {
                    422: (
                        "control_characters",
                        "instruction_too_short",
                        "instruction_too_long",
                        "start_url_missing",
                        "start_url_too_long",
                        "start_url_refused",
                        "benchmark_overlap",
                        "proof_forged",
                        "proof_expired",
                        "proof_used",
                        "task_refused",
                    ),
                    429: ("limit_unverified_task",),
                    503: ("roster_too_small", "spend_limit"),
                },
            ),
        },
        examples=[
            sent(
                {
                    "instruction": "Find out when the town library opens on Saturdays.",
                    "start_url": "https://library.example.org/",
                    "consent": "5f2b0c4d8e7a1f3960b4d2c8a7e5f1036b9d8c7a2e4f5b1d0c3a6e9f8b7d2c41",
                }
            ),
            answered(
                {"id": BATTLE, "url": f"/api/battles/{BATTLE}", "page": f"/battles/{BATTLE}", "state": "queued"}, 201
            ),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Post a task.

        It is checked, an opponent pair is drawn for it, and the race waits for two browsers. Follow it at `url`.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        posting = Posting(
            instruction=said["instruction"],
            start_url=said["start_url"],
            kind=said.get("kind", ""),
            category=said.get("category", ""),
            key=key_of(request),
            proof=said.get("proof", ""),
        )
        battle = post_task(request, posting, agreeing=lambda: agreeing_judge(request, said.get("consent")))
        return Made(named(battle.pk) | {"state": str(battle.state)}, 201, address_of(battle.pk))


class ABattle(Reading):
    """A battle as you may see it."""

    heading = "Battles"

    @extend_schema(operation_id="read_battle", responses={200: BattleShown, **told(ASKING, NO_BATTLE)})
    def get(self, request: Request, **path: Any) -> Any:
        """Read a battle as you may see it.

        It is yours to read where you posted the task, where it was handed to you by the pool, or where it is a
        practice battle. Any other is not there. Before your own vote is locked nothing says who raced:
        `identity.visible` is false, `identity.reason` says why, and lanes have no `agent`. While it races, read it
        again for what is new. What a vote names is the identifier of a lane, not its letter, which can change.
        """
        return super().get(request, **path)

    def found(self, request: HttpRequest, **path: Any) -> Any:
        battle_id: uuid.UUID = path["battle_id"]
        viewer = current_judge(request)
        return battle_document(readable_battle(battle_id, viewer), viewer)


class AFrame(TakingPart):
    """A screenshot of a battle."""

    heading = "Battles"
    tagged = True
    renderer_classes = (WebPicture,)

    @extend_schema(
        operation_id="read_frame",
        responses={
            (200, "image/webp"): {"type": "string", "format": "binary"},
            304: OpenApiResponse(description="You have it: neither the picture nor its mask changed."),
            **told(ASKING, NO_BATTLE, {503: ("picture_away",)}),
        },
    )
    def get(self, request: Request, battle_id: uuid.UUID, frame_id: uuid.UUID) -> HttpResponse:
        """Get one screenshot of a battle.

        The address is in the battle's document. A picture may be masked further once it was read: ten minutes later
        send its `ETag` back as `If-None-Match`, and 304 says that yours is still the one.
        """
        plain = request._request
        response = pages.frame(plain, battle_id, frame_id)
        # A picture has no date, so that a precondition about one means nothing.
        if IF_MATCH in plain.headers:
            conditional = get_conditional_response(plain, etag=response["ETag"], response=response)
            if conditional is not None and conditional.status_code == HTTPStatus.PRECONDITION_FAILED:
                raise PreconditionFailed
        return response


class AnOffer(Giving):
    """Offer one's own battle."""

    scope = "submit"
    heading = "Battles"
    body = Consenting

    @extend_schema(
        operation_id="offer_battle",
        parameters=[KEY],
        request=Consenting,
        responses={
            201: Noted,
            **told(GIVING, LABELLING, NO_BATTLE, {409: ("no_legal_name", "names_seen", "over")}),
        },
        examples=[sent({}), answered({"battle": BATTLE, "noted": "offered"}, 201)],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Let others judge your own battle.

        Possible until your own vote is final, so that nobody chooses what to offer after knowing who raced.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        offer_battle(battle=battle, judge=agreeing_judge(request, said.get("consent")))
        return Made({"battle": str(battle.pk), "noted": "offered"}, 201, address_of(battle.pk))
