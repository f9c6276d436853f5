"""Verdicts on steps, boxes and clicks on frames: what is kept, what is refused, and what a withdrawal leaves."""

import math
import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from battles.models import Battle, Frame, Step
from governance import limits
from governance.consent import ConsentNeeded, receipt_in_force
from governance.errors import Conflict, Gone, TooMany
from governance.limits import LABELS_AN_HOUR, check_label_limit
from governance.models import JournalEntry
from governance.withdrawals import withdraw_everything
from judging.access import NoSuchBattle
from judging.attention import MOST_AT_ONCE_MS, record_attention, steps_opened
from judging.labels import (
    SMALLEST_SIDE,
    LabelRefused,
    NoSuchPart,
    _box,
    annotate,
    click_next,
    delete_annotation,
    judge_step,
)
from judging.models import Annotation, Attention, Click, Report, StepOpened, StepVerdict
from judging.objections import ObjectionRefused, report_problem
from tests.battles.factories import make_battle, make_judge, make_votable
from tests.judging.handing import agree, say, seated

pytestmark = [pytest.mark.django_db, pytest.mark.production]

BOX = (0.1, 0.2, 0.3, 0.4)


@pytest.fixture
def battle():
    return make_votable()


@pytest.fixture
def judge(battle):
    return seated(battle)


def step_of(battle, slot="A"):
    return Step.objects.get(lane__attempt__battle=battle, lane__slot=slot, number=1)


def frame_of(battle, slot="A"):
    return Frame.objects.filter(lane__attempt__battle=battle, lane__slot=slot).order_by("taken_at").first()


def draw(battle, judge, **fields):
    values = {"frame_id": frame_of(battle).pk, "box": BOX, "tag": "wrong_target", "note": "The link beside it."}
    return annotate(battle=battle, judge=judge, **(values | fields))


def click(battle, judge, **fields):
    values = {"frame_id": frame_of(battle).pk, "point": (0.5, 0.25), "milliseconds": 1200}
    return click_next(battle=battle, judge=judge, **(values | fields))


def verdict(battle, judge, said="helpful", **fields):
    return judge_step(battle=battle, judge=judge, **({"step_id": step_of(battle).pk, "verdict": said} | fields))


LABELS = [verdict, draw, click]


class TestEveryKind:
    @pytest.mark.parametrize("label", LABELS)
    def test_it_carries_its_receipt_and_one_journal_row_and_twice_is_once(self, battle, judge, label):
        first = label(battle, judge)
        assert label(battle, judge) == first
        assert first.receipt == judge.receipts.get()
        assert JournalEntry.objects.filter(subject=str(first.pk)).count() == 1

    @pytest.mark.parametrize("label", LABELS)
    def test_a_stranger_is_told_that_there_is_no_such_battle(self, battle, label):
        with pytest.raises(NoSuchBattle):
            label(battle, make_judge())

    @pytest.mark.parametrize("label", LABELS)
    def test_nothing_is_kept_without_consent(self, label):
        with pytest.raises(ConsentNeeded):
            label(make_votable(kind=Battle.Kind.PRACTICE), make_judge(consented=False))

    @pytest.mark.parametrize("label", LABELS)
    def test_names_shown_or_not_it_can_be_given(self, battle, judge, label):
        say(battle, judge, "A")
        assert label(battle, judge).judge_id == judge.pk

    @pytest.mark.parametrize("label", LABELS)
    def test_a_battle_that_is_void_takes_none(self, battle, judge, label):
        Battle.objects.filter(pk=battle.pk).update(state="void", voided_at=timezone.now())
        with pytest.raises(Gone):
            label(battle, judge)

    @pytest.mark.parametrize("label", LABELS)
    def test_it_counts_towards_its_judges_limit(self, battle, judge, label):
        label(battle, judge)
        for _ in range(LABELS_AN_HOUR - 1):
            Annotation.objects.create(
                judge=judge,
                frame=frame_of(battle),
                receipt=judge.receipts.get(),
                x=0,
                y=0,
                width=1,
                height=1,
                tag="wrong_target",
                note="",
            )
        with pytest.raises(TooMany):
            check_label_limit(judge)


