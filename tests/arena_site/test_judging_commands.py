"""Reports, judges, labels, rounds and panels from the terminal: what waits, and an operator's decisions."""

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
from judging.trust_rule import wrong_mark_words
from tests.battles.factories import make_agent, make_judge, make_task, make_votable, minutes_ago, race, unknown_id
from tests.judging.handing import checked_practice, hand_to, make_signed_in, offer, say

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


def refused(command: str, *words: str, code: str) -> None:
    out, err = run(command, *words, status=2)
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(f"[{code}]\n")


def cast():
    return say(make_votable(kind=Battle.Kind.PRACTICE), make_judge(), "A", lock=False)


@pytest.fixture
def held():
    return hold_label(vote=cast(), actor="operator:1", reason="Cast within a second.")


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
            refused("reports", *words, code=code)
        run("reports", "restore", str(reported.pk), WHY)
        assert "[already_resolved]" in run("reports", "void", str(reported.pk), WHY, status=2)[1]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("judges", ("suspend", "\udcff", WHY)),
        ("judges", ("suspend", "nobody", "--reason=\udcff")),
        ("labels", ("hold", "\udcff", WHY)),
        ("labels", ("held", "--judge=\udcff")),
        ("reports", ("void", "\udcff", WHY)),
        ("rounds", ("start", "\udcff", "--battle=\udcff")),
        ("panels", ("create", "\udcff", "--qualification=Any")),
        ("panels", ("admit", "\udcff", "\udcff")),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_bytes_that_are_no_text_are_refused_in_one_line(command, words, as_json):
    refused(command, *words, *as_json, code="not_text")


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

    @pytest.mark.parametrize(("most", "listed"), [("-1", 0), ("0", 0), ("1", 1), ("9" * 30, 2)])
    def test_any_number_of_them_can_be_asked_for(self, most, listed):
        for _ in range(2):
            make_signed_in(practised=1)
        assert len(told("judges", "list", f"--most={most}")) == listed

    def test_how_far_gold_gives_itself_away_is_told(self):
        assert "0 battles handed out, 0 of them with a known outcome" in run("judges", "gold")[0]
        assert told("judges", "gold")["guess_right"] is None

    def test_how_often_the_rule_hits_a_good_judge_stands_below_the_list(self):
        make_signed_in(practised=1)
        assert wrong_mark_words() in run("judges", "list")[0]

    def test_a_refusal_is_one_line_and_exits_with_2(self):
        judge = make_judge()
        for words, code in (
            (("suspend", judge.pk), "reason_needed"),
            (("reinstate", judge.pk, "--reason=Fine."), "not_out"),
            (("suspend", "nobody", "--reason=Because."), "no_such_judge"),
            (("suspend", "\u0661" * 32, "--reason=Because."), "no_such_judge"),
            (("suspend", judge.pk, f"--reason={'x' * 501}"), "reason_too_long"),
            (("suspend", judge.pk, "--reason=\x1b[2J"), "control_characters"),
        ):
            refused("judges", *words, code=code)


class TestLabels:
    def test_what_waits_is_listed_with_its_deadline_and_overdue_ones_come_first(self, held):
        later = hold_label(vote=cast(), actor="system:haste", reason="Five in a row.")
        HeldLabel.objects.filter(pk=held.pk).update(due_at=minutes_ago(1))
        rows = told("labels", "held")
        assert [(row["vote"], row["overdue"]) for row in rows] == [
            (str(held.vote_id), True),
            (str(later.vote_id), False),
        ]
        assert (rows[0]["reason"], rows[1]["held_by"]) == ("Cast within a second.", "system:haste")
        first, _, second, why = run("labels", "held")[0].splitlines()
        assert first.startswith(f"{held.vote_id}  OVERDUE since")
        assert second.startswith(f"{later.vote_id}  due")
        assert why == "  system:haste: Five in a row."
        assert [row["vote"] for row in told("labels", "held", f"--judge={later.vote.judge_id}")] == [str(later.vote_id)]

    def test_nothing_is_held(self):
        assert run("labels", "held")[0] == "No vote is held.\n"
        assert told("labels", "held") == []

    def test_an_operator_puts_a_vote_aside_and_releases_it_again(self):
        vote = cast()
        assert str(vote.pk) in run("labels", "hold", str(vote.pk), "--reason=Odd.")[0]
        assert vote.holds.get().held_by == "operator:terminal"
        [row] = told("labels", "release", str(vote.pk), "--reason=A careful judge.")
        assert (row["decision"], row["decided_reason"]) == ("released", "A careful judge.")

    def test_a_whole_run_is_kept_out_at_once(self):
        holds = [hold_label(vote=cast(), actor="system:haste", reason="In a row.") for _ in range(3)]
        run("labels", "keep-out", *(str(held.vote_id) for held in holds), "--reason=A script.")
        assert {held.decision for held in HeldLabel.objects.all()} == {"excluded"}
        assert JournalEntry.objects.filter(action="judging:vote:excluded").count() == 3

    def test_of_several_all_or_none_are_decided(self, held):
        refused("labels", "keep-out", str(held.vote_id), str(cast().pk), "--reason=A script.", code="not_held")
        refused("labels", "hold", str(cast().pk), str(held.vote_id), "--reason=A script.", code="already_held")
        held.refresh_from_db()
        assert held.decision == ""
        assert HeldLabel.objects.count() == 1

    def test_a_refusal_is_one_line_and_exits_with_2(self, held):
        vote = str(held.vote_id)
        for words, code in (
            (("hold", str(cast().pk)), "reason_needed"),
            (("release", vote), "reason_needed"),
            (("hold", str(unknown_id()), "--reason=Odd."), "no_such_vote"),
            (("release", "seven", "--reason=Fine."), "no_such_vote"),
            (("held", "--judge=nobody"), "no_such_judge"),
        ):
            refused("labels", *words, code=code)
        run("labels", "release", vote, "--reason=Fine.")
        refused("labels", "release", vote, "--reason=Fine.", code="not_held")


