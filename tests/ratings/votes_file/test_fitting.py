"""From files of votes to ratings: the acceptance cases, the options, and what may not change any number."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.comparisons import Comparisons
from ratings.estimators.scale import ANCHOR, POINTS_PER_NAT
from ratings.inference.intervals import t_quantile
from ratings.probes.probe import WORDS
from ratings.votes_file.document import fit_document
from ratings.votes_file.fitting import fit_votes
from ratings.votes_file.headers import ColumnChoice
from ratings.votes_file.listing import fit_csv, fit_listing
from ratings.votes_file.options import FitOptions
from ratings.votes_file.reading import read_votes
from ratings.votes_file.rejections import VotesFileError
from tests.ratings.boards import boards, simulate
from tests.ratings.crowd_votes import DATA, reference
from tests.ratings.votes_file.writers import Rows, delimited, duel, every_format, vote

LABELS = ("model_b", "tie", "model_a")


def document(rows: Rows, options: FitOptions | None = None, choice: ColumnChoice | None = None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        path.write_text(delimited(rows), "utf-8")
        return fit_document(fit_votes(read_votes([path], choice), options))


def listing(rows: Rows, options: FitOptions | None = None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        path.write_text(delimited(rows), "utf-8")
        return fit_listing(fit_votes(read_votes([path]), options))


def rows_of(votes: Comparisons, **columns: Any) -> list[dict[str, Any]]:
    more = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return [
        vote(f"m{a}", f"m{b}", LABELS[outcome], f"j{judge}", **(more[row] if more else {}))
        for row, (judge, a, b, outcome) in enumerate(zip(votes.judge, votes.a, votes.b, votes.outcome, strict=True))
    ]


def row_of(found: dict[str, Any], agent: str) -> dict[str, Any]:
    return next(row for row in found["ratings"] if row["agent"] == agent)


def gap_of(found: dict[str, Any], agent: str, other: str) -> dict[str, Any]:
    return next(gap for gap in found["gaps"] if {gap["agent"], gap["other"]} == {agent, other})


def close_to(value: Any, share: float) -> Any:
    """Equal but for rounding, where it is a number at all."""
    return pytest.approx(value, rel=share) if isinstance(value, float) else value


def warned(found: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in found["warnings"]}


def test_c22_two_groups_that_never_met() -> None:
    found = document(duel(3, 1) + duel(1, 1, a="a3", b="a4"))
    assert found["components"] == len(found["component_details"]) == 2
    assert gap_of(found, "a1", "a2")["gap"] == pytest.approx(190.85, abs=0.005)
    assert gap_of(found, "a3", "a4")["gap"] == 0
    across = gap_of(found, "a1", "a3")
    assert (across["gap"], across["win_chance"], across["reason"]) == (None, None, "not_connected")
    assert {row["rank_worst"] for row in found["ratings"]} == {2}
    assert "not_connected" in warned(found)
    assert "Group 2 of 2" in listing(duel(3, 1) + duel(1, 1, a="a3", b="a4"))


def test_c23_only_ties_have_a_gap_and_no_interval() -> None:
    found = document(duel(0, 0, 4))
    for row in found["ratings"]:
        assert (row["rating"], row["se"], row["lower"], row["sim_upper"]) == (ANCHOR, None, None, None)
        assert (row["status"], row["place"]) == ("degenerate_interval", 1)
    assert gap_of(found, "a1", "a2")["gap"] == 0
    assert found["ties"]["share"] == 1
    assert found["position"]["a_win_share"] is None
    assert "no interval" in listing(duel(0, 0, 4))
    alone = document([{key: row[key] for key in ("model_a", "model_b", "winner")} for row in duel(0, 0, 4)])
    assert {row["status"] for row in alone["ratings"]} == {"degenerate_interval"}


def test_c24_the_same_votes_of_fewer_judges() -> None:
    ten = document(duel(6, 4))
    two = document(duel(6, 0, judge="j1") + duel(0, 4, judge="j2"))
    unknown = document([{key: row[key] for key in ("model_a", "model_b", "winner")} for row in duel(6, 4)])
    for found, error in ((ten, 118.20), (two, 347.44), (unknown, 112.13)):
        gap = gap_of(found, "a1", "a2")
        assert (gap["gap"], gap["se"]) == (pytest.approx(70.44, abs=0.005), pytest.approx(error, abs=0.005))
    assert ten["covariance"] == two["covariance"] == "clustered on judge"
    assert ten["correction"] == "G/(G-1) = 1.111111 for 10 judges, t at effective judges - 1 = 9.00"
    assert two["component_details"][0]["factor"] == 2
    assert unknown["covariance"] == "sandwich over votes"
    assert unknown["correction"] == "none (HC0), normal quantiles"
    assert unknown["votes"]["judges"] is None
    assert "no_judges" in warned(unknown)
    reach = gap_of(unknown, "a1", "a2")
    assert reach["upper"] - reach["gap"] == pytest.approx(t_quantile(float("inf")) * reach["se"])


def test_c29_how_few_votes_decide_the_top() -> None:
    found = document(duel(6, 5), FitOptions(audit=True))
    assert [probe["key"] for probe in found["probes"]] == list(WORDS)
    decisive = next(probe for probe in found["probes"] if probe["key"] == "drop_to_flip")
    assert decisive["value"] == pytest.approx(2 / 11, abs=1e-9)
    unanswered = next(probe for probe in found["probes"] if probe["key"] == "drift")
    assert (unanswered["fired"], unanswered["value"]) == (None, None)
    assert unanswered["reason"]
    assert "cannot answer" in listing(duel(6, 5), FitOptions(audit=True))


def test_who_never_lost_has_a_bound_and_no_number() -> None:
    rows = duel(8, 8) + duel(9, 0, a="star", b="a1") + duel(0, 9, a="dud", b="a2")
    found = document(rows)
    for agent, side in (("star", "lower"), ("dud", "upper")):
        row = row_of(found, agent)
        assert (row["rating"], row["se"], row["rank_best"], row["status"]) == (None, None, None, "unbounded")
        assert row["bound"]["side"] == side
        assert (row["bound"]["points"] > ANCHOR) == (side == "lower")
    text = listing(rows)
    assert "never lost to the rest: at least" in text
    assert "never won to the rest: at most" in text or "never won" in text


def test_one_vote_is_a_file_too() -> None:
    found = document([vote("x", "y", "x")])
    assert {row["rating"] for row in found["ratings"]} == {None}
    assert found["correction"] == "G/(G-1), t at effective judges - 1"
    assert "unbounded" in {row["status"] for row in found["ratings"]}


def test_real_votes_reproduce_the_reference_as_they_are() -> None:
    known = reference()
    found = fit_document(fit_votes(read_votes([DATA / "llmfao_crowd.csv.gz"])))
    assert found["columns"]["winner"] == "outcome"
    assert found["votes"]["judges"] == 124
    for name, rating, error in zip(known["models"], known["ratings"], known["errors"]["judge"], strict=True):
        row = row_of(found, name)
        assert row["rating"] == pytest.approx(ANCHOR + rating, abs=1e-8)
        assert row["se"] == pytest.approx(error, rel=1e-7)
    plain = fit_document(fit_votes(read_votes([DATA / "llmfao_crowd.csv.gz"]), FitOptions(cluster="battle")))
    for name, error in zip(known["models"], known["errors"]["sandwich"], strict=True):
        assert row_of(plain, name)["se"] == pytest.approx(error, rel=1e-7)
    assert plain["covariance"] == "sandwich over votes"
    assert "judges_ignored" in warned(plain)


def test_every_format_gives_the_same_bytes(tmp_path: Path) -> None:
    rows = rows_of(simulate([1060, 1000, 940], 90, seed=3, judges=9, tie_share=0.2), size_a=range(90), size_b=[7] * 90)
    written = {
        name: json.dumps(fit_document(fit_votes(read_votes([path], ColumnChoice(style=True)), FitOptions(audit=True))))
        for name, path in every_format(rows, tmp_path).items()
    }
    assert len(set(written.values())) == 1, sorted(written)


@given(boards(most_votes=30), st.randoms(use_true_random=False), st.sampled_from(["judge", "battle", None]))
def test_the_order_of_rows_changes_nothing(votes: Comparisons, chance: Any, kind: str | None) -> None:
    rows = rows_of(votes)
    if kind is None:
        rows = [{key: row[key] for key in ("model_a", "model_b", "winner")} for row in rows]
    options = FitOptions(cluster="battle" if kind == "battle" else None)
    shuffled = chance.sample(rows, len(rows))
    assert json.dumps(document(rows, options)) == json.dumps(document(shuffled, options))


@given(boards(most_votes=30), st.booleans())
def test_swapping_sides_turns_the_position_and_nothing_else(votes: Comparisons, judged: bool) -> None:
    swapped = Comparisons(votes.agents, votes.judge, votes.b, votes.a, 2 - votes.outcome)
    one, other = (
        document([row if judged else {**row, "judge": str(number)} for number, row in enumerate(rows_of(board))])
        for board in (votes, swapped)
    )
    for row, same in zip(one["ratings"], other["ratings"], strict=True):
        assert one["point_digest"] == other["point_digest"]
        assert (row["agent"], row["rating"], row["place"]) == (same["agent"], same["rating"], same["place"])
        assert same == {key: close_to(value, 1e-9) for key, value in row.items()}
    share = one["position"]["a_win_share"]
    assert other["position"]["a_win_share"] == (None if share is None else pytest.approx(1 - share))


@given(boards(most_votes=30), st.data())
def test_names_are_only_names(votes: Comparisons, data: st.DataObject) -> None:
    new = dict(zip((f"m{agent}" for agent in range(votes.agents)), data.draw(st.permutations("abcde")), strict=False))
    rows = rows_of(votes)
    renamed = [{**row, "model_a": new[row["model_a"]], "model_b": new[row["model_b"]]} for row in rows]
    one, other = document(rows), document(renamed)
    for row in one["ratings"]:
        same = row_of(other, new[row["agent"]])
        for key in ("rating", "se", "lower", "upper", "battles", "status", "place"):
            assert same[key] == close_to(row[key], 1e-6), key


@given(boards(most_votes=20), st.data())
def test_a_weight_of_k_is_k_rows(votes: Comparisons, data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(1, 4), min_size=len(votes), max_size=len(votes)))
    rows = rows_of(votes)
    copies = [row for row, copied in zip(rows, times, strict=True) for _ in range(copied)]
    weighed = [{**row, "weight": copied} for row, copied in zip(rows, times, strict=True)]
    one, other = document(copies), document(weighed)
    for row in one["ratings"]:
        same = row_of(other, row["agent"])
        for key in ("rating", "se", "lower", "upper", "sim_lower"):
            assert same[key] == close_to(row[key], 1e-8), key
    assert one["ties"]["share"] == pytest.approx(other["ties"]["share"])


def test_seeds_move_no_rating_and_no_error() -> None:
    rows = rows_of(simulate([1080, 1040, 1000, 960, 920], 400, seed=8, judges=40, tie_share=0.3))
    one, other = (document(rows, FitOptions(seed=seed)) for seed in (1, 2))
    for key in ("rating", "se", "lower", "upper"):
        assert [row[key] for row in one["ratings"]] == [row[key] for row in other["ratings"]]
    assert [row["sim_lower"] for row in one["ratings"]] != [row["sim_lower"] for row in other["ratings"]]
    assert one["point_digest"] == other["point_digest"] != document(rows[:-9])["point_digest"]


def test_battles_are_a_second_way_of_clusters() -> None:
    rows = [{**row, "battle": number // 2} for number, row in enumerate(duel(12, 8))]
    found = document(rows)
    assert found["covariance"] == "two-way judge and battle"
    assert {row["battles"] for row in found["ratings"]} == {10}
    assert document(rows, FitOptions(cluster="battle"))["covariance"] == "sandwich over battles"
    alone = document([{**row, "battle": number} for number, row in enumerate(duel(12, 8))])
    assert alone["covariance"] == "clustered on judge"
    assert alone["ratings"] == document(duel(12, 8))["ratings"]


def test_a_judge_who_votes_twice_on_a_battle_is_pointed_out() -> None:
    rows = [{**row, "battle": number} for number, row in enumerate(duel(6, 4))]
    assert "repeated_votes" not in warned(document(rows))
    assert "repeated_votes" in warned(document([*rows, rows[0]]))


def test_clusters_of_battles_hold_what_their_votes_have_in_common() -> None:
    """Pairs of equal votes on one battle: with battles as clusters each pair is one observation."""
    rows = [{key: row[key] for key in ("model_a", "model_b", "winner")} for row in duel(6, 4)]
    twice = [{**row, "battle": number} for number, row in enumerate(rows) for _ in range(2)]
    assert gap_of(document(twice), "a1", "a2")["se"] == pytest.approx(112.13, abs=0.005)


def test_judges_that_nobody_named_cannot_be_clustered_on() -> None:
    rows = [{key: row[key] for key in ("model_a", "model_b", "winner")} for row in duel(6, 4)]
    with pytest.raises(VotesFileError, match="who judged"):
        document(rows, FitOptions(cluster="judge"))


def test_davidson_finds_the_chance_of_ties() -> None:
    found = document(duel(100, 100, 80), FitOptions(ties="davidson"))
    assert found["ties"]["nu"] == pytest.approx(0.8)
    assert found["ties"]["nu_lower"] < 0.8 < found["ties"]["nu_upper"]
    assert found["ties"]["share"] == pytest.approx(80 / 280, abs=1e-9)
    threshold = document(duel(100, 100, 80), FitOptions(ties="rao-kupper"))["ties"]["threshold"]
    assert threshold == pytest.approx(2 * np.arctanh(80 / 280))
    without = document(duel(5, 5), FitOptions(ties="davidson"))
    assert {row["status"] for row in without["ratings"]} == {"no_variation"}
    assert "nothing varies" in listing(duel(5, 5), FitOptions(ties="davidson"))


def test_ties_that_are_left_out_are_counted() -> None:
    rows = duel(6, 4, 5)
    rows[-1]["winner"] = "both_bad"
    found = document(rows, FitOptions(ties="drop"))
    assert gap_of(found, "a1", "a2")["gap"] == pytest.approx(70.44, abs=0.005)
    assert (found["votes"]["read"], found["votes"]["used"]) == (15, 10)
    assert found["votes"]["left_out"] == [{"reason": "tie", "votes": 5}]
    assert (found["ties"]["share"], found["ties"]["both_bad"]) == (pytest.approx(1 / 3), 1)
    assert "ties_left_out" in warned(found)
    with pytest.raises(VotesFileError, match="nothing is left"):
        document(duel(0, 0, 3), FitOptions(ties="drop"))


def test_a_battle_without_its_ties_is_still_one_comparison() -> None:
    rows = [{**row, "battle": 1} for row in duel(1, 0, 2)] + duel_in_battles()
    shared = [{**row, "battle": "x"} if row["battle"] == 1 else row for row in rows]
    found = document(shared, FitOptions(ties="drop"))
    whole = document([row for row in shared if row["winner"] != "tie"])
    assert found["ratings"] == whole["ratings"]


def duel_in_battles() -> list[dict[str, Any]]:
    return [{**row, "battle": f"b{number}"} for number, row in enumerate(duel(3, 4, 1))]


@pytest.mark.parametrize(("anchor", "points"), [("m1", ANCHOR), ("m0", 1500.0)])
def test_an_anchor_holds_the_scale_and_has_no_error(anchor: str, points: float) -> None:
    rows = rows_of(simulate([1100, 1000, 900, 950], 600, seed=2, judges=30))
    plain = document(rows)
    found = document(rows, FitOptions(anchor=anchor, anchor_points=points))
    row = row_of(found, anchor)
    assert (row["rating"], row["se"], row["lower"], row["sim_upper"], row["reason"]) == (
        points,
        0,
        points,
        points,
        None,
    )
    assert anchor in found["gauge"]
    for one in plain["ratings"]:
        gap = one["rating"] - row_of(plain, anchor)["rating"]
        same = row_of(found, one["agent"])
        assert same["rating"] == pytest.approx(points + gap, abs=1e-7)
        assert (same["rank_best"], same["rank_worst"]) == (one["rank_best"], one["rank_worst"])
        if one["agent"] != anchor:
            error = gap_of(plain, one["agent"], anchor)["se"]
            assert same["se"] == pytest.approx(error, abs=1e-7), "its error is that of its gap to the anchor"
    ahead = [other for other in found["ratings"] if other["lower"] > row["upper"]]
    assert row["place"] == 1 + len(ahead)
    assert "anchor" in listing(rows, FitOptions(anchor=anchor))


def test_an_anchor_must_be_there_and_be_rated() -> None:
    with pytest.raises(VotesFileError, match="no agent"):
        document(duel(3, 2), FitOptions(anchor="a9"))
    rows = duel(8, 8) + duel(9, 0, a="star", b="a1")
    found = document(rows, FitOptions(anchor="star", anchor_points=2000))
    assert "anchor_unrated" in warned(found)
    assert "mean" in found["gauge"]
    assert sum(row["rating"] or 0 for row in found["ratings"]) / 2 == pytest.approx(ANCHOR)


def test_an_anchor_holds_its_own_group_only() -> None:
    found = document(duel(3, 1) + duel(1, 1, a="a3", b="a4"), FitOptions(anchor="a3", anchor_points=700))
    assert [detail["gauge"] for detail in found["component_details"]] == ["mean", "a3"]
    assert row_of(found, "a4")["rating"] == 700
    assert row_of(found, "a1")["rating"] + row_of(found, "a2")["rating"] == pytest.approx(2 * ANCHOR)


def test_categories_are_fitted_by_themselves_or_refused() -> None:
    rows = [{**row, "topic": "code"} for row in duel(60, 20)] + [{**row, "topic": "prose"} for row in duel(20, 60)]
    rows += [{**row, "topic": "maths"} for row in duel(3, 1)]
    found = document(rows, choice=ColumnChoice(category="Topic"))
    by_name = {category["category"]: category for category in found["categories"]}
    assert list(by_name) == ["code", "maths", "prose"]
    assert row_of(by_name["code"], "a1")["rating"] > ANCHOR > row_of(by_name["prose"], "a1")["rating"]
    assert by_name["code"]["refused"] is None
    assert by_name["code"]["underpowered"]
    assert "fewer than 30" in by_name["maths"]["refused"]
    assert by_name["maths"]["ratings"] == []
    assert found["votes"]["used"] == 164


def test_a_category_of_nothing_but_ties_is_refused_where_ties_are_left_out() -> None:
    rows = [{**row, "topic": "code"} for row in duel(60, 20)] + [{**row, "topic": "prose"} for row in duel(0, 0, 60)]
    code, prose = document(rows, FitOptions(ties="drop"), ColumnChoice(category="topic"))["categories"]
    assert (code["refused"], code["votes"]) == (None, 80)
    assert (prose["ratings"], prose["votes"]) == ([], 0)
    assert "ties" in prose["refused"]


def verbose_board() -> list[dict[str, Any]]:
    """Six models, one mid-pack and twice as verbose, votes moved by length."""
    votes = simulate([1150, 1100, 1052, 950, 900, 848], 12_000, seed=4, judges=200)
    rng = np.random.default_rng(5)
    usual = np.array([300, 300, 600, 300, 300, 300])
    length_a, length_b = (rng.poisson(usual[side] * rng.gamma(8, 1 / 8, 12_000)) for side in (votes.a, votes.b))
    difference = (length_a - length_b) / (length_a + length_b)
    scaled = difference / np.sqrt(np.square(difference).mean())
    truth = np.array([1150, 1100, 1052, 950, 900, 848]) / POINTS_PER_NAT
    chance = 1 / (1 + np.exp(-(truth[votes.a] - truth[votes.b] + 0.8 * scaled)))
    outcome = 2 * (rng.random(12_000) < chance)
    moved = Comparisons(6, votes.judge, votes.a, votes.b, outcome)
    return rows_of(moved, length_a=length_a.tolist(), length_b=length_b.tolist())


def test_style_control_puts_a_verbose_agent_back() -> None:
    rows = verbose_board()
    raw, found = document(rows), document(rows, choice=ColumnChoice(style=True))
    assert raw["ratings"][0]["agent"] == "m2"
    assert raw["style"] is None
    row = row_of(found, "m2")
    assert abs(row["rating"] - 1052) < 3 * row["se"]
    assert found["style"]["uncontrolled"] == raw["ratings"]
    (coefficient,) = found["style"]["coefficients"]
    assert abs(coefficient["value"] - 0.8) < 3 * coefficient["se"]
    assert coefficient["lower"] < coefficient["value"] < coefficient["upper"]
    assert coefficient["per_unit"] == pytest.approx(coefficient["value"] / coefficient["scale"], rel=1e-6)
    assert "style held equal" in found["model"]


def test_style_needs_ties_as_half_wins() -> None:
    rows = [{**row, "n_a": 1, "n_b": 2} for row in duel(6, 4, 2)]
    with pytest.raises(VotesFileError, match="--ties half"):
        document(rows, FitOptions(ties="davidson"), ColumnChoice(style=True))


def test_no_number_is_ever_not_a_number() -> None:
    boards_of_odds = (duel(1, 0), duel(0, 0, 1), duel(2, 1, judge="j"), duel(1, 1) + duel(1, 0, a="a2", b="a3"))
    for rows in boards_of_odds:
        for options in (FitOptions(audit=True), FitOptions(ties="davidson"), FitOptions(cluster="battle", anchor="a1")):
            json.dumps(document(rows, options), allow_nan=False)


def test_the_table_is_for_the_eye() -> None:
    rows = duel(6, 4, a="\u6a21\u578b", b="evil\x1b[31m\u202ename")
    text = listing(rows)
    assert "evil\\u001b[31m\\u202ename" in text
    assert "\x1b" not in text
    lines = text.splitlines()
    heading = next(line for line in lines if line.startswith("ranks"))
    assert "95% interval" in heading
    assert "all at once" in heading


def test_the_csv_holds_the_numbers_of_the_document(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(delimited(duel(8, 8, a='a "1", x') + duel(9, 0, a="star", b="a2")))
    fit = fit_votes(read_votes([path]))
    lines = fit_csv(fit).splitlines()
    assert lines[0].startswith("agent,component,rating,se,lower,upper,sim_lower,sim_upper,rank_best,rank_worst")
    assert len(lines) == 4
    assert any(line.startswith('"a ""1"", x",0,1000.0,') for line in lines)
    assert any(line.startswith("star,0,,,,") and ",unbounded,lower,1" in line for line in lines)
