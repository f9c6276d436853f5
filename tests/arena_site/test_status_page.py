"""What the status page says of the parts and of the decisions that operators promised."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from battles.models import Battle
from governance.journal import record
from governance.ledger.checkpoints import checkpoint_in_force
from governance.ledger.timetable import SIGNED_WITHIN
from judging.models import HeldLabel, Report
from judging.objections import report_problem
from judging.trust import hold_label
from tests.battles.factories import make_judge, make_votable, minutes_ago
from tests.judging.handing import say

pytestmark = pytest.mark.django_db


def said_of(client, name: str) -> tuple[str, str]:
    row = next(check for check in client.get("/status").context["checks"] if check["name"] == name)
    return row["state"], row["words"]


def decisions(client) -> tuple[str, str]:
    return said_of(client, "Operators")


def test_overdue_decisions_are_said_and_not_counted(client):
    assert decisions(client) == ("ok", "No decision is overdue.")
    judge = make_judge()
    for _ in range(2):
        vote = say(make_votable(kind=Battle.Kind.PRACTICE), judge, "A")
        hold_label(vote=vote, actor="operator:1", reason="Odd.")
        report_problem(battle=make_votable(kind=Battle.Kind.PRACTICE), judge=judge, kind="broken")
    assert decisions(client) == ("ok", "No decision is overdue.")
    HeldLabel.objects.update(due_at=minutes_ago(1))
    assert decisions(client) == ("late", "Decisions are overdue; held labels rate nobody.")
    Report.objects.update(due_at=minutes_ago(1))
    state, words = decisions(client)
    assert (state, words) == (
        "late",
        "Decisions are overdue; reported battles stay hidden and held labels rate nobody.",
    )


def test_a_ledger_whose_head_is_not_signed_in_time_shows(client, settings, tmp_path):
    settings.ARENA_DATA_DIR = tmp_path
    settings.ARENA_LEDGER_KEY = None
    record(actor="operator:test", action="battles:agent:roster", subject="agent")
    checkpoint_in_force()
    record(actor="operator:test", action="battles:agent:roster", subject="agent")
    assert said_of(client, "Ledger") == ("ok", "Its head is signed.")
    with time_machine.travel(timezone.now() + SIGNED_WITHIN + timedelta(seconds=1)):
        state, words = said_of(client, "Ledger")
        assert state == "late"
        assert "30 minutes" in words
        checkpoint_in_force()
        assert said_of(client, "Ledger")[0] == "ok"
