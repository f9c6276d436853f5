from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("battles", "0005_lane_facts")]

    operations = [
        migrations.AddField("frame", "text_boxes", models.JSONField(default=list)),
        migrations.AddField("frame", "picture_boxes", models.JSONField(default=list)),
        migrations.AddField(
            "frame",
            "original_deleted_at",
            models.DateTimeField(editable=False, help_text="Since when only the masked image is kept.", null=True),
        ),
    ]