class TestStepVerdicts:
    def test_a_verdict_can_be_changed_and_stays_one(self, battle, judge):
        first = verdict(battle, judge)
        changed = verdict(battle, judge, "unsafe")
        assert (changed.pk, changed.verdict) == (first.pk, "unsafe")
        assert changed.changed_at is not None
        assert StepVerdict.objects.count() == 1

    def test_a_verdict_is_one_of_four_and_of_a_step_of_this_battle(self, battle, judge):
        with pytest.raises(LabelRefused):
            verdict(battle, judge, "nice")
        with pytest.raises(NoSuchPart):
            verdict(battle, judge, step_id=step_of(make_votable()).pk)

    def test_a_race_that_runs_has_no_steps_to_judge(self):
        battle = make_battle()
        with pytest.raises(Conflict):
            judge_step(battle=battle, judge=battle.task.judge, step_id=uuid.uuid4(), verdict="helpful")


class TestAnnotations:
    def test_several_on_one_frame(self, battle, judge):
        draw(battle, judge)
        draw(battle, judge, tag="missed_element")
        draw(battle, judge, box=(0, 0, 1, 1))
        assert Annotation.objects.filter(frame=frame_of(battle)).count() == 3

    @pytest.mark.parametrize(
        "box",
        [(-0.1, 0, 0.5, 0.5), (0.6, 0, 0.5, 0.5), (0, 0, 0, 0.5), (0, 0, 0.5, math.nan), (0, math.inf, 0.5, 0.5)],
    )
    def test_a_box_lies_on_its_frame(self, battle, judge, box):
        with pytest.raises(LabelRefused) as refusal:
            draw(battle, judge, box=box)
        assert refusal.value.code == "box_off_frame"

    @pytest.mark.parametrize(
        "box",
        [(0, 0, 1e-320, 0.5), (0, 0, 0.5, 1e-5), (1, 0, 5e-7, 0.5), (0.3, 1, 0.5, 1e-7), (0.5, 0.99995, 0.5, 1e-4)],
    )
    def test_a_box_that_nobody_can_see_is_none(self, battle, judge, box):
        with pytest.raises(LabelRefused) as refusal:
            draw(battle, judge, box=box)
        assert refusal.value.code == "box_off_frame"

    def test_a_box_over_the_edge_by_rounding_is_kept_on_the_frame(self, battle, judge):
        drawn = draw(battle, judge, box=(0.9, 0, 0.1 + 5e-7, 1))
        assert (drawn.x + drawn.width, drawn.height) == (1, 1)

    #: Shares as a page sends them, and those at the edge where rounding happens.
    SHARES = st.one_of(st.floats(0, 1), st.floats(0.999999, 1), st.floats(0, 1e-3))

    @settings(deadline=None, max_examples=200)
    @given(st.tuples(*[SHARES] * 4))
    def test_what_is_accepted_lies_inside_and_has_a_size(self, box):
        try:
            x, y, width, height = _box(box)
        except LabelRefused:
            return
        assert x >= 0
        assert y >= 0
        assert SMALLEST_SIDE <= width <= 1 - x
        assert SMALLEST_SIDE <= height <= 1 - y

    def test_the_database_refuses_a_box_off_its_frame(self, battle, judge):
        with pytest.raises(IntegrityError), transaction.atomic():
            Annotation.objects.create(
                judge=judge,
                frame=frame_of(battle),
                receipt=judge.receipts.get(),
                x=0.9,
                y=0,
                width=0.5,
                height=1,
                tag="wrong_target",
                note="",
            )

    @pytest.mark.parametrize(
        ("fields", "error"),
        [
            ({"tag": "ugly"}, LabelRefused),
            ({"note": "x" * 501}, ObjectionRefused),
            ({"note": "\a"}, ObjectionRefused),
            ({"frame_id": uuid.uuid4()}, NoSuchPart),
        ],
    )
    def test_what_cannot_be_drawn(self, battle, judge, fields, error):
        with pytest.raises(error):
            draw(battle, judge, **fields)

    def test_its_judge_deletes_it_and_a_stamped_row_stays(self, battle, judge):
        annotation = draw(battle, judge)
        with pytest.raises(NoSuchPart):
            delete_annotation(judge=make_judge(), annotation_id=annotation.pk)
        gone = delete_annotation(judge=judge, annotation_id=annotation.pk)
        assert (gone.note, gone.tag, gone.x) == (None, None, None)
        assert delete_annotation(judge=judge, annotation_id=annotation.pk).erased_at == gone.erased_at
        again = draw(battle, judge)
        assert again.pk != annotation.pk

    def test_what_was_drawn_cannot_be_redrawn_in_place(self, battle, judge):
        draw(battle, judge)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Annotation.objects.update(note="Another word.")


