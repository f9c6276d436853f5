"""Every worked check of the measures of steps, lanes and answers, on rows of PostgreSQL."""

import itertools
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from battles.costs import TokenPrices
from battles.lane_facts import complete_lane_facts
from battles.lanes.vocabulary import KINDS
from battles.models import Battle
from battles.prices import enter_price
from metrics.computing import compute
from metrics.counted_lanes import COLUMNS, make_counted_lanes
from metrics.counted_votes import make_counted_votes
from ratings.models import Board
from tests.metrics.rows import PAGE, baselines, counts, practice_task, ran, reading, step, steps

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    return baselines()


def test_a_lane_of_dead_clicks_missed_targets_and_repeats(pair):
    five = {"target": "five", "before": "x", "after": "x"}
    ran(
        pair,
        [
            step(**five),
            step(**five),
            step(**five),
            step("wait", "x", "x"),
            step(target="nine", before="x", after="x", ok=False, code="not_found"),
            step(target="seven", before="x", after="y"),
            step("scroll", "y", "z", arguments={"dy": 300}),
            step("scroll", "z", "w", arguments={"dy": 300}),
            step("answer", "w", "w"),
        ],
    )
    assert counts("dead_click_share") == (3, 4)
    assert counts("missed_target_share") == (1, 5)
    assert counts("repeat_share") == (2, 7)
    assert counts("loop_share") == (0, 1)


@pytest.mark.parametrize(
    ("taken", "dead"),
    [
        (step(before="x", after="x"), 1),
        (step(before="x", after="y"), 0),
        (step(before="x", after="x", url_after=f"{PAGE}next"), 0),
        (step(before="x", after="x", tabs=2), 0),
        (step(before="x", after="y", ok=False, code="timed_out"), 1),
        (step(page_before="doc.aa", page_after="doc.~"), 1),
        (step(page_before="doc.aa", page_after="other.~"), 0),
    ],
    ids=["nothing", "page", "address", "tabs", "an error", "a restless picture", "another document"],
)
def test_a_click_is_dead_when_nothing_changed_or_it_failed(pair, taken, dead):
    ran(pair, [taken])
    assert counts("dead_click_share") == (dead, 1)


def test_a_click_without_both_fingerprints_says_nothing(pair):
    ran(pair, [step(page_after="")])
    assert counts("dead_click_share") == (0, 0)
    assert reading("dead_click_share").value is None


def test_a_scroll_and_typing_into_the_focus_are_aimed_at_nothing(pair):
    ran(
        pair,
        [step("scroll"), step("type", arguments={"text": "a"}), step("type", arguments={"text": "a", "ref": "e1"})],
    )
    assert counts("missed_target_share") == (0, 1)


def test_shares_of_kinds(pair):
    ran(pair, [*steps("click", 5), *steps("type", 3), *steps("scroll", 2), step("answer")])
    shares = {kind: counts(f"{kind}_share") for kind in KINDS}
    assert shares["click"] == (5, 10)
    assert shares["type"] == (3, 10)
    assert shares["scroll"] == (2, 10)
    assert reading("action_entropy").value == pytest.approx(0.529, abs=5e-4)


def test_shares_of_rarer_kinds(pair):
    ran(pair, [*steps("click", 7), step("navigate"), step("wait"), step("tab")])
    assert [counts(f"{kind}_share") for kind in ("navigate", "wait", "tab")] == [(1, 10)] * 3
    ran(pair, [], [*steps("click", 6), step("zoom"), step("observe")])
    assert counts("read_share", "bob") == (2 + 1, 8 + 1)


def test_the_seven_shares_add_to_one_whatever_was_done(pair):
    every = ["navigate", "history", "click", "hover", "drag", "type", "press", "select", "upload", "scroll", "wait"]
    ran(pair, [step(verb) for verb in [*every, "read", "zoom", "observe", "tab", "give_up", "fly", ""]])
    found = compute(Board.DEMO)
    assert sum(found[f"{kind}_share"]["ada"].value for kind in KINDS) == pytest.approx(1)
    assert found["click_share"]["ada"].over == 15


def test_the_middle_lane_of_three(pair):
    for number in (4, 6, 9):
        ran(pair, steps("click", number), lane_a={"seconds": {4: 30, 6: 50, 9: 100}[number]})
    assert reading("steps_per_lane").value == 6
    assert reading("lane_seconds").value == 50


def test_a_lane_loops_with_five_equal_steps_among_twenty(pair):
    ran(pair, [step(target="one", before=f"p{n}", after=f"p{n + 1}") for n in range(5)])
    for _ in range(4):
        ran(pair, [step(target="one", before=f"p{n}", after=f"p{n + 1}") for n in range(4)])
    assert counts("loop_share") == (1, 5)


def test_equal_steps_further_apart_than_twenty_are_no_loop(pair):
    own = step(target="one")
    between = [step("scroll", f"p{n}", f"q{n}", arguments={"dy": n}) for n in range(5)]
    ran(pair, [own, *between, own, *between, own, *between, own, *between, own])
    assert counts("loop_share") == (0, 1)
    ran(pair, [own, *between[:4], own, *between[:4], own, *between[:4], own, *between[:3], own])
    assert counts("loop_share") == (1, 2)


