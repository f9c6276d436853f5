"""Standings, gaps and charts as people and programs find them."""

import csv
import io
import json
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from battles.models import Agent
from ratings.charts import SCHEMES, WIDTHS, picture
from ratings.documents import Provenance
from ratings.gap_page import gap_view
from ratings.inference.planning import votes_to_detect
from ratings.models import Board, Publication
from ratings.publication_charts import chart_of
from ratings.publications import document_of_corpus
from ratings.standing_words import what_it_establishes
from ratings.standings import document_of, standings_rows
from ratings.variant_views import VARIANTS, toggles, variant_named
from tests.battles.factories import make_agent, make_battle
from tests.ratings.boards import ballots, head_to_head, judged_apart
from tests.ratings.corpora import corpus_of, lively_corpus

pytestmark = pytest.mark.django_db

POINTS = (1150, 1050, 1000, 950, 850)


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture
def publication():
    """A publication of five agents with every variant, made from a simulated corpus."""
    corpus = lively_corpus(points=POINTS, labels=2_000, judges=60)
    for number, key in enumerate(corpus.agents):
        make_agent(key, kind=Agent.Kind.BASELINE, name="=Formula & <b>Co</b>" if number == 0 else f"Agent {number}")
    document = document_of_corpus(Board.DEMO, corpus, Provenance())
    return Publication.objects.create(
        digest=document.digest,
        board=Board.DEMO,
        number=1,
        corpus_digest=corpus.digest,
        public_digest=document.public_digest,
        labels_cast=len(corpus.reason),
        document=document.text,
        public_document=document.public_text,
    )


def page(path, **query):
    answer = Client().get(path, query)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def counts_of(publication):
    full = json.loads(publication.document)
    audit = full["audit"]
    counts = {audit["labels_seen"], audit["labels"]["rated"], audit["battles"]}
    return {f"{count:,}" for count in counts} | {str(count) for count in counts}


def test_every_way_to_fit_has_its_page_in_words(publication):
    for name, (label, words) in VARIANTS.items():
        slug = name
        text = page("/standings", fit=slug)
        assert f'aria-current="true">{label}</a>' in text
        assert words[:40] in text
    assert "length of the answer" in page("/standings", fit="style-controlled")
    assert "nu: how readily" in page("/standings", fit="davidson")
    assert "Ticker, not a rating" in page("/standings")
    assert "groups that never met" not in page("/standings")


def test_categories_are_toggles_and_small_ones_say_so(publication):
    document = document_of(publication)
    found = toggles(document, "headline", "/standings")
    assert [toggle.label for toggle in found.categories] == ["forms"]
    assert found.too_small == ("shopping",)
    assert "of one kind alone: forms" in page("/standings", fit="category-forms")
    assert "A category is fitted from" in page("/standings", fit="category-shopping")


@pytest.mark.parametrize("asked", ["no-such-fit", "'; DROP TABLE", "category-", "headline " * 50])
def test_a_way_that_does_not_exist_is_not_found(publication, asked):
    assert Client().get("/standings", {"fit": asked}).status_code == 404
    assert Client().get(f"/publications/{publication.public_digest}.csv", {"fit": asked}).status_code == 404
    assert variant_named(document_of(publication), asked) is None


def test_no_page_and_no_download_shows_a_sample_size(publication):
    base = f"/publications/{publication.public_digest}"
    texts = [page("/standings"), page("/standings/agent-1"), page("/gaps", a="agent-1", b="agent-2"), page(base)]
    texts += [page(f"{base}.csv"), page(f"{base}.json"), page("/standings", fit="schedule-adjusted")]
    texts += [
        page(f"{base}/charts/{name}.json") for name in ("ratings", "win-shares", "agent-1/history", "agent-1/gaps")
    ]
    for text in texts:
        for count in counts_of(publication):
            assert count not in text.replace(publication.public_digest, "").replace(publication.corpus_digest, "")


