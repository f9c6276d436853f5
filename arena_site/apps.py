from django.apps import AppConfig
from django.contrib.admin import apps as admin


class ArenaSiteConfig(AppConfig):
    name = "arena_site"
    verbose_name = "Ringside"

    def ready(self) -> None:
        from arena_site.practice import register_practice_sites

        register_practice_sites()


class OperatorsConfig(admin.AdminConfig):
    """Django's admin with our site as the one that ``admin.register`` means."""

    default = False
    default_site = "arena_site.operators_site.OperatorsSite"
