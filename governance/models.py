"""People as the corpus knows them, what they agreed to, the journal of every change of state, and the ledger."""

import hashlib

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

import governance.dataset_models  # noqa: F401  # its tables are of this app too
from governance.identifiers import judge_identifier, time_ordered_id


class Judge(models.Model):
    """A person, known to the corpus by a random identifier and nothing else."""

    id = models.CharField(primary_key=True, max_length=32, default=judge_identifier, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    #: Whoever this was took everything back, asked to be forgotten or became an account's: nobody is this judge now.
    erased_at = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"judge {self.id[:8]}"


class RecoveryCode(models.Model):
    """What proves a judge without the browser they used: the digest of a code that only they were shown."""

    digest = models.CharField(primary_key=True, max_length=64)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="recovery_codes")
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"recovery code of {self.judge_id[:8]}"


class ConsentText(models.Model):
    """One sentence people were asked to agree to, verbatim. Append-only: a new wording is a new row."""

    version = models.PositiveIntegerField(primary_key=True)
    language = models.CharField(max_length=12, default="en")
    grantee = models.CharField(max_length=200, help_text="Legal name of the operator as the sentence says it.")
    scope = models.CharField(max_length=200)
    sentence = models.TextField()
    sha256 = models.CharField(max_length=64)
    effective_from = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]

    def __str__(self) -> str:
        return f"consent text {self.version}"

    @staticmethod
    def digest(sentence: str) -> str:
        """SHA-256 of the sentence's UTF-8 bytes, in hexadecimal."""
        return hashlib.sha256(sentence.encode()).hexdigest()