def test_the_csv_is_one_table_whose_names_are_no_formulas(publication):
    rows = list(csv.DictReader(io.StringIO(page(f"/publications/{publication.public_digest}.csv"))))
    assert {row["agent_name"] for row in rows} >= {"'=Formula & <b>Co</b>", "Agent 1"}
    assert all(float(row["lower"]) <= float(row["rating"]) <= float(row["upper"]) for row in rows)
    assert {row["rank_claimed"] for row in rows} <= {"True", "False"}
    styled = list(csv.DictReader(io.StringIO(page(f"/publications/{publication.public_digest}.csv", fit="davidson"))))
    assert [row["rating"] for row in styled] != [row["rating"] for row in rows]


def test_the_paragraph_is_written_from_the_numbers(publication):
    rows = standings_rows(publication)
    order, *_, population = what_it_establishes(rows, document_of(publication))
    assert "Told apart, all at once at 95%: =Formula" in order
    assert "not of tasks nobody posted" in population
    assert population in page("/standings").replace("&#x27;", "'")


def test_without_an_undone_schedule_no_rank_is_claimed(publication):
    document = document_of(publication)
    document["variants"]["schedule-adjusted"] = {"reason": "too_few_draws", "ratings": []}
    order, *_ = what_it_establishes(standings_rows(publication), document)
    assert "no rank is claimed" in order


def test_where_the_two_fits_disagree_both_ranges_show(publication):
    rows = standings_rows(publication)
    document = document_of(publication)
    for row in document["ratings"]:
        row |= {"adjusted_best": 1, "adjusted_worst": 5, "rank_claimed": False}
    publication = Publication(
        digest="0" * 64,
        board=Board.DEMO,
        number=2,
        previous=publication,
        corpus_digest="",
        public_digest="e" * 64,
        labels_cast=1,
        document="{}",
        public_document=json.dumps(document),
    )
    publication.save()
    text = page("/standings")
    assert text.count("adjusted 1–5") == len(rows)
    torn, *_ = what_it_establishes(standings_rows(publication), document)
    assert "Told apart only as pairs were drawn" in torn


def test_a_gap_is_told_in_words_from_either_side(publication):
    view = gap_view(publication, "agent-4", "agent-0")
    assert (view.one, view.other) == ("agent-0", "agent-4")
    assert view == gap_view(publication, "agent-0", "agent-4")
    assert view.settled
    assert view.gap_lower > 0
    assert view.win_percent == round(100 / (1 + 10 ** (-view.gap / 400)))
    assert view.order_kept
    ties = document_of(publication)["audit"]["tie_share"]
    assert view.fresh_votes == pytest.approx(votes_to_detect(view.gap, tie_share=ties), rel=0.05)
    text = page("/gaps", a="agent-4", b="agent-0")
    assert "points above Agent 4" in text
    assert "leaves zero out" in text
    assert "With the schedule undone, the order is the same." in text


def test_how_many_votes_a_gap_takes_says_nothing_about_how_many_there_are():
    corpus = lively_corpus(labels=600)
    document = document_of_corpus(Board.DEMO, corpus, Provenance())
    one = Publication(public_document=document.public_text, board=Board.DEMO)
    wider = json.loads(document.public_text)
    for row in wider["gaps"].values():
        for gap in row.values():
            gap["lower"], gap["upper"] = gap["lower"] - 500, gap["upper"] + 500
    other = Publication(public_document=json.dumps(wider), board=Board.DEMO)
    views = [gap_view(publication, "agent-0", "agent-4") for publication in (one, other)]
    assert views[0].fresh_votes == views[1].fresh_votes
    assert [view.settled for view in views] == [True, False]


