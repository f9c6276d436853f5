"""The corpus as a file: one corpus, one file, one digest; and no other file is taken for one."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.corpus import corpus_from_file
from ratings.corpus_file import COLUMNS, MAGIC, CorpusRefused
from ratings.eligibility import Reason
from tests.ratings.boards import boards
from tests.ratings.corpora import corpus_of, lively_corpus

GOOD = lively_corpus(labels=60).encoded()


def header_of(data=GOOD):
    return json.loads(data[len(MAGIC) : data.index(b"\n", len(MAGIC))])


def with_header(change):
    header = header_of()
    change(header)
    return MAGIC + json.dumps(header).encode() + GOOD[GOOD.index(b"\n", len(MAGIC)) :]


def with_value(name, row, value):
    start = GOOD.index(b"\n", len(MAGIC)) + 1
    labels = header_of()["labels"]
    for column, kind in COLUMNS:
        size = np.dtype(kind).itemsize
        if column == name:
            at = start + row * size
            return GOOD[:at] + np.array([value], dtype=kind).tobytes() + GOOD[at + size :]
        start += labels * size
    raise KeyError(name)


@given(boards())
def test_a_corpus_comes_back_from_its_file_as_it_was(votes):
    corpus = corpus_of(votes)
    again = corpus_from_file(corpus.encoded())
    assert again.digest == corpus.digest == hashlib.sha256(corpus.encoded()).hexdigest()
    assert again.agents == corpus.agents
    assert all((again.columns[name] == corpus.columns[name]).all() for name, _ in COLUMNS)
    assert (again.draws == corpus.draws).all()


def test_whoever_took_a_label_back_is_not_in_the_file():
    corpus = lively_corpus()
    gone = corpus.reason == Reason.WITHDRAWN
    assert gone.any()
    assert (corpus.judge[gone] == 0).all()
    assert len(set(corpus.outcome[gone].tolist())) == 1
    described = {name for name, _ in COLUMNS} - {"battle", "agent_a", "agent_b", "reason", "outcome", "judge"}
    assert all((corpus.columns[name][gone] == 0).all() for name in described)
    assert 0 not in corpus.judge[corpus.rated]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "first line"),
        (b"PK\x03\x04 an archive", "first line"),
        (MAGIC + b"{}", "no end"),
        (MAGIC + b"[" * 100_000 + b"\n", "not JSON"),
        (MAGIC + b"\xff\xfe\n", "not JSON"),
        (MAGIC + b"[]\n", "exactly these keys"),
        (GOOD[:-1], "cut off"),
        (GOOD + b"x", "something was added"),
        (with_header(lambda header: header.update(labels=2**60)), "no whole number"),
        (with_header(lambda header: header.update(labels=-1)), "no whole number"),
        (with_header(lambda header: header.update(labels=True)), "no whole number"),
        (with_header(lambda header: header.update(agents=["a", "a"])), "twice"),
        (with_header(lambda header: header.update(agents=["a\n"] * 5)), "short names"),
        (with_header(lambda header: header.update(agents={"a": 1})), "short names"),
        (with_header(lambda header: header["draws"].pop()), "square table"),
        (with_header(lambda header: header["draws"][0].append(1)), "square table"),
        (with_header(lambda header: header["ended"].append([0, 99, 0, 1])), "ended battles"),
        (with_header(lambda header: header["ended"].append([])), "ended battles"),
        (with_header(lambda header: header["columns"].pop()), "not those that this version reads"),
        (with_header(lambda header: header.update(formula="=1+1")), "exactly these keys"),
        (with_value("agent_a", 3, 77), "Label 4 of the corpus has a agent_a"),
        (with_value("outcome", 0, 4), "Label 1"),
        (with_value("reason", 5, -1), "Label 6"),
        (with_value("seconds_a", 1, float("nan")), "Label 2"),
        (with_value("seconds_b", 1, float("inf")), "Label 2"),
        (with_value("probability", 2, 1.5), "Label 3"),
        (with_value("length_a", 2, -5), "Label 3"),
        (with_value("judge", 2, 10**6), "Label 3"),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(data, words):
    with pytest.raises(CorpusRefused, match=words):
        corpus_from_file(data)


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_any_changed_byte_is_noticed(place, shift):
    data = bytearray(GOOD)
    data[place] = (data[place] + shift) % 256
    try:
        found = corpus_from_file(bytes(data))
    except CorpusRefused:
        return
    assert found.digest != hashlib.sha256(GOOD).hexdigest()


def test_the_reader_in_the_documentation_reads_it(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "publications.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "corpus.bin").write_bytes(GOOD)
    monkeypatch.chdir(tmp_path)
    read: dict[str, object] = {}
    exec(compile(example, "docs/publications.md", "exec"), read)
    corpus = corpus_from_file(GOOD)
    assert all((read["columns"][name] == corpus.columns[name]).all() for name, _ in COLUMNS)
