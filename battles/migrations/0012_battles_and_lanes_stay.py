from django.db import migrations

from governance.append_only import NeverDeleted


class Migration(migrations.Migration):
    dependencies = [("battles", "0011_open_by_age")]

    operations = [NeverDeleted("Battle"), NeverDeleted("Attempt"), NeverDeleted("Lane")]
