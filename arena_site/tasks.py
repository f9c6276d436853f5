"""Celery entry points of the site itself."""

from arena_site.log_retention import retain_logs
from governance.background import background_task


@background_task(name="arena.retain_logs")
def retain() -> None:
    retain_logs()
