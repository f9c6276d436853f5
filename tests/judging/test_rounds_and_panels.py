"""Rubric, calibration rounds and panels: a group judges the same battles, and none of it reaches the standings."""

import pytest
from django.db import IntegrityError, transaction

from battles.models import Battle
from battles.racing import void_battle
from governance.errors import Conflict
from governance.models import JournalEntry
from governance.withdrawals import withdraw_everything
from judging import rubric as rubric_module
from judging.agreement import NO_PAIRS
from judging.agreement_reading import live_agreement
from judging.models import Rubric
from judging.panels import PanelRefused, admit_judge, close_panel, open_panel, panel_labels, race_panel, read_panel
from judging.pool import next_for_judge
from judging.rounds import RoundRefused, end_round, read_round, start_round
from judging.rubric import RubricAltered, current_rubric, shipped_rubric
from judging.votes import cast_vote, lock_vote
from ratings.corpus import read_corpus
from ratings.eligibility import Reason
from ratings.models import Board
from tests.battles.factories import lane_of, make_agent, make_task, make_votable, race
from tests.judging.handing import ballot_for, checked_practice, hand_to, make_signed_in, offer, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]

OPERATOR = "operator:1"


class TestRubric:
    def test_the_shipped_wording_is_archived_once_and_kept_verbatim(self):
        first, again = current_rubric(), current_rubric()
        version, text = shipped_rubric()
        assert first == again
        assert (first.version, first.text) == (version, text)
        assert JournalEntry.objects.filter(action="judging:rubric:archive").count() == 1

    def test_it_says_what_counts_in_order_with_examples(self):
        _, text = shipped_rubric()
        order = [text.index(f"{number}. **") for number in range(1, 6)]
        assert order == sorted(order)
        assert text.count("\n**") >= 5

    def test_an_archived_wording_cannot_be_edited(self):
        current_rubric()
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Rubric.objects.update(text="Anything goes.")

    def test_a_file_edited_under_its_number_is_refused(self, monkeypatch):
        version, text = shipped_rubric()
        current_rubric()
        monkeypatch.setattr(rubric_module, "shipped_rubric", lambda: (version, text + "And be quick."))
        with pytest.raises(RubricAltered):
            current_rubric()

    def test_a_new_wording_is_a_new_version(self, monkeypatch):
        version, text = shipped_rubric()
        current_rubric()
        monkeypatch.setattr(rubric_module, "shipped_rubric", lambda: (version + 1, f"{text}\nBe kind."))
        assert current_rubric().version == version + 1
        assert Rubric.objects.count() == 2


class TestRounds:
    @pytest.fixture
    def group(self):
        return [make_signed_in(practised=3) for _ in range(2)]

    def test_every_judge_of_the_group_is_handed_every_battle_and_nobody_else_any(self, group):
        battles = [checked_practice("A"), make_votable(kind=Battle.Kind.PRACTICE)]
        calibration_round = start_round(name="First", battles=battles, judges=group, actor=OPERATOR)
        for judge in group:
            for battle, choice in zip(battles, ("A", "tie"), strict=True):
                assert next_for_judge(judge=judge).battle == battle
                battle.refresh_from_db()
                say(battle, judge, choice)
            assert next_for_judge(judge=judge).reason == "nothing_waits"
        assert next_for_judge(judge=make_signed_in(practised=3)).reason == "nothing_waits"
        reading = read_round(calibration_round)
        assert (reading.agreement.votes.value, reading.agreement.votes_equal.value) == (1.0, 1.0)
        assert reading.missing == {}
        assert {battle.state for battle in Battle.objects.filter(kind="calibration")} == {"resolved"}

    def test_who_is_missing_is_told_and_agreement_waits(self, group):
        battle = checked_practice("A")
        calibration_round = start_round(name="First", battles=[battle], judges=group, actor=OPERATOR)
        next_for_judge(judge=group[0])
        battle.refresh_from_db()
        say(battle, group[0], "A")
        reading = read_round(calibration_round)
        assert reading.missing == {group[1].pk: 1}
        assert (reading.agreement.votes.value, reading.agreement.votes.reason) == (None, NO_PAIRS)

    def test_an_ended_round_hands_out_no_more(self, group):
        calibration_round = start_round(name="First", battles=[checked_practice()], judges=group, actor=OPERATOR)
        end_round(calibration_round=calibration_round, actor=OPERATOR)
        assert next_for_judge(judge=group[0]).reason == "nothing_waits"
        with pytest.raises(Conflict):
            end_round(calibration_round=calibration_round, actor=OPERATOR)

    def test_nobody_waits_for_a_judge_who_took_everything_back_or_for_a_void_battle(self, group):
        battles = [checked_practice("A"), checked_practice("B")]
        calibration_round = start_round(name="First", battles=battles, judges=group, actor=OPERATOR)
        for judge in group:
            assert next_for_judge(judge=judge).battle == battles[0]
            battles[0].refresh_from_db()
            say(battles[0], judge, "A")
        assert read_round(calibration_round).agreement.votes_equal.pairable == 1
        void_battle(battle_id=battles[0].pk, reason="The recording is broken.", actor=OPERATOR)
        reading = read_round(calibration_round)
        assert reading.agreement.votes_equal.pairable == 0
        assert reading.missing == {judge.pk: 1 for judge in group}
        withdraw_everything(judge=group[0])
        assert read_round(calibration_round).missing == {group[1].pk: 1}
        with pytest.raises(RoundRefused) as refusal:
            start_round(name="Second", battles=[checked_practice()], judges=group, actor=OPERATOR)
        assert refusal.value.code == "judge_withdrew"

    @pytest.mark.parametrize(
        "code", ["no_name", "bad_name", "too_few_judges", "one_judge_twice", "no_battles", "not_usable"]
    )
    def test_what_is_no_round(self, group, code):
        values = {"name": "First", "battles": [checked_practice()], "judges": group, "actor": OPERATOR}
        judged = make_votable(kind=Battle.Kind.PRACTICE)
        say(judged, group[0], "tie")
        values |= {
            "no_name": {"name": " "},
            "bad_name": {"name": "x" * 121},
            "one_judge_twice": {"judges": [group[0], group[0]]},
            "too_few_judges": {"judges": group[:1]},
            "no_battles": {"battles": []},
            "not_usable": {"battles": [checked_practice(), judged]},
        }[code]
        with pytest.raises(RoundRefused) as refusal:
            start_round(**values)
        assert refusal.value.code == code.replace("one_judge_twice", "too_few_judges")
        with pytest.raises(RoundRefused):
            start_round(name="Live", battles=[offer(make_votable())], judges=group, actor=OPERATOR)


