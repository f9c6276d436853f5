"""The site works under a role that owns no table, and that role cannot switch off what keeps records from changing."""

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.utils import DatabaseError, ProgrammingError

from arena_site.clock import seconds_since_tick
from arena_site.database_role import grants
from battles.frame_sweep import sweep_frames
from battles.models import Battle
from battles.racing import reap_lost_battles
from battles.withdrawals import withdraw_tasks
from governance.contributions import Part
from governance.models import JournalEntry
from judging.models import Vote
from judging.votes import lock_overdue_votes
from tests.arena_site.test_pages import vote_fields
from tests.battles.factories import make_battle, make_votable, race

pytestmark = [pytest.mark.django_db, pytest.mark.production]

ROLE = "arena_site_role"


@pytest.fixture
def as_the_site():
    """This transaction goes on under the site's role."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
        cursor.execute(f"CREATE ROLE {ROLE}")
        for statement in grants(role=ROLE, owner=owner):
            cursor.execute(statement)
        cursor.execute(f"SET LOCAL ROLE {ROLE}")


def test_races_votes_and_withdrawals_work_under_it(visitor, as_the_site, post_task):
    own_battle = race(Battle.objects.get(pk=post_task(visitor).url.rsplit("/", 1)[1]))
    visitor.post(f"/battles/{own_battle.pk}/lock", vote_fields(own_battle))
    assert Vote.objects.count() == 1
    lock_overdue_votes()
    battle = race(make_battle())
    make_votable()
    reap_lost_battles()
    sweep_frames()
    seconds_since_tick()
    assert withdraw_tasks(battle.task.judge, Part()) == 1
    assert visitor.post("/withdraw", {"what": "everything"}).status_code == 302


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE governance_journalentry DISABLE TRIGGER ALL",
        "ALTER TABLE governance_journalentry DISABLE TRIGGER governance_journalentry_no_change",
        "DROP TRIGGER governance_journalentry_no_change ON governance_journalentry",
        "SET session_replication_role = replica",
        "CREATE OR REPLACE FUNCTION governance_journalentry_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RETURN NEW; END $$",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "TRUNCATE governance_journalentry",
        "DROP TABLE governance_journalentry",
        "CREATE TABLE public.mine (id int)",
        "ALTER ROLE arena_site_role SUPERUSER",
    ],
)
def test_it_cannot_switch_off_a_trigger(statement, as_the_site):
    with pytest.raises(ProgrammingError, match=r"must be|permission denied"), transaction.atomic():
        connection.cursor().execute(statement)


def test_and_the_trigger_holds_for_it(seeded, as_the_site):
    make_votable()
    entry = JournalEntry.objects.first()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        JournalEntry.objects.filter(pk=entry.pk).update(action="nothing happened")


def test_the_command_prints_statements_that_psql_takes(capsys, as_the_site):
    call_command("database_role", 'a "strange" name')
    printed = capsys.readouterr().out
    assert printed.count(";") == len(grants(role="x", owner="y"))
    assert '"a ""strange"" name"' in printed
