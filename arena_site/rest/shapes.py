"""What is answered to people who take part, for the schema: every field with what it means."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as shape

from judging.models import Completion

Shape = shape.Serializer[Any]


class BattleNamed(Shape):
    id = shape.UUIDField()
    url = shape.CharField(help_text="Address in this API.")
    page = shape.CharField(help_text="Address of the page for people.")


class PostedBattle(BattleNamed):
    state = shape.CharField(help_text="`queued`: it waits for two browsers.")


class AgentShown(Shape):
    key = shape.CharField()
    name = shape.CharField()
    version = shape.CharField()
    ticker_change = shape.CharField(
        allow_blank=True, help_text="What your vote did to its ticker, in points; empty while that is not known."
    )


class AnswerPart(Shape):
    text = shape.CharField(trim_whitespace=False)
    step = shape.IntegerField(allow_null=True, help_text="The step after which the page said this; 0: the start page.")
    frame = shape.CharField(allow_null=True, help_text="The frame that shows that page.")


class StepShown(Shape):
    number = shape.IntegerField(min_value=1)
    verb = shape.CharField()
    summary = shape.CharField()
    ok = shape.BooleanField(help_text="Whether the browser could do it.")
    message = shape.CharField(allow_blank=True, help_text="What the agent was told.")
    changed = shape.BooleanField(allow_null=True, help_text="Whether the page changed; null where nobody looked.")
    seconds = shape.FloatField(help_text="Since the start of the lane.")
    point = shape.ListField(child=shape.IntegerField(), allow_null=True, help_text="Where it acted: x, y in pixels.")
    box = shape.ListField(child=shape.IntegerField(), allow_null=True, help_text="On what: x, y, width, height.")
    typed = shape.CharField(allow_null=True)
    path = shape.ListField(child=shape.ListField(child=shape.IntegerField()), help_text="Of a drag: points.")
    scroll = shape.CharField(allow_blank=True, help_text="`up`, `down`, `left`, `right`, or empty.")
    reasoning = shape.CharField(allow_blank=True)
    url = shape.CharField(allow_blank=True, help_text="The address after the step.")
    frame = shape.CharField(allow_null=True, help_text="Address of the screenshot after the step.")
    my_verdict = shape.CharField(allow_null=True)


class LaneShown(Shape):
    id = shape.UUIDField(allow_null=True, help_text="What a vote names. Null before the race starts.")
    slot = shape.ChoiceField(["A", "B"], help_text="Under which letter it is shown to you.")
    state = shape.CharField()
    seconds = shape.FloatField()
    budget_seconds = shape.FloatField()
    steps_used = shape.IntegerField()
    budget_steps = shape.IntegerField()
    ended = shape.CharField(allow_blank=True, help_text="How it ended, in words; empty while it runs.")
    detail = shape.CharField(allow_blank=True)
    answer = shape.CharField(allow_blank=True)
    answer_parts = AnswerPart(many=True)
    start_frame = shape.CharField(allow_null=True)
    newest_frame = shape.CharField(allow_null=True)
    steps = StepShown(many=True)
    my_completion = shape.ChoiceField(Completion.Verdict.values, allow_null=True)
    agent = AgentShown(required=False, help_text="There only once `identity.visible` is true.")


class VoteGiven(Shape):
    id = shape.UUIDField()
    battle = shape.UUIDField()
    choice = shape.CharField(help_text="The identifier of the better lane, `tie` or `both_bad`.")
    locked = shape.BooleanField(help_text="Whether it is final.")
    locks_at = shape.DateTimeField(help_text="When it becomes final by itself.")


class OwnVote(VoteGiven):
    words = shape.CharField()
    confidence = shape.CharField(allow_blank=True)
    reasons = shape.ListField(child=shape.CharField())
    note = shape.CharField(allow_blank=True)


class OwnMark(Shape):
    id = shape.UUIDField()
    frame = shape.UUIDField()
    lane = shape.UUIDField()
    tag = shape.CharField()
    note = shape.CharField(allow_blank=True)
    x = shape.FloatField()
    y = shape.FloatField()
    width = shape.FloatField()
    height = shape.FloatField()


class IdentityShown(Shape):
    visible = shape.BooleanField()
    reason = shape.ChoiceField(
        ["no_own_vote", "own_vote_not_locked", "second_look_pending", "own_vote_locked", "battle_closed"],
        help_text="Why names show or do not. `second_look_pending`: some battles come back, and both looks are blind.",
    )


class LeaseShown(Shape):
    state = shape.ChoiceField(["running", "over", "taken"])
    until = shape.DateTimeField()


class OfferShown(Shape):
    offered = shape.BooleanField()
    refusal = shape.CharField(allow_blank=True, help_text="Why it cannot be offered, in words.")


class PracticeShown(Shape):
    done = shape.IntegerField()
    needed = shape.IntegerField()
    left = shape.IntegerField()


class MayShown(Shape):
    vote = shape.BooleanField()
    mark = shape.BooleanField()
    offer = shape.BooleanField()
    skip = shape.BooleanField()
    impossible = shape.BooleanField()
    report = shape.BooleanField()


class ConsentShown(Shape):
    version = shape.IntegerField()
    sentence = shape.CharField()
    sha256 = shape.CharField()
    given = shape.BooleanField(help_text="Whether you have agreed to it.")


class BattleShown(BattleNamed):
    kind = shape.ChoiceField(["live", "practice"])
    state = shape.ChoiceField(["queued", "racing", "votable", "resolved", "closed", "void"])
    instruction = shape.CharField(allow_blank=True)
    start_url = shape.CharField(allow_blank=True)
    category = shape.CharField(allow_blank=True)
    closed_at = shape.DateTimeField(allow_null=True)
    void_reason = shape.CharField(allow_blank=True)
    starts_differ = shape.BooleanField(help_text="Whether the two lanes began on pages that differ.")
    identity = IdentityShown()
    lanes = LaneShown(many=True)
    vote = OwnVote(allow_null=True)
    others = shape.ListField(child=shape.CharField(), help_text="What others said, once the battle is closed.")
    marks = OwnMark(many=True)
    lease = LeaseShown(allow_null=True)
    offer = OfferShown(allow_null=True)
    practice = PracticeShown(allow_null=True)
    may = MayShown()
    consent = ConsentShown()
    rubric = shape.IntegerField(help_text="The version of the rubric in force; a vote says which one was shown.")


class NextLease(Shape):
    until = shape.DateTimeField()


class NextPractice(Shape):
    done = shape.IntegerField()
    needed = shape.IntegerField()


class NextShown(Shape):
    reason = shape.ChoiceField(
        ["own_battle", "handed_out", "in_hand", "practice_first", "sign_in_first", "suspended", "nothing_waits"]
    )
    battle = BattleNamed(allow_null=True)
    lease = NextLease(allow_null=True)
    practice = NextPractice()


class CallShown(Shape):
    instruction = shape.CharField(allow_blank=True)
    battle = shape.CharField(allow_null=True, help_text="Its address, where you may still read it.")
    known_from = shape.ChoiceField(["gold", "majority"])
    said = shape.CharField()
    expected = shape.CharField()
    right = shape.BooleanField()
    settled_at = shape.DateTimeField()


class CalibrationShown(Shape):
    trust = shape.ChoiceField(["new", "trusted", "untrusted", "suspended"])
    accuracy = shape.FloatField(allow_null=True, help_text="The share of scored calls that were right.")
    lower = shape.FloatField(allow_null=True, help_text="95% interval (Wilson).")
    upper = shape.FloatField(allow_null=True)
    reason = shape.CharField(allow_null=True, help_text="Why there is no accuracy: `no_scored_calls`.")
    scored = shape.IntegerField()
    needed = shape.IntegerField(help_text="Scored calls that the trust rule needs.")
    calls = CallShown(many=True, help_text="The newest first.")
    practice = NextPractice()


class ClockShown(Shape):
    due_at = shape.DateTimeField()
    done_at = shape.DateTimeField(allow_null=True)
    overdue = shape.BooleanField()


class RemovedShown(Shape):
    kind = shape.CharField()
    count = shape.IntegerField()


class WithdrawalMade(Shape):
    id = shape.UUIDField()
    url = shape.CharField(help_text="Address in this API, for whoever asked, while they are still known.")
    page = shape.CharField(
        help_text="Address of its page. Keep it: after everything was taken back nothing else leads there."
    )
    received_at = shape.DateTimeField()


class WithdrawalShown(WithdrawalMade):
    about = shape.CharField()
    corpus = ClockShown()
    licensees = ClockShown()
    called_off_at = shape.DateTimeField(allow_null=True)
    removed = RemovedShown(many=True)


class MarkMade(Shape):
    id = shape.CharField()


class StepMarked(Shape):
    step = shape.IntegerField()
    lane = shape.UUIDField()
    verdict = shape.CharField()


class Noted(Shape):
    battle = shape.UUIDField()
    noted = shape.ChoiceField(["offered", "skipped", "reported", "impossible"])