@pytest.mark.parametrize(("lower", "settled"), [(-1.0, False), (0.0, False), (1.0, True)])
def test_a_gap_is_settled_where_its_interval_leaves_zero_out(lower, settled):
    document = json.loads(document_of_corpus(Board.DEMO, lively_corpus(labels=300), Provenance()).public_text)
    document["gaps"]["agent-0"]["agent-4"] |= {"gap": 40.0, "lower": lower, "upper": 80.0}
    view = gap_view(Publication(public_document=json.dumps(document), board=Board.DEMO), "agent-0", "agent-4")
    assert view.settled == settled


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "Compare"),
        ({"a": "agent-1", "b": "agent-1"}, "two different agents"),
        ({"a": "agent-1", "b": "nobody"}, "not in the publication in force"),
        ({"a": "<script>", "b": ""}, "not in the publication in force"),
    ],
)
def test_what_cannot_be_compared_says_why(publication, query, words):
    text = page("/gaps", **query)
    assert words in text
    assert "<script>" not in text.replace("<script src", "")


def test_without_a_publication_every_page_says_so():
    for path in ("/standings", "/gaps"):
        assert "Nothing has been published yet" in page(path)


def test_charts_are_specifications_and_pictures(publication):
    base = f"/publications/{publication.public_digest}/charts"
    names = ("ratings", "win-shares", "agent-1/history", "agent-1/gaps")
    for name in names:
        spec = json.loads(page(f"{base}/{name}.json"))
        assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
        pictures = {
            (width, scheme): page(f"{base}/{name}.svg", width=width, scheme=scheme)
            for width in WIDTHS
            for scheme in SCHEMES
        }
        assert len(set(pictures.values())) == 4
        for svg in pictures.values():
            root = ElementTree.fromstring(svg)
            assert root.tag.endswith("svg")
            assert not [
                node for node in root.iter() if node.tag.endswith(("script", "image", "foreignObject", "style"))
            ]
        assert float(ElementTree.fromstring(pictures["narrow", "light"]).get("width")) <= 328 + 120


@pytest.mark.parametrize("file", ["/charts/ratings.svg", "/charts/ratings.json", ".csv", ".json"])
def test_what_did_not_change_is_not_sent_again(publication, file):
    path = f"/publications/{publication.public_digest}{file}"
    answer = Client().get(path)
    assert "public" in answer.get("Cache-Control", "public")
    assert Client().get(path, headers={"if-none-match": answer["ETag"]}).status_code == 304
    assert Client().get(path, headers={"if-none-match": '"another"'}).status_code == 200
    assert Client().head(path)["ETag"] == answer["ETag"]
    assert Client().post(path).status_code == 405
    Agent.objects.filter(pk="agent-1").update(name="Called otherwise")
    renamed = Client().get(path, headers={"if-none-match": answer["ETag"]})
    if path.endswith(f"{publication.public_digest}.json"):
        assert renamed.status_code == 304, "the document has no names"
        assert "immutable" in answer["Cache-Control"]
    else:
        assert "immutable" not in answer.get("Cache-Control", "")
        assert "Called otherwise" in renamed.content.decode()


@pytest.mark.parametrize("file", ["/charts/nothing.svg", "/charts/nobody/history.svg", ".csv?fit=nothing"])
def test_what_does_not_exist_is_no_match_for_anything(publication, file):
    path = f"/publications/{publication.public_digest}{file}"
    assert Client().get(path, headers={"if-none-match": "*"}).status_code == 404


def test_every_form_of_a_chart_has_an_etag_of_its_own(publication):
    path = f"/publications/{publication.public_digest}/charts/ratings"
    files = [f"{path}.json", *(f"{path}.svg?width={width}&scheme={scheme}" for width in WIDTHS for scheme in SCHEMES)]
    assert len({Client().get(file)["ETag"] for file in files}) == len(files)


@pytest.mark.parametrize(
    "path", ["nothing.svg", "history.svg", "ratings.png", "nobody/history.svg", "agent-1/ratings.json", "agent-1/x.svg"]
)
def test_charts_that_do_not_exist_are_not_found(publication, path):
    assert Client().get(f"/publications/{publication.public_digest}/charts/{path}").status_code == 404
    assert Client().get(f"/publications/{'0' * 64}/charts/ratings.svg").status_code == 404


