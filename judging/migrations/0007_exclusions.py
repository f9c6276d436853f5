import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("judging", "0006_erasable_revisions")]

    operations = [
        migrations.CreateModel(
            name="Exclusion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("excluded", models.BooleanField()),
                ("reason", models.CharField(max_length=500)),
                ("actor", models.CharField(max_length=80)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "battle",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="battles.battle",
                    ),
                ),
                (
                    "vote",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exclusions",
                        to="judging.vote",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("battle__isnull", False)),
                        fields=["battle", "-id"],
                        name="exclusion_of_battle",
                    ),
                    models.Index(
                        condition=models.Q(("vote__isnull", False)), fields=["vote", "-id"], name="exclusion_of_vote"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("battle__isnull", False), ("vote__isnull", True)),
                            models.Q(("battle__isnull", True), ("vote__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_exclusion_is_of_a_battle_or_of_a_label",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="an_exclusion_has_a_reason"
                    ),
                ],
            },
        ),
        AppendOnly("Exclusion"),
    ]
