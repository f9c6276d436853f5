"""The Celery application: finds each app's ``tasks.py`` and the schedule in the settings."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

import arena_site.task_context
import arena_site.worker_stop  # noqa: F401  # both listen before the first task

app = Celery("ringside")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
