"""Publications of measures: stored once, chained, without sample sizes, and the same as what the records say."""

import json
import threading

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from battles.lane_facts import complete_lane_facts
from battles.lanes.vocabulary import KINDS
from battles.models import Step
from governance.models import JournalEntry, LedgerEntry
from metrics import publishing
from metrics.catalog import BY_KEY, CATALOG
from metrics.computing import compute
from metrics.documents import definition, full_document, public_document
from metrics.measure import DECIMALS
from metrics.models import MeasuresPublication, latest_measures, measures_in_force
from metrics.publishing import Unsettled, publish_measures
from metrics.reading import publishable
from metrics.source import Source
from metrics.tasks import publish_all_measures
from ratings.canonical import canonical, digest
from ratings.models import Board, latest_publication
from ratings.projection import UnknownShape
from ratings.refit import _settled, refit
from tests.metrics.rows import baselines, ran, step, steps, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair():
    """Two agents with enough races and votes to publish most of what there is."""
    pair = baselines()
    for number in range(34):
        clicks = steps("click", 1 + number % 5)
        battle = ran(pair, clicks, [step("scroll"), step("type")], lane_a={"seconds": 5 + number})
        vote(battle, ("A", "B", "A", "tie")[number % 4], focus_ms=20_000 + 500 * number)
    return pair


def publish(board=Board.DEMO):
    return publish_measures(board=board, actor="system:test")


def values(document, key):
    return {value["agent"]: value for each in document["measures"] if each["key"] == key for value in each["values"]}


def test_a_publication_is_named_by_its_digest_and_chained(pair):
    refit(board=Board.DEMO, actor="system:test")
    first = publish()
    assert digest(first.document) == first.digest
    assert digest(first.public_document) == first.public_digest
    assert first.ratings.board == Board.DEMO
    vote(ran(pair), "A")
    second = publish()
    assert (second.number, second.previous) == (2, first)
    assert json.loads(second.public_document)["publication"]["previous"] == first.public_digest


def test_nothing_new_publishes_nothing(pair):
    first = publish()
    assert publish() == first
    assert MeasuresPublication.objects.count() == 1


def test_a_board_on_which_nothing_raced_has_no_publication(pair):
    publish_all_measures()
    assert latest_measures(Board.HEADLINE) is None
    assert measures_in_force() == latest_measures(Board.DEMO)


def test_a_publication_cannot_be_edited(pair):
    publish()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        MeasuresPublication.objects.update(public_document="{}")


def test_a_publication_is_in_the_journal_and_the_ledger(pair):
    stored = publish()
    row = JournalEntry.objects.get(action="metrics:publication:publish")
    assert row.subject == stored.digest
    assert stored.public_digest in LedgerEntry.objects.get(journal=row).text


def test_definitions_come_with_the_values(pair):
    document = json.loads(publish().public_document)
    assert [each["key"] for each in document["measures"]] == [measure.key for measure in CATALOG]
    for each in document["measures"]:
        assert {key: value for key, value in each.items() if key != "values"} == definition(BY_KEY[each["key"]])


def test_a_value_is_what_the_records_come_to_at_the_same_instant(pair):
    stored = publish()
    document = json.loads(stored.public_document)
    for key, readings in compute(Board.DEMO, at=stored.read_at).items():
        measure = BY_KEY[key]
        for agent, reading in readings.items():
            shown = publishable(reading, measure.floor, DECIMALS[measure.unit])
            found = values(document, key)[agent]
            assert (found["value"], found["lower"], found["upper"]) == (shown.value, shown.lower, shown.upper)


def test_every_value_is_a_number_or_nothing_with_a_reason(pair):
    document = json.loads(publish().public_document)
    for each in document["measures"]:
        assert each["values"]
        for value in each["values"]:
            assert (value["value"] is None) <= (value["reason"] is not None)
            assert (value["value"] is None) <= (value["lower"] is None and value["upper"] is None)


def test_a_small_arena_already_has_sixty_values(pair):
    document = json.loads(publish().public_document)
    known = [value for each in document["measures"] for value in each["values"] if value["value"] is not None]
    assert len(known) >= 60


def test_the_public_document_has_no_counts(pair):
    stored = publish()
    full, public = json.loads(stored.document), json.loads(stored.public_document)
    assert values(full, "win_share")["ada"]["counts"]["over"] == 26
    assert all("counts" not in value for each in public["measures"] for value in each["values"])
    assert public["publication"]["sample_sizes"] == "withheld"


def test_an_operator_can_let_sample_sizes_out(pair, settings):
    settings.ARENA_PUBLISH_SAMPLE_SIZES = True
    public = json.loads(publish().public_document)
    assert public["publication"]["sample_sizes"] == "published"
    assert values(public, "win_share")["ada"]["counts"]["over"] == 26


