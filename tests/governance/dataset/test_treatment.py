"""Rows on their way out: the same words give the same words, whatever was remembered and whoever redacted."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from governance.dataset.treatment import Treatment, _with_numbers, _without_numbers
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


def row(arguments, target=None, title="Shop", judge="j" * 32, known=None, private=False):
    return (json.dumps(arguments), target and json.dumps(target), title, judge, known, private)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_taking_numbers_out_and_putting_them_back_changes_nothing_of_redaction(value):
    taken = []
    without = json.loads(_without_numbers(json.dumps(value), taken))
    shown = _with_numbers(json.dumps(redact_value(without).value), taken)
    assert json.loads(shown) == json.loads(json.dumps(redact_value(value).value))


def test_a_word_typed_into_a_field_for_a_password_is_one():
    with Treatment(secret=b"s") as treatment:
        [shown] = treatment.batch([row({"text": "kettle9"}, {"label": "Password", "x": 3})], TABLE)
    assert json.loads(shown[0]) == {"text": "[password]"}
    assert json.loads(shown[1])["x"] == 3


def test_private_rows_have_no_words_and_keys_of_judges_are_of_this_secret():
    with Treatment(secret=b"one") as one, Treatment(secret=b"two") as two:
        rows = [row({"text": "a"}, private=True), row({"text": "a"})]
        private, shown = one.batch(rows, TABLE)
        assert private[:3] == (None, None, None)
        assert shown[:3] == ('{"text": "a"}', None, "Shop")
        assert private[3] == shown[3] != two.batch(rows, TABLE)[0][3]
        assert "j" * 32 not in private


def test_what_is_remembered_and_what_several_processes_redact_is_the_same():
    rows = [row({"text": f"mail{n % 3}@example.org", "x": n}, title=f"Title {n % 5}") for n in range(40)]
    with Treatment(secret=b"s") as alone, Treatment(secret=b"s", processes=2) as shared:
        first = alone.batch(rows, TABLE)
        assert first == alone.batch(rows, TABLE) == shared.batch(rows, TABLE)
    assert json.loads(first[7][0]) == {"text": "[e-mail]", "x": 7}
