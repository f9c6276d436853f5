from django.db import migrations

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("governance", "0001_initial")]

    operations = [AppendOnly("ConsentText"), AppendOnly("ConsentReceipt"), AppendOnly("JournalEntry")]
