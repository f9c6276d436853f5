"""The whole proving ground: the oracle on every task it has a policy for, on three seeds each."""

import pytest

from battles.proving_ground.oracle.policies import POLICIES
from battles.proving_ground.runner import run

pytestmark = [pytest.mark.browser, pytest.mark.soak]

#: What the hands have to be able to do at least.
LEAST_SOLVED = 60


def test_the_hands_can_do_at_least_sixty_tasks_on_three_seeds_each():
    report = run("oracle", sorted(POLICIES), 3, lambda result: None)
    solved = [task.task for task in report.tasks() if task.all_solved]
    assert len(solved) >= LEAST_SOLVED, sorted(set(POLICIES) - set(solved))
