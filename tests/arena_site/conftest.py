"""A visitor's browser without a browser: Django's test client, with the cookies people have."""

import pytest
from django.test import Client

from arena_site.seed import seed


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
