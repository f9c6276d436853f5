"""No sample size leaves: counts that nobody can mistake are planted, and every public answer is read for them."""

import json
import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings
from hypothesis import given
from hypothesis import strategies as st

from battles.models import Agent
from judging.models import StylometryReading
from metrics.documents import public_document as public_measures
from metrics.models import MeasuresPublication
from ratings.canonical import canonical, digest
from ratings.documents import Provenance, full_document
from ratings.models import Board, Publication
from ratings.projection import DROP, PUBLIC, Each, UnknownShape, project, public_document
from tests.arena_site.operators import sign_in_operator
from tests.battles.factories import make_agent
from tests.metrics.planting import PLANTED, PLANTED_PART, WRITTEN, plant, planted_like, planted_measures
from tests.ratings.corpora import lively_corpus

pytestmark = pytest.mark.django_db

#: Answers that must be among those that were read, by the beginning of their address.
READ = (
    "/standings",
    "/standings/agent-0",
    "/gaps?a=",
    "/benchmark",
    "/methods",
    "/status",
    "/publications/",
    "/api/metrics",
    "/api/metrics/win_share",
    "/api/ratings/history",
    "/api/publications?limit=1",
    "/api/docs",
)
#: Forms that links alone do not lead to.
FURTHER = (
    "/gaps?a=agent-0&b=agent-1",
    "/api/metrics?format=csv",
    "/api/metrics/win_share",
    "/api/metrics/win_share?format=csv",
    "/api/metrics?board=demo",
    "/api/ratings",
    "/api/ratings?format=csv",
    "/api/ratings?variant=style-controlled",
    "/api/ratings/history",
    "/api/ratings/history?limit=1&format=csv",
    "/api/ratings/gaps?a=agent-0&b=agent-1",
    "/api/matrix",
    "/api/matrix?format=csv",
    "/api/agents",
    "/api/publications?limit=1",
    "/api/publications?format=csv",
    "/api/schema",
    "/api/health",
    "/api/ledger/checkpoint",
    "/api/ledger/entries?start=0",
    "/api/dataset/action-map",
    "/nowhere",
)
#: Pages that are about the visitor, files, and charts of agents after the first, which are like its own.
NOT_FOLLOWED = re.compile(r"^/(static|account|admin|judge|battles|withdraw)\b|/(charts/|gaps\?a=)agent-[1-9]")
#: Names by content: a run of digits in one is chance.
HASHES = re.compile(r"[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9+/]{40,}={0,2}")
LINKS = re.compile(r'(?:href|src|srcset)="([^"#]+)')


