"""The kind of label this app stores: tasks."""

from datetime import datetime

from battles.models import Task
from battles.withdrawals import withdraw_tasks
from governance.contributions import Contribution, register_contribution
from governance.models import Judge


def task_instants(judge: Judge, since: datetime) -> list[datetime]:
    return list(Task.objects.filter(judge=judge, created_at__gte=since).values_list("created_at", flat=True))


register_contribution(Contribution(kind="task", instants=task_instants, withdraw=withdraw_tasks))
