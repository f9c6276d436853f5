"""Files as people have them."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.votes_file import sources
from ratings.votes_file.checking import Votes
from ratings.votes_file.headers import ColumnChoice
from ratings.votes_file.reading import read_votes
from ratings.votes_file.rejections import VotesFileError
from tests.ratings.votes_file.writers import delimited, every_format, vote, write_parquet

HEADER = "model_a,model_b,winner,judge\n"
ROWS = [
    vote("gpt-4", "Zürich 7B", "model_a", "j1", length_a=12, length_b=7, weight=0.5),
    vote("Zürich 7B", "claude", "tie (bothbad)", "j2", length_a=0, length_b=0, weight=2),
    vote("claude", "gpt-4", "model_b", "j1", length_a=3, length_b=9.5, weight=1),
]


def write(folder: Path, content: str | bytes, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, content: str | bytes, choice: ColumnChoice | None = None) -> Votes:
    return read_votes([write(folder, content)], choice)


def said(votes: Votes) -> list[tuple[str, str, int]]:
    columns = votes.comparisons
    return [
        (votes.agents[a], votes.agents[b], int(outcome))
        for a, b, outcome in zip(columns.a, columns.b, columns.outcome, strict=True)
    ]


def refusal(folder: Path, content: str | bytes, choice: ColumnChoice | None = None) -> VotesFileError:
    with pytest.raises(VotesFileError) as caught:
        read(folder, content, choice)
    return caught.value


def rejected(votes: Votes) -> list[tuple[int, str | None, str | None, str]]:
    return [(row.line, row.column, row.value, row.reason) for row in votes.rejected]


def test_every_format_says_the_same(tmp_path: Path) -> None:
    for name, path in every_format(ROWS, tmp_path).items():
        votes = read_votes([path], ColumnChoice(style=True))
        assert votes.agents == ("Zürich 7B", "claude", "gpt-4"), name
        assert said(votes) == [("gpt-4", "Zürich 7B", 2), ("Zürich 7B", "claude", 1), ("claude", "gpt-4", 0)], name
        assert votes.comparisons.judge.tolist() == [0, 1, 0], name
        assert votes.comparisons.weights().tolist() == [0.5, 2, 1], name
        assert votes.both_bad.tolist() == [False, True, False], name
        assert votes.covariates.tolist() == [[5 / 19, 0, -6.5 / 12.5]], name
        assert (votes.read, votes.rejected, votes.measures) == (3, (), ("length",)), name


def test_rows_of_a_parquet_file_are_numbered_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, b"PAR1 and so on PAR1", "votes.parquet")
    with pytest.raises(VotesFileError) as caught:
        read_votes([path])
    assert caught.value.code == "bad_parquet"
    write_parquet([*ROWS, vote("x", "x", "tie", "j", weight=None)], path)
    assert rejected(read_votes([path])) == [(4, "model_b", "x", "self_battle")]


def parquet(folder: Path, **columns: pyarrow.Array) -> Path:
    """Two rows, with some of their columns given."""
    rows = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["tie", "tie"]}
    path = folder / "votes.parquet"
    pyarrow.parquet.write_table(pyarrow.table(rows | columns), path)
    return path


def test_columns_of_parquet_files_are_what_they_mean(tmp_path: Path) -> None:
    votes = read_votes([parquet(tmp_path, model_a=pyarrow.array([b"x", b"\xff"]))])
    assert votes.agents == ("x", "y")
    assert rejected(votes) == [(2, "model_a", "\\udcff", "bad_unicode")]
    far = pyarrow.array([1 << 62, 0]).cast(pyarrow.timestamp("us"))
    assert len(read_votes([parquet(tmp_path, judge=far)])) == 2
    for nested in (pyarrow.array([["x"], ["y"]]), pyarrow.array([{"name": "x"}, {"name": "y"}])):
        with pytest.raises(VotesFileError, match="lists or structures"):
            read_votes([parquet(tmp_path, model_a=nested)])


@given(st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(1, 255)), min_size=1, max_size=4))
def test_a_damaged_parquet_file_is_votes_rejected_rows_or_one_error(flips: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        write_parquet(ROWS, path)
        content = bytearray(path.read_bytes())
        for place, bits in flips:
            content[4 + place % (len(content) - 4)] ^= bits
        path.write_bytes(content)
        try:
            votes = read_votes([path])
        except VotesFileError as problem:
            said = problem.message
        else:
            assert votes.read == len(votes) + len(votes.rejected)
            return
    assert said.endswith(".")


def test_a_row_is_named_by_the_line_it_begins_on(tmp_path: Path) -> None:
    text = HEADER + '\n"two\nlines",b,model_a,j\n\n  \nx,x,tie,j\r\n"a\n\nb","c ""d""",model_a,j\ny,z,nobody,j\n'
    votes = read(tmp_path, text)
    assert rejected(votes) == [(7, "model_b", "x", "self_battle"), (11, "winner", "nobody", "unknown_winner")]
    assert votes.agents == ("a b", "b", 'c "d"', "two lines")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_across_blocks_whatever_ends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(sources, "BLOCK", 7)
    text = HEADER + "a,b,model_a,j\n" * 20 + "a,a,tie,j\n" + "\n" + "a,b,tie,j,\na,b\n" + 'a,"b",x,j\n'
    votes = read(tmp_path, text.replace("\n", end))
    assert len(votes) == 20
    assert rejected(votes) == [
        (22, "model_b", "a", "self_battle"),
        (24, None, "a,b,tie,j,", "too_many_fields"),
        (25, None, "a,b", "too_few_fields"),
        (26, "winner", "x", "unknown_winner"),
    ]


