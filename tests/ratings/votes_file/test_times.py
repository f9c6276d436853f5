"""When votes were cast: read for the audit alone, refused like any other bad value; then agents that changed show."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.probes import Probe
from ratings.votes_file.fitting import fit_votes
from ratings.votes_file.headers import ColumnChoice
from ratings.votes_file.options import FitOptions
from ratings.votes_file.reading import read_votes
from ratings.votes_file.times import seconds_of
from tests.ratings.votes_file.writers import Rows, delimited, every_format, vote, write_parquet

START = datetime(2023, 6, 27, 7, tzinfo=UTC)
#: The instant of C07.
EPOCH = 1_687_849_200


def rows_with_a_change(votes: int = 1200, *, header: str = "tstamp") -> list[dict[str, Any]]:
    """Two agents of which one wins 25% of the first half and 75% of the second, in no order, a second apart."""
    rng = np.random.default_rng(3)
    rows = [
        vote(
            "changed",
            "steady",
            "model_a" if rng.random() < (0.25 if number < votes / 2 else 0.75) else "model_b",
            f"j{number % 60}",
            **{header: EPOCH + number},
        )
        for number in range(votes)
    ]
    rng.shuffle(rows)
    return rows


def drift(rows: Rows, folder: Path, choice: ColumnChoice | None = None) -> Probe:
    path = folder / "votes.csv"
    path.write_text(delimited(rows), "utf-8")
    fit = fit_votes(read_votes([path], choice or ColumnChoice(times=True)), FitOptions(audit=True))
    return next(probe for probe in fit.probes if probe.key == "drift")


@pytest.mark.parametrize(
    "text",
    [
        "1687849200",
        "1687849200.0",
        " 1687849200 ",
        "1.6878492e9",
        "2023-06-27T07:00:00Z",
        "2023-06-27 07:00:00",
        "2023-06-27T09:00:00+02:00",
        "20230627T070000Z",
        "2023-06-27T07:00:00.000000000Z",
    ],
)
def test_one_instant_in_the_ways_that_people_write_it(text: str) -> None:
    assert seconds_of(text) == EPOCH


def test_a_date_is_its_first_instant() -> None:
    assert seconds_of("2023-06-27") == EPOCH - 7 * 3600


@pytest.mark.parametrize(
    "text",
    [None, "", " ", "yesterday", "nan", "inf", "-inf", "1_687_849_200", "27.06.2023", "1687849200000", "2023-06-31"],
)
def test_what_is_no_time_is_never_guessed_at(text: str | None) -> None:
    assert math.isnan(seconds_of(text))


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))
def test_both_ways_of_writing_give_the_same_instant(instant: datetime) -> None:
    seconds = (instant - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)
    assert seconds_of(instant.isoformat()) == seconds_of(repr(seconds)) == seconds


def test_an_agent_that_changed_shows(tmp_path: Path) -> None:
    found = drift(rows_with_a_change(), tmp_path)
    assert found.fired
    assert found.about in {("changed",), ("steady",)}
    # From one in four to three in four is twice 400 log10(3).
    assert found.value == pytest.approx(800 * math.log10(3), rel=0.25)


def test_the_same_votes_in_another_order_of_time_show_nothing(tmp_path: Path) -> None:
    rows = rows_with_a_change()
    mixed = np.random.default_rng(4).permutation(len(rows))
    found = drift([{**row, "tstamp": EPOCH + int(place)} for row, place in zip(rows, mixed, strict=True)], tmp_path)
    assert found.fired is False


@pytest.mark.parametrize("header", ["timestamp", "tstamp", "time", "at", "Time Stamp", "TSTAMP"])
def test_the_column_is_found_by_its_name(header: str, tmp_path: Path) -> None:
    # Spaces part words, so that this is another one.
    assert drift(rows_with_a_change(header=header), tmp_path).fired is (header != "Time Stamp" or None)


def test_a_column_of_another_name_is_named(tmp_path: Path) -> None:
    rows = rows_with_a_change(header="when")
    assert drift(rows, tmp_path, ColumnChoice(named={"time": "when"})).fired


@pytest.mark.parametrize("same", [False, True])
def test_without_times_or_with_one_for_all_it_cannot_answer(same: bool, tmp_path: Path) -> None:
    header = "tstamp" if same else "remark"
    found = drift([{**row, header: EPOCH} for row in rows_with_a_change(header=header)], tmp_path)
    assert (found.fired, found.value) == (None, None)
    assert found.reason


def test_times_are_no_matter_where_nobody_asks_for_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(delimited([vote("a1", "a2", "tie", tstamp="yesterday")]))
    assert read_votes([path]).rejected == ()


def test_a_time_that_is_none_is_rejected_by_line(tmp_path: Path) -> None:
    rows = [vote("a1", "a2", "tie", tstamp=time) for time in (EPOCH, "yesterday", "", "2023-06-27")]
    path = tmp_path / "votes.csv"
    path.write_text(delimited(rows))
    votes = read_votes([path], ColumnChoice(times=True))
    assert [(row.line, row.column, row.reason) for row in votes.rejected] == [
        (3, "tstamp", "bad_time"),
        (4, "tstamp", "bad_time"),
    ]
    assert votes.time is not None
    assert votes.time.tolist() == [EPOCH, EPOCH - 7 * 3600]


def test_every_format_gives_the_same_times(tmp_path: Path) -> None:
    rows = [vote("a1", "a2", "tie", at=at) for at in (EPOCH, EPOCH + 1)]
    for name, path in every_format(rows, tmp_path).items():
        time = read_votes([path], ColumnChoice(times=True)).time
        assert time is not None, name
        assert time.tolist() == [EPOCH, EPOCH + 1], name


def test_times_of_a_parquet_file_are_times(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    write_parquet([vote("a1", "a2", "tie", at=START)], path)
    time = read_votes([path], ColumnChoice(times=True)).time
    assert time is not None
    assert time.tolist() == [EPOCH]


@pytest.mark.parametrize("column", ["judge", "remark"])
def test_the_order_of_rows_changes_nothing_among_votes_of_one_instant(column: str, tmp_path: Path) -> None:
    rows = [
        {column if key == "judge" else key: value for key, value in row.items()} | {"tstamp": row["tstamp"] // 600}
        for row in rows_with_a_change()
    ]
    found = [drift(order, tmp_path) for order in (rows, rows[::-1], sorted(rows, key=str))]
    assert found[0].value is not None
    assert found[0] == found[1] == found[2]
