"""False alarms: a healthy week of several kinds of traffic pages at most once."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from analytics.alerts import AlertJob
from analytics.alerts.reader import WINDOWS
from analytics.alerts.rules import FEWEST_SESSIONS, LEAST_FACTOR, PAGE_LEVEL, RECENT
from analytics.alerts.statistics import Counts, fit, tail
from collector.store import DuckDBStore
from tests.alerts.world import DAY, HOUR, MINUTE, NOW, Sink, add, call, failing, run

WEEK_MINUTES = 7 * 24 * 60


def _traffic(calls_per_hour: float, rate: float, wander: float, seed: int) -> tuple[Counts, Counts]:
    """Two weeks of calls and failing sessions per minute: a daily wave, and a base rate that wanders over hours."""
    source = np.random.default_rng(seed)
    minutes = np.arange(2 * WEEK_MINUTES)
    wave = 1 + 0.8 * np.sin(2 * np.pi * minutes / 1440)
    calls = source.poisson(calls_per_hour / 60 * wave).astype(float)
    drift = np.zeros(minutes.size)
    noise = source.normal(0, wander * np.sqrt(2 / 90), minutes.size)
    for minute in range(1, minutes.size):
        drift[minute] = drift[minute - 1] * (1 - 1 / 90) + noise[minute]
    failures = source.poisson(calls * rate * np.exp(drift)).astype(float)
    return calls, np.minimum(failures, calls)


def _summed(series: Counts, minutes: int) -> Counts:
    total = np.concatenate([[0.0], np.cumsum(series)])
    ends = np.arange(series.size) + 1
    summed: Counts = total[ends] - total[np.maximum(0, ends - minutes)]
    return summed


def _pages(calls: Counts, failures: Counts) -> int:
    """Firing episodes in the second week, with the first as baseline and the window rule evaluated each minute."""
    met = np.zeros(calls.size, dtype=bool)
    for width in WINDOWS:
        size = width // 60
        week = WEEK_MINUTES // size * size
        past = [part[:week].reshape(-1, size).sum(axis=1) for part in (failures, calls)]
        usual = fit(past[0], past[1], 0.02)
        k, expected = _summed(failures, size), usual.rate * _summed(calls, size)
        short = RECENT[width] // 60
        raised = _summed(failures, short) >= np.maximum(1, LEAST_FACTOR * usual.rate * _summed(calls, short))
        candidates = (k >= FEWEST_SESSIONS) & (k >= LEAST_FACTOR * expected) & raised
        for minute in np.flatnonzero(candidates):
            met[minute] |= minute >= WEEK_MINUTES and tail(int(k[minute]), expected[minute], usual.spread) < PAGE_LEVEL
    firing = np.flatnonzero(met)
    return int(firing.size > 0) + int((np.diff(firing) > 15).sum())


@pytest.mark.parametrize(
    ("calls_per_hour", "rate", "wander"), [(20, 0.02, 0.1), (1_000, 0.01, 0.3), (50_000, 0.005, 0.4)]
)
def test_quiet_weeks_page_less_than_once_each(calls_per_hour: float, rate: float, wander: float) -> None:
    """Healthy traffic, quiet or busy, with a wandering base rate, gives less than one page a week over eight weeks."""
    weeks = [_pages(*_traffic(calls_per_hour, rate, wander, seed)) for seed in range(1, 9)]

    assert sum(weeks) / len(weeks) < 1


def test_outage_in_the_same_traffic_pages() -> None:
    """The same arithmetic is not blind: ten times the usual rate for an hour is seen."""
    calls, failures = _traffic(1_000, 0.01, 0.3, 1)
    assert _pages(calls, failures) == 0
    outage = slice(WEEK_MINUTES + 600, WEEK_MINUTES + 660)
    failures[outage] = np.minimum(calls[outage], np.random.default_rng(5).poisson(calls[outage] * 0.1))

    assert _pages(calls, failures) >= 1


def test_quiet_day_through_the_store(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """The whole path, on three tools with usual failures of every kind, tells nobody anything at page severity."""
    source = random.Random(11)
    kinds = [("INTERNAL", 0.01), ("PERMISSION_DENIED", 0.01), ("UNAVAILABLE", 0.02)]
    calls = []
    for tool in ("search", "book", "mail"):
        for at in range(NOW - 3 * DAY, NOW + 3 * HOUR, 3 * MINUTE):
            code = next((code for code, rate in kinds if source.random() < rate), None)
            moment = at + source.randrange(MINUTE)
            calls.append(failing(moment, code, tool=tool) if code else call(moment, tool))
    add(store, calls)

    run(make_job(), NOW, NOW + 3 * HOUR, 12 * MINUTE)

    assert [body for body in sink.got if body["severity"] == "page"] == []
