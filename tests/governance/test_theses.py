"""A belief stands on the page while its mechanism does, and is a gap when it does not."""

import json
from dataclasses import replace

import pytest
from django.core.management import call_command

from governance import claims
from governance.claims import Claim, Gap, check, check_one
from governance.claims_document import BELIEFS, beliefs_markdown, document_problem, write_document
from governance.models import Judge
from governance.theses import (
    ROOT,
    BadThesis,
    Cited,
    CodeMutation,
    DatabaseMutation,
    Section,
    Standing,
    Thesis,
    theses,
    thesis,
)

pytestmark = pytest.mark.django_db

LIMIT = Cited("governance.limits", "LABELS_AN_HOUR")


def trial(**fields) -> Thesis:
    plain = {
        "section": Section.CLAIMS,
        "key": "a-trial",
        "belief": "A belief.",
        "why": "A reason.",
        "mechanism": "A mechanism.",
        "cites": Cited("governance.limits", "check_label_limit"),
    }
    return Thesis(**plain | fields)


@pytest.fixture(autouse=True)
def asked_anew():
    claims.forget()
    yield
    claims.forget()


@pytest.mark.parametrize(
    "fields",
    [
        {"key": "Not A Key"},
        {"key": "sentence-kept-verbatim"},
        {"belief": "Kept for 7 days."},
        {"why": "Kept for seven days."},
        {"mechanism": "More than a third of them."},
        {"belief": "No full stop"},
        {"belief": "At most {limit}."},
        {"figures": {"limit": LIMIT}},
        {"predicate": lambda found: True},
        {"mutations": (CodeMutation("all", "manage.py", "a", "b"),)},
    ],
)
def test_the_registry_refuses(fields):
    theses()
    with pytest.raises(BadThesis):
        thesis(trial(**fields))


def test_at_least_the_promised_beliefs_are_held_and_most_are_proven():
    found = theses()
    assert len(found) >= 32
    assert sum(one.standing is Standing.PROVEN for one in found) >= 24
    assert {one.section for one in found} == set(Section)


@pytest.mark.parametrize("one", theses(), ids=lambda one: one.key)
def test_every_thesis_holds_and_a_proven_one_is_false_of_its_stand_in(one):
    found = check_one(one)
    assert isinstance(found, Claim), found
    assert found.standing is one.standing
    if one.predicate is not None:
        assert one.predicate(one.broken) is False


def test_every_mutation_would_be_applied_exactly_once():
    for one in theses():
        assert one.mutations, one.key
        for mutation in one.mutations:
            if isinstance(mutation, CodeMutation):
                assert (ROOT / mutation.path).read_text().count(mutation.old) == 1, (one.key, mutation.removes)
                assert mutation.old != mutation.new
            else:
                assert isinstance(mutation, DatabaseMutation)
                assert mutation.statements


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"predicate": lambda found: False, "broken": 1}, "not there any more"),
        ({"predicate": lambda found: 1 / 0, "broken": 1}, "asking it failed"),
        ({"predicate": lambda found: True, "broken": 1}, "also true without it"),
        ({"predicate": lambda found: found.nothing if found == 1 else True, "broken": 1}, "of a broken one"),
        ({"predicate": lambda found: "yes", "broken": 1}, "not there any more"),
        ({"cites": Cited("governance.limits", "nobody")}, "has no nobody"),
        ({"cites": Cited("governance.nowhere", "nobody")}, "is not there"),
        ({"belief": "At most {limit}.", "figures": {"limit": Cited("governance.limits", "NONE")}}, "has no NONE"),
        ({"belief": "At most {limit:%Q}.", "figures": {"limit": LIMIT}}, "figure could not be read"),
    ],
)
def test_a_belief_becomes_a_gap(fields, why):
    found = check_one(trial(**fields))
    assert isinstance(found, Gap)
    assert why in found.why
    assert "A belief." not in found.why


def test_numbers_are_those_of_the_constants(monkeypatch):
    one = trial(belief="At most {limit} an hour.", figures={"limit": LIMIT})
    assert check_one(one).belief == "At most 60 an hour."
    monkeypatch.setattr("governance.limits.LABELS_AN_HOUR", 61)
    found = check_one(one)
    assert found.belief == "At most 61 an hour."
    assert found.figures == (("governance.limits.LABELS_AN_HOUR", "61"),)


def verify(capsys) -> tuple[int, dict]:
    with pytest.raises(SystemExit) as ended:
        call_command("verify_claims", "--json")
    return ended.value.code, json.loads(capsys.readouterr().out)


def test_the_command_passes_and_counts(capsys):
    status, found = verify(capsys)
    assert (status, found["gaps"], found["document"]) == (0, [], "")
    assert found["proven"] + found["stated"] == len(theses())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda one: replace(one, cites=replace(one.cites, symbol="nobody")),
        lambda one: replace(one, cites=replace(one.cites, module="governance.nowhere")),
        lambda one: replace(one, predicate=lambda found: False),
        lambda one: replace(one, predicate=lambda found: True),
    ],
    ids=["symbol", "file", "predicate", "stand-in"],
)
def test_the_command_fails_when_a_thesis_does(capsys, monkeypatch, spoil):
    first, *rest = theses()
    monkeypatch.setattr("governance.management.commands.verify_claims.theses", lambda: (spoil(first), *rest))
    status, found = verify(capsys)
    assert status == 1
    assert [gap["key"] for gap in found["gaps"]] == [first.key]


def test_the_command_fails_when_the_document_quotes_another_constant(capsys, monkeypatch):
    monkeypatch.setattr("battles.lanes.loop.INVALID_IN_A_ROW", 5)
    status, found = verify(capsys)
    assert status == 1
    assert found["gaps"] == []
    assert "claims.md" in found["document"]


def test_the_document_is_mended_between_its_marks_only(tmp_path):
    page = tmp_path / "claims.md"
    page.write_text(f"Before.\n{BELIEFS[0]}Old.\n{BELIEFS[1]}After.\n")
    found = check([trial()])
    assert document_problem(found, page)
    write_document(found, page)
    assert document_problem(found, page) == ""
    assert page.read_text() == f"Before.\n{BELIEFS[0]}{beliefs_markdown(found)}{BELIEFS[1]}After.\n"
    assert document_problem(found, tmp_path / "none.md")


def test_asking_writes_nothing():
    def writes(found) -> bool:
        return Judge.objects.create() is not None

    found = check_one(trial(predicate=writes, broken=1))
    assert isinstance(found, Gap)
    assert "asking it failed" in found.why
    # The test's own transaction may write on.
    assert Judge.objects.count() == 0
    Judge.objects.create()
