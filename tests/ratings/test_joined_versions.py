"""C07: versions count in rows of their own until an operator joins them, and in one row from then on."""

import csv
import io
import json
from datetime import UTC, datetime

import numpy as np
import pytest
from django.conf import settings
from django.test import Client, override_settings

from battles.affiliation import affiliate_agent
from battles.aliases import agent_of_alias, enter_alias
from battles.merges import merge_agents, unmerge_agents
from battles.models import Agent, AgentMerge
from governance.licensing import register_licensee
from judging.models import Vote
from ratings.audit import audit_document
from ratings.corpus import corpus_as_of, corpus_from_file, read_corpus
from ratings.corpus_file import CorpusRefused
from ratings.eligibility import Reason
from ratings.exclusion_effect import effect_of_merge
from ratings.foreseen_effects import foresee_merge
from ratings.models import Board, Publication, Refit
from ratings.refit import refit
from ratings.standings import joined_versions, standings_rows
from ratings.variants import rated_votes
from ratings.verification import CannotVerify, verify_document, verify_stored
from tests.battles.factories import make_agent
from tests.ratings.published import judged

pytestmark = pytest.mark.django_db

WHY = {"reason": "The provider says that only its address changed.", "actor": "operator:1"}
CHANGE = datetime.fromtimestamp(1687849200, UTC)


