"""The arithmetic: known values, and what a quiet week and an outage give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from analytics.alerts.statistics import TRIMMED_SHARE, Spread, fit, fit_spread, smoothed_rate, tail, unlikely_run


def test_tail_is_poisson_without_extra_spread() -> None:
    """With variance = mean the negative binomial is Poisson's limit."""
    assert tail(5, 1.5, Spread()) == pytest.approx(stats.poisson.sf(4, 1.5))


def test_tail_by_hand() -> None:
    """Mean 2, variance 6: size 1, success probability 1/3, so P(K >= 3) = (2/3)^3."""
    assert tail(3, 2.0, Spread(linear=1.0, quadratic=1.0)) == pytest.approx((2 / 3) ** 3)


@pytest.mark.parametrize(("k", "expected", "probability"), [(0, 1.0, 1.0), (3, 0.0, 0.0)])
def test_tail_at_the_edges(k: int, expected: float, probability: float) -> None:
    """No failures are always as many as that; failures where none are expected are never chance."""
    assert tail(k, expected, Spread()) == probability


@pytest.mark.parametrize("linear", [1.0, 1.3, 4.0])
@pytest.mark.parametrize("quadratic", [0.0, 0.2, 3.0])
def test_tails_are_scipys(linear: float, quadratic: float) -> None:
    """Over all sizes of counts and spreads, far into the tail, the probabilities are those of SciPy's distributions."""
    for expected in (0.01, 0.7, 6.0, 80.0):
        variance = linear * expected + quadratic * expected**2
        for k in (1, 2, 5, 30, 200):
            if variance > expected:
                size = expected**2 / (variance - expected)
                wanted = stats.nbinom.sf(k - 1, size, expected / variance)
            else:
                wanted = stats.poisson.sf(k - 1, expected)
            assert tail(k, expected, Spread(linear, quadratic)) == pytest.approx(wanted, rel=1e-6, abs=1e-300)


def test_the_fit_is_scipys() -> None:
    """Least squares without negative coefficients, whichever of the two is held at 0."""
    source = np.random.default_rng(5)
    held = set()
    for shape, scale in ((0.5, 20), (2, 5), (50, 0.2), (1000, 0.01)):
        for _ in range(25):
            calls = source.integers(1, 2000, 300).astype(float)
            failures = source.poisson(calls * 0.01 * source.gamma(shape, scale / 10, 300)).astype(float)
            rate = smoothed_rate(failures.sum(), calls.sum(), 0.02)
            mean = rate * calls
            ratio = (failures - mean) ** 2 / mean
            kept = ratio <= np.quantile(ratio, 1 - TRIMMED_SHARE)
            weight = np.sqrt(mean / (1 + 2 * mean))[kept]
            design = np.column_stack([weight, weight * mean[kept]])
            wanted, _ = optimize.nnls(design, weight * (ratio[kept] - 1))
            found = fit_spread(failures, calls, rate)
            assert (found.linear - 1, found.quadratic) == pytest.approx(tuple(wanted), rel=1e-6, abs=1e-9)
            held.add((wanted[0] > 0, wanted[1] > 0))

    assert len(held) >= 3


def test_rate_is_pulled_towards_the_prior() -> None:
    """Without calls the rate is the prior; with many it is their own."""
    assert smoothed_rate(0, 0, 0.02) == pytest.approx(0.02)
    assert smoothed_rate(100, 10_000, 0.02) == pytest.approx(0.01, rel=0.01)


def test_fit_finds_the_spread_that_made_the_counts() -> None:
    """Counts drawn with a known quadratic spread give it back, roughly; Poisson counts give nearly none."""
    source = np.random.default_rng(7)
    calls = np.full(2000, 1000.0)
    wide = source.negative_binomial(2, 2 / (2 + 10), size=2000).astype(float)
    plain = source.poisson(10, size=2000).astype(float)

    assert fit_spread(wide, calls, 0.01).quadratic == pytest.approx(0.5, rel=0.35)
    fitted = fit_spread(plain, calls, 0.01)
    assert fitted.linear + fitted.quadratic * 10 < 1.2


def test_past_outage_does_not_hide_the_next() -> None:
    """The top half per cent of windows is trimmed, so one bad hour in a week leaves the spread as it was."""
    source = np.random.default_rng(8)
    calls = np.full(2016, 100.0)
    failures = source.poisson(1, size=2016).astype(float)
    failures[:8] = 80

    baseline = fit(failures, calls, 0.02)

    assert tail(15, baseline.rate * 100, baseline.spread) < 1e-5


@pytest.mark.parametrize(("failed", "of"), [(4, 5), (5, 10), (6, 20), (8, 50)])
def test_runs_of_a_quiet_tool(failed: int, of: int) -> None:
    """At a usual 2 % these runs are met, and one failure less is not."""
    run = [True] * failed + [False] * (of - failed)
    less = [True] * (failed - 1) + [False] * (of - failed + 1)

    found = unlikely_run(run, 0.02, 1e-5)
    assert found is not None
    assert found.tail == pytest.approx(
        min(stats.binom.sf(sum(run[:n]) - 1, n, 0.02) for n in (5, 10, 20, 50) if n <= of)
    )
    assert of > 5 or unlikely_run(less, 0.02, 1e-5) is None


def test_two_failures_are_no_run() -> None:
    """However rare failures are, two calls prove nothing."""
    assert unlikely_run([True, True], 1e-6, 1e-5) is None
