from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin import apps as admin


class ArenaSiteConfig(AppConfig):
    name = "arena_site"
    verbose_name = "Ringside"

    def ready(self) -> None:
        from arena_site.practice import register_practice_sites

        register_practice_sites()
        if settings.ARENA_METRICS_TOKEN:
            from arena_site.monitoring.counters import count_votes_and_tasks

            count_votes_and_tasks()


class OperatorsConfig(admin.AdminConfig):
    """Django's admin with our site as the one that ``admin.register`` means."""

    default = False
    default_site = "arena_site.operators_site.OperatorsSite"
