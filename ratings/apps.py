from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RatingsConfig(AppConfig):
    name = "ratings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import ratings.promised_preference  # registers what can be promised
        import ratings.receivers  # noqa: F401  # subscribes to locked votes
        from ratings.exclusion_rules import note_after_migrating

        post_migrate.connect(note_after_migrating, sender=self, dispatch_uid="exclusion rules")
