"""Rates carry their uncertainty."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from analytics.questions.statistics import compliance, rate, wilson
from telltale.vocabulary import Outcome


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 10), (10, 10), (3, 7), (50, 100), (999, 1000), (1, 100_000)])
def test_wilson_is_scipys(k: int, n: int) -> None:
    """The closed form equals the library's interval."""
    expected = binomtest(k, n).proportion_ci(confidence_level=0.95, method="wilson")

    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_nothing_measured_is_not_zero() -> None:
    """Without a denominator the rate is unknown, and what could not be measured stands beside it."""
    assert rate(0, 0, 5) == {
        "rate": None,
        "low": None,
        "high": None,
        "numerator": 0,
        "denominator": 0,
        "not_measured": 5,
    }


def test_compliance_leaves_the_good_calls_out() -> None:
    """Compliance is a share of failures, not of calls."""
    measured = {Outcome.OK: 90, Outcome.STRUCTURED_ERROR: 6, Outcome.UNSTRUCTURED_ERROR: 3, Outcome.SILENT_FAILURE: 1}
    made = compliance(measured, not_measured=2)

    assert (made["rate"], made["numerator"], made["denominator"], made["not_measured"]) == (0.6, 6, 10, 2)
