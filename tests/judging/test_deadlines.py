"""What is overdue is said until somebody decides, and nothing is decided by waiting."""

import pytest

from battles.models import Battle
from judging.access import may_read
from judging.deadlines import queues
from judging.models import HeldLabel, Report
from judging.objections import report_problem, resolve_report
from judging.tasks import watch_deadlines
from judging.trust import decide_hold, hold_label
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import make_judge, make_votable, minutes_ago
from tests.judging.handing import say

pytestmark = pytest.mark.django_db

OPERATOR = "operator:1"


def test_nothing_waits(caplog):
    assert [(queue.name, queue.waiting, queue.words) for queue in queues()] == [
        ("reports", 0, "Nothing waits for an operator."),
        ("labels", 0, "Nothing waits for an operator."),
    ]
    watch_deadlines()
    assert not caplog.records


def test_what_is_overdue_is_counted_and_logged_and_stays_as_it_is(caplog):
    battle, judge = make_votable(kind=Battle.Kind.PRACTICE), make_judge()
    vote = say(battle, judge, "A")
    held = hold_label(vote=vote, actor=OPERATOR, reason="Odd.")
    other = make_votable(kind=Battle.Kind.PRACTICE)
    report = report_problem(battle=other, judge=judge, kind="broken")
    assert [(queue.waiting, queue.overdue) for queue in queues()] == [(1, 0), (1, 0)]
    watch_deadlines()
    assert not caplog.records
    HeldLabel.objects.update(due_at=minutes_ago(1))
    Report.objects.update(due_at=minutes_ago(1))
    watch_deadlines()
    said = [record.getMessage() for record in caplog.records]
    assert [message.split(".")[0] for message in said] == [
        "reports: 1 of 1 overdue; reported battles stay hidden",
        "labels: 1 of 1 overdue; held labels rate nobody",
    ]
    assert "manage.py reports list" in said[0]
    assert "manage.py labels held" in said[1]
    assert not may_read(other, make_judge())
    assert [Reason(reason) for reason in read_corpus(Board.DEMO).reason] == [Reason.JUDGE_NOT_ADMISSIBLE]
    decide_hold(held=held, decision="released", actor=OPERATOR, reason="Fine.")
    resolve_report(report_id=report.pk, resolution="restored", actor=OPERATOR, reason="Fine.")
    assert [queue.waiting for queue in queues()] == [0, 0]
