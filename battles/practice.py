"""Practice battles: baseline agents on practice sites, public pages that show how the arena works."""

import uuid
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from battles.checks import PracticeTask, practice_task, practice_tasks
from battles.draws import SYSTEM_CHANCE, pick_judges_needed, pick_practice_pair
from battles.gold import keep_gold_stocked
from battles.hidden import hidden
from battles.models import Agent, Battle, Task
from battles.screening.category import guess_category
from governance.errors import NotFound
from governance.journal import record

#: So many practice battles wait to be judged; when people judge them, more are raced.
PRACTICE_STOCK = 3
#: A practice battle that became void says that something on this machine is wrong: racing on would only repeat it.
PAUSE_AFTER_VOID = timedelta(minutes=10)


class UnknownPracticeTask(NotFound):
    code = "unknown_practice_task"

    def __init__(self, key: str) -> None:
        super().__init__(f'There is no practice task "{key}". "--practice list" names them all.')


@transaction.atomic
def create_practice_battle(*, key: str, actor: str) -> Battle:
    """Draw and queue a battle on a practice task.

    Raises:
        UnknownPracticeTask: no site registered such a key.
        RosterTooSmall: fewer than two baseline agents.
    """
    practice = practice_task(key)
    if practice is None:
        raise UnknownPracticeTask(key)
    match = pick_practice_pair()
    battle = Battle.objects.create(
        task=_task_row(practice),
        kind=Battle.Kind.PRACTICE,
        agent_a=Agent.objects.get(pk=match.slot_a),
        agent_b=Agent.objects.get(pk=match.slot_b),
        pair_probability=match.pair_probability,
        judges_needed=pick_judges_needed(),
    )
    record(actor=actor, action="battles:practice:create", subject=str(battle.pk), practice=key)
    return battle


def _task_row(practice: PracticeTask) -> Task:
    existing = Task.objects.filter(practice_key=practice.key, instruction=practice.instruction).first()
    return existing or Task.objects.create(
        instruction=practice.instruction,
        start_url=practice.start_url,
        hosts=[practice.host],
        kind=practice.kind,
        category=guess_category(practice.instruction, practice.start_url),
        practice_key=practice.key,
    )


def keep_practice_stocked() -> list[uuid.UUID]:
    """Create one practice battle when too few wait or race; returns what wants a worker.

    One that nobody wanted to judge may become gold first. One that is hidden is no stock: nobody gets it.
    """
    keep_gold_stocked()
    waiting = Battle.objects.filter(
        ~hidden(),
        kind=Battle.Kind.PRACTICE,
        state__in=[Battle.State.QUEUED, Battle.State.RACING, Battle.State.VOTABLE, Battle.State.RESOLVED],
    ).count()
    racing = Battle.objects.filter(state__in=[Battle.State.QUEUED, Battle.State.RACING]).exists()
    failed = Battle.objects.filter(kind=Battle.Kind.PRACTICE, voided_at__gt=timezone.now() - PAUSE_AFTER_VOID).exists()
    keys = list(practice_tasks())
    if waiting >= PRACTICE_STOCK or racing or failed or not keys:
        return []
    key = SYSTEM_CHANCE.choice(keys)
    return [create_practice_battle(key=key, actor="system:practice").pk]
