"""One arena for a module of tests; what a test writes into it is gone after the test."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from tests.arena_site.security.board import Arena, build


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Arena]:
    """The arena, in a transaction that is rolled back with the module."""
    folder = tmp_path_factory.mktemp("arena")
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    frames = {"BACKEND": "battles.lanes.frame_files.WholeFileStorage", "OPTIONS": {"location": folder / "frames"}}
    storages = settings.STORAGES | {"staticfiles": plain, "frames": frames}
    ours = {"STORAGES": storages, "ARENA_LEGAL_NAME": "Sandbach Arena Foundation", "ARENA_DATA_DIR": folder}
    with django_db_blocker.unblock(), override_settings(**ours), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def arena(built: Arena) -> Iterator[Arena]:
    savepoint = transaction.savepoint()
    yield built
    transaction.savepoint_rollback(savepoint)
