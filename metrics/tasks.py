"""Celery entry points of metrics."""

from governance.background import background_task
from metrics.publishing import publish_measures
from ratings.models import Board


@background_task(name="metrics.publish")
def publish_all_measures() -> None:
    for board in Board:
        publish_measures(board=board, actor="system:measures")
