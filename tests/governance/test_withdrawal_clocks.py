"""The clocks of a withdrawal: instants and spans, so that neither a server's zone nor a change of clocks moves them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.withdrawal_clocks import CORPUS, LICENSEES, UnknownTimeZone, instant_words

#: 23:30 in Berlin on the evening before its clocks go forward.
RECEIVED = datetime(2026, 3, 28, 22, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_seven_days_are_168_hours_also_when_clocks_change():
    assert CORPUS.due_at(RECEIVED) == datetime(2026, 4, 4, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize("server", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_a_person_reads_their_deadline_in_their_own_time_zone(server, settings):
    settings.TIME_ZONE = server
    assert instant_words(CORPUS.due_at(RECEIVED), "Europe/Berlin") == "5 April 2026 00:30 CEST"
    assert instant_words(RECEIVED, "Europe/Berlin") == "28 March 2026 23:30 CET"
    assert instant_words(RECEIVED) == "28 March 2026 22:30 UTC"


@pytest.mark.parametrize("zone", ["Berlin", "", "../etc/passwd", "Europe/Berlin\0"])
def test_what_is_no_time_zone_is_refused(zone):
    with pytest.raises(UnknownTimeZone):
        instant_words(RECEIVED, zone)


@pytest.mark.parametrize("clock", [CORPUS, LICENSEES])
def test_a_clock_runs_out_at_the_instant_it_is_due_and_not_before(clock):
    due_at = clock.due_at(RECEIVED)
    assert not clock.overdue(RECEIVED, None, due_at - SECOND)
    assert clock.overdue(RECEIVED, None, due_at)
    assert not clock.overdue(RECEIVED, due_at + SECOND, due_at + 2 * SECOND)


@given(st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_operators_are_reminded_before_the_sweep_acts_and_it_acts_before_the_deadline(received_at):
    for clock in (CORPUS, LICENSEES):
        assert received_at < clock.reminds_at(received_at) < clock.acts_at(received_at) < clock.due_at(received_at)