class TestPanels:
    @pytest.fixture
    def agents(self):
        return make_agent("ada"), make_agent("bob")

    @pytest.fixture
    def panel(self, agents):
        task = offer(make_votable(agents=agents)).task
        return open_panel(name="Librarians", qualification="Runs a library", tasks=[task], actor=OPERATOR)

    def test_only_admitted_judges_are_handed_its_battles_and_its_labels_carry_its_own_fit(self, panel):
        expert, other = (make_signed_in(practised=3) for _ in range(2))
        admit_judge(panel=panel, judge=expert, actor=OPERATOR)
        battle = race(race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)[0])
        assert next_for_judge(judge=other).battle != battle
        assert next_for_judge(judge=expert).battle == battle
        say(battle, expert, "A")
        label = panel_labels(panel)[0]
        assert (label.fit, label.judge, label.verdict) == (panel.fit_label, expert.pk, lane_of(battle, "A").agent_id)
        for board in Board:
            corpus = read_corpus(board)
            assert [Reason(reason) for reason in corpus.reason] == [Reason.NOT_LIVE]

    def test_its_tasks_and_its_name_are_fixed(self, panel):
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            panel.tasks.all().delete()
        with pytest.raises(PanelRefused) as refusal:
            open_panel(name="Librarians", qualification="Any", tasks=[panel.tasks.get().task], actor=OPERATOR)
        assert refusal.value.code == "name_taken"

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"name": ""}, "no_name"),
            ({"name": "x" * 121}, "bad_name"),
            ({"name": "Two\nlines"}, "bad_name"),
            ({"name": "\u202eturned round"}, "bad_name"),
            ({"qualification": " "}, "no_qualification"),
            ({"qualification": "x" * 201}, "bad_qualification"),
            ({"qualification": "\x1b[2J"}, "bad_qualification"),
        ],
    )
    def test_what_stands_in_a_list_fits_a_line_of_it(self, panel, fields, code):
        values = {"name": "Others", "qualification": "Any", "tasks": [panel.tasks.get().task], "actor": OPERATOR}
        with pytest.raises(PanelRefused) as refusal:
            open_panel(**values | fields)
        assert refusal.value.code == code

    def test_a_task_that_was_taken_back_is_raced_no_more(self, panel, agents):
        task = offer(make_votable(agents=agents)).task
        both = open_panel(name="Both", qualification="Any", tasks=[panel.tasks.get().task, task], actor=OPERATOR)
        withdraw_everything(judge=task.judge)
        [battle] = race_panel(panel=both, actor=OPERATOR, doorbell=lambda _: None)
        assert battle.task == panel.tasks.get().task
        withdraw_everything(judge=battle.task.judge)
        battle.refresh_from_db()
        assert battle.state == Battle.State.VOID
        with pytest.raises(Conflict) as refusal:
            race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)
        assert refusal.value.code == "no_tasks"

    def test_a_judge_who_took_everything_back_is_waited_for_no_more_and_comes_back_on_no_panel(self, panel):
        expert = make_signed_in(practised=3)
        admit_judge(panel=panel, judge=expert, actor=OPERATOR)
        race(race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None)[0])
        assert read_panel(panel).missing == {expert.pk: 1}
        withdraw_everything(judge=expert)
        assert read_panel(panel).missing == {}
        with pytest.raises(Conflict) as refusal:
            admit_judge(panel=panel, judge=expert, actor=OPERATOR)
        assert refusal.value.code == "judge_withdrew"

    def test_a_task_nobody_offered_stays_its_posters(self):
        with pytest.raises(PanelRefused) as refusal:
            open_panel(name="Curious", qualification="Any", tasks=[make_task()], actor=OPERATOR)
        assert refusal.value.code == "private_task"

    def test_a_closed_panel_admits_nobody_and_races_nothing(self, panel):
        close_panel(panel=panel, actor=OPERATOR)
        for act in (
            lambda: admit_judge(panel=panel, judge=make_signed_in(), actor=OPERATOR),
            lambda: race_panel(panel=panel, actor=OPERATOR, doorbell=lambda _: None),
            lambda: close_panel(panel=panel, actor=OPERATOR),
        ):
            with pytest.raises(Conflict) as refusal:
                act()
            assert refusal.value.code == "panel_closed"

    def test_a_panel_with_a_round_takes_its_judges_from_there(self, agents):
        group = [make_signed_in() for _ in range(2)]
        calibration_round = start_round(name="First", battles=[checked_practice()], judges=group, actor=OPERATOR)
        task = offer(make_votable(agents=agents)).task
        panel = open_panel(
            name="Tuned", qualification="Any", tasks=[task], actor=OPERATOR, calibration_round=calibration_round
        )
        admit_judge(panel=panel, judge=group[0], actor=OPERATOR)
        with pytest.raises(Conflict) as refusal:
            admit_judge(panel=panel, judge=make_signed_in(), actor=OPERATOR)
        assert refusal.value.code == "not_calibrated"