class ConsentReceipt(models.Model):
    """Which person saw which text, when, in which language, and the hash of what was rendered."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="receipts")
    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="receipts")
    language = models.CharField(max_length=12)
    rendered_sha256 = models.CharField(max_length=64)
    given_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judge", "text"], name="one_receipt_per_judge_and_text")]

    def __str__(self) -> str:
        return f"receipt for text {self.text_id}"


class JournalEntry(models.Model):
    """Who changed which state, when and why. Append-only; one row per object, also in bulk."""

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=80, help_text='For example "judge:5f0c...", "operator:3", "system:reaper".')
    action = models.CharField(max_length=80, help_text='"source:subject:action", for example "battles:battle:void".')
    subject = models.CharField(max_length=80)
    reason = models.CharField(max_length=500, blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["subject", "at"], name="journal_by_subject")]
        verbose_name_plural = "journal entries"

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"


class Withdrawal(models.Model):
    """A person takes something back. What goes is counted by kind; what it said is gone.

    Two clocks run from ``received_at``: out of the corpus, and the holders of delivered data told with a replacement.
    """

    class Scope(models.TextChoices):
        EVERYTHING = "everything", "everything"
        KIND = "kind", "all of one kind"
        TASK = "task", "one task, with what its poster said of it"
        BATTLE = "battle", "the labels on one battle"
        IDENTITY = "identity", "who they are; the labels stay"

    class Channel(models.TextChoices):
        SITE = "site", "on the site"
        CODE = "code", "with a recovery code"
        MAIL = "mail", "by mail, entered by an operator"

    id = models.UUIDField(primary_key=True, default=time_ordered_id, editable=False)
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="withdrawals")
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.EVERYTHING)
    kind = models.CharField(max_length=20, blank=True, help_text="Which kind of label, where it is about one.")
    subject = models.UUIDField(null=True, help_text="Which task or battle, where it is about one.")
    channel = models.CharField(max_length=4, choices=Channel.choices, default=Channel.SITE)
    received_at = models.DateTimeField(default=timezone.now)
    corpus_done_at = models.DateTimeField(null=True)
    licensees_done_at = models.DateTimeField(null=True)
    called_off_at = models.DateTimeField(null=True)
    called_off_reason = models.CharField(max_length=500, blank=True)
    removed = models.JSONField(default=dict, help_text="Labels taken out, by kind.")

    class Meta:
        indexes = [
            models.Index(
                fields=["received_at"],
                condition=Q(licensees_done_at__isnull=True, called_off_at__isnull=True),
                name="withdrawal_open",
            )
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope="kind", subject__isnull=True) & ~Q(kind="")
                | Q(scope__in=["task", "battle"], subject__isnull=False, kind="")
                | Q(scope__in=["everything", "identity"], subject__isnull=True, kind=""),
                name="a_withdrawal_says_what_it_is_about",
            ),
            models.CheckConstraint(
                condition=Q(licensees_done_at__isnull=True) | Q(corpus_done_at__isnull=False),
                name="licensees_are_told_after_the_corpus",
            ),
            models.CheckConstraint(
                condition=Q(called_off_at__isnull=True, called_off_reason="")
                | Q(called_off_at__isnull=False, corpus_done_at__isnull=True) & ~Q(called_off_reason=""),
                name="what_is_called_off_was_not_done_and_says_why",
            ),
            models.UniqueConstraint(
                fields=["judge", "scope", "kind", "subject"],
                condition=Q(corpus_done_at__isnull=True, called_off_at__isnull=True),
                nulls_distinct=False,
                name="one_open_withdrawal_of_the_same",
            ),
        ]

    def __str__(self) -> str:
        return f"withdrawal of {self.judge_id[:8]}"


class LedgerEntry(models.Model):
    """A leaf of the ledger, which strangers hold us to. Append-only; counted from 0 without a gap.

    The row keeps what never changes about the tree: the hash of its leaf, and the hashes of the perfect subtrees of
    two, four, eight... leaves that this leaf filled. Everything else about the tree is computed from these.
    """

    index = models.PositiveBigIntegerField(primary_key=True)
    kind = models.CharField(max_length=80, help_text="The action of the journal row that it commits to.")
    text = models.TextField(help_text="Canonical JSON, served as it is; its UTF-8 bytes are what is hashed.")
    leaf_hash = models.CharField(max_length=64, unique=True)
    subtrees = ArrayField(models.CharField(max_length=64), help_text="Of the subtrees it filled, the smallest first.")
    journal = models.OneToOneField(JournalEntry, on_delete=models.PROTECT, related_name="ledger_entry")

    class Meta:
        ordering = ["index"]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"ledger entry {self.index}"


class LedgerKey(models.Model):
    """A public key that signs checkpoints: ours, or that of a witness. Append-only; our newest one is in force."""

    class Role(models.IntegerChoices):
        """Numbers of C2SP's signature types."""

        LOG = 1, "the log itself"
        WITNESS = 4, "a witness"

    name = models.CharField(max_length=200)
    role = models.PositiveSmallIntegerField(choices=Role.choices)
    key_id = models.CharField(max_length=8, help_text="Tells keys of one name apart, in hexadecimal.")
    public_key = models.CharField(max_length=64, help_text="Ed25519, in hexadecimal.")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "key_id"], name="ledger_keys_can_be_told_apart")]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id}"


class LedgerCheckpoint(models.Model):
    """The head of the ledger at one size, as it was signed. Append-only."""

    size = models.PositiveBigIntegerField(primary_key=True)
    text = models.TextField(help_text="The text of the note: name, size and root.")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["size"]

    def __str__(self) -> str:
        return f"checkpoint at {self.size}"


class LedgerSignature(models.Model):
    """A signature under a checkpoint: of our key, of the key before at a rotation, or of a witness. Append-only."""

    checkpoint = models.ForeignKey(LedgerCheckpoint, on_delete=models.PROTECT, related_name="signatures")
    key = models.ForeignKey(LedgerKey, on_delete=models.PROTECT, related_name="signatures")
    signature = models.CharField(max_length=200, help_text="Without the key's identifier, in hexadecimal.")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["checkpoint", "key"], name="one_signature_per_checkpoint_and_key")
        ]

    def __str__(self) -> str:
        return f"signature of {self.checkpoint_id} by key {self.key_id}"
