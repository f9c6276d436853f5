import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import governance.identifiers
from django.db import migrations, models

from governance.append_only import AppendOnly, NeverDeleted


class Migration(migrations.Migration):
    dependencies = [("battles", "0006_boxes_of_details")]

    operations = [
        migrations.AddField(
            "Agent",
            "retirement_cause",
            models.CharField(
                blank=True,
                choices=[
                    ("version_withdrawn", "its version was withdrawn"),
                    ("superseded", "a newer version took its place"),
                    ("provider_request", "its provider asked for it"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddField("Agent", "retirement_noticed_at", models.DateTimeField(blank=True, null=True)),
        NeverDeleted("Agent"),
        migrations.CreateModel(
            name="AgentAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("alias", models.CharField(max_length=120)),
                ("effective_from", models.DateTimeField(help_text="Null: since ever.", null=True)),
                (
                    "source",
                    models.CharField(help_text="Where the change is announced, and when it was read.", max_length=300),
                ),
                ("entered_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="aliases", to="battles.agent"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "agent aliases",
                "ordering": ["alias", "effective_from"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("alias", "effective_from"),
                        name="one_agent_per_alias_and_instant",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(condition=models.Q(("alias", ""), _negated=True), name="an_alias_is_a_name"),
                ],
            },
        ),
        AppendOnly("AgentAlias"),
        migrations.CreateModel(
            name="Preregistration",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.identifiers.time_ordered_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "agents",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80),
                        help_text="Keys; the first is compared with the others.",
                        size=None,
                    ),
                ),
                (
                    "category",
                    models.CharField(blank=True, help_text="Of tasks; nothing: all of them.", max_length=20),
                ),
                ("metric", models.CharField(max_length=40)),
                (
                    "size",
                    models.PositiveIntegerField(help_text="The result is read once, over so many rated battles."),
                ),
                (
                    "analysis",
                    models.TextField(help_text="What is expected and what would count as which answer, verbatim."),
                ),
                ("starts_at", models.DateTimeField(help_text="It speaks of battles drawn from then on.")),
                ("entered_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["entered_at"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("size__gt", 0)), name="a_preregistration_has_a_size"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("analysis", ""), _negated=True), models.Q(("metric", ""), _negated=True)
                        ),
                        name="a_preregistration_says_what_is_done",
                    ),
                ],
            },
        ),
        AppendOnly("Preregistration"),
        migrations.CreateModel(
            name="PreregistrationResult",
            fields=[
                (
                    "preregistration",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="result",
                        serialize=False,
                        to="battles.preregistration",
                    ),
                ),
                ("words", models.CharField(max_length=300)),
                ("read_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        AppendOnly("PreregistrationResult"),
    ]
