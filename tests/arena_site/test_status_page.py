"""What the status page says of the parts and of the decisions that operators promised."""

import pytest

from battles.models import Battle
from judging.models import HeldLabel, Report
from judging.objections import report_problem
from judging.trust import hold_label
from tests.battles.factories import make_judge, make_votable, minutes_ago
from tests.judging.handing import say

pytestmark = pytest.mark.django_db


def decisions(client) -> tuple[str, str]:
    row = next(check for check in client.get("/status").context["checks"] if check["name"] == "Operators")
    return row["state"], row["words"]


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