def test_five_equal_pages_in_a_row_are_a_loop(pair):
    reads = [step("read", "p", "p", arguments={"n": n}) for n in range(5)]
    ran(pair, reads[:4])
    assert counts("loop_share") == (0, 1)
    ran(pair, reads)
    assert counts("loop_share") == (1, 2)


def test_backtracking_is_loading_an_address_again(pair):
    names = ["a", "b", "c", "a", "d", "e", "b"]
    pages = [PAGE, *(f"{PAGE}{name}" for name in names)]
    taken = [step(url_before=one, url_after=other) for one, other in itertools.pairwise(pages)]
    ran(pair, [*taken, step(url_before=pages[-1], url_after=f"{pages[-1]}#below")])
    assert counts("backtrack_share") == (2, 8)


def test_loads_outside_the_hosts_of_the_task(pair):
    hosts = ["example.org"] * 8 + ["elsewhere.net"]
    urls = [f"https://{'www.' if n % 2 else ''}{host}/{n}" for n, host in enumerate(hosts)]
    ran(pair, [step(url_before="https://example.org/before", url_after=url) for url in urls])
    assert counts("offsite_share") == (1, 10)


def test_a_task_without_hosts_has_no_outside(pair):
    ran(pair, [step(url_after="https://elsewhere.net/")], task=practice_task(hosts=[]))
    assert counts("offsite_share") == (0, 0)


def test_steps_with_errors(pair):
    ran(pair, [*steps("click", 18), *steps("click", 2, ok=False, code="timed_out")])
    assert counts("step_error_share") == (2, 20)


def test_errors_that_were_recovered_from(pair):
    failed = {"ok": False, "code": "timed_out", "before": "p", "after": "p"}
    same_again = [step(target="a", **failed), *(step(target="a", before=f"s{n}", after=f"t{n}") for n in range(4))]
    elsewhere = [step(target="a", **failed), step(target="b", before="p", after="q"), *steps("read", 3)]
    for taken in (elsewhere, elsewhere, elsewhere, same_again):
        ran(pair, taken)
    assert counts("recovery_share") == (3, 4)


def test_an_error_among_the_last_three_had_no_time(pair):
    ran(pair, [*steps("click", 3), step(ok=False, code="timed_out"), *steps("read", 2)])
    assert counts("recovery_share") == (0, 0)


def test_pop_ups_gone_within_three_steps(pair):
    def covered(pattern):
        return [step(overlay="dialog" if sign == "#" else "") for sign in pattern]

    ran(pair, covered(".#.##.###."))
    ran(pair, covered(".####."))
    assert counts("overlay_cleared_share") == (3, 4)


def test_a_pop_up_on_the_start_page_counts(pair):
    ran(pair, [step(overlay="fixed"), step()], start={"overlay": "fixed"})
    assert counts("overlay_cleared_share") == (1, 1)


def test_lanes_that_met_a_wall_and_walls_that_were_left(pair):
    def walled(pattern):
        return [step(wall="challenge" if sign == "#" else "") for sign in pattern]

    ran(pair, walled(".######."))
    ran(pair, walled(".#.######"))
    for _ in range(8):
        ran(pair, walled("..."))
    assert counts("bot_wall_share") == (2, 10)
    assert counts("bot_wall_left_share") == (1, 3)
    ran(pair, walled("."), start={"wall": "challenge"})
    assert counts("bot_wall_left_share") == (2, 4)


def test_loads_that_our_rules_refused(pair):
    allowed = [step(url_before=f"{PAGE}{n}", url_after=f"{PAGE}{n + 1}") for n in range(18)]
    refused = step("navigate", ok=False, code="refused_url", refusals=[{"host": "10.0.0.1", "port": 80, "reason": "p"}])
    aside = step(refusals=[{"host": "tracker.example", "port": 443, "reason": "private"}])
    ran(pair, [*allowed, refused, aside])
    assert counts("egress_blocked_share") == (1, 20)


def test_a_link_to_what_our_rules_refuse_is_a_refused_load(pair):
    blocked = {"host": "intranet.example", "port": 443, "reason": "private"}
    ran(pair, [step(url_after="https://intranet.example/", refusals=[blocked])])
    assert counts("egress_blocked_share") == (1, 2)


def test_one_side_blocked(pair):
    wall = [step(wall="challenge")]
    for _ in range(3):
        ran(pair, wall)
    ran(pair, wall, wall)
    for _ in range(56):
        ran(pair)
    assert counts("one_sided_wall_share", None) == (3, 60)


