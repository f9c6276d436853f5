from django.db import migrations

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("metrics", "0001_publications")]

    operations = [AppendOnly("MeasuresPublication")]
