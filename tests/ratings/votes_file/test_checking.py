"""Which rows are votes."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.estimators.comparisons import A_WINS, B_WINS, TIE
from ratings.votes_file.checking import Votes
from ratings.votes_file.headers import ColumnChoice
from ratings.votes_file.labels import BOTH_BAD, UNKNOWN, outcome_of
from ratings.votes_file.names import agent_name, look_alikes
from ratings.votes_file.reading import read_votes
from ratings.votes_file.rejections import LONGEST_VALUE, REASONS, VotesFileError
from tests.ratings.votes_file.writers import Rows, json_lines, vote


def read(folder: Path, rows: Rows, choice: ColumnChoice | None = None) -> Votes:
    path = folder / "votes.jsonl"
    path.write_text(json_lines(rows))
    return read_votes([path], choice)


def reasons(votes: Votes) -> list[tuple[int, str | None, str]]:
    assert {row.reason for row in votes.rejected} <= set(REASONS)
    return [(row.line, row.column, row.reason) for row in votes.rejected]


def test_c04_a_battle_of_an_agent_with_itself_is_no_vote(tmp_path: Path) -> None:
    votes = read(tmp_path, [vote("a1", "a1", "model_a"), vote("a1", "a2", "tie"), vote("a\u0301", "\u00e1", "tie")])
    assert reasons(votes) == [(1, "model_b", "self_battle"), (3, "model_b", "self_battle")]
    assert votes.comparisons.battles_per_agent().tolist() == [1, 1]


def test_c06_names_in_unicode(tmp_path: Path) -> None:
    names = ["Age\u0301nt", "Ag\u00e9nt", "\uff21gent", "\u0410gent", "Agent", "Agent ", "   "]
    votes = read(tmp_path, [vote(name, "other", "model_a") for name in names])
    assert votes.agents == tuple(sorted(["Ag\u00e9nt", "\uff21gent", "\u0410gent", "Agent", "other"]))
    assert all(unicodedata.is_normalized("NFC", name) for name in votes.agents)
    assert reasons(votes) == [(7, "model_a", "blank_name")]
    met = dict(zip(votes.agents, votes.comparisons.battles_per_agent().tolist(), strict=True))
    assert met == {"Ag\u00e9nt": 2, "Agent": 2, "\uff21gent": 1, "\u0410gent": 1, "other": 6}
    warned = {pair.agent: str(pair) for pair in votes.look_alikes}
    assert set(warned) == {"Ag\u00e9nt", "\uff21gent", "\u0410gent"}
    assert all("looks like Agent" in text for text in warned.values())
    assert "U+0410 CYRILLIC CAPITAL LETTER A" in warned["\u0410gent"]


@pytest.mark.parametrize("blank", ["", " \t ", "\u00a0\u2003", "\u200b\u2060", "\x07", None])
def test_names_that_nobody_can_see_are_blank(tmp_path: Path, blank: str | None) -> None:
    assert reasons(read(tmp_path, [vote("x", "y", "a"), vote("x", blank, "a")])) == [(2, "model_b", "blank_name")]


def test_the_plainest_and_then_the_commonest_name_is_the_original() -> None:
    assert [(pair.agent, pair.other) for pair in look_alikes({"gpt-4": 3, "GPT-4": 9, "gpt 4": 1, "GРТ-4": 50})] == [
        ("GРТ-4", "GPT-4"),
        ("gpt-4", "GPT-4"),
    ]


@pytest.mark.parametrize(
    ("labels", "outcome"),
    [
        (["model_a", "Model A", "MODEL-A", " a ", "A", "agent_a", "left", "Left", "\uff21"], A_WINS),
        (["model_b", "model  b", "b", "B", "agent-b", "RIGHT", "right_model"], B_WINS),
        (["tie", "Tie", "draw", "tied"], TIE),
        (["tie (bothbad)", "Tie (both bad)", "both_bad", "bothbad", "both bad", "both-bad"], BOTH_BAD),
        (["", " ", "tie!", "0", "1", "0.5", "none", "neither", "model_c", "model_a_b", "nan", "true"], UNKNOWN),
    ],
)
def test_labels_mean_one_thing_or_nothing(labels: list[str], outcome: int) -> None:
    assert {label: outcome_of(label) for label in labels} == dict.fromkeys(labels, outcome)
    assert outcome_of(None) == UNKNOWN


@given(st.text())
def test_no_other_text_is_ever_a_tie(text: str) -> None:
    if outcome_of(text) in {TIE, BOTH_BAD}:
        assert any(word in unicodedata.normalize("NFKC", text).casefold() for word in ("tie", "draw", "bad"))


def test_a_winner_may_be_named(tmp_path: Path) -> None:
    rows = [vote("gpt", "claude", name) for name in ("gpt", "claude ", "GPT", "koala", "tie")]
    rows.append(vote("koala", "gpt", "koala"))
    votes = read(tmp_path, rows)
    assert reasons(votes) == [(3, "winner", "unknown_winner"), (4, "winner", "unknown_winner")]
    assert votes.comparisons.outcome.tolist() == [A_WINS, B_WINS, TIE, A_WINS]


def test_a_winner_that_means_both_sides_is_no_guess(tmp_path: Path) -> None:
    rows = [
        vote("a", "b", "a"),
        vote("b", "a", "a"),
        vote("b", "a", "b"),
        vote("tie", "b", "tie"),
        vote("b", "a", "model_a"),
    ]
    votes = read(tmp_path, rows)
    assert reasons(votes) == [(line, "winner", "ambiguous_winner") for line in (2, 3, 4)]
    assert votes.comparisons.outcome.tolist() == [A_WINS, A_WINS]


BAD_WEIGHTS = ["-1", "0", "-0.0", "NaN", "inf", "-Infinity", "1e999", "1_0", "heavy", "", "0,5", "1e10", "1e-10", None]


@pytest.mark.parametrize("weight", [*BAD_WEIGHTS, True])
def test_weights_are_positive_numbers(tmp_path: Path, weight: Any) -> None:
    votes = read(tmp_path, [vote("x", "y", "tie", weight=2), vote("x", "y", "tie", weight=weight)])
    assert reasons(votes) == [(2, "weight", "bad_weight")]
    assert votes.comparisons.weights().tolist() == [2]
    assert votes.weighted


def test_weights_too_far_apart_cannot_be_added_up(tmp_path: Path) -> None:
    with pytest.raises(VotesFileError, match="too far apart"):
        read(tmp_path, [vote("x", "y", "tie", weight=weight) for weight in (1e-5, 1e5)])


def test_numbers_that_are_none_in_json_itself(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    row = '{"model_a": "x", "model_b": "y", "winner": "tie", "weight": %s}\n'
    path.write_text("".join(row % weight for weight in ("NaN", "Infinity", "-Infinity", "1e400", "1e0")))
    votes = read_votes([path])
    assert [row.value for row in votes.rejected] == ["NaN", "Infinity", "-Infinity", "1e400"]
    assert len(votes) == 1


def test_k_votes_on_one_battle_weigh_one_k_th(tmp_path: Path) -> None:
    rows = [vote("x", "y", "a", f"j{judge}", battle=battle) for judge, battle in enumerate("ppqrrr")]
    votes = read(tmp_path, rows)
    assert votes.comparisons.weights().tolist() == pytest.approx([1 / 2, 1 / 2, 1, 1 / 3, 1 / 3, 1 / 3])
    assert votes.comparisons.has_shared_battles()
    own = read(tmp_path, [{**row, "weight": 1} for row in rows])
    assert own.comparisons.weights().tolist() == [1] * 6
    assert read(tmp_path, rows[2:4]).comparisons.weight is None


def test_a_battle_has_one_pair_of_agents(tmp_path: Path) -> None:
    rows = [vote("x", "y", "a", battle=1), vote("y", "x", "a", battle=1), vote("x", "z", "a", battle=1)]
    votes = read(tmp_path, [vote("z", "z", "a", battle=1), *rows, vote("x", "z", "a", battle=" ")])
    assert reasons(votes) == [
        (1, "model_b", "self_battle"),
        (4, "battle", "battle_of_others"),
        (5, "battle", "blank_battle"),
    ]
    assert votes.comparisons.weights().tolist() == [1 / 2, 1 / 2], "only good rows share a battle"


def test_optional_columns_are_whole_or_their_rows_are_rejected(tmp_path: Path) -> None:
    rows = [vote("x", "y", "a", "j", topic="code"), vote("x", "y", "a", " ", topic="code"), vote("x", "y", "a", "j")]
    votes = read(tmp_path, rows, ColumnChoice(category="topic"))
    assert reasons(votes) == [(2, "judge", "blank_judge"), (3, "topic", "blank_category")]
    assert votes.categories == ("code",)


def test_style_is_numbers_that_are_not_negative(tmp_path: Path) -> None:
    pairs = [(500, 520), (20, 40), (0, 0), (-1, 2), (1, "long"), ("nan", 1), (1, None), (1, "1e200")]
    rows = [
        vote("x", "y", "a", length_a=one, length_b=two, text_a="Hello", text_b="hi", turn=1, id_a=1)
        for one, two in pairs
    ]
    votes = read(tmp_path, rows, ColumnChoice(style=True))
    assert votes.measures == ("length",)
    assert votes.not_numbers == ("text",)
    assert votes.covariates[0].round(2).tolist() == [-0.02, -0.33, 0.0]
    assert [row.column for row in votes.rejected] == ["length_a", "length_b", "length_a", "length_b", "length_b"]
    assert {row.reason for row in votes.rejected} == {"bad_style"}
    assert len(read(tmp_path, rows)) == len(rows), "nobody asked for style"


def test_agents_columns_are_no_style(tmp_path: Path) -> None:
    votes = read(tmp_path, [vote("1", "2", "a", agent_a=3, agent_b=4, n_a=1, n_b=3)], ColumnChoice(style=True))
    assert votes.measures == ("n",)


def test_half_characters_are_rejected_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "halves.jsonl"
    path.write_text(json.dumps(vote("\ud83d!", "y", "a")) + "\n")
    (row,) = read_votes([path]).rejected
    assert (row.reason, row.value) == ("bad_unicode", "\\ud83d!")


def test_long_values_are_shortened(tmp_path: Path) -> None:
    (row,) = read(tmp_path, [vote("x", "y", "z" * 9999)]).rejected
    assert row.value is not None
    assert len(row.value) == LONGEST_VALUE


def test_every_row_is_read_used_or_rejected_once(tmp_path: Path) -> None:
    rows = [vote(a, b, w, j) for a in ("x", "") for b in ("x", "y") for w in ("a", "?") for j in ("j", "")]
    votes = read(tmp_path, rows)
    assert votes.read == len(rows) == len(votes) + len(votes.rejected)
    assert len(votes) == 1


@given(st.text(max_size=8))
def test_a_name_is_kept_as_it_prints(text: str) -> None:
    name = agent_name(text)
    if name is not None:
        assert name == agent_name(name) == agent_name(f" {unicodedata.normalize('NFD', text)}\u00a0")
        assert unicodedata.is_normalized("NFC", name)