def test_live_agreement_is_undefined_until_a_battle_has_two_judges():
    single = make_votable()
    say(single, seated(single), "A")
    assert (live_agreement().votes.value, live_agreement().votes.reason) == (None, NO_PAIRS)


def test_live_agreement_counts_independent_final_votes_and_verdicts_on_lanes():
    for choices in (("A", "A", "B"), ("B", "B", "B")):
        battle = make_votable(judges_needed=3)
        say(battle, battle.task.judge, "tie")
        lanes = {slot: str(lane_of(battle, slot).pk) for slot in "AB"}
        for choice in choices:
            judge = seated(battle)
            verdicts = {lanes[choice]: "done", lanes["AB".replace(choice, "")]: "cannot_tell"}
            cast_vote(battle=battle, judge=judge, ballot=ballot_for(battle, choice, completions=verdicts))
            lock_vote(battle=battle, judge=judge)
    found = live_agreement()
    assert (found.votes.pairable, found.votes_equal.pairable) == (2, 2)
    assert found.votes.lower is not None
    # Nobody who cannot tell has said how far a lane got.
    assert found.completion.reason == "no variation"
    # Three judges on each of two battles, and nobody on both.
    assert len(found.kappas) == 6


def judged_twice(*choices):
    """A live battle with two independent final votes for each pair of choices, the same two judges throughout."""
    one, other = make_signed_in(), make_signed_in()
    for pair in choices:
        battle = make_votable(judges_needed=3)
        for judge, choice in zip((one, other), pair, strict=True):
            hand_to(offer(battle), judge)
            say(battle, judge, choice)
    return live_agreement()


@pytest.mark.parametrize(
    ("choices", "alpha", "raw"),
    [
        (["AA"] * 5, None, 1.0),
        (["AA"] * 4 + ["AB"], 0.0, 0.8),
        (["AA", "BB", ("tie", "tie"), "AB"], 0.667, 0.75),
    ],
)
def test_agreement_is_about_slots_so_that_battles_have_values_in_common(choices, alpha, raw):
    found = judged_twice(*choices)
    if alpha is None:
        assert (found.votes.value, found.votes.reason) == (None, "no variation")
    else:
        assert found.votes.value == pytest.approx(alpha, abs=5e-4)
    assert found.votes_equal.value == pytest.approx(raw)
