"""Rows that stay: no way of Django's deletes them, and none changes many past the journal."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction

from battles.models import Agent, Attempt, Battle, Lane
from governance.kept import Kept, KeptModel
from judging.models import Vote
from tests.battles.factories import make_agent, make_battle, make_judge, make_votable
from tests.ratings.test_trust_reaches_the_ranking import judged

KEPT = [Agent, Attempt, Battle, Lane, Vote]


def test_these_are_all_that_are_kept():
    assert {model for model in apps.get_models() if issubclass(model, KeptModel)} == set(KEPT)


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


@pytest.mark.django_db
def test_the_database_deletes_none_either():
    battle = make_votable()
    judged((battle.agent_a, battle.agent_b), battle.agent_a_id, make_judge())
    with connection.cursor() as cursor:
        # TRUNCATE waits for no check that is put off.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for model in KEPT:
            assert model.objects.exists()
            table = model._meta.db_table
            for statement in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
                with pytest.raises(IntegrityError, match=f"rows of {table} stay for good"), transaction.atomic():
                    cursor.execute(statement)


@pytest.mark.django_db
def test_nothing_changes_many_rows_each_in_its_own_way():
    battle = make_battle()
    battle.state, battle.agent_a.state = "void", "retired"
    with pytest.raises(Kept):
        Battle.objects.bulk_update([battle], ["state"])
    with pytest.raises(Kept):
        Agent.objects.bulk_create(
            [battle.agent_a], update_conflicts=True, unique_fields=["key"], update_fields=["state", "published_rating"]
        )
    battle.agent_a.published_rating = 1000.0
    assert Agent.objects.bulk_update([battle.agent_a], ["published_rating"]) == 1
    battle.refresh_from_db()
    assert (battle.state, battle.agent_a.state, battle.agent_a.published_rating) == ("queued", "active", 1000.0)


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
