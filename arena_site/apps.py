from django.apps import AppConfig


class ArenaSiteConfig(AppConfig):
    name = "arena_site"
    verbose_name = "Ringside"

    def ready(self) -> None:
        from arena_site.practice import register_practice_sites

        register_practice_sites()
