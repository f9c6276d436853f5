"""Draws that are the same everywhere."""

from __future__ import annotations

import numpy as np
from scipy import stats

from ratings.estimators.seeded import SeededDraws


def test_the_stream_of_a_seed_is_fixed_for_ever() -> None:
    assert SeededDraws(1).words(2).tolist() == [9441442522235856127, 17532960557476522086]
    assert np.allclose(SeededDraws(1).uniforms(2), [0.51182162, 0.9504637], atol=5e-8)


def test_draws_have_their_distributions() -> None:
    draws = SeededDraws(7)
    assert stats.kstest(draws.uniforms(20_000), "uniform").pvalue > 0.001
    assert stats.kstest(draws.normals(20_000), "norm").pvalue > 0.001
    signs = draws.signs(100, 200)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 4 / np.sqrt(20_000)


def test_orders_are_orders_and_positions_are_even() -> None:
    orders = SeededDraws(3).orders(6000, 3)
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(3), (6000, 1)))
    _, counts = np.unique(orders @ [9, 3, 1], return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 0.001


def test_resampling_keeps_the_size() -> None:
    counts = SeededDraws(3).resampled(1000)
    assert counts.sum() == 1000
    assert abs((counts == 0).mean() - np.exp(-1)) < 0.05
