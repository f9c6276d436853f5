"""Lines taken apart by array operations, against the csv module."""

from __future__ import annotations

import csv
import io

from hypothesis import example, given
from hypothesis import strategies as st

from ratings.votes_file.tokens import WORD, split_block

PLAIN = st.text(st.characters(codec="utf-8", exclude_characters=',"\n\r\x00'), max_size=3 * WORD)
ANY = st.text(st.sampled_from('ab,"\n é'), max_size=6)


def read_back(block: str, fields: int, wanted: list[int]) -> list[list[str]] | None:
    rows = split_block(block.encode(), ",", fields, wanted)
    if rows is None:
        return None
    return [[column.values[code] for code in column.codes] for column in rows.columns]


@given(st.lists(st.tuples(PLAIN, PLAIN, PLAIN), min_size=1, max_size=30))
@example([("a", "", "x" * 8), ("a", "b", "x" * 9), ("", "", "")])
@example([("x" * 200, "y", "z"), ("x" * 200, "y", "w")])
def test_plain_fields_come_back_as_they_were(rows: list[tuple[str, str, str]]) -> None:
    block = "".join(",".join(row) + "\n" for row in rows)
    assert read_back(block, 3, [0, 2]) == [[row[0] for row in rows], [row[2] for row in rows]]


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=8), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_quoted_fields_come_back_or_are_left_to_the_csv_module(rows: list[tuple[str, str]], quoting: int) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=quoting, lineterminator="\n").writerows(rows)
    found = read_back(text.getvalue(), 2, [0, 1])
    assert found is None or found == [list(column) for column in zip(*rows, strict=True)]
    if quoting == csv.QUOTE_ALL and not any('"' in field for row in rows for field in row):
        assert found is not None


@given(st.text(st.sampled_from('a,"\n'), max_size=12).map(lambda text: text + "\n"))
def test_anything_else_is_read_as_the_csv_module_reads_it_or_left_to_it(text: str) -> None:
    found = read_back(text, 2, [0, 1])
    if found is not None:
        assert [list(row) for row in zip(*found, strict=True)] == list(csv.reader(io.StringIO(text)))


def test_rows_begin_where_they_begin() -> None:
    rows = split_block(b'a,b\n"x\ny",c\nd,"\n\n"\ne,f\n', ",", 2, [0])
    assert rows is not None
    assert rows.lines.tolist() == [0, 1, 3, 6]


def test_many_different_fields_of_one_length_are_told_apart() -> None:
    names = [f"user-number-{number:09d}" for number in range(70_000)]
    found = read_back("".join(f"{name},x\n" for name in names), 2, [0, 1])
    assert found == [names, ["x"] * len(names)]
