"""A visitor's browser without a browser: Django's test client, with the cookies people have."""

import pytest
from django.core import signing
from django.test import Client

from arena_site.seed import seed
from judging.identity import COOKIE, SALT
from tests.battles.factories import make_votable
from tests.judging.handing import make_signed_in, offer


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    """Static files under their own names: the hashed ones are made at set-up, and tests in a browser use those."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture
def seeded(db):
    seed()


@pytest.fixture
def visitor(seeded):
    return Client()


@pytest.fixture
def post_task(seeded):
    """Post a task as a visitor does: the form, the consent box, the button. Returns the answer."""

    def post(client, **fields):
        page = client.get("/battles/new")
        values = {
            "stage": "submit",
            "instruction": "Find out when the town library opens on Saturdays.",
            "start_url": "https://library.example.org/",
            "category": "research",
            "kind": "answer",
            "consent": "yes",
            "consent_sha256": page.context["consent"]["sha256"],
            "idempotency_key": page.context["idempotency_key"],
        }
        return client.post("/battles/new", values | fields)

    return post


@pytest.fixture
def nothing_comes_back(monkeypatch):
    """A pool in which no battle comes back to its judge by chance, with its names still hidden."""
    monkeypatch.setattr("judging.pool.FLIP_SHARE", 0.0)


@pytest.fixture
def a_named_operator(settings):
    """Without a legal name nothing may be offered."""
    settings.ARENA_LEGAL_NAME = "Sandbach Arena Foundation"


@pytest.fixture
def as_judge(seeded):
    """A browser that is this judge. How an account's judge signs in is the accounts' own matter, and tested there."""

    def browser(judge) -> Client:
        client = Client()
        client.cookies[COOKIE] = signing.Signer(salt=SALT).sign(judge.pk)
        return client

    return browser


@pytest.fixture
def ready(a_named_operator, nothing_comes_back, db):
    """A judge to whom the pool is open."""
    return make_signed_in(practised=3)


@pytest.fixture
def waiting(ready):
    """A battle of somebody else's, offered to the pool."""
    return offer(make_votable())