def test_void_lanes_are_ours_and_no_agents(pair):
    for _ in range(49):
        ran(pair)
    ran(pair, lane_a={"ended": "provider_error"}, state=Battle.State.VOID, voided_at=timezone.now())
    assert counts("void_share", None) == (1, 100)
    ran(pair, outcome="broken", lane_a={"ended": "lost"}, lane_b={"ended": "lost"}, state=Battle.State.QUEUED)
    assert counts("void_share", None) == (3, 102)
    assert counts("self_end_share") == (49, 49)


@pytest.mark.parametrize(
    ("key", "endings", "expected"),
    [
        ("claimed_done_share", ["answered"] * 4 + ["gave_up"], (4, 5)),
        ("self_end_share", ["answered", "answered", "gave_up", "time_budget"], (3, 4)),
        ("cap_hit_share", ["step_budget", "answered", "answered", "page_hung"], (1, 4)),
        ("gave_up_share", ["gave_up"] + ["answered"] * 9, (1, 10)),
    ],
)
def test_how_lanes_ended(pair, key, endings, expected):
    for ended in endings:
        ran(pair, lane_a={"ended": ended})
    assert counts(key) == expected


def test_the_slow_end_of_step_times_is_the_nearest_rank(pair):
    ran(pair, [step(model_ms=900 + 1000 * n, act_ms=60, observe_ms=40) for n in range(20)])
    assert reading("step_seconds_p95").value == 19


def test_time_in_the_model(pair):
    ran(pair, steps("click", 4, model_ms=10_000), lane_a={"seconds": 50})
    assert reading("model_time_share").value == pytest.approx(0.8)


USAGE = {
    "model_called": True,
    "input_plain": 1200,
    "input_cache_read": 500,
    "input_cache_write": 300,
    "output": 1000,
    "output_reasoning": 800,
}


def test_tokens_count_every_kind_of_input_and_reasoning_once(pair):
    ran(pair, [step(**USAGE), step()])
    assert reading("tokens_in").value == 2000
    assert reading("tokens_out").value == 1000


def test_a_lane_with_a_call_whose_usage_is_unknown_has_no_total(pair):
    ran(pair, [step(**USAGE), step(model_called=True)])
    assert counts("usage_missing_share") == (1, 2)
    assert [reading(key).value for key in ("tokens_in", "tokens_out", "cost_per_lane")] == [None] * 3


def test_a_cost_is_usage_at_the_price_of_its_day(pair):
    now = timezone.now()
    for ago, plain in ((20, 1), (0, 100)):
        tokens = TokenPrices(Decimal(plain), Decimal(10), Decimal("0.5"), None)
        enter_price(
            model_version="version-1",
            tokens=tokens,
            source="price list",
            actor="operator:test",
            effective_from=now - timedelta(days=ago, minutes=-1 if not ago else 0),
        )
    ran(pair, [step(**USAGE)])
    # 1200 plain and 300 written at 1 dollar a million, 500 read at a half, 1000 out at 10.
    assert reading("cost_per_lane").value == pytest.approx((1200 + 300 + 250 + 10_000) / 1e6)


def test_a_lane_without_a_price_has_no_cost(pair):
    ran(pair, [step(**USAGE)])
    assert reading("cost_per_lane").value is None
    assert reading("cost_per_lane").reason == "no_data"


def test_answers_given_and_how_long(pair):
    for words in (5, 40, 60):
        ran(pair, lane_a={"answer": " ".join(["word"] * words)})
    assert reading("answer_words").value == 40
    for _ in range(6):
        ran(pair)
    ran(pair, lane_a={"answer": " \n "})
    ran(pair, lane_a={"answer": ""}, task=practice_task(kind="action"))
    assert counts("answer_share") == (9, 10)


def test_values_of_an_answer_that_stand_in_the_record(pair):
    seen = "The branch opens at 09:30. Fee: 12.50. By MARIA LINDQVIST."
    ran(
        pair,
        [step("read", page_text=seen)],
        lane_a={"answer": "It opens at 09:30, says Maria Lindqvist; the fee is 12.50, in all 977."},
    )
    assert counts("evidence_share") == (3, 4)


@pytest.mark.parametrize(
    ("answer", "text", "found"),
    [
        ("There are 1,234 books.", "Holdings: 1234", 1),
        ("There are 12.", "In 2012 there were 3120", 0),
        ("There are 12.", "In 2012 there were 12", 1),
        ("It costs 12 euros.", "Only 12.50", 0),
        ("It was 3 May.", "on 3 may, at noon", 1),
    ],
    ids=["thousands", "within others", "also alone", "a part of a price", "a date"],
)
def test_a_value_stands_for_itself(pair, answer, text, found):
    ran(pair, [step("read", page_text=text)], lane_a={"answer": answer})
    assert counts("evidence_share") == (found, 1)


def test_every_column_can_be_read_alone(pair):
    ran(pair, [step(**USAGE), step("answer")])
    complete_lane_facts()
    make_counted_votes(Board.DEMO, timezone.now())
    for name in COLUMNS:
        make_counted_lanes([name], Board.DEMO, timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT agent, {name} FROM counted_lanes ORDER BY agent")
            assert [agent for agent, _ in cursor.fetchall()] == ["ada", "bob"]
