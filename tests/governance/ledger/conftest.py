"""A ledger with a key folder of its own."""

import pytest


@pytest.fixture
def key_folder(settings, tmp_path):
    """Where the private key is: a folder of this test's own."""
    settings.ARENA_DATA_DIR = tmp_path
    settings.ARENA_LEDGER_KEY = None
    return tmp_path
