"""Settings of the property tests of this folder, and pages without collected static files."""

import pytest
from hypothesis import settings as hypothesis_settings

# A busy machine takes its time: time is no property of these functions.
hypothesis_settings.register_profile("measures", deadline=None, max_examples=60)
hypothesis_settings.load_profile("measures")


@pytest.fixture(autouse=True)
def plain_static(settings):
    """Static files under their own names."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
