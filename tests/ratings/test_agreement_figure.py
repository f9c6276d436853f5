"""The agreement of judges on the methods page: withheld below a floor, and never finer than a hundredth."""

import pytest

from judging.agreement import Coefficient
from ratings.agreement_figure import FEWEST_ITEMS, TOO_FEW, _row


def test_a_figure_of_few_battles_is_withheld_with_its_interval():
    row = _row("Equal votes", Coefficient(2 / 3, 0.2, 0.9, "", FEWEST_ITEMS - 1), scale=100)
    assert (row.value, row.lower, row.upper, row.reason) == (None, None, None, TOO_FEW)


@pytest.mark.parametrize(("scale", "shown"), [(1, (0.67, 0.21, 0.91)), (100, (67, 21, 91))])
def test_from_there_on_it_is_as_fine_as_other_shares(scale, shown):
    row = _row("Equal votes", Coefficient(2 / 3, 0.2123, 0.9123, "", FEWEST_ITEMS), scale=scale)
    assert (row.value, row.lower, row.upper) == shown


def test_a_reason_of_its_own_is_kept():
    assert "twice" in _row("Alpha", Coefficient(None, None, None, "no pairable items", 0)).reason
