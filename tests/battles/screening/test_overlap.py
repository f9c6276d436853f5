"""Copies are refused, look-alikes flagged, the rest let through; and the shipped files keep that promise."""

import random
import time

import pytest

from battles.screening.canonical_wording import words
from battles.screening.overlap import (
    DUPLICATE_CONTAINMENT,
    DUPLICATE_COSINE,
    MEASURED,
    NEAR_CONTAINMENT,
    NEAR_COSINE,
    OVERLAP_POSTURE,
    SHIPPED_CASES,
    SHIPPED_INDEX,
    OverlapPosture,
    Tier,
    judge_fingerprint,
    load_index,
    screen_overlap,
)
from battles.screening.overlap_cases import judge_cases, rates, read_cases
from battles.screening.overlap_index import Fingerprint, ItemName, OverlapIndex, fingerprint_of

ITEM = "Find out which of the three lighthouses on the northern island was built last and who paid for its lamp"
OTHERS = (
    "Find the cheapest kettle with a glass lid in the kitchen shop and tell me how long the cable is",
    "Look up at what time the last tram leaves the old harbour on the second Sunday of May",
    "Count how many grey herons are named on the page about the northern wetlands",
    "Add two wool blankets and a lamp to the basket and report the total with shipping to the island",
)


@pytest.fixture(scope="module")
def index():
    texts = (ITEM, *OTHERS)
    return OverlapIndex.of_items(
        (fingerprint_of(words(text)), (ItemName("ours", str(number)),)) for number, text in enumerate(texts)
    )


@pytest.mark.parametrize(
    "copied",
    [
        ITEM,
        ITEM.upper(),
        ITEM.lower().replace(" ", "  "),
        "\u200b".join(ITEM),
        f"Hi there, here is a small job. {ITEM}. Please be quick, take notes, and do not ask me anything on the way!",
        ITEM.replace("built last", "built   LAST,").replace("who", "\u2018who\u2019"),
    ],
)
def test_a_copy_is_a_duplicate_and_is_named(index, copied):
    found = screen_overlap(copied, index)
    assert found.tier is Tier.DUPLICATE
    assert (found.benchmark, found.item) == ("ours", "0")


def test_a_copy_with_other_numbers_is_still_that_item(index):
    with_number = "Find three ferries that leave the northern island before 9:30 on 4 May 2026 and cost less than 20"
    index = OverlapIndex.of_items([*index.items(), (fingerprint_of(words(with_number)), (ItemName("ours", "ferry"),))])
    found = screen_overlap(with_number.replace("9:30", "17").replace("4 May 2026", "19 May 2031"), index)
    assert (found.tier, found.item) == (Tier.DUPLICATE, "ferry")


def test_an_edited_item_is_noticed(index):
    edited = "Which of the three lighthouses on the northern island was finished last, and who paid for its big lamp?"
    assert screen_overlap(edited, index).tier is not Tier.NOVEL


def test_shared_words_alone_accuse_nobody(index):
    found = screen_overlap("Find out who runs the kettle museum on the old harbour and what a ticket costs", index)
    assert (found.tier, found.names, found.benchmark, found.item) == (Tier.NOVEL, (), "", "")


def test_a_full_paraphrase_passes_which_is_the_stated_limit(index):
    said_otherwise = "Among the beacons up there, name the newest and the person whose money bought the light."
    assert screen_overlap(said_otherwise, index).tier is Tier.NOVEL
    assert "not full paraphrases" in OVERLAP_POSTURE.limit


def test_the_upper_bars_are_above_the_lower_ones():
    assert 0 < NEAR_COSINE < DUPLICATE_COSINE < 1
    assert 0 < NEAR_CONTAINMENT < DUPLICATE_CONTAINMENT < 1


@pytest.mark.parametrize("text", ["", "   ", "!!!", "\u200b", "\U0001f600"])
def test_a_text_without_words_is_novel(index, text):
    assert screen_overlap(text, index).tier is Tier.NOVEL


def test_every_sampled_item_of_the_shipped_index_is_found_from_its_hashes_alone():
    """No benchmark text is needed: an item's fingerprint is its copy."""
    index = load_index()
    items = list(index.items())
    assert len(items) == index.size > 25_000
    for held, names in random.Random(4).sample(items, 150):
        found = judge_fingerprint(held, index)
        assert found.tier is Tier.DUPLICATE
        assert found.cosine == pytest.approx(1.0)
        assert found.names == names


def test_a_shipped_item_with_a_tenth_of_its_grams_lost_is_still_a_duplicate():
    index, draw = load_index(), random.Random(5)
    long_items = [held for held, _ in index.items() if held.words >= 10]
    for held in draw.sample(long_items, 60):
        kept = sorted(draw.sample(range(len(held.grams)), round(len(held.grams) * 0.9)))
        assert judge_fingerprint(Fingerprint(held.grams[kept], held.words), index).tier is Tier.DUPLICATE


def test_the_shipped_index_is_small_and_answers_quickly():
    assert SHIPPED_INDEX.stat().st_size < 4_000_000
    index = load_index()
    taken = []
    for text in (ITEM, *OTHERS) * 8:
        start = time.thread_time()
        screen_overlap(text, index)
        taken.append(time.thread_time() - start)
    assert sorted(taken)[len(taken) // 2] < 0.005


def test_the_shipped_cases_reach_the_stated_targets():
    shares = rates(judge_cases(read_cases(SHIPPED_CASES), load_index()))
    assert shares["duplicates_refused"] >= 0.99
    assert shares["light_edits_found"] >= 0.95
    assert shares["novel_refused"] <= 0.01
    assert shares["novel_flagged"] <= 0.03


def test_the_posture_tells_what_was_measured_on_what_is_shipped():
    assert MEASURED.exists()
    assert OVERLAP_POSTURE.is_current()
    shares = rates(judge_cases(read_cases(SHIPPED_CASES), load_index()))
    assert OVERLAP_POSTURE.rates == pytest.approx(shares)


def test_a_posture_measured_on_another_index_is_not_current():
    stale = {**OVERLAP_POSTURE.measured, "index_sha256": "0" * 64}
    assert not OverlapPosture(0.6, 0.7, 0.45, 0.55, 8, stale).is_current()


def test_shipped_cases_hold_no_text():
    assert not any(case.text for case in read_cases(SHIPPED_CASES))
