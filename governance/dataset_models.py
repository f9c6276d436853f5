"""Snapshots of the dataset, who got them under which terms, and what withdrawals did to them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.identifiers import time_ordered_id


class Snapshot(models.Model):
    """A dataset as it was made: a folder of files with a manifest, named by the manifest's digest. Append-only.

    One that a withdrawal touched has a recall, and is served no more; the one made instead names it in ``replaces``.
    """

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the manifest.")
    manifest = models.TextField(help_text="Canonical JSON; its UTF-8 bytes are what is hashed.")
    path = models.CharField(max_length=200, help_text="Folder, below the snapshots of the data folder.")
    as_of = models.DateTimeField(help_text="What came later is not in it.")
    made_at = models.DateTimeField(default=timezone.now)
    replaces = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="replaced_by")

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"snapshot {self.id}"


class SnapshotShare(models.Model):
    """How many labels of one kind a judge has in a snapshot: how a withdrawal finds the snapshots it touches.

    Append-only, and never part of what leaves.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="shares")
    judge = models.ForeignKey("governance.Judge", on_delete=models.PROTECT, related_name="snapshot_shares")
    kind = models.CharField(max_length=20)
    labels = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "judge", "kind"], name="one_share_per_snapshot_judge_and_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.judge_id[:8]} in {self.snapshot_id}"


class Licensee(models.Model):
    """Who may have snapshots, under which terms. Changes of terms are kept by each delivery."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    name = models.CharField(max_length=200, unique=True)
    terms = models.TextField(help_text="What was agreed, verbatim.")
    provider = models.CharField(
        max_length=80, blank=True, help_text="The provider of agents that it is tied to; public when one is rostered."
    )
    address = models.EmailField(blank=True, help_text="Where notices of withdrawals go.")
    token_sha256 = models.CharField(max_length=64, unique=True, help_text="Of the token that its programs show.")
    registered_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, help_text="Since then it gets nothing new; notices still go to it.")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Delivery(models.Model):
    """A snapshot was handed to a licensee, under the terms of then. Append-only."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="deliveries")
    licensee = models.ForeignKey(Licensee, on_delete=models.PROTECT, related_name="deliveries")
    terms = models.TextField()
    delivered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-delivered_at"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "licensee"], name="one_delivery_per_snapshot_and_licensee")
        ]

    def __str__(self) -> str:
        return f"delivery of {self.snapshot_id} to {self.licensee_id}"


class SnapshotRecall(models.Model):
    """A withdrawal touched a snapshot: from then on it is not served, and a replacement is owed. Append-only."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="recalls")
    withdrawal = models.ForeignKey("governance.Withdrawal", on_delete=models.PROTECT, related_name="recalls")
    at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(help_text="Whoever got the snapshot has the replacement by then.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "withdrawal"], name="one_recall_per_snapshot_and_withdrawal")
        ]

    def __str__(self) -> str:
        return f"recall of {self.snapshot_id}"


class WithdrawalNotice(models.Model):
    """A licensee is owed word that something it got was withdrawn; sent with the replacement."""

    class Channel(models.TextChoices):
        MAIL = "mail", "by mail"
        HAND = "hand", "by an operator"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    licensee = models.ForeignKey(Licensee, on_delete=models.PROTECT, related_name="notices")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="notices")
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    channel = models.CharField(max_length=4, choices=Channel.choices, blank=True)

    class Meta:
        indexes = [models.Index(fields=["due_at"], condition=Q(sent_at__isnull=True), name="withdrawal_notice_open")]
        constraints = [
            models.UniqueConstraint(fields=["licensee", "snapshot"], name="one_notice_per_licensee_and_snapshot"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True, channel="") | Q(sent_at__isnull=False) & ~Q(channel=""),
                name="a_sent_notice_says_how",
            ),
        ]

    def __str__(self) -> str:
        return f"notice to {self.licensee.name} about {self.snapshot_id}"
