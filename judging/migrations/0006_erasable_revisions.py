from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

from governance.append_only import AppendOnly


class Loosen(AppendOnly):
    """Let columns of a frozen table be erased; backwards the table is as frozen as it was."""

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        AppendOnly(self.model_name).database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_stylometry_readings")]

    operations = [
        migrations.AlterField("VoteRevision", "completions", models.JSONField(default=dict, null=True)),
        migrations.AlterField("VoteRevision", "confidence", models.CharField(blank=True, max_length=6, null=True)),
        migrations.AddField("VoteRevision", "erased_at", models.DateTimeField(null=True)),
        Loosen("VoteRevision", erasable=["completions", "confidence"]),
    ]