def test_a_name_is_text_in_a_picture_and_nothing_else(publication):
    svg = picture(chart_of(publication, "ratings"), width="wide", scheme="light")
    assert "<b>" not in svg
    assert "=Formula &amp; &lt;b&gt;Co&lt;/b&gt;" in svg


def publish(corpus):
    for key in corpus.agents:
        make_agent(key, kind=Agent.Kind.BASELINE, name=key.title())
    document = document_of_corpus(Board.DEMO, corpus, Provenance())
    return Publication.objects.create(
        digest=document.digest,
        board=Board.DEMO,
        number=1,
        corpus_digest=corpus.digest,
        public_digest=document.public_digest,
        labels_cast=len(corpus.reason),
        document=document.text,
        public_document=document.public_text,
    )


def test_who_never_lost_is_first_and_who_never_won_is_last():
    """One vote bounds the loser far above the winner's bound: bounds are no ratings to sort by."""
    even = head_to_head(20, 20)
    won, lost = head_to_head(4, 0, a=2, b=0), head_to_head(0, 4, a=3, b=1)
    rows = standings_rows(publish(corpus_of(ballots(judged_apart(even + won + lost)))))
    assert [row.agent_key for row in rows][::3] == ["agent-2", "agent-3"]
    assert [row.bound for row in rows] == ["above", None, None, "below"]


def test_two_agents_of_whom_one_won_everything_are_in_that_order():
    rows = standings_rows(publish(corpus_of(ballots(judged_apart(head_to_head(3, 0))))))
    assert [row.agent_key for row in rows] == ["agent-0", "agent-1"]
    assert rows[0].bound_value < rows[1].bound_value


def test_c22_groups_that_never_met_are_named():
    apart = publish(corpus_of(ballots(judged_apart(head_to_head(3, 1) + head_to_head(2, 2, a=2, b=3)))))
    assert "2 groups that never met" in page("/standings")
    assert "Agent-0, Agent-1; Agent-2, Agent-3." in page("/standings")
    assert "Agent-0, Agent-1; Agent-2, Agent-3" in chart_of(apart, "ratings")["description"]


def test_c09_how_many_agents_a_provider_entered_is_beside_each():
    make_agent("one", provider="Acme")
    assert "has entered" not in page("/standings/one")
    make_agent("other", provider="Acme", state=Agent.State.RETIRED, retired_at=timezone.now())
    for key in ("one", "other"):
        assert "has entered 2 agents here" in page(f"/standings/{key}")


def test_an_agent_that_was_retired_before_it_raced_is_not_said_to_have_raced(publication):
    other, gone = make_agent("other"), make_agent("gone", state=Agent.State.RETIRED, retired_at=timezone.now())
    Agent.objects.filter(pk="agent-1").update(state=Agent.State.RETIRED, retired_at=timezone.now() + timedelta(days=3))
    text, raced = page("/standings/gone"), page("/standings/agent-1")
    assert "without having raced" in text
    assert "It met nobody." in text
    for words in ("In the draw until", "Its results stay", "first judged battles", "yet"):
        assert words not in text
    assert "In the draw until" in raced
    assert "Its results stay." in raced
    # Of who may still be drawn nothing is said that would change with a first battle.
    Agent.objects.filter(pk="gone").update(retired_at=timezone.now() + timedelta(days=3))
    before = page("/standings/gone")
    make_battle(agents=(gone, other))
    assert page("/standings/gone") == before
    assert "without having raced" not in before


def test_history_and_its_table_are_on_the_agent_s_page(publication):
    text = page("/standings/agent-1")
    for scheme in SCHEMES:
        for width in WIDTHS:
            assert f"/charts/agent-1/history.svg?width={width}&amp;scheme={scheme}" in text
    assert "Points above the mean of" in text
    assert "/gaps?a=agent-1&amp;b=agent-0" in text
