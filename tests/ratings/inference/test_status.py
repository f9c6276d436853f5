"""Status and power of slices."""

from __future__ import annotations

import pytest
from statsmodels.stats.power import NormalIndPower

from ratings.inference.status import Status, items_to_resolve, status, underpowered


@pytest.mark.parametrize(
    ("battles", "identified", "drifting", "expected"),
    [
        (0, True, False, Status.PROVISIONAL),
        (29, True, False, Status.PROVISIONAL),
        (30, True, False, Status.SETTLING),
        (999, True, False, Status.SETTLING),
        (1000, True, False, Status.STABLE),
        (1000, False, False, Status.SETTLING),
        (1000, True, True, Status.SETTLING),
    ],
)
def test_status(battles: int, identified: bool, drifting: bool, expected: Status) -> None:
    assert status(battles, identified=identified, drifting=drifting) is expected


def test_three_points_need_969_items() -> None:
    assert items_to_resolve() == 969
    assert underpowered(968)
    assert not underpowered(969)
    assert not underpowered(350, difference=0.05)


def test_the_constant_is_that_of_a_power_calculation() -> None:
    # One sample with variance 1/9: the effect is the difference in units of a third.
    n = NormalIndPower(ddof=0).solve_power(effect_size=0.09, alpha=0.05, power=0.8, ratio=0)
    assert items_to_resolve() == pytest.approx(n, abs=0.6)
