"""What a lane leaves behind: its steps and the frames they show."""

from django.db import models
from django.utils import timezone

from battles.blindness.fields import (
    BluntScrubbedTextField,
    NarrowScrubbedTextField,
    PostedTextField,
    ScrubbedJSONField,
)
from battles.lanes.digests import page_changed
from battles.models.battles import Lane
from governance.identifiers import random_id, time_ordered_id


class Frame(models.Model):
    """One screenshot. The image lies in the frame store under its SHA-256; the row has a random name."""

    class Redaction(models.TextChoices):
        MASKED = "masked"
        CLEAN = "clean"
        DETECTOR_FAILED = "detector_failed"
        NOT_EXAMINED = "not_examined"

    id = models.UUIDField(primary_key=True, default=random_id, editable=False)
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="frames")
    sha256 = models.CharField(max_length=64, db_index=True)
    mime = models.CharField(max_length=20)
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    size = models.PositiveIntegerField(help_text="Bytes of the encoded image; 0 when it could not be stored.")
    taken_at = models.DateTimeField(default=timezone.now)
    #: Two facts, never collapsed: the detector over page text and the one over the picture.
    text_redaction = models.CharField(max_length=16, choices=Redaction.choices, default=Redaction.NOT_EXAMINED)
    picture_redaction = models.CharField(max_length=16, choices=Redaction.choices, default=Redaction.NOT_EXAMINED)
    #: What each found, as ``[x, y, width, height, kind]`` in px; never the words. The mask of an image is the union
    #: over all frames that show it: the same picture may have been examined in better and in worse moments.
    text_boxes = models.JSONField(default=list)
    picture_boxes = models.JSONField(default=list)
    original_deleted_at = models.DateTimeField(
        null=True, editable=False, help_text="Since when only the masked image is kept."
    )

    class Meta:
        indexes = [models.Index(fields=["lane", "taken_at"], name="frame_by_lane")]

    def __str__(self) -> str:
        return f"frame {self.id}"


class Step(models.Model):
    """One observation, one executed verb, its effect. Number 0 is the start page, before any verb."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="steps")
    number = models.PositiveSmallIntegerField()
    verb = models.CharField(max_length=20, blank=True)
    arguments = ScrubbedJSONField(default=dict)
    reasoning = NarrowScrubbedTextField(blank=True)
    charged = models.BooleanField()
    ok = models.BooleanField()
    code = models.CharField(max_length=40, blank=True)
    result = BluntScrubbedTextField(blank=True)
    page_text = PostedTextField(blank=True)
    changes = ScrubbedJSONField(default=list)
    target = ScrubbedJSONField(null=True)
    refusals = models.JSONField(default=list)
    url_before = PostedTextField(blank=True)
    url_after = PostedTextField(blank=True)
    title = PostedTextField(blank=True)
    tabs = models.PositiveSmallIntegerField(default=1)
    page_before = models.CharField(max_length=64, blank=True)
    page_after = models.CharField(max_length=64, blank=True)
    overlay = models.CharField(max_length=20, blank=True, help_text="What covered the page: dialog, fixed, or nothing.")
    wall = models.CharField(max_length=80, blank=True, help_text="Key of the bot wall that the page is, or nothing.")
    #: The screenshot after the verb; the verb itself was chosen on the frame of the step before.
    frame = models.ForeignKey(Frame, null=True, on_delete=models.PROTECT, related_name="steps")
    observe_ms = models.PositiveIntegerField(default=0)
    model_ms = models.PositiveIntegerField(default=0)
    act_ms = models.PositiveIntegerField(default=0)
    clock = models.FloatField(default=0.0, help_text="Seconds on the lane's clock at the end of the step.")
    model_called = models.BooleanField(default=False)
    input_plain = models.PositiveIntegerField(null=True)
    input_cache_read = models.PositiveIntegerField(null=True)
    input_cache_write = models.PositiveIntegerField(null=True)
    output = models.PositiveIntegerField(null=True)
    output_reasoning = models.PositiveIntegerField(null=True, help_text="A part of output, never beside it.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["lane", "number"], name="steps_are_numbered")]

    def __str__(self) -> str:
        return f"step {self.number} of {self.lane_id}"

    @property
    def changed(self) -> bool | None:
        """Whether the page differed after the verb; None where a digest is missing."""
        return page_changed(self.page_before, self.page_after)
