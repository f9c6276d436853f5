"""The kind of label this app stores: tasks."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet

from battles.models import Task
from battles.withdrawals import erase_words_of_tasks, standing_tasks, withdraw_tasks
from governance.contributions import Contribution, Part, register_contribution
from governance.models import Judge


def task_instants(judge: Judge, since: datetime) -> Sequence[QuerySet[Task, datetime]]:
    return (Task.objects.filter(judge=judge, created_at__gte=since).values_list("created_at", flat=True),)


def held_tasks(judge: Judge, part: Part) -> int:
    return standing_tasks(judge, part).count()


register_contribution(
    Contribution(
        kind="task",
        instants=task_instants,
        held=held_tasks,
        withdraw=withdraw_tasks,
        erase_words=erase_words_of_tasks,
    )
)
