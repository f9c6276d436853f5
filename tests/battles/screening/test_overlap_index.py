"""The index finds what it holds, holds no text, and comes back from its file as it was."""

import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battles.screening.canonical_wording import words
from battles.screening.overlap_index import (
    CONTAINMENT_MIN_WORDS,
    ItemName,
    OverlapIndex,
    OverlapIndexUnusable,
    fingerprint_of,
)

ITEMS = {
    "kettle": "Find the cheapest kettle with a glass lid in the kitchen shop and tell me how long the cable is",
    "tram": "Look up at what time the last tram leaves the old harbour on the second Sunday of May",
    "heron": "Read the page about grey herons and count the read-only tables in it",
    "short": "Open the door",
}


def index_of(texts, benchmark="ours"):
    return OverlapIndex.of_items(
        (fingerprint_of(words(text)), (ItemName(benchmark, key),)) for key, text in texts.items()
    )


@pytest.fixture
def index():
    return index_of(ITEMS)


def most_similar(index, text):
    similar = index.similarities(index.fingerprint(text))
    best = int(similar.cosine.argmax())
    return index.names(best)[0].item_id, similar.cosine[best], similar.containment[best]


@pytest.mark.parametrize("key", ITEMS)
def test_an_item_is_wholly_similar_to_itself(index, key):
    found, cosine, containment = most_similar(index, ITEMS[key])
    assert found == key
    assert cosine == pytest.approx(1.0)
    assert containment == pytest.approx(1.0 if len(words(ITEMS[key])) >= CONTAINMENT_MIN_WORDS else 0.0)


def test_containment_does_not_fall_when_words_are_added(index):
    long = f"Good morning! {ITEMS['tram']}. Then write a poem about it, wash the dishes, and call me a hero."
    found, cosine, containment = most_similar(index, long)
    assert found == "tram"
    assert cosine < 0.9
    assert containment == pytest.approx(1.0)


def test_cosine_is_what_its_definition_says(index):
    """Three items, one word each shared: checked against sums written out by hand."""
    texts = {"a": "red kite", "b": "red fox", "c": "blue fox"}
    index = index_of(texts)
    weight = {count: np.log1p(3 / count) ** 2 for count in (0.5, 1, 2)}
    similar = index.similarities(index.fingerprint("red owl"))
    red, pair_seen, rare = weight[2], weight[1], weight[1]
    text_square = red + 2 * weight[0.5]
    expected = red / np.sqrt(text_square * (red + rare + pair_seen))
    assert similar.cosine[0] == pytest.approx(expected)
    assert similar.cosine[2] == 0.0


@given(st.lists(st.sampled_from("the red blue kite fox owl sees a big small tree".split()), min_size=1, max_size=12))
@settings(max_examples=60)
def test_similarities_are_shares(spoken):
    index = index_of({"one": "the red kite sees a big tree and a small owl", "two": "a blue fox"})
    similar = index.similarities(fingerprint_of(spoken))
    for values in (similar.cosine, similar.containment):
        assert np.all(values >= 0.0)
        assert np.all(values <= 1.0 + 1e-12)


def test_words_run_together_are_taken_apart_only_where_the_index_knows_the_seam(index):
    assert index.words_apart(["readonly", "tables"]) == ["read", "only", "tables"]
    assert index.words_apart(["oldtram"]) == ["oldtram"], "both words are known, but never side by side"
    assert index.words_apart(["zebra"]) == ["zebra"]


def test_a_very_long_word_costs_no_time_and_stays_whole(index):
    blob = "readonly" * 200
    assert index.words_apart([blob]) == [blob]


def test_equal_fingerprints_are_kept_once_under_every_name():
    index = OverlapIndex.of_items(
        (fingerprint_of(words(text)), (ItemName(benchmark, "1"),))
        for benchmark, text in (("first", "Count the 3 herons"), ("second", "count the 12 herons!"), ("first", "count"))
    )
    assert index.size == 2
    assert index.names(0) == (ItemName("first", "1"), ItemName("second", "1"))
    assert index.benchmarks() == {"first": 2, "second": 1}


def test_a_file_brings_back_the_same_index_and_the_same_bytes(index, tmp_path):
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    index.save(one)
    loaded = OverlapIndex.load(one)
    OverlapIndex.of_items(loaded.items()).save(two)
    assert one.read_bytes() == two.read_bytes()
    for text in ITEMS.values():
        before, after = (held.similarities(held.fingerprint(text)) for held in (index, loaded))
        assert np.allclose(before.cosine, after.cosine)
        assert np.allclose(before.containment, after.containment)


def test_the_file_holds_no_word_of_any_item(index, tmp_path):
    path = tmp_path / "index.npz"
    index.save(path)
    with zipfile.ZipFile(path) as stored:
        content = b"".join(stored.read(name) for name in stored.namelist())
    for word in ("cheapest", "herons", "harbour", "cable"):
        assert word.encode() not in content
        assert word.encode("utf-16-le") not in content


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04broken"])
def test_a_damaged_file_is_refused(tmp_path, content):
    path = tmp_path / "index.npz"
    path.write_bytes(content)
    with pytest.raises(OverlapIndexUnusable):
        OverlapIndex.load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(OverlapIndexUnusable):
        OverlapIndex.load(tmp_path / "absent.npz")


def test_fingerprints_made_by_other_rules_are_refused(index, tmp_path, monkeypatch):
    path = tmp_path / "index.npz"
    monkeypatch.setattr("battles.screening.overlap_index.WORDING_VERSION", 99)
    index.save(path)
    monkeypatch.undo()
    with pytest.raises(OverlapIndexUnusable, match="other rules"):
        OverlapIndex.load(path)


def test_an_empty_index_answers(tmp_path):
    empty = index_of({})
    assert empty.size == 0
    assert not len(empty.similarities(empty.fingerprint("anything at all")).cosine)
    empty.save(tmp_path / "empty.npz")
    assert OverlapIndex.load(tmp_path / "empty.npz").size == 0