class TestRounds:
    @pytest.fixture
    def group(self):
        return [make_signed_in() for _ in range(2)]

    @pytest.fixture
    def started(self, group):
        battle = checked_practice("A")
        judges = [f"--judge={judge.pk}" for judge in group]
        return told("rounds", "start", "First", f"--battle={battle.pk}", *judges), battle

    def test_what_a_round_can_be_made_of_is_listed(self):
        assert "No practice or gold battle" in run("rounds", "battles")[0]
        battle = checked_practice("A")
        make_votable()
        assert [row["id"] for row in told("rounds", "battles")] == [str(battle.pk)]
        assert f"{battle.pk}  practice" in run("rounds", "battles")[0]
        report_problem(battle=battle, judge=make_judge(), kind="broken")
        assert told("rounds", "battles") == []

    def test_a_round_is_started_read_and_closed(self, started, group):
        row, battle = started
        assert (row["name"], row["state"], row["battles"], row["judges"]) == ("First", "open", 1, 2)
        assert row["id"] in run("rounds", "list")[0]
        hand_to(battle, group[0])
        say(battle, group[0], "A")
        reading = told("rounds", "read", row["id"])
        assert reading["missing"] == {group[1].pk: 1}
        assert reading["agreement"]["votes"] == {
            "value": None,
            "lower": None,
            "upper": None,
            "reason": "no pairable items",
            "pairable": 0,
        }
        out, _ = run("rounds", "read", row["id"])
        assert "votes, Krippendorff's alpha: undefined, no pairable items (0 judged twice or more)" in out
        assert f"judge {group[1].pk} has 1 battle left" in out
        hand_to(battle, group[1])
        say(battle, group[1], "A")
        out, _ = run("rounds", "read", row["id"])
        assert "votes, equal: 1.00" in out
        assert "Nobody has a battle left." in out
        run("rounds", "close", row["id"])
        assert told("rounds", "list")[0]["state"] == "closed"

    def test_a_refusal_is_one_line_and_exits_with_2(self, started, group):
        row, battle = started
        judges = [f"--judge={judge.pk}" for judge in group]
        fresh = checked_practice("A")
        for words, code in (
            (("start", "Second", f"--battle={battle.pk}", *judges), "no_usable_battle"),
            (("start", "Second", *judges), "no_battles"),
            (("start", "x" * 121, f"--battle={fresh.pk}", *judges), "bad_name"),
            (("start", "Second", f"--battle={fresh.pk}", judges[0], judges[0]), "too_few_judges"),
            (("start", "Second", f"--battle={fresh.pk}", "--judge=nobody"), "no_such_judge"),
            (("read", "first"), "no_such_round"),
        ):
            refused("rounds", *words, code=code)
        run("rounds", "close", row["id"])
        refused("rounds", "close", row["id"], code="already_ended")


class TestPanels:
    @pytest.fixture
    def task(self):
        return offer(make_votable(agents=(make_agent("ada"), make_agent("bob")))).task

    @pytest.fixture
    def panel(self, task):
        return told("panels", "create", "Librarians", "--qualification=Runs a library", f"--task={task.pk}")

    def test_what_a_panel_can_be_opened_on_is_listed(self, task):
        make_task()
        assert [row["id"] for row in told("panels", "tasks")] == [str(task.pk)]
        assert str(task.pk) in run("panels", "tasks")[0]

    def test_a_panel_is_created_staffed_raced_read_and_closed(self, panel):
        expert = make_signed_in()
        assert (panel["qualification"], panel["state"], panel["tasks"]) == ("Runs a library", "open", 1)
        assert "Librarians" in run("panels", "admit", panel["id"], expert.pk)[0]
        assert told("panels", "read", panel["id"])["ratings"] == []
        for choice in ("A", "B", "A"):
            [queued] = told("panels", "race", panel["id"])["battles"]
            battle = race(Battle.objects.get(pk=queued))
            hand_to(battle, expert)
            say(battle, expert, choice)
        reading = told("panels", "read", panel["id"])
        assert reading["labels"] == 3
        assert {row["agent"] for row in reading["ratings"]} == {"ada", "bob"}
        assert f"{panel['fit']}: 3 labels of 1 judges on 3 battles" in run("panels", "read", panel["id"])[0]
        assert told("panels", "close", panel["id"])["state"] == "closed"
        assert told("panels", "list")[0]["state"] == "closed"

    def test_a_refusal_is_one_line_and_exits_with_2(self, panel, task):
        about = "--qualification=Any"
        for words, code in (
            (("create", "Librarians", about, f"--task={task.pk}"), "name_taken"),
            (("create", "Others", about), "no_tasks"),
            (("create", "x" * 121, about, f"--task={task.pk}"), "bad_name"),
            (("create", "Others", f"--qualification={'x' * 201}", f"--task={task.pk}"), "bad_qualification"),
            (("create", "Others", about, f"--task={make_task().pk}"), "private_task"),
            (("create", "Others", about, "--task=7"), "no_such_task"),
            (("create", "Others", about, f"--task={task.pk}", f"--round={unknown_id()}"), "no_such_round"),
            (("admit", panel["id"], "nobody"), "no_such_judge"),
            (("read", str(unknown_id())), "no_such_panel"),
        ):
            refused("panels", *words, code=code)
