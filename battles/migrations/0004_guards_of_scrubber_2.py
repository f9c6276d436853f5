from django.db import migrations

from battles.blindness.guards import GuardScrubbedColumns


class Migration(migrations.Migration):
    dependencies = [("battles", "0003_prices_and_reasoning")]

    operations = [GuardScrubbedColumns("Battle"), GuardScrubbedColumns("Lane"), GuardScrubbedColumns("Step")]
