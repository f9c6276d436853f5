import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from governance.append_only import AppendOnly

#: A stake that nobody dated was there when the agent joined: such an agent was never drawn.
DATED = "UPDATE battles_agent SET affiliated_from = created_at WHERE operator_affiliated"
UNDATED = "UPDATE battles_agent SET operator_affiliated = affiliated_from IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [
        ("battles", "0008_find_leaks"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="affiliated_from",
            field=models.DateTimeField(
                blank=True,
                help_text="From then on the operator has a stake in it: not drawn, not ranked.",
                null=True,
            ),
        ),
        migrations.RunSQL(DATED, UNDATED),
        migrations.RemoveField(model_name="agent", name="operator_affiliated"),
        migrations.CreateModel(
            name="AgentMerge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("holds", models.BooleanField(help_text="False: the join ends.")),
                ("reason", models.CharField(help_text="Published.", max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="merges", to="battles.agent"
                    ),
                ),
                (
                    "into",
                    models.ForeignKey(
                        help_text="Whose row counts both.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="battles.agent",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("agent", models.F("into")), _negated=True),
                        name="no_agent_is_joined_to_itself",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="a_merge_has_a_reason"
                    ),
                ],
            },
        ),
        AppendOnly("AgentMerge"),
    ]
