"""The benchmark screen's posture on the methods page: every measured share, and the limit said plainly."""

import pytest
from django.test import Client

from battles.screening.overlap import OVERLAP_POSTURE
from ratings.overlap_figure import LABELS, overlap_figure


def test_every_share_is_the_measured_one():
    figure = overlap_figure()
    shares = [row.percent for row in figure.rows]
    assert shares == [pytest.approx(100 * OVERLAP_POSTURE.rates[key]) for key in LABELS]
    assert figure.current == OVERLAP_POSTURE.is_current()


@pytest.fixture
def plain_static_files(settings):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.mark.django_db
@pytest.mark.usefixtures("plain_static_files")
def test_the_methods_page_says_what_the_screen_misses(client: Client):
    page = client.get("/methods").content.decode()
    assert "not full paraphrases" in page
    for label in LABELS.values():
        assert label in page