def test_json_is_read_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK", 11)
    for name, path in every_format(ROWS, tmp_path).items():
        assert len(read_votes([path])) == 3, name


@pytest.mark.parametrize(
    "header", ["Model A;MODEL-B ; Winner", "agent_a;agent_b;outcome", "Left;Right;Vote", "A;B;result"]
)
def test_headers_as_people_write_them(tmp_path: Path, header: str) -> None:
    assert said(read(tmp_path, f"{header}\nx;y;A\n")) == [("x", "y", 2)]


def test_columns_of_other_names_are_named(tmp_path: Path) -> None:
    text = "first,second,label,rater,model_a\nx,y,left,ann,0\n"
    named = {"model_a": "first", "model_b": "Second", "winner": "label", "judge": "rater"}
    votes = read(tmp_path, text, ColumnChoice(named=named))
    assert said(votes) == [("x", "y", 2)]
    assert votes.headers == {"model_a": "first", "model_b": "second", "winner": "label", "judge": "rater"}


def test_what_a_spreadsheet_says_of_its_delimiter_is_heard(tmp_path: Path) -> None:
    assert said(read(tmp_path, "sep=;\nmodel_a;model_b;winner\nx, the 1st;y;tie\n")) == [("x, the 1st", "y", 1)]


@pytest.mark.parametrize("winner", ["winner", "label"])
def test_missing_columns_are_one_error_that_names_them(tmp_path: Path, winner: str) -> None:
    text = f"model_a,other,{winner}\nx,y,tie\n"
    problem = refusal(tmp_path, text)
    assert problem.code == "missing_column"
    assert "model_b" in problem.message
    assert "model_a, other" in problem.message
    missing = ["model_b"] + ["winner"] * (winner == "label")
    assert [(row.line, row.column, row.reason) for row in problem.rejected] == [
        (1, name, "missing_column") for name in missing
    ]


def test_a_column_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    text = HEADER + "x,y,tie,j\n"
    for choice in (
        ColumnChoice(category="topic"),
        ColumnChoice(named={"weight": "w"}),
        ColumnChoice(measures=("length",)),
    ):
        assert refusal(tmp_path, text, choice).code == "missing_column"
    with pytest.raises(VotesFileError, match="choose among"):
        ColumnChoice(named={"looser": "x"})


def test_a_column_that_is_there_twice_is_no_guess(tmp_path: Path) -> None:
    assert refusal(tmp_path, "model_a,model_b,winner,Winner\nx,y,tie,tie\n").code == "duplicate_column"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\n \n\n", "empty_file"),
        (b"[]", "empty_file"),
        (b"\xef\xbb\xbf", "empty_file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not_text"),
        (b"PK\x03\x04\x14\x00\x06", "not_text"),
        ("model_a,model_b,winner\nx,y,tie\n".encode("utf-16-le"), "not_text"),
        ("model_a,model_b,winner\nGünther,y,tie\n".encode("latin-1"), "not_utf8"),
        (b"\xff\xfea", "bad_encoding"),
        (b"\x1f\x8bnot gzip at all", "broken_gzip"),
        (gzip.compress(b"model_a,model_b,winner\n" * 99, mtime=0)[:-9], "broken_gzip"),
        (b'model_a,model_b,winner\nx,"y,tie\n', "unclosed_quote"),
        (b'model_a,model_b,winner\nx,"y,tie\nx,"y",tie\n', "unclosed_quote"),
        (b'model_a,"model_b\n",winner\nx,y,tie\n', "unclosed_quote"),
        (b'[{"model_a": "x"', "bad_json"),
        (b'[{"model_a": "x", "model_b": "y", "winner": "tie"} 7]', "bad_json"),
        (b'[{"model_a": "x", "model_b": "y", "winner": "tie"}] more', "bad_json"),
        (b"[[[[[[[[[[[[" * 9999, "bad_json"),
        (b'[{"model_a": "\xe4"}]', "not_utf8"),
        (b'{"model_a": "x", "model_b": "y"}\n', "missing_column"),
    ],
)
def test_what_is_no_file_of_votes_is_said_in_words(tmp_path: Path, content: bytes, code: str) -> None:
    problem = refusal(tmp_path, content)
    assert problem.code == code
    assert problem.message.endswith(".")


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    assert "line 3" in refusal(tmp_path, HEADER.encode() + b"x,y,tie,j\nx,\xff,tie,j\n").message
    assert "line 2" in refusal(tmp_path, HEADER + 'x,"y,tie,j\nx,y,tie,j\n').message
    assert (
        "line 3" in refusal(tmp_path, '[{"model_a": "x", "model_b": "y", "winner": "tie"},\n\n{"model_a": }]').message
    )


