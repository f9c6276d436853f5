from django.db import migrations

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]

    operations = [AppendOnly("Publication"), AppendOnly("TickerPoint")]
