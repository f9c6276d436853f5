from django.db import migrations

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("judging", "0003_pool_trust_and_labels")]

    operations = [
        AppendOnly("Rubric"),
        AppendOnly("TrustChange"),
        AppendOnly("PanelTask"),
        AppendOnly("Annotation", erasable=["x", "y", "width", "height", "tag", "note"]),
        AppendOnly("Click", erasable=["x", "y", "milliseconds"]),
    ]
