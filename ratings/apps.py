from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import ratings.promised_preference  # registers what can be promised
        import ratings.receivers  # noqa: F401  # subscribes to locked votes
