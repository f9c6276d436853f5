"""Authorization and cookie headers are never stored: a lane that really sends and receives them leaves none behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from tests.battles.factories import ended, make_battle, race, started, step
from tests.battles.imagery.conftest import frame_folder  # noqa: F401  # a fixture
from tests.battles.lanes.conftest import Hands

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

SECRETS = ("AUTHORIZATIONSECRET", "COOKIESECRET")


def _everything_stored(frames: Path) -> str:
    """All rows of all tables as text, and all files."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        rows = []
        for table in tables:
            cursor.execute(f'SELECT row_to_json(held)::text FROM "{table}" AS held')
            rows += [row for (row,) in cursor.fetchall()]
    files = [path.read_bytes().decode("latin-1") for path in frames.rglob("*") if path.is_file()]
    return "\n".join([*rows, *files])


def test_a_lane_that_signs_in_stores_no_header(hands: Hands, tmp_path: Path) -> None:
    hands.go("/credentials")
    hands.go("/credentials")
    # Only what was sent can be left out.
    assert hands.pond.credentials == ("Bearer AUTHORIZATIONSECRET", "session=COOKIESECRET")
    text = hands.do("read", what="text")
    looked = [text, hands.do("read", what="elements"), hands.do("observe")]
    events = [started("A"), started("B")]
    events += [
        step("A", number, frame=hands.view.frame, result=result, title=hands.view.title, url_after=hands.view.url)
        for number, result in enumerate(looked, start=1)
    ]
    race(make_battle(), events=[*events, ended("A"), ended("B")])
    stored = _everything_stored(tmp_path)
    assert "welcome" in stored
    for secret in SECRETS:
        assert secret not in stored
