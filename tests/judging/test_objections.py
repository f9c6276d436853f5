"""Skip, report, impossible: none of them is a vote, and each does what it says at once."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from battles.models import Battle
from governance import limits
from governance.consent import ConsentNeeded
from governance.errors import Conflict, TooMany
from governance.models import JournalEntry
from judging.access import NoSuchBattle, may_read
from judging.models import Assignment, ImpossibleMark, Report, Vote
from judging.objections import (
    IMPOSSIBLE_WORDS,
    REPORT_DUE,
    ObjectionRefused,
    mark_impossible,
    open_reports,
    report_problem,
    resolve_report,
    skip,
)
from judging.pool import next_for_judge, practice_battles
from judging.seats import seats_free
from judging.trust import ReasonNeeded
from judging.votes import Ballot, cast_vote
from tests.battles.factories import make_judge, make_votable
from tests.judging.handing import checked_practice, hand_to, make_signed_in, offer, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]


class TestSkip:
    def test_a_skip_frees_the_seat_and_is_no_vote(self):
        battle = make_votable()
        judge = seated(battle)
        assert seats_free(battle) == 0
        assignment = skip(battle=battle, judge=judge, reason="subject")
        assert (assignment.outcome, assignment.skip_reason) == ("skipped", "subject")
        assert seats_free(battle) == 1
        assert Vote.objects.count() == 0

    def test_a_double_click_is_one_skip(self):
        battle = make_votable()
        judge = seated(battle)
        first = skip(battle=battle, judge=judge, reason="other")
        assert skip(battle=battle, judge=judge, reason="other") == first
        assert JournalEntry.objects.filter(action="judging:assignment:skip").count() == 1

    def test_a_practice_battle_is_skipped_for_another_one(self):
        judge = make_judge()
        first, second = (make_votable(kind=Battle.Kind.PRACTICE) for _ in range(2))
        skip(battle=first, judge=judge, reason="cannot_see")
        assert list(practice_battles(judge)) == [second]

    @pytest.mark.parametrize(
        ("make", "error", "code"),
        [
            (seated, ObjectionRefused, "unknown_reason"),
            (lambda battle: make_judge(), NoSuchBattle, "no_such_battle"),
            (lambda battle: battle.task.judge, Conflict, "not_in_hand"),
        ],
    )
    def test_what_cannot_be_skipped(self, make, error, code):
        battle = make_votable()
        reason = "because" if code == "unknown_reason" else "other"
        with pytest.raises(error) as refusal:
            skip(battle=battle, judge=make(battle), reason=reason)
        assert refusal.value.code == code

    def test_a_battle_one_voted_on_is_not_skipped(self):
        battle = make_votable()
        judge = seated(battle)
        say(battle, judge, "A", lock=False)
        with pytest.raises(Conflict) as refusal:
            skip(battle=battle, judge=judge, reason="other")
        assert refusal.value.code == "already_voted"


class TestReport:
    def test_a_report_hides_the_battle_at_once_and_opens_a_ticket_with_a_deadline(self):
        battle = make_votable(judges_needed=3)
        judge, other = seated(battle), seated(battle)
        report = report_problem(battle=battle, judge=judge, kind="private", note="The page shows my address.")
        assert report.due_at == report.opened_at + REPORT_DUE
        assert list(open_reports()) == [report]
        outcomes = dict(Assignment.objects.values_list("judge", "outcome"))
        assert outcomes == {judge.pk: "reported", other.pk: "taken_back"}
        assert not may_read(battle, other)
        assert may_read(battle, battle.task.judge)
        assert next_for_judge(judge=make_signed_in(practised=3)).reason == "nothing_waits"
        with pytest.raises(NoSuchBattle):
            cast_vote(battle=battle, judge=other, ballot=Ballot(choice="tie"))

    def test_the_same_judge_reports_once(self):
        battle = make_votable()
        judge = seated(battle)
        first = report_problem(battle=battle, judge=judge, kind="broken")
        assert report_problem(battle=battle, judge=judge, kind="broken") == first
        assert Report.objects.count() == 1

    def test_restoring_brings_the_battle_back(self):
        battle = make_votable()
        report = report_problem(battle=battle, judge=seated(battle), kind="other")
        resolve_report(report_id=report.pk, resolution="restored", actor="operator:1", reason="It shows no address.")
        judge = make_signed_in(practised=3)
        assert next_for_judge(judge=judge).battle == battle
        report.refresh_from_db()
        assert (report.resolution, report.resolved_by) == ("restored", "operator:1")

    def test_one_restored_report_does_not_show_what_another_one_hides(self):
        battle = make_votable(judges_needed=3)
        judge = seated(battle)
        first = report_problem(battle=battle, judge=battle.task.judge, kind="other")
        Report.objects.create(battle=battle, judge=judge, kind="private", due_at=timezone.now())
        resolve_report(report_id=first.pk, resolution="restored", actor="operator:1", reason="Fine.")
        assert not may_read(battle, judge)

    def test_voiding_decides_every_report_and_says_why(self):
        battle = make_votable(judges_needed=3)
        judge = seated(battle)
        report = report_problem(battle=battle, judge=battle.task.judge, kind="other")
        Report.objects.create(battle=battle, judge=judge, kind="private", due_at=timezone.now())
        resolve_report(report_id=report.pk, resolution="voided", actor="operator:1", reason="It shows an address.")
        battle.refresh_from_db()
        assert (battle.state, battle.void_reason) == (Battle.State.VOID, "It shows an address.")
        assert not open_reports().exists()

    def test_a_decision_needs_a_reason_and_is_made_once(self):
        battle = make_votable()
        report = report_problem(battle=battle, judge=seated(battle), kind="other")
        with pytest.raises(ReasonNeeded):
            resolve_report(report_id=report.pk, resolution="restored", actor="operator:1", reason=" ")
        with pytest.raises(ObjectionRefused):
            resolve_report(report_id=report.pk, resolution="forgotten", actor="operator:1", reason="No.")
        resolve_report(report_id=report.pk, resolution="restored", actor="operator:1", reason="Fine.")
        with pytest.raises(Conflict):
            resolve_report(report_id=report.pk, resolution="voided", actor="operator:2", reason="Not fine.")

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"kind": "ugly"}, "unknown_kind"),
            ({"kind": "other", "note": "x" * 1001}, "note_too_long"),
            ({"kind": "other", "note": "\a"}, "control_characters"),
        ],
    )
    def test_a_report_that_cannot_be_kept_says_why(self, fields, code):
        battle = make_votable()
        with pytest.raises(ObjectionRefused) as refusal:
            report_problem(battle=battle, judge=seated(battle), **fields)
        assert refusal.value.code == code

    def test_a_stranger_cannot_report_what_they_cannot_read(self):
        with pytest.raises(NoSuchBattle):
            report_problem(battle=make_votable(), judge=make_signed_in(), kind="other")

    def test_an_old_ticket_is_overdue(self):
        battle = make_votable()
        report = report_problem(battle=battle, judge=seated(battle), kind="other")
        assert not open_reports().filter(due_at__lte=timezone.now()).exists()
        assert list(open_reports().filter(due_at__lte=timezone.now() + REPORT_DUE + timedelta(seconds=1))) == [report]


class TestImpossible:
    def test_the_second_independent_judge_makes_the_battle_void(self):
        battle = make_votable()
        mark_impossible(battle=battle, judge=seated(battle))
        battle.refresh_from_db()
        assert battle.state == Battle.State.VOTABLE
        assert seats_free(battle) == 1
        mark_impossible(battle=battle, judge=seated(battle))
        battle.refresh_from_db()
        assert (battle.state, battle.void_reason) == (Battle.State.VOID, IMPOSSIBLE_WORDS)
        assert Vote.objects.count() == 0

    def test_whoever_said_so_cannot_vote_as_well(self):
        battle = make_votable()
        judge = seated(battle)
        mark_impossible(battle=battle, judge=judge)
        with pytest.raises(Conflict) as refusal:
            cast_vote(battle=battle, judge=judge, ballot=Ballot(choice="tie"))
        assert refusal.value.code == "said_impossible"
        assert not battle.votes.exists()

    def test_saying_it_twice_is_saying_it_once(self):
        battle = make_votable(judges_needed=3)
        judge = seated(battle)
        first = mark_impossible(battle=battle, judge=judge)
        assert mark_impossible(battle=battle, judge=judge) == first
        battle.refresh_from_db()
        assert battle.state == Battle.State.VOTABLE

    def test_the_submitter_is_not_independent(self):
        battle = make_votable()
        with pytest.raises(Conflict) as refusal:
            mark_impossible(battle=battle, judge=battle.task.judge)
        assert refusal.value.code == "not_in_hand"

    def test_whoever_voted_has_said_that_it_can_be_judged(self):
        battle = make_votable()
        judge = seated(battle)
        say(battle, judge, "A", lock=False)
        with pytest.raises(Conflict) as refusal:
            mark_impossible(battle=battle, judge=judge)
        assert refusal.value.code == "already_voted"

    def test_a_task_that_a_check_saw_done_stays_possible(self):
        gold = checked_practice("A", kind=Battle.Kind.GOLD)
        for judge in (make_signed_in(), make_signed_in()):
            hand_to(gold, judge)
            mark_impossible(battle=gold, judge=judge)
        gold.refresh_from_db()
        assert gold.state == Battle.State.VOTABLE
        assert ImpossibleMark.objects.count() == 2

    @pytest.mark.django_db(transaction=True)
    def test_three_judges_at_once_void_it_once(self):
        battle = make_votable(judges_needed=3)
        judges = [seated(battle) for _ in range(3)]
        failures = []
        barrier = threading.Barrier(3)

        def mark(judge):
            try:
                barrier.wait(timeout=30)
                mark_impossible(battle=battle, judge=judge)
            except (Conflict, NoSuchBattle):
                pass
            except Exception as error:  # whatever it is, the test must see it
                failures.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=mark, args=(judge,)) for judge in judges]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert failures == []
        assert JournalEntry.objects.filter(action="battles:battle:void").count() == 1


class TestWhatIsNoVoteIsAContribution:
    @pytest.mark.parametrize(
        "give",
        [
            lambda battle, judge: skip(battle=battle, judge=judge, reason="other"),
            lambda battle, judge: report_problem(battle=battle, judge=judge, kind="broken"),
            lambda battle, judge: mark_impossible(battle=battle, judge=judge),
        ],
    )
    def test_it_needs_consent_counts_in_the_limit_and_meets_it(self, give, monkeypatch):
        battles = [make_votable() for _ in range(2)]
        stranger = seated(battles[0], consented=False)
        with pytest.raises(ConsentNeeded):
            give(battles[0], stranger)
        monkeypatch.setattr(limits, "LABELS_AN_HOUR", 1)
        judge = make_signed_in()
        for battle in battles:
            offer(battle)
        hand_to(battles[0], judge)
        give(battles[0], judge)
        hand_to(battles[1], judge)
        with pytest.raises(TooMany):
            give(battles[1], judge)

    def test_a_hidden_practice_battle_takes_no_votes(self):
        battle = make_votable(kind=Battle.Kind.PRACTICE)
        report_problem(battle=battle, judge=make_judge(), kind="broken")
        with pytest.raises(NoSuchBattle):
            cast_vote(battle=battle, judge=make_judge(), ballot=Ballot(choice="tie"))
