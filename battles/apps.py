from django.apps import AppConfig


class BattlesConfig(AppConfig):
    name = "battles"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import battles.alarms  # registers what operators look at
        import battles.contributions  # noqa: F401  # registers the kinds of label
