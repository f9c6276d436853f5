from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import judging.accounts  # registers what says who a judge is
        import judging.contributions  # registers the kinds of label
        import judging.receivers  # noqa: F401  # subscribes to withdrawals and to final votes
        from battles.hidden import register_hidden
        from judging.access import under_report

        register_hidden(under_report)
