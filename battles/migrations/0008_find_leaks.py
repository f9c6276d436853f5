from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("battles", "0007_roster_rules"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="battle",
            index=models.Index(
                condition=models.Q(("leak_scan__in", ["leaked", "unscannable"])), fields=["id"], name="battle_not_clean"
            ),
        ),
    ]
