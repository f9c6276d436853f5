"""Rows on their way out: the same words give the same words, whatever was remembered and whoever redacted."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battles.redacted_texts import hidden_row
from governance.dataset import small_numbers
from governance.dataset.small_numbers import with_numbers, without_numbers
from governance.dataset.treatment import Treatment
from governance.exports import Column, ColumnKind, ExportTable
from governance.redaction import redact_value

TABLE = ExportTable(
    "steps",
    "",
    (
        Column("arguments", ColumnKind.DATA, "", ""),
        Column("target", ColumnKind.DATA, "", ""),
        Column("title", ColumnKind.TEXT, "", ""),
        Column("judge", ColumnKind.JUDGE, "", ""),
    ),
    "",
    "",
    together=("arguments", "target"),
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "kettle", "maria@example.org", "+44 20 7946 0958", "[0]", "99999"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner), max_leaves=8
)


def treated(treatment, rows, table=TABLE, size=500):
    """Rows as they leave, treated in batches of so many."""
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    found = list(treatment.batches(batches, table))
    assert [list(read) for read, _ in found] == batches
    return [row for _, leaving in found for row in leaving]


def row(arguments, target=None, title="Shop", judge="j" * 32, known=None, private=False):
    return (json.dumps(arguments), target and json.dumps(target), title, judge, known, private)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_taking_numbers_out_and_putting_them_back_changes_nothing_of_redaction(value):
    taken = []
    without = json.loads(without_numbers(json.dumps(value), taken))
    shown = with_numbers(json.dumps(redact_value(without).value), taken)
    assert json.loads(shown) == json.loads(json.dumps(redact_value(value).value))


@pytest.mark.parametrize(
    "text", ['{"a\\"7": "12", "b": [-0.5, 1.50, 3e2, 123456]}', '["\\\\", 5, "\\u00e9 8"]', "7", "[true]"]
)
def test_numbers_come_back_as_they_were_written_and_digits_in_words_are_none(text):
    taken = []
    without = without_numbers(text, taken)
    assert with_numbers(without, taken) == text
    assert [json.loads(number) for number in taken] == [
        found for found in numbers_in(json.loads(text)) if abs(found) < 100_000
    ]


def numbers_in(value):
    if isinstance(value, dict):
        return [found for held in value.values() for found in numbers_in(held)]
    if isinstance(value, list):
        return [found for held in value for found in numbers_in(held)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


def test_more_small_numbers_than_there_are_places_stay(monkeypatch):
    monkeypatch.setattr(small_numbers, "SMALLEST_NUMBER", 3)
    taken = []
    assert without_numbers("[1, 1, 1, 1]", taken) == "[1, 1, 1, 1]"
    assert taken == []


def test_a_word_typed_into_a_field_for_a_password_is_one():
    with Treatment(secret=b"s") as treatment:
        [shown] = treated(treatment, [row({"text": "kettle9"}, {"label": "Password", "x": 3})])
    assert json.loads(shown[0]) == {"text": "[password]"}
    assert json.loads(shown[1])["x"] == 3


def test_private_rows_have_no_words_and_keys_of_judges_are_of_this_secret():
    with Treatment(secret=b"one") as one, Treatment(secret=b"two") as two:
        rows = [row({"text": "a"}, private=True), row({"text": "a"})]
        private, shown = treated(one, rows)
        assert private[:3] == (None, None, None)
        assert shown[:3] == ('{"text": "a"}', None, "Shop")
        assert private[3] == shown[3] != treated(two, rows)[0][3]
        assert "j" * 32 not in private


def test_what_is_remembered_and_what_several_processes_redact_is_the_same():
    rows = [row({"text": f"mail{n % 3}@example.org", "x": n}, title=f"Title {n % 5}") for n in range(40)]
    with Treatment(secret=b"s") as alone, Treatment(secret=b"s", processes=2) as shared:
        first = treated(alone, rows)
        assert first == treated(alone, rows) == treated(shared, rows, size=7) == treated(shared, rows, size=7)
    assert json.loads(first[7][0]) == {"text": "[e-mail]", "x": 7}


def test_what_a_lane_is_known_to_hold_is_replaced_though_the_same_words_were_clean_in_another():
    table = dataclasses.replace(TABLE, hide=hidden_row)
    words = {"text": "Ask the lender."}
    rows = [row(words, title="lender"), row(words, title="lender", known='{"lender": "password"}')]
    with Treatment(secret=b"s") as treatment:
        for _ in range(2):
            plain, hidden = treated(treatment, rows, table)
            assert (json.loads(plain[0]), plain[2]) == (words, "lender")
            assert (json.loads(hidden[0]), hidden[2]) == ({"text": "Ask the [password]."}, "[password]")


def test_of_words_with_nothing_personal_in_them_a_digest_alone_is_remembered():
    with Treatment(secret=b"s") as treatment:
        treated(treatment, [row({"text": "kettle"}, title="A quiet title")])
        assert treatment._changed == {}
        assert len(treatment._clean) == 2
        assert "quiet" not in repr(treatment._clean)
