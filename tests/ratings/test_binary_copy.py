"""Rows of a statement as columns: whole, in their order, and refused where they are not what was promised."""

import uuid

import numpy as np
import pytest
from django.db import connection

from ratings import binary_copy
from ratings.binary_copy import UnreadableRows, copied

pytestmark = [pytest.mark.django_db, pytest.mark.production]

COLUMNS = (("number", "int4"), ("large", "int8"), ("part", "float8"), ("name", "uuid"))
ROWS = """
    SELECT n::int4, n::int8 << 40, n / 3.0::float8, lpad(to_hex(n), 32, 'f')::uuid
    FROM generate_series(%(first)s, %(last)s) AS n
"""


def read(statement, columns=COLUMNS, **values):
    with connection.cursor() as cursor:
        return copied(cursor, statement, values, columns)


# Blocks that end in the middle of a row, of one row, and larger than everything.
@pytest.mark.parametrize("block", [1, 67, 1000, 1 << 20])
def test_every_value_comes_over_in_its_place(monkeypatch, block):
    monkeypatch.setattr(binary_copy, "_BLOCK", block)
    found = read(ROWS, first=-3, last=500)
    numbers = np.arange(-3, 501)
    assert np.array_equal(found["number"], numbers)
    assert np.array_equal(found["large"], numbers << 40)
    assert np.array_equal(found["part"], numbers / 3.0)
    high, low = found["name"][-1].tolist()
    assert uuid.UUID(int=high << 64 | low) == uuid.UUID("f" * 29 + "1f4")
    assert all(column.dtype.isnative for column in found.values())


def test_no_row_is_columns_of_no_length():
    found = read(ROWS, first=1, last=0)
    assert {name: column.shape for name, column in found.items()} == {
        "number": (0,),
        "large": (0,),
        "part": (0,),
        "name": (0, 2),
    }


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("SELECT CASE WHEN n = 7 THEN NULL ELSE n END FROM generate_series(1, 9) AS n", COLUMNS[:1]),
        ("SELECT NULL::int4", COLUMNS[:1]),
        ("SELECT 1::int8", COLUMNS[:1]),
        ("SELECT 1::int4, 2::int4", COLUMNS[:1]),
        ("SELECT 1::int4", COLUMNS[:2]),
        ("SELECT repeat('x', 4)", COLUMNS[1:2]),
    ],
)
def test_what_was_not_promised_is_refused(statement, columns):
    with pytest.raises(UnreadableRows):
        read(statement, columns)
