"""What a publication says, and what its public form does not."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.audit import exclusions
from ratings.canonical import canonical
from ratings.documents import ALL_EXCLUDED, Provenance, full_document
from ratings.eligibility import Reason
from ratings.models import Board
from ratings.projection import UnknownShape, public_document
from ratings.publications import document_of_corpus
from ratings.rated_corpus import make_corpus
from ratings.variants import rated_votes
from tests.ratings.boards import ballots, head_to_head, judged_apart
from tests.ratings.corpora import corpus_of, lively_corpus

#: Whole numbers that a public document may have: ranks, numbers of components, constants, the size of the ledger.
WHOLE = {"rank_best", "rank_worst", "place", "component", "adjusted_best", "adjusted_worst", "point_rank"}
WHOLE |= {"point_rank_if_lost", "seed", "fewest_draws", "size"}


def full(corpus):
    return full_document(Board.DEMO, corpus, Provenance())


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, path)
    else:
        yield path, value


@pytest.fixture(scope="module")
def document():
    return full(lively_corpus(labels=1_237, judges=53))


def test_one_corpus_is_one_document_to_the_byte():
    one, two = (document_of_corpus(Board.DEMO, lively_corpus(), Provenance()) for _ in range(2))
    assert (one.text, one.public_text) == (two.text, two.public_text)


def test_c24_the_factor_in_use_is_printed(document):
    assert "G/(G-1)" in public_document(document)["estimator"]


def test_the_full_document_counts_and_its_counts_add_up(document):
    audit = document["audit"]
    assert audit["labels_seen"] == sum(audit["labels"].values()) == 1_237
    assert audit["judges"] == 53
    assert sum(audit["label_shares"].values()) == pytest.approx(1, abs=0.05)
    assert all(row["battles"] > 0 for row in document["ratings"])


def test_no_sample_size_is_public(document):
    public = public_document(document)
    audit = document["audit"]
    counts = {audit["labels_seen"], audit["battles"], audit["judges"], *audit["labels"].values()}
    counts |= {row["battles"] for row in document["ratings"]}
    counts |= {
        pair[kind][key] for pair in document["robustness"] for kind in ("votes", "judges") for key in ("of", "to_flip")
    }
    counts |= {row["battles_ended"] for row in audit["exclusions"].values()}
    for path, value in leaves(public):
        if isinstance(value, int) and not isinstance(value, bool):
            assert path[-1] in WHOLE, path
        elif isinstance(value, float) and not path[-1].endswith(("lower", "upper", "threshold")):
            assert value not in {float(count) for count in counts if count > 12}, path
        elif isinstance(value, str) and path[0] != "definitions" and path[-1] not in {"corpus_digest", "agent"}:
            assert not any(str(count) in value for count in counts if count > 99), path
    assert not {"se", "battles", "wild_lower"} & set(public["ratings"][0])
    probes = {probe["key"]: probe for probe in public["audit"]["probes"]}
    assert probes["connectivity"]["value"] is None
    assert not any(character.isdigit() for probe in probes.values() for character in probe["reason"] or "")


def test_public_intervals_end_on_whole_points_and_shares_on_whole_percents(document):
    public = public_document(document)
    for row in public["ratings"]:
        ends = [row[f"{kind}{end}"] for kind in ("", "sim_", "anytime_") for end in ("lower", "upper")]
        assert all(end is None or end == int(end) for end in ends)
    shares = [value for row in public["win_shares"].values() for value in row.values()]
    shares += [value for _, value in leaves(public["audit"]["label_shares"])]
    assert shares
    assert all(round(100 * share, 6) == round(100 * share) for share in shares)


def test_precision_gives_no_count_away(document):
    """Ends of intervals in points tell the error, and with it how many judges there are."""
    public = public_document(document)
    parameters = [row for variant in public["variants"].values() for row in variant.get("parameters", [])]
    parameters += public["position"]["advantage"]
    in_points = [row for row in parameters if row["name"] != "nu" and row["lower"] is not None]
    assert {"length", "steps"} <= {row["name"] for row in in_points}
    probes = {probe["key"]: probe for probe in public["audit"]["probes"]}
    for row in (*in_points, probes["separation"], probes["drift"]):
        assert (row["lower"], row["upper"]) == (round(row["lower"]), round(row["upper"]))
    [nu] = [row for row in parameters if row["name"] == "nu"]
    assert 0 < nu["lower"] < nu["value"] < nu["upper"] < 2
    coverage = probes["coverage_imbalance"]
    assert (coverage["lower"], coverage["upper"]) == (None, None)
    assert coverage["value"] is not None


def test_a_share_of_a_few_judges_is_withheld():
    few, many = (public_document(full(lively_corpus(labels=400, judges=judges)))["robustness"] for judges in (29, 30))
    assert {pair["judges"]["share"] for pair in few} == {None}
    assert None not in {pair["judges"]["share"] for pair in many}
    assert all(pair["votes"]["share"] is not None for pair in few)


@pytest.mark.parametrize(
    ("where", "planted"),
    [
        (("audit", "label_shares", "rated"), 412.0),
        (("audit", "exclusions", "agent-0", "rates", "no_trajectory"), 12.0),
        (("win_shares", "agent-0", "agent-1"), 31.0),
        (("gaps", "agent-0", "agent-1", "win_chance"), 31.0),
        (("position", "slot_a_lower"), 31.0),
        (("ratings", 0, "reason"), "412 votes"),
        (("ratings", 0, "status"), "after 412 votes"),
        (("ratings", 0, "rating"), 1012),
        (("ratings", 0, "agent"), 7),
        (("ratings", 0, "rank_best"), 1.5),
        (("ratings", 0, "bound"), {"side": "lower", "points": 900.0, "of": 7}),
        (("variants", "style-controlled", "parameters", 0, "value"), 12),
        (("variants", "style-controlled", "parameters", 0, "votes"), 412),
        (("win_shares",), {"agent-0": {7: 0.5}}),
        (("win_shares",), [412]),
        (("gaps",), 412),
        (("robustness", 0, "votes", "share"), 2.0),
    ],
)
def test_a_count_in_any_place_stops_the_publication(where, planted):
    document = full(lively_corpus(labels=600, judges=35))
    *way, last = where
    inner = document
    for key in way:
        inner = inner[key]
    inner[last] = planted
    with pytest.raises(UnknownShape):
        public_document(document)


@given(st.sampled_from(["labels_total", "n"]), st.integers(0, 10**6))
def test_what_nobody_decided_about_is_not_public(key, value):
    small = full(lively_corpus(labels=150, judges=9))
    for place in (small, small["audit"], small["ratings"][0], small["variants"]["davidson"], small["position"]):
        place[key] = value
        with pytest.raises(UnknownShape, match=key):
            public_document(small)
        del place[key]


def test_a_count_in_the_place_of_a_figure_is_not_public():
    small = full(lively_corpus(labels=150, judges=9))
    small["audit"]["top_judge_share"] = 7
    with pytest.raises(UnknownShape, match=r"audit\.top_judge_share"):
        public_document(small)


def test_small_shares_are_withheld_and_not_traced_back():
    audit = full(corpus_of(ballots(judged_apart(head_to_head(8, 6)))))["audit"]
    assert (audit["self_judged_share"], audit["tie_share"], audit["top_judge_share"]) == (None, None, None)


def test_c29_how_few_votes_decide_the_top():
    [pair] = full(corpus_of(ballots(judged_apart(head_to_head(6, 5)))))["robustness"]
    assert (pair["votes"]["to_tie"], pair["votes"]["to_flip"], pair["votes"]["of"]) == (1, 2, 11)
    assert len(pair["votes"]["labels"]) == 2
    assert pair["votes"]["share"] == 0.182
    public = public_document(full(corpus_of(ballots(judged_apart(head_to_head(6, 5))))))["robustness"][0]
    assert public["votes"] == {"share": 0.182}


def test_c29_the_votes_listed_for_staff_are_labels_of_the_pair():
    """Other groups and labels that do not rate stand before them."""
    votes = ballots(judged_apart(head_to_head(4, 3, a=2, b=3) + head_to_head(6, 5)))
    corpus = corpus_of(votes, reason=np.where(np.arange(len(votes)) < 2, int(Reason.WITHDRAWN), 0))
    [pair] = [pair for pair in full(corpus)["robustness"] if pair["upper"] == "agent-0"]
    assert len(pair["votes"]["labels"]) == 2
    assert all((votes.a[row], votes.b[row], votes.outcome[row]) == (0, 1, 2) for row in pair["votes"]["labels"])


def test_c22_no_place_gap_or_chance_across_components():
    document = full(corpus_of(ballots(judged_apart(head_to_head(3, 1) + head_to_head(1, 1, a=2, b=3)))))
    across = document["gaps"]["agent-0"]["agent-2"]
    assert (across["gap"], across["win_chance"], across["reason"]) == (None, None, "not_connected")
    assert document["gaps"]["agent-0"]["agent-1"]["gap"] == pytest.approx(190.85)
    assert {row["component"] for row in document["ratings"]} == {0, 1}


def test_c25_order_and_slots_leave_the_numbers_alone():
    corpus = lively_corpus()
    order = np.random.default_rng(2).permutation(len(corpus.battle))
    other = make_corpus(
        agents=corpus.agents,
        categories=corpus.categories,
        columns={name: column[order] for name, column in corpus.columns.items()},
        draws=corpus.draws,
        ended=corpus.ended,
    )
    points = [{row["agent"]: row["rating"] for row in full(each)["ratings"]} for each in (corpus, other)]
    assert points[0] == points[1]


def test_who_gains_from_exclusions_shows():
    """Two even agents; one of them named itself in twenty battles more."""
    votes = ballots(judged_apart(head_to_head(30, 30)))
    leaked = int(Reason.IDENTITY_LEAKED)
    corpus = corpus_of(votes, agents=("talker", "quiet"), ended=[(0, 1, 0, 60), (0, 1, leaked, 20)])
    found = exclusions(corpus, rated_votes(corpus))
    assert found["talker"]["rates"] == {"no_trajectory": 0.0, "unequal_budgets": 0.0, "identity_leaked": 0.25}
    assert (found["talker"]["point_rank"], found["talker"]["point_rank_if_lost"]) == (1, 2)
    assert (found["quiet"]["point_rank"], found["quiet"]["point_rank_if_lost"]) == (1, 2)


def test_losses_bring_down_who_never_lost():
    votes = ballots(judged_apart(head_to_head(10, 10) + head_to_head(5, 0, a=2, b=0)))
    corpus = corpus_of(votes, agents=("a", "b", "c"), ended=[(2, 1, int(Reason.NO_TRAJECTORY), 40)])
    found = exclusions(corpus, rated_votes(corpus))
    assert found["c"]["point_rank"] is None
    assert found["c"]["point_rank_if_lost"] == 3


def test_an_agent_all_of_whose_labels_are_out_stays_listed_with_the_reason():
    votes = ballots(judged_apart(head_to_head(3, 3) + head_to_head(2, 2, a=2, b=0)))
    out = (votes.a == 2) | (votes.b == 2)
    rows = full(corpus_of(votes, reason=np.where(out, int(Reason.WITHDRAWN), 0)))["ratings"]
    assert {row["agent"]: row["reason"] for row in rows if row["reason"] == ALL_EXCLUDED} == {"agent-2": ALL_EXCLUDED}
    elsewhere = full(corpus_of(votes, reason=np.where(out, int(Reason.NOT_RANKED), 0)))["ratings"]
    assert {row["agent"] for row in elsewhere} == {"agent-0", "agent-1"}


def test_position_and_what_is_measured_are_said(document):
    public = public_document(document)
    assert public["position"]["slot_a_lower"] < 0.5 < public["position"]["slot_a_upper"]
    [advantage] = public["position"]["advantage"]
    assert advantage["lower"] < 0 < advantage["upper"]
    assert public["measures"]["rubric_versions"] == ["1"]
    assert len(public["audit"]["probes"]) == 13


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_every_board_has_both_documents(seed):
    rng = np.random.default_rng(seed)
    corpus = lively_corpus(
        points=tuple(rng.normal(1000, 300, rng.integers(2, 6))), labels=int(rng.integers(1, 90)), seed=seed, judges=5
    )
    if corpus.rated.any():
        document = document_of_corpus(Board.HEADLINE, corpus, Provenance())
        assert canonical(json.loads(document.text)) == document.text
        assert json.loads(document.public_text)["corpus_digest"] == corpus.digest