def test_shares_and_their_ends_are_no_finer_than_a_hundredth(pair):
    document = json.loads(publish().public_document)
    shares = [value for each in document["measures"] if each["unit"] == "share" for value in each["values"]]
    ends = [value[end] for value in shares for end in ("value", "lower", "upper") if value[end] is not None]
    assert len(ends) > 30
    assert all(round(end, 2) == end for end in ends)


def test_points_are_whole_as_the_ends_of_the_ratings_are(pair):
    refit(board=Board.DEMO, actor="system:test")
    document = json.loads(publish().public_document)
    found = [*values(document, "rating").values(), *values(document, "rating_halfwidth").values()]
    points = [value[end] for value in found for end in ("value", "lower", "upper") if value[end] is not None]
    assert points
    assert all(point.is_integer() for point in points)


def test_something_that_nobody_decided_about_stops_the_projection(pair):
    full = full_document(compute(Board.DEMO), {"board": "demo"})
    full["measures"][0]["values"][0]["judges"] = 3
    with pytest.raises(UnknownShape, match="judges"):
        public_document(full, sample_sizes=False)


def test_published_shares_of_kinds_add_up_to_one_before_they_are_rounded(pair):
    full = json.loads(publish().document)
    for agent in ("ada", "bob"):
        counts = [values(full, f"{kind}_share")[agent]["counts"] for kind in KINDS]
        assert sum(each["counted"] for each in counts) == counts[0]["over"]


def test_false_claims_are_never_more_than_claims(pair):
    vote(ran(pair), "A", marks={"A": "not_done", "B": "done"})
    full = json.loads(publish().document)
    for agent in ("ada", "bob"):
        false = values(full, "false_claim_share")[agent]["counts"]
        claimed = values(full, "claimed_done_share")[agent]["counts"]
        assert false["counted"] <= false["over"] <= claimed["counted"]


def test_the_command_publishes_and_shows(pair, capsys):
    call_command("measures", "--publish", "--board", "demo", "--json")
    assert json.loads(capsys.readouterr().out)[0]["public_digest"] == latest_measures(Board.DEMO).public_digest
    call_command("measures", "--board", "demo", "--json")
    found = json.loads(capsys.readouterr().out)["demo"]
    assert canonical(found) == canonical(json.loads(latest_measures(Board.DEMO).document)["measures"])
    call_command("measures", "--board", "demo")
    assert "win_share" in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_two_at_once_make_one_publication():
    pair = baselines()
    vote(ran(pair), "A")

    def run():
        try:
            publish()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert MeasuresPublication.objects.count() == 1


def test_ratings_that_come_while_measures_are_read_are_read_too(monkeypatch):
    pair = baselines()
    vote(ran(pair), "A")
    readings = []

    def read_while_a_board_is_rated(board, *, at):
        readings.append(compute(board, at=at))
        if len(readings) == 1:
            refit(board=board, actor="system:test")
        return readings[-1]

    monkeypatch.setattr(publishing, "compute", read_while_a_board_is_rated)
    stored = publish()
    assert len(readings) == 2
    assert stored.ratings == latest_publication(Board.DEMO)


@pytest.mark.parametrize("endless", [False, True])
def test_lanes_that_change_while_measures_are_read_are_read_again(monkeypatch, endless):
    pair = baselines()
    vote(ran(pair), "A")
    looks = []

    def counted():
        looks.append(complete_lane_facts())
        if endless or len(looks) == 1:
            Step.objects.filter(number=1).update(ok=False)

    monkeypatch.setattr("metrics.computing.complete_lane_facts", counted)
    if endless:
        with pytest.raises(Unsettled):
            publish()
        assert not MeasuresPublication.objects.exists()
    else:
        assert publish().number == 1
    assert len(looks) == (publishing.READINGS if endless else 2)


@pytest.mark.django_db(transaction=True)
def test_what_is_published_is_read_from_one_snapshot_and_no_refit_waits_for_that(monkeypatch):
    pair = baselines()
    vote(ran(pair), "A")
    isolation, waited = [], []

    def ask_for_a_refit():
        asked = timezone.now()
        waited.append(_settled(asked) < asked)
        connection.close()

    def look(*given):
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('transaction_isolation'), pg_current_xact_id()")
            isolation.append(cursor.fetchone()[0])
        thread = threading.Thread(target=ask_for_a_refit)
        thread.start()
        thread.join(timeout=60)
        return Source(*given)

    monkeypatch.setattr("metrics.computing.Source", look)
    assert publish() is not None
    assert (isolation, waited) == (["repeatable read"], [False])
