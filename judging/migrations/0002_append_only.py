from django.db import migrations

from governance.append_only import AppendOnly


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [AppendOnly("VoteRevision"), AppendOnly("RefusedVote")]