@pytest.fixture
def client():
    """Pages without collected static files."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES=settings.STORAGES | {"staticfiles": plain}):
        yield Client()


@pytest.fixture
def board():
    """Two versions under one name, and two others that they met; the versions met each other once."""
    one, two, bob, cyd = (make_agent(key, kind=Agent.Kind.BASELINE) for key in ("gpt-x-1", "gpt-x-2", "bob", "cyd"))
    for other in (bob, cyd):
        Agent.objects.filter(pk=other.pk).update(provider="Others")
    said = {"alias": "gpt-x", "source": "release notes", "actor": "operator:1"}
    enter_alias(agent_key=one.pk, effective_from=None, **said)
    enter_alias(agent_key=two.pk, effective_from=CHANGE, **said)
    served = [agent_of_alias("gpt-x", datetime.fromtimestamp(1687849200 + second, UTC)) for second in (-1, 0, 1)]
    assert served == [one, two, two]
    for agent, choice in zip(served, ("gpt-x-1", "bob", "gpt-x-2"), strict=True):
        judged((agent, bob), choice)
    for pair, choice in (((one, cyd), "cyd"), ((cyd, two), "gpt-x-2"), ((bob, cyd), "bob"), ((one, two), "gpt-x-1")):
        judged(pair, choice)
    return one, two


def published():
    run = refit(board=Board.DEMO, actor="system:test")
    assert run.outcome == Refit.Outcome.PUBLISHED, run.reason
    return run.publication


def rows(publication):
    return {row["agent"]: row for row in json.loads(publication.document)["ratings"]}


def test_there_are_two_rows_until_an_operator_joins_them_and_two_again_when_that_is_undone(board):
    apart = read_corpus(Board.DEMO)
    first = published()
    assert set(rows(first)) == {"gpt-x-1", "gpt-x-2", "bob", "cyd"}
    merge = merge_agents(agent_key="gpt-x-1", into_key="gpt-x-2", **WHY)
    second = published()
    assert set(rows(second)) == {"gpt-x-2", "bob", "cyd"}
    assert rows(second)["gpt-x-2"]["battles"] == 5
    document = json.loads(second.public_document)
    said = {"agent": "gpt-x-1", "into": "gpt-x-2", "at": merge.at.isoformat(), "reason": WHY["reason"]}
    assert document["joined"] == [said]
    assert json.loads(first.public_document)["joined"] == []
    assert second.corpus_digest != first.corpus_digest
    # The draw reads the row's points for both.
    points = set(Agent.objects.filter(key__startswith="gpt-x").values_list("published_rating", flat=True))
    assert points == {rows(second)["gpt-x-2"]["rating"]}
    unmerge_agents(agent_key="gpt-x-1", reason="It changed after all.", actor="operator:1")
    assert read_corpus(Board.DEMO).digest == apart.digest
    assert set(rows(published())) == set(rows(first))


def test_a_battle_of_one_version_against_the_other_is_left_out_and_says_so(board):
    before = read_corpus(Board.DEMO)
    assert set(before.reason.tolist()) == {Reason.RATED}
    merge_agents(agent_key="gpt-x-1", into_key="gpt-x-2", **WHY)
    corpus = read_corpus(Board.DEMO)
    assert corpus.reason.tolist() == [Reason.RATED] * 6 + [Reason.SELF_BATTLE]
    assert corpus.agents == ("bob", "cyd", "gpt-x-2")
    assert audit_document(corpus, rated_votes(corpus))["labels"]["self_battle"] == 1
    # The other battles of the two are untouched, and so is everybody else's.
    assert corpus.outcome.tolist() == before.outcome.tolist()
    assert int(corpus.ended.battles.sum()) == int(before.ended.battles.sum()) - 1
    assert not (corpus.ended.agent_a == corpus.ended.agent_b).any()
    # Draws in which either could be drawn against somebody count for their row.
    place = {agent: number for number, agent in enumerate(before.agents)}
    versions = [place["gpt-x-1"], place["gpt-x-2"]]
    assert corpus.draws[2, 0] == before.draws[versions, place["bob"]].sum()
    assert corpus.draws[2, 2] == 0
    # What is not of the board is not, whoever raced.
    Vote.objects.filter(winner__agent_id="gpt-x-1", battle__agent_b_id="gpt-x-2").update(withdrawn_at=CHANGE)
    assert read_corpus(Board.DEMO).reason.tolist()[-1] == Reason.WITHDRAWN


def test_publications_from_before_and_after_are_made_again_from_the_database_and_from_the_file(board):
    first = published()
    merge_agents(agent_key="gpt-x-1", into_key="gpt-x-2", **WHY)
    second = published()
    for publication in (first, second):
        verdict = verify_stored(Publication.objects.get(pk=publication.pk))
        assert verdict.verified, verdict.differences
        assert verdict.same_bytes
        corpus = corpus_as_of(Board.DEMO, publication.corpus_read_at)
        again = corpus_from_file(corpus.encoded())
        assert again.joined == corpus.joined
        assert again.digest == publication.corpus_digest
        assert verify_document(publication.public_document, again).same_bytes
    with pytest.raises(CorpusRefused, match="joined versions"):
        corpus_from_file(corpus.encoded().replace(b'"gpt-x-1","gpt-x-2"', b'"gpt-x-2","gpt-x-2"'))
    swapped = corpus.encoded().replace(b'"joined":[["gpt-x-1"', b'"joined":[["gpt-x-0"')
    found = verify_document(publication.public_document, corpus_from_file(swapped))
    # The seed of the audit's probes comes of the digest, so that what they found moves as well.
    moved = {
        path for path in (difference.path for difference in found.differences) if not path.startswith("audit.probes")
    }
    assert moved == {"corpus_digest", "joined[0].agent", "seed"}


def test_a_corpus_without_joined_versions_says_nothing_of_them(board):
    corpus = read_corpus(Board.DEMO)
    assert b"joined" not in corpus.encoded().split(b"\n")[1]
    assert corpus.draws.shape == (4, 4)
    assert np.array_equal(corpus.draws, corpus.draws.T)


def test_the_pages_and_the_table_say_who_is_joined_tied_and_how_many_were_entered(board, client):
    first = published()
    merge_agents(agent_key="gpt-x-1", into_key="gpt-x-2", **WHY)
    second = published()
    digest = second.public_digest

    def table(publication):
        text = client.get(f"/publications/{publication.public_digest}.csv").content.decode()
        return {row["agent_key"]: row for row in csv.DictReader(io.StringIO(text))}

    assert table(second)["gpt-x-2"]["joined_with"] == "gpt-x-1"
    assert table(second)["gpt-x-2"]["provider_agents"] == "2"
    assert table(first)["gpt-x-1"]["joined_with"] == ""
    assert [version.name for version in joined_versions(json.loads(second.public_document))] == ["Gpt X 1"]
    etag = client.get(f"/publications/{digest}.csv").headers["ETag"]
    # A licensee is tied to the provider, however it is spelled: every page and the table say so at once.
    register_licensee(name="Gamma Labs", terms="For research.", provider="MAKER ", actor="operator:1")
    register_licensee(name="Delta", terms="For research.", provider="nobody here", actor="operator:1")
    assert table(second)["gpt-x-2"]["tied_licensees"] == "Gamma Labs"
    assert table(second)["bob"]["tied_licensees"] == ""
    assert client.get(f"/publications/{digest}.csv").headers["ETag"] != etag
    assert {row.agent_key: row.licensees for row in standings_rows(second)}["gpt-x-2"] == ("Gamma Labs",)
    standings = client.get("/standings").content.decode()
    for words in ("joined with Gpt X 1", "one of 2 by its provider", "tied licensee: Gamma Labs", WHY["reason"]):
        assert words in standings
    assert standings.count('class="float-name">Tied licensee<') == 1
    for key, other in (("gpt-x-1", "Gpt X 2"), ("gpt-x-2", "Gpt X 1")):
        page = client.get(f"/standings/{key}").content.decode()
        assert f'Joined with <a href="/standings/{other.lower().replace(" ", "-")}">{other}</a>' in page
        assert WHY["reason"] in page
        assert "Gamma Labs" in page
        assert 'popovertarget="def-tied-licensee"' in page
    assert "Gamma Labs" not in client.get("/standings/bob").content.decode()
    # The document says who was tied when it was made, and is made again with that.
    unmerge_agents(agent_key="gpt-x-1", reason="It changed after all.", actor="operator:1")
    third = published()
    tied = [{"licensee": "Gamma Labs", "agents": ["gpt-x-1", "gpt-x-2"]}]
    assert json.loads(third.public_document)["licensees"] == tied
    assert json.loads(second.public_document)["licensees"] == []
    assert verify_stored(Publication.objects.get(pk=third.pk)).same_bytes
    hostile = json.dumps({**json.loads(third.public_document), "licensees": [{"licensee": 7}]})
    with pytest.raises(CannotVerify, match="'licensees'"):
        verify_document(hostile, corpus_as_of(Board.DEMO, third.corpus_read_at))


def test_what_a_join_would_do_is_told_before_it_is_done_and_changes_nothing(board):
    one, two = board
    digest = read_corpus(Board.DEMO).digest
    (demo,) = effect_of_merge(one, two).boards
    assert (demo.labels_before, demo.labels_after) == (7, 6)
    assert {agent.name for agent in demo.agents} >= {"Gpt X 1", "Gpt X 2"}
    foreseen = foresee_merge(one, two, "operator:1")
    assert foreseen.boards == [demo]
    assert foreseen.seal == foresee_merge(one, two, "operator:1").seal != foresee_merge(two, one, "operator:1").seal
    assert not AgentMerge.objects.exists()
    assert read_corpus(Board.DEMO).digest == digest


def test_a_stake_unranks_an_agent_from_its_instant_on_and_leaves_earlier_publications_as_they_were(board, client):
    first = published()
    affiliate_agent(key="bob", reason="We bought shares of its provider.", actor="operator:1")
    second = published()
    assert "bob" in rows(first)
    assert "bob" not in rows(second)
    assert (read_corpus(Board.DEMO).reason == Reason.NOT_RANKED).sum() == 4
    assert verify_stored(Publication.objects.get(pk=first.pk)).same_bytes
    assert verify_stored(Publication.objects.get(pk=second.pk)).same_bytes
    assert "The operator has a stake in it from" in client.get("/standings/bob").content.decode()
    assert "bob" in client.get("/governance").content.decode().lower()
