from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from metrics.agent_measures import agent_section
        from ratings.agent_sections import add_agent_section

        add_agent_section(agent_section)
