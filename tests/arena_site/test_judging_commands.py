"""Reports and judges from the terminal: what waits, and an operator's decisions."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from battles.models import Battle
from governance.models import JournalEntry
from judging.models import HeldLabel, Report
from judging.objections import report_problem
from judging.trust import hold_label, suspend_judge, trust_state
from tests.battles.factories import make_judge, make_votable, minutes_ago, unknown_id
from tests.judging.handing import make_signed_in, say

pytestmark = pytest.mark.django_db

WHY = "--reason=The page shows an address."


def run(command: str, *words: str, status: int = 0) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    if status:
        with pytest.raises(SystemExit) as stopped:
            call_command(command, *words, stdout=out, stderr=err)
        assert stopped.value.code == status
    else:
        call_command(command, *words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def told(command: str, *words: str):
    return json.loads(run(command, *words, "--json")[0])


@pytest.fixture
def reported():
    return report_problem(
        battle=make_votable(kind=Battle.Kind.PRACTICE), judge=make_judge(), kind="private", note="My address\nand phone"
    )


@pytest.fixture
def held():
    battle = make_votable(kind=Battle.Kind.PRACTICE)
    vote = say(battle, make_judge(), "A", lock=False)
    return hold_label(vote=vote, actor="operator:1", reason="Cast within a second.")


class TestReports:
    def test_what_waits_is_listed_and_what_is_overdue_is_marked(self, reported):
        late = report_problem(battle=make_votable(kind=Battle.Kind.PRACTICE), judge=make_judge(), kind="broken")
        Report.objects.filter(pk=late.pk).update(due_at=minutes_ago(1))
        out, _ = run("reports", "list")
        first, second = [line for line in out.splitlines() if str(late.pk) in line or str(reported.pk) in line]
        assert "OVERDUE" in first
        assert str(late.pk) in first
        assert "OVERDUE" not in second
        assert "private" in second
        assert "My address and phone" in out
        rows = told("reports", "list")
        assert [(row["id"], row["overdue"]) for row in rows] == [(str(late.pk), True), (str(reported.pk), False)]
        assert rows[1]["battle"] == str(reported.battle_id)
        assert rows[1]["judge"] == reported.judge_id

    def test_nothing_waits(self):
        assert "No report waits" in run("reports", "list")[0]
        assert told("reports", "list") == []

    def test_an_operator_brings_a_battle_back(self, reported):
        out, _ = run("reports", "restore", str(reported.pk), WHY)
        reported.refresh_from_db()
        assert (reported.resolution, reported.resolved_by) == ("restored", "operator:terminal")
        assert str(reported.battle_id) in out
        assert told("reports", "list") == []
        assert JournalEntry.objects.get(action="judging:report:restored").reason == "The page shows an address."

    def test_restoring_says_that_another_report_still_hides_the_battle(self, reported):
        Report.objects.create(
            battle=reported.battle, judge=make_judge(), kind="other", due_at=timezone.now() + timedelta(days=1)
        )
        assert "still hides it" in run("reports", "restore", str(reported.pk), WHY)[0]
        reported.battle.refresh_from_db()

    def test_an_operator_voids_a_battle(self, reported):
        row = told("reports", "void", str(reported.pk), WHY)
        assert (row["resolution"], row["reason"]) == ("voided", "The page shows an address.")
        reported.battle.refresh_from_db()
        assert reported.battle.state == Battle.State.VOID

    def test_a_refusal_is_one_line_and_exits_with_2(self, reported):
        for words, code in (
            (("restore", str(reported.pk)), "reason_needed"),
            (("void", str(reported.pk), "--reason= "), "reason_needed"),
            (("void", str(unknown_id()), WHY), "no_such_report"),
            (("void", "seven", WHY), "no_such_report"),
        ):
            out, err = run("reports", *words, status=2)
            assert (out, err.count("\n")) == ("", 1)
            assert err.endswith(f"[{code}]\n")
        run("reports", "restore", str(reported.pk), WHY)
        assert "[already_resolved]" in run("reports", "void", str(reported.pk), WHY, status=2)[1]


class TestJudges:
    def test_judges_are_listed_with_their_state_and_what_they_gave(self):
        judge, other = make_signed_in(practised=2), make_judge()
        suspend_judge(judge=other, actor="operator:1", reason="Too fast by far.")
        rows = {row["id"]: row for row in told("judges", "list")}
        assert (rows[judge.pk]["state"], rows[judge.pk]["votes"]) == ("new", 2)
        assert (rows[other.pk]["state"], rows[other.pk]["reason"]) == ("suspended", "Too fast by far.")
        assert [row["id"] for row in told("judges", "list", "--state=suspended")] == [other.pk]
        out, _ = run("judges", "list", "--state=suspended")
        assert other.pk in out
        assert "Too fast by far." in out
        assert judge.pk not in out
        assert "No such judge" in run("judges", "list", "--state=trusted")[0]

    def test_an_operator_suspends_and_reinstates_a_judge(self):
        judge = make_judge()
        run("judges", "suspend", judge.pk, "--reason=Clicks like a script.")
        assert trust_state(judge) == "suspended"
        change = judge.trust_changes.get()
        assert (change.actor, change.reason) == ("operator:terminal", "Clicks like a script.")
        assert told("judges", "reinstate", judge.pk, "--reason=It was a person.")["state"] == "new"
        assert trust_state(judge) == "new"

    def test_held_votes_are_listed_and_decided(self, held):
        late = told("judges", "holds")[0]
        assert (late["id"], late["overdue"], late["reason"]) == (held.pk, False, "Cast within a second.")
        HeldLabel.objects.filter(pk=held.pk).update(due_at=minutes_ago(1))
        assert told("judges", "holds")[0]["overdue"] is True
        assert "OVERDUE" in run("judges", "holds")[0]
        run("judges", "decide", str(held.pk), "excluded", "--reason=A script.")
        held.refresh_from_db()
        assert (held.decision, held.decided_by) == ("excluded", "operator:terminal")
        assert "No vote is held" in run("judges", "holds")[0]
        assert told("judges", "holds") == []

    def test_a_refusal_is_one_line_and_exits_with_2(self, held):
        judge = make_judge()
        for words, code in (
            (("suspend", judge.pk), "reason_needed"),
            (("reinstate", judge.pk, "--reason=Fine."), "not_out"),
            (("suspend", "nobody", "--reason=Because."), "no_such_judge"),
            (("decide", str(held.pk), "released"), "reason_needed"),
            (("decide", str(held.pk), "forgotten", "--reason=Because."), "unknown_decision"),
            (("decide", str(held.pk + 1), "released", "--reason=Because."), "no_such_hold"),
            (("decide", "9" * 30, "released", "--reason=Because."), "no_such_hold"),
        ):
            out, err = run("judges", *words, status=2)
            assert (out, err.count("\n")) == ("", 1)
            assert err.endswith(f"[{code}]\n")
