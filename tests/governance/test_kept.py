"""Rows that stay: no way of Django's deletes them, and none changes many past the journal."""

import pytest

from battles.models import Agent, Battle, Lane
from governance.kept import Kept
from judging.models import Vote
from tests.battles.factories import make_agent, make_battle, make_judge

KEPT = [Agent, Battle, Lane, Vote]


@pytest.mark.django_db
@pytest.mark.parametrize("model", KEPT)
def test_no_queryset_deletes(model):
    for rows in (model.objects.all(), model.objects.none(), model._default_manager.filter(pk=None)):
        with pytest.raises(Kept):
            rows.delete()


@pytest.mark.django_db
def test_no_row_deletes_itself_nor_is_deleted_through_another():
    battle = make_battle()
    for row in (battle, battle.agent_a):
        with pytest.raises(Kept):
            row.delete()
    with pytest.raises(Kept):
        battle.task.battles.all().delete()
    assert Battle.objects.filter(pk=battle.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_nothing_is_changed_that_has_a_record():
    agent = make_agent("kept")
    make_judge()
    with pytest.raises(Kept):
        Agent.objects.update(state="retired")
    with pytest.raises(Kept):
        Vote.objects.filter(judge=None).update(choice="tie")
    assert Agent.objects.filter(pk=agent.pk).update(published_rating=1000.0) == 1
    agent.refresh_from_db()
    assert agent.state == "active"
