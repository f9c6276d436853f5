"""Votes, and what is said instead of one."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from arena_site.rest.battle_documents import vote_document
from arena_site.rest.bodies import Body, OneOfField, TextField, WholeNumberField
from arena_site.rest.consent import Consenting, agreeing_judge
from arena_site.rest.examples import BATTLE, GIVING, KEY, LABELLING, LANE, NO_BATTLE, answered, sent, told
from arena_site.rest.repeats import Made, key_of
from arena_site.rest.shapes import Noted, VoteGiven
from arena_site.rest.taking_part import Giving, address_of
from judging.access import readable_battle
from judging.identity import current_judge
from judging.models import Completion, Vote
from judging.objections import (
    REPORT_KINDS,
    REPORT_NOTE_MAX,
    SKIP_REASONS,
    mark_impossible,
    report_problem,
    skip,
)
from judging.repeats import cast_repeat, lock_repeat, looks_twice
from judging.votes import NOTE_MAX, REASONS, Ballot, NoVoteYet, cast_vote, lock_vote

GIVEN = {
    "id": "01994c22-1d3e-7b44-8a31-2f6d5c4b3a29",
    "battle": BATTLE,
    "choice": LANE,
    "locked": False,
    "locks_at": "2026-11-30T12:44:07+00:00",
}


class BallotBody(Consenting):
    """What a judge says of a battle."""

    choice = TextField(max_length=40, help_text="The identifier of the better lane, `tie` or `both_bad`.")
    completions = serializers.DictField(
        child=OneOfField(Completion.Verdict.values),
        required=False,
        help_text="By the identifier of a lane: how far it got with the task.",
    )
    confidence = OneOfField(Vote.Confidence.values, required=False)
    reasons = serializers.ListField(child=OneOfField(list(REASONS)), required=False, max_length=len(REASONS))
    note = TextField(
        allow_blank=True, required=False, max_length=NOTE_MAX, help_text="A remark; it is published nowhere as it is."
    )
    rubric = WholeNumberField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="The version of the rubric that was shown."
    )


class AVote(Giving):
    """Vote on a battle."""

    scope = "judge"
    heading = "Judging"
    body = BallotBody

    @extend_schema(
        operation_id="vote",
        parameters=[KEY],
        request=BallotBody,
        responses={
            200: VoteGiven,
            **told(
                GIVING,
                LABELLING,
                NO_BATTLE,
                {
                    409: ("not_votable", "vote_locked", "seat_taken", "said_impossible", "suspended", "lease_over"),
                    410: ("closed", "void"),
                    422: ("unknown_choice", "unknown_completion", "unknown_rubric", "control_characters"),
                },
            ),
        },
        examples=[
            sent({"choice": LANE, "completions": {LANE: "done"}, "confidence": "high", "reasons": ["correct"]}),
            answered(GIVEN),
        ],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Vote, or change your vote.

        There is one vote of yours on a battle: saying the same again changes nothing, saying something else changes
        it, until you lock it or ten minutes pass. The answer is 200 each time.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        judge = agreeing_judge(request, said.get("consent"))
        ballot = Ballot(
            choice=said["choice"],
            completions=said.get("completions", {}),
            confidence=said.get("confidence", ""),
            reasons=said.get("reasons", ()),
            note=said.get("note", "").strip(),
            rubric=said.get("rubric"),
        )
        if looks_twice(battle, judge):
            return Made(vote_document(cast_repeat(battle=battle, judge=judge, ballot=ballot)))
        vote = cast_vote(battle=battle, judge=judge, ballot=ballot, idempotency_key=key_of(request))
        return Made(vote_document(vote))


class ALock(Giving):
    """Make one's vote final."""

    scope = "judge"
    heading = "Judging"

    @extend_schema(
        operation_id="lock_vote",
        parameters=[KEY],
        request=Body,
        responses={200: VoteGiven, **told(GIVING, NO_BATTLE, {409: ("no_vote",)})},
        examples=[answered(GIVEN | {"locked": True})],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Make your vote final, which shows you who raced.

        Names are in the battle's document from then on. Locking twice is locking once.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        judge = current_judge(request)
        if judge is None:
            raise NoVoteYet
        lock = lock_repeat if looks_twice(battle, judge) else lock_vote
        return Made(vote_document(lock(battle=battle, judge=judge)))


class SkipBody(Consenting):
    """Why a battle is passed on."""

    reason = OneOfField(list(SKIP_REASONS), help_text="Why you do not judge this one.")


class ASkip(Giving):
    """Pass a battle on."""

    scope = "judge"
    heading = "Judging"
    body = SkipBody

    @extend_schema(
        operation_id="skip_battle",
        parameters=[KEY],
        request=SkipBody,
        responses={
            200: Noted,
            **told(GIVING, LABELLING, NO_BATTLE, {409: ("not_in_hand", "already_voted"), 422: ("unknown_reason",)}),
        },
        examples=[sent({"reason": "language"}), answered({"battle": BATTLE, "noted": "skipped"})],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Pass a battle on to other judges.

        It does not come back to you. Then ask for the next one.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        skip(battle=battle, judge=agreeing_judge(request, said.get("consent")), reason=said["reason"])
        return Made({"battle": str(battle.pk), "noted": "skipped"})


class ReportBody(Consenting):
    """What is wrong with a battle."""

    kind = OneOfField(list(REPORT_KINDS), help_text="What is wrong.")
    note = TextField(allow_blank=True, required=False, max_length=REPORT_NOTE_MAX, help_text="A remark for operators.")


class AReport(Giving):
    """Report a problem with a battle."""

    scope = "judge"
    heading = "Judging"
    body = ReportBody

    @extend_schema(
        operation_id="report_battle",
        parameters=[KEY],
        request=ReportBody,
        responses={
            201: Noted,
            **told(GIVING, LABELLING, NO_BATTLE, {422: ("unknown_kind", "note_too_long", "control_characters")}),
        },
        examples=[sent({"kind": "private"}), answered({"battle": BATTLE, "noted": "reported"}, 201)],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Report a problem with a battle.

        It is hidden from everybody at once, from you as well unless you posted it, until an operator has looked.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        judge = agreeing_judge(request, said.get("consent"))
        report_problem(battle=battle, judge=judge, kind=said["kind"], note=said.get("note", "").strip())
        return Made({"battle": str(battle.pk), "noted": "reported"}, 201, address_of(battle.pk))


class AnImpossible(Giving):
    """Say that nobody could do the task."""

    scope = "judge"
    heading = "Judging"
    body = Consenting

    @extend_schema(
        operation_id="call_battle_impossible",
        parameters=[KEY],
        request=Consenting,
        responses={201: Noted, **told(GIVING, LABELLING, NO_BATTLE, {409: ("not_in_hand", "already_voted")})},
        examples=[sent({}), answered({"battle": BATTLE, "noted": "impossible"}, 201)],
    )
    def post(self, request: Request, **path: Any) -> Any:
        """Say that nobody could do the task.

        When a second judge says the same, the battle counts for nobody.
        """
        return super().post(request, **path)

    def give(self, request: HttpRequest, said: dict[str, Any], **path: Any) -> Made:
        battle = readable_battle(path["battle_id"], current_judge(request))
        mark_impossible(battle=battle, judge=agreeing_judge(request, said.get("consent")))
        return Made({"battle": str(battle.pk), "noted": "impossible"}, 201, address_of(battle.pk))
