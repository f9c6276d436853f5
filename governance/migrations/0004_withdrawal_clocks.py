import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

#: Until now nothing had left the building, so there was nobody to tell.
NOBODY_TO_TELL = "UPDATE governance_withdrawal SET licensees_done_at = corpus_done_at"


class Migration(migrations.Migration):
    dependencies = [("governance", "0003_ledger")]

    operations = [
        migrations.RenameField("Withdrawal", "requested_at", "received_at"),
        migrations.RenameField("Withdrawal", "done_at", "corpus_done_at"),
        migrations.AlterField("Withdrawal", "corpus_done_at", models.DateTimeField(null=True)),
        migrations.AddField("Withdrawal", "licensees_done_at", models.DateTimeField(null=True)),
        migrations.RunSQL(NOBODY_TO_TELL, migrations.RunSQL.noop),
        migrations.AddField("Withdrawal", "called_off_at", models.DateTimeField(null=True)),
        migrations.AddField("Withdrawal", "called_off_reason", models.CharField(blank=True, max_length=500)),
        migrations.AddField(
            "Withdrawal",
            "scope",
            models.CharField(
                choices=[
                    ("everything", "everything"),
                    ("kind", "all of one kind"),
                    ("task", "one task, with what its poster said of it"),
                    ("battle", "the labels on one battle"),
                    ("identity", "who they are; the labels stay"),
                ],
                default="everything",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "Withdrawal",
            "kind",
            models.CharField(
                blank=True, help_text="Which kind of label, where it is about one.", max_length=20
            ),
        ),
        migrations.AddField(
            "Withdrawal",
            "subject",
            models.UUIDField(help_text="Which task or battle, where it is about one.", null=True),
        ),
        migrations.AddField(
            "Withdrawal",
            "channel",
            models.CharField(
                choices=[
                    ("site", "on the site"),
                    ("code", "with a recovery code"),
                    ("mail", "by mail, entered by an operator"),
                ],
                default="site",
                max_length=4,
            ),
        ),
        migrations.AddIndex(
            "Withdrawal",
            models.Index(
                condition=Q(called_off_at__isnull=True, licensees_done_at__isnull=True),
                fields=["received_at"],
                name="withdrawal_open",
            ),
        ),
        migrations.AddConstraint(
            "Withdrawal",
            models.CheckConstraint(
                condition=Q(scope="kind", subject__isnull=True) & ~Q(kind="")
                | Q(scope__in=["task", "battle"], subject__isnull=False, kind="")
                | Q(scope__in=["everything", "identity"], subject__isnull=True, kind=""),
                name="a_withdrawal_says_what_it_is_about",
            ),
        ),
        migrations.AddConstraint(
            "Withdrawal",
            models.CheckConstraint(
                condition=Q(licensees_done_at__isnull=True) | Q(corpus_done_at__isnull=False),
                name="licensees_are_told_after_the_corpus",
            ),
        ),
        migrations.AddConstraint(
            "Withdrawal",
            models.CheckConstraint(
                condition=Q(called_off_at__isnull=True, called_off_reason="")
                | Q(called_off_at__isnull=False, corpus_done_at__isnull=True) & ~Q(called_off_reason=""),
                name="what_is_called_off_was_not_done_and_says_why",
            ),
        ),
        migrations.AddConstraint(
            "Withdrawal",
            models.UniqueConstraint(
                condition=Q(called_off_at__isnull=True, corpus_done_at__isnull=True),
                fields=("judge", "scope", "kind", "subject"),
                name="one_open_withdrawal_of_the_same",
                nulls_distinct=False,
            ),
        ),
        migrations.AddField("Judge", "erased_at", models.DateTimeField(editable=False, null=True)),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="recovery_codes",
                        to="governance.judge",
                    ),
                ),
            ],
        ),
    ]
