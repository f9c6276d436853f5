"""One task raced by two agents, its attempts and its lanes."""

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from battles.blindness.fields import BluntScrubbedTextField, NarrowScrubbedTextField
from battles.lanes.endings import Ending
from battles.models.agents import Agent
from battles.models.tasks import Task
from governance.identifiers import random_id, time_ordered_id
from governance.kept import KeptModel


class Battle(KeptModel):
    """One task raced by two agents.

    The pair, the slots, the probability of the pair and the number of judges are drawn when the row
    is made and never change. ``lease_*`` says which worker holds the race; a reaper re-queues a battle
    whose lease ran out.
    """

    unrecorded_fields = frozenset({"lease_token", "lease_until"})

    class Kind(models.TextChoices):
        LIVE = "live"
        PRACTICE = "practice"
        GOLD = "gold"
        CALIBRATION = "calibration"

    class State(models.TextChoices):
        QUEUED = "queued"
        RACING = "racing"
        VOTABLE = "votable"
        RESOLVED = "resolved"
        CLOSED = "closed"
        VOID = "void"

    class Leak(models.TextChoices):
        CLEAN = "clean"
        LEAKED = "leaked"
        UNSCANNABLE = "unscannable"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="battles")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    agent_a = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="battles_as_a")
    agent_b = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="battles_as_b")
    pair_probability = models.FloatField(help_text="Probability with which this unordered pair was drawn.")
    judges_needed = models.PositiveSmallIntegerField(default=1)
    leak_scan = models.CharField(max_length=12, choices=Leak.choices, blank=True)
    starts_differ = models.BooleanField(null=True, help_text="Whether the lanes began from visibly different pages.")

    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

    created_at = models.DateTimeField(default=timezone.now, editable=False)
    votable_at = models.DateTimeField(null=True, editable=False)
    resolved_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    voided_at = models.DateTimeField(null=True, editable=False)
    void_reason = BluntScrubbedTextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["state", "created_at"], name="battle_by_state"),
            models.Index(fields=["kind", "state"], name="battle_by_kind"),
            # What may be handed out, the longest waiting first.
            models.Index(
                fields=["votable_at", "id"],
                condition=Q(kind="live", state__in=["votable", "resolved"]),
                name="battle_open_by_age",
            ),
            models.Index(fields=["id"], condition=Q(leak_scan__in=["leaked", "unscannable"]), name="battle_not_clean"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(agent_a=F("agent_b")), name="no_agent_battles_itself"),
            models.CheckConstraint(
                condition=Q(pair_probability__gt=0, pair_probability__lte=1), name="pair_probability_is_a_probability"
            ),
            models.CheckConstraint(condition=Q(judges_needed__in=[1, 3]), name="one_or_three_judges"),
            models.CheckConstraint(
                condition=~Q(state__in=["votable", "resolved", "closed"])
                | Q(votable_at__isnull=False) & ~Q(leak_scan=""),
                name="votable_only_after_the_leak_scan",
            ),
            models.CheckConstraint(
                condition=~Q(state="void") | Q(voided_at__isnull=False), name="void_battles_carry_the_date"
            ),
        ]

    def __str__(self) -> str:
        return f"battle {self.id}"


class Attempt(KeptModel):
    """One try at racing a battle. A broken attempt's record stays, marked as such."""

    class Outcome(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished"
        BROKEN = "broken"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    #: Every write of a lane is conditional on this token belonging to a running attempt.
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    worker = models.CharField(max_length=120, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.RUNNING)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["battle", "number"], name="attempts_are_numbered"),
            models.UniqueConstraint(
                fields=["battle"], condition=Q(outcome="running"), name="one_running_attempt_per_battle"
            ),
            models.UniqueConstraint(
                fields=["battle"], condition=Q(outcome="finished"), name="one_finished_attempt_per_battle"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.battle_id}"


class Lane(KeptModel):
    """One agent's run in an attempt. The budget is on the row before the browser starts."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        ENDED = "ended"

    class Slot(models.TextChoices):
        A = "A"
        B = "B"

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="lanes")
    slot = models.CharField(max_length=1, choices=Slot.choices)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="lanes")
    agent_version = models.CharField(max_length=120)
    budget_steps = models.PositiveSmallIntegerField()
    budget_seconds = models.FloatField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    ended = models.CharField(max_length=20, choices=[(ending.value, ending.value) for ending in Ending], blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)
    steps_charged = models.PositiveSmallIntegerField(default=0)
    answer = NarrowScrubbedTextField(blank=True)
    detail = BluntScrubbedTextField(blank=True)
    passed = models.BooleanField(null=True, help_text="What the practice task's check said; null where there is none.")
    start_digest = models.CharField(max_length=64, blank=True)
    sandboxed = models.BooleanField(null=True)
    isolated_network = models.BooleanField(null=True)

    class Meta:
        ordering = ["slot"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "slot"], name="one_lane_per_slot"),
            models.CheckConstraint(condition=~Q(agent_version=""), name="lane_has_a_pinned_version"),
            models.CheckConstraint(
                condition=Q(state="ended") & ~Q(ended="") & Q(ended_at__isnull=False)
                | ~Q(state="ended") & Q(ended="") & Q(ended_at__isnull=True),
                name="ended_lanes_say_how",
            ),
        ]

    def __str__(self) -> str:
        return f"lane {self.slot} of {self.attempt_id}"
