from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0002_append_only'),
    ]

    operations = [
        migrations.AddField(
            model_name='publication',
            name='corpus_read_at',
            field=models.DateTimeField(help_text='As of when the corpus was read: reading it as of then makes the same numbers again.', null=True),
        ),
        migrations.AddField(
            model_name='publication',
            name='labels_withdrawn',
            field=models.PositiveIntegerField(default=0, help_text='How many of them had been taken back.'),
        ),
    ]