class TestClicks:
    def test_the_first_click_stands(self, battle, judge):
        click(battle, judge)
        with pytest.raises(Conflict) as refusal:
            click(battle, judge, point=(0.1, 0.1))
        assert refusal.value.code == "already_clicked"
        assert Click.objects.get().milliseconds == 1200

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"point": (1.01, 0)}, "point_off_frame"),
            ({"point": (math.nan, 0)}, "point_off_frame"),
            ({"milliseconds": -1}, "bad_time"),
            ({"milliseconds": 3_600_001}, "bad_time"),
        ],
    )
    def test_what_is_no_click(self, battle, judge, fields, code):
        with pytest.raises(LabelRefused) as refusal:
            click(battle, judge, **fields)
        assert refusal.value.code == code


class TestAttention:
    def test_focused_time_adds_up_and_opened_steps_count_once(self, battle, judge):
        step = step_of(battle)
        record_attention(battle=battle, judge=judge, focus_ms=4000, steps=[step.pk])
        kept = record_attention(battle=battle, judge=judge, focus_ms=2000, steps=[step.pk, step_of(battle, "B").pk])
        assert (kept.focus_ms, steps_opened(battle, judge)) == (6000, 2)

    def test_a_clock_gone_wrong_and_anothers_steps_add_nothing(self, battle, judge):
        kept = record_attention(battle=battle, judge=judge, focus_ms=10**12, steps=[step_of(make_votable()).pk])
        assert (kept.focus_ms, steps_opened(battle, judge)) == (MOST_AT_ONCE_MS, 0)
        assert record_attention(battle=battle, judge=judge, focus_ms=-5).focus_ms == MOST_AT_ONCE_MS
        with pytest.raises(NoSuchBattle):
            record_attention(battle=battle, judge=make_judge(), focus_ms=1)


def test_a_withdrawal_empties_every_kind_and_counts_them(battle, judge):
    verdict(battle, judge)
    draw(battle, judge)
    click(battle, judge)
    say(battle, judge, "A", lock=False)
    record_attention(battle=battle, judge=judge, focus_ms=1000, steps=[step_of(battle).pk])
    report_problem(battle=battle, judge=judge, kind="private", note="My street is on it.")
    removed = withdraw_everything(judge=judge).removed
    assert removed == {"annotation": 1, "click": 1, "step verdict": 1, "task": 0, "vote": 1}
    assert (StepVerdict.objects.get().verdict, Annotation.objects.get().note, Click.objects.get().x) == ("", None, None)
    assert (Attention.objects.count(), StepOpened.objects.count(), Report.objects.get().note) == (0, 0, "")
    with pytest.raises(Gone):
        withdraw_everything(judge=judge)


class TestChanges:
    def test_a_changed_verdict_counts_in_the_limit_and_meets_it(self, battle, judge, monkeypatch):
        monkeypatch.setattr(limits, "LABELS_AN_HOUR", 3)
        for word in ("helpful", "wrong", "helpful"):
            verdict(battle, judge, word)
        with pytest.raises(TooMany):
            verdict(battle, judge, "unsafe")
        assert verdict(battle, judge, "helpful").verdict == "helpful"

    def test_a_changed_verdict_is_given_under_the_sentence_in_force(self, battle, judge, settings):
        first = verdict(battle, judge, "helpful")
        settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"
        with pytest.raises(ConsentNeeded):
            verdict(battle, judge, "wrong")
        agree(judge)
        assert verdict(battle, judge, "wrong").receipt == receipt_in_force(judge) != first.receipt
