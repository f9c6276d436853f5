"""What people are promised within days is written from the constants that decide, wherever it is said."""

import importlib.util
import re
from datetime import timedelta

import pytest
from django.contrib import admin

from battles import roster
from governance import disclosures, due, withdrawal_clocks, withheld
from governance.withdrawal_clocks import Clock
from tests.battles.factories import make_agent


def read_anew(name):
    """A module as it would be if it were imported now; the one that everybody has stays as it is."""
    found = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def texts_of(page):
    return " ".join([page.introduction, *(act.meaning for act in page.acts)])


def numbers(text):
    return re.findall(r"\b\d+\b", text)


@pytest.fixture
def changed(monkeypatch):
    """Other promises; and what is read anew registers nothing."""
    corpus, licensees = (Clock(name, timedelta(days=days)) for name, days in (("corpus", 11), ("licensees", 43)))
    for name, value in {
        "CORPUS": corpus,
        "CORPUS_WITHIN": corpus.within,
        "LICENSEES": licensees,
        "LICENSEES_WITHIN": licensees.within,
        "ACTS_BEFORE": timedelta(days=5),
    }.items():
        monkeypatch.setattr(withdrawal_clocks, name, value)
    monkeypatch.setattr(roster, "NOTICE", timedelta(days=23))
    monkeypatch.setattr(admin, "register", lambda *_, **__: lambda page: page)
    for module, name in ((due, "register_due"), (withheld, "register_scrubber"), (disclosures, "register_disclosure")):
        monkeypatch.setattr(module, name, lambda _: None)


def test_both_clocks_are_said_as_they_are(changed):
    queue = read_anew("governance.withdrawals_admin").WithdrawalAdmin
    command = read_anew("arena_site.management.commands.withdrawals").Command
    [measure] = [each for each in read_anew("metrics.catalog.arena").ARENA if each.key == "withdrawal_on_time"]
    assert numbers(texts_of(queue)) == ["11", "43", "5"]
    assert numbers(command.help) == ["11", "43", "5", "2"]
    assert numbers(measure.counted) == ["11", "43"]


@pytest.mark.django_db
def test_the_notice_of_an_agent_is_said_as_it_is(changed):
    make_agent()
    page = read_anew("battles.admin").AgentAdmin
    assert numbers(texts_of(page)) == ["23"]
    assert numbers(" ".join(read_anew("battles.disclosures").retirements().says)) == ["23"]
