"""A short run of the fuzzer against a living server: the long one is ``make fuzz``."""

import pytest

from arena_site.rest import limits
from tests.arena_site.rest.fuzzing import fuzz
from tests.arena_site.rest.published import publish_board
from tests.arena_site.rest.scripts import make_owner, token_of


@pytest.mark.django_db(transaction=True)
def test_whatever_the_schema_allows_is_answered_as_it_says(live_server, broker, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "READS", 10**9)
    publish_board()
    token = token_of(make_owner())
    found = fuzz(live_server.url, tmp_path, "--phases", "fuzzing", "--max-examples", "3", "--seed", "1", token=token)
    assert found.clean, found.said
    assert found.cases > 100
    assert not any(status >= 500 for counted in found.statuses.values() for status in counted)
