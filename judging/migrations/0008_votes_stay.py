from django.db import migrations

from governance.append_only import NeverDeleted


class Migration(migrations.Migration):
    dependencies = [("judging", "0007_exclusions")]

    operations = [NeverDeleted("Vote")]