@pytest.mark.parametrize("start", ["model_a,", HEADER, "{", '[{"model_a": "'])
def test_an_endless_line_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    for module in ("sources", "json_rows"):
        monkeypatch.setattr(f"ratings.votes_file.{module}.LONGEST_LINE", 1 << 16)
    monkeypatch.setattr(sources, "BLOCK", 1 << 12)
    problem = refusal(tmp_path, start + "x" * (1 << 20))
    assert problem.code in {"line_too_long", "bad_json"}


def test_files_that_are_none(tmp_path: Path) -> None:
    for path, code in ((tmp_path / "nowhere.csv", "no_such_file"), (tmp_path, "is_a_folder")):
        with pytest.raises(VotesFileError) as caught:
            read_votes([path])
        assert caught.value.code == code


def test_a_stray_quote_costs_its_row_only(tmp_path: Path) -> None:
    votes = read(tmp_path, HEADER + 'x,"y"z,tie,j\nx,y 5",tie,j\nx,y,tie,j\n')
    assert rejected(votes) == [(2, None, None, "bad_quotes")]
    assert votes.agents == ("x", "y", 'y 5"')


def test_lines_that_are_no_json_objects_are_rejected_one_by_one(tmp_path: Path) -> None:
    good = json.dumps(vote("x", "y", "tie"))
    text = f'{good}\n{{"model_a": \n7\n\n{good}\n{{"model_a": "x", "model_b": "y", "judge": "j"}}\n{{"winner": 1e3}}\n'
    votes = read(tmp_path, text)
    assert len(votes) == 2
    assert rejected(votes) == [
        (2, None, '{"model_a":', "bad_json"),
        (3, None, "7", "not_an_object"),
        (6, "winner", None, "unknown_winner"),
        (7, "model_a", None, "blank_name"),
    ]


@pytest.mark.parametrize("form", ["{},{}", "[{},{}]"])
def test_an_object_that_has_a_name_twice_is_no_guess(tmp_path: Path, form: str) -> None:
    good = json.dumps(vote("x", "y", "tie"))
    twice = good.replace("{", '{"model_a": "z", ')
    text = form.format(twice, good)
    votes = read(tmp_path, text if form.startswith("[") else text.replace("},{", "}\n{"))
    assert votes.agents == ("x", "y")
    assert [(row.column, row.reason) for row in votes.rejected] == [(None, "name_twice")]


def test_a_column_may_turn_up_late_in_json_lines(tmp_path: Path) -> None:
    rows = [{"model_a": "x", "model_b": "y"}, vote("x", "y", "tie"), {"model_a": "x", "model_b": "y", "winner": "a"}]
    votes = read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert votes.judged
    assert rejected(votes) == [(1, "winner", None, "unknown_winner"), (3, "judge", None, "blank_judge")]


def test_files_are_one_and_must_have_the_same_columns(tmp_path: Path) -> None:
    one = write(tmp_path, HEADER + "x,y,a,j1\nx,x,a,j1\n", "one.csv")
    two = write(tmp_path, json.dumps(vote("y", "x", "a", "j1")) + "\n" + json.dumps(vote("z", "", "a")), "two.jsonl")
    votes = read_votes([one, two])
    assert said(votes) == [("x", "y", 2), ("y", "x", 2)]
    assert votes.comparisons.judge.tolist() == [0, 0]
    assert [(row.file, row.line) for row in votes.rejected] == [(str(one), 3), (str(two), 2)]
    three = write(tmp_path, "model_a,model_b,winner\nx,y,a\n", "three.csv")
    with pytest.raises(VotesFileError, match="judge"):
        read_votes([one, three])
    with pytest.raises(VotesFileError, match="twice"):
        read_votes([one, tmp_path / "." / "one.csv"])


def test_progress_counts_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK", 50)
    counted: list[int] = []
    path = write(tmp_path, delimited([vote("x", "y", "tie")] * 40))
    read_votes([path], progress=counted.append)
    assert counted == sorted(counted)
    assert counted[-1] == 40
    assert len(counted) > 5


HOSTILE = st.one_of(
    st.binary(max_size=60),
    st.text(st.sampled_from('ab,;\t"\n\r {}[]:\x00é\ufeff'), max_size=40).map(str.encode),
    st.text(st.sampled_from('ab,"\n\r '), max_size=40).map(lambda text: (HEADER + text).encode()),
    st.text(st.sampled_from('{}[]:,"ab\n'), max_size=40).map(lambda text: ("[" + text).encode()),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5).map(
        lambda value: json.dumps([{"model_a": value, "model_b": "b", "winner": "a"}]).encode()
    ),
)


@given(HOSTILE)
def test_any_bytes_are_votes_or_rejected_rows_or_one_error_in_words(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            votes = read(Path(folder), content)
        except VotesFileError as problem:
            said = problem.message
        else:
            assert votes.read == len(votes) + len(votes.rejected)
            return
    assert said.endswith(".")
