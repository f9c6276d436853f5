from django.db import migrations

from battles.blindness.guards import GuardScrubbedColumns


class Migration(migrations.Migration):
    dependencies = [("battles", "0001_initial")]

    operations = [GuardScrubbedColumns("Battle"), GuardScrubbedColumns("Lane"), GuardScrubbedColumns("Step")]
