"""A change of the rules by which labels are left out enters the ledger, and the public changelog says so."""

import pytest

from governance.ledger.changelog import changelog
from governance.models import LedgerEntry
from ratings import exclusion_rules
from ratings.exclusion_rules import ACTION, note_after_migrating, note_exclusion_rules, rules_digest
from ratings.models import Publication


@pytest.fixture
def another_rule(monkeypatch):
    """What a later version of the code would leave out."""

    def change():
        monkeypatch.setattr(exclusion_rules, "REPEAT_WITHIN", exclusion_rules.REPEAT_WITHIN * 2)

    return change


def publish():
    Publication.objects.create(
        digest="d" * 64,
        board="demo",
        number=1,
        corpus_digest="c" * 64,
        public_digest="p" * 64,
        labels_cast=1,
        document="{}",
        public_document="{}",
    )


@pytest.mark.django_db
def test_a_changed_rule_is_entered_once_and_told(another_rule):
    assert note_exclusion_rules()
    assert not note_exclusion_rules()
    before = rules_digest()
    another_rule()
    assert note_exclusion_rules()
    assert LedgerEntry.objects.filter(kind=ACTION).count() == 2
    newest = changelog(newest=1)[0]
    assert before in newest.words
    assert rules_digest() in newest.words


@pytest.mark.django_db
def test_migrating_notices_it_once_something_was_published_by_other_rules(another_rule):
    note_after_migrating()
    assert not LedgerEntry.objects.filter(kind=ACTION).exists()
    publish()
    note_after_migrating()
    another_rule()
    note_after_migrating()
    note_after_migrating()
    assert LedgerEntry.objects.filter(kind=ACTION).count() == 2


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("REASON_WORDS", {}),
        ("DECIDING", ("races", "labels")),
        ("DEFINITION", "another"),
        ("outrank_submitters", lambda reasons, battles, by_submitter: reasons),
    ],
)
def test_every_part_of_the_rules_is_in_the_digest(monkeypatch, name, planted):
    before = rules_digest()
    monkeypatch.setattr(exclusion_rules, name, planted)
    assert rules_digest() != before


def test_a_comment_or_a_line_break_in_a_statement_is_no_rule():
    assert exclusion_rules._plain("SELECT 1 -- why\n  FROM x\n") == exclusion_rules._plain("SELECT 1 FROM x")
