"""Where a task may start outside the public net, and under which names."""

from battles.lanes.allowlist import operator_allowlist, startable_hosts


def test_the_operators_entries_are_written_as_addresses_are(settings):
    settings.ARENA_EGRESS_ALLOW = {
        ("staging.example.test", 80): ("127.0.0.1", 8080),
        ("::1", 80): ("::1", 8081),
    }
    assert operator_allowlist() == {"staging.example.test:80": "127.0.0.1:8080", "[::1]:80": "[::1]:8081"}


def test_practice_sites_can_always_be_started_from(settings):
    settings.ARENA_EGRESS_ALLOW = {}
    assert "shop.practice.test:80" in startable_hosts()