@pytest.fixture(scope="module")
def answers(django_db_setup, django_db_blocker):
    """What a visitor and what an operator can read of a board whose withheld counts are all planted."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = settings.STORAGES | {"staticfiles": plain}
    with django_db_blocker.unblock(), override_settings(STORAGES=storages), transaction.atomic():
        publish_planted()
        found = crawled(Client()), told_to_operators()
        transaction.set_rollback(True)
    return found


def publish_planted():
    corpus = lively_corpus(labels=1500, judges=60)
    for key in corpus.agents:
        make_agent(key, kind=Agent.Kind.BASELINE, name=key.title(), provider="Acme")
    full = plant(full_document(Board.DEMO, corpus, Provenance()))
    text, public = canonical(full), canonical(public_document(full))
    assert str(PLANTED) in text
    Publication.objects.create(
        digest=digest(text),
        board=Board.DEMO,
        number=1,
        corpus_digest=corpus.digest,
        public_digest=digest(public),
        labels_cast=PLANTED,
        document=text,
        public_document=public,
    )
    measures = planted_measures(corpus.agents)
    text, public = canonical(measures), canonical(public_measures(measures, sample_sizes=False))
    MeasuresPublication.objects.create(
        digest=digest(text),
        board=Board.DEMO,
        number=1,
        public_digest=digest(public),
        read_at="2026-01-01T00:00:00Z",
        document=text,
        public_document=public,
    )
    StylometryReading.objects.create(
        accuracy=0.5, lower=0.4, upper=0.6, chance=0.25, battles=PLANTED, agents=PLANTED, effective=PLANTED_PART
    )


def crawled(client):
    """Every answer that links lead to from the first page, and further forms, with its headers."""
    waiting, found = ["/", *FURTHER], {}
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        answer = client.get(path)
        assert answer.status_code in {200, 302, 400, 404}, (path, answer.status_code)
        text = answer.content.decode()
        found[path] = "\n".join([*(f"{name}: {value}" for name, value in answer.items()), text])
        if "html" in answer.get("Content-Type", ""):
            links = [urljoin(path, link.split()[0].replace("&amp;", "&")) for link in LINKS.findall(text)]
            waiting += [link for link in links if not urlsplit(link).netloc and not NOT_FOLLOWED.match(link)]
    return found


def told_to_operators():
    client = Client()
    sign_in_operator(client, "viewer")
    return client.get("/quality?board=demo").content.decode()


def counts_in(text):
    """Planted counts in a text, with what stands before them."""
    bare = HASHES.sub("", text)
    return [bare[max(0, bare.find(each) - 60) :][:90] for each in WRITTEN if each in bare]


def test_the_crawl_read_every_kind_of_page_and_file(answers):
    public, _ = answers
    for beginning in READ:
        assert any(path.startswith(beginning) for path in public), beginning
    kinds = {re.search(r"Content-Type: ([a-z/+]+)", text)[1] for text in public.values()}
    assert kinds >= {"text/html", "application/json", "text/csv", "image/svg+xml"}
    for part in ("fit=", "/charts/ratings.json", "/charts/agent-0/history.json", "width=narrow", "scheme=dark"):
        assert any(part in path for path in public), part


def test_no_public_answer_has_a_count(answers):
    public, _ = answers
    found = {path: counts for path, text in public.items() if (counts := counts_in(text))}
    assert found == {}


def test_operators_are_told_the_counts(answers):
    _, told = answers
    assert told.count(str(PLANTED)) > 100


def test_the_terminal_of_an_operator_has_counts(capsys):
    call_command("measures", "--board", "demo", "--json")
    measures = json.loads(capsys.readouterr().out)["demo"]
    assert all("counts" in value for measure in measures for value in measure["values"])


def test_a_crawl_that_meets_a_count_finds_it():
    for written in WRITTEN:
        assert counts_in(f"<td>{written}</td>")
    assert not counts_in("0123456789ab350377cdef0123")


# The projection itself.

COUNTS = st.one_of(st.just(PLANTED), st.just(PLANTED_PART), st.just(str(PLANTED)))
#: A count as anything that JSON has.
COUNTED = st.recursive(
    COUNTS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.sampled_from(("of", "votes", "judges", "n")), inner, min_size=1)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def full():
    return full_document(Board.DEMO, lively_corpus(labels=400, judges=40), Provenance())


def places(value, shape, path=()):
    """Every place of a document: its path, and the shape of what stands there."""
    yield path, shape
    if isinstance(shape, Each):
        for key, each in value.items():
            yield from places(each, shape.shape, (*path, key))
    elif isinstance(shape, dict) and value is not None:
        for key, each in value.items():
            yield from places(each, shape[key], (*path, key))
    elif isinstance(shape, list):
        for number, each in enumerate(value):
            yield from places(each, shape[0], (*path, number))


def with_value(document, path, value):
    if not path:
        return value
    place, *rest = path
    if isinstance(document, list):
        return [with_value(each, rest, value) if at == place else each for at, each in enumerate(document)]
    return {**document, place: with_value(document.get(place), rest, value)}


@given(data=st.data())
def test_a_count_in_whatever_form_never_passes_where_it_is_left_out(full, data):
    dropped = [path for path, shape in places(full, PUBLIC) if shape is DROP]
    path = data.draw(st.sampled_from(dropped))
    # The number of judges decides whether their share is told, so it stays one.
    planted = PLANTED if path[-1] == "of" else data.draw(COUNTED)
    assert str(PLANTED) not in canonical(public_document(with_value(full, path, planted)))


@given(data=st.data())
def test_a_key_that_nobody_decided_about_stops_the_publication_wherever_it_is(full, data):
    mappings = [path for path, shape in places(full, PUBLIC) if isinstance(shape, dict)]
    path = data.draw(st.sampled_from([path for path in mappings if isinstance(at(full, path), dict)]))
    with pytest.raises(UnknownShape):
        public_document(with_value(full, (*path, "votes_cast"), data.draw(COUNTED)))


@given(data=st.data())
def test_a_whole_number_passes_only_where_ranks_and_constants_are(full, data):
    leaves = [(path, shape) for path, shape in places(full, PUBLIC) if callable(shape)]
    path, shape = data.draw(st.sampled_from(leaves))
    if shape.__name__ == "rank":
        return
    with pytest.raises(UnknownShape):
        project(with_value(full, path, PLANTED), PUBLIC, "document")


def at(document, path):
    for place in path:
        document = document[place]
    return document


def test_a_planted_document_projects_to_the_same_public_one(full):
    same = public_document(full)
    assert canonical(public_document(plant(full))) == canonical(same)
    assert planted_like({"of": 3, "labels": [1]}) == {"of": PLANTED, "labels": [PLANTED, PLANTED], "planted": PLANTED}
