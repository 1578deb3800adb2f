"""The arithmetic of the rules: how unlikely is this many failures, given what is usual.

Counts of failing sessions are over-dispersed: retries clump and base rates wander, so a Poisson tail pages every few
hours on a healthy busy tool. A negative binomial whose spread is fitted on the tool's own past week does not.

Of SciPy only the special functions are used, each the tail of a distribution in closed form, and only where they are
needed: its distributions take more than three times as long to load, and 46 MB more memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.float64]

TRIMMED_SHARE = 0.005
"""Share of a week's windows, the most deviant ones, that the fit of the spread leaves out: past outages."""

LAST_N = (5, 10, 20, 50)
"""Lengths of run that the rule for quiet tools looks at, in calls."""

FEWEST_OF_A_RUN = 3
"""Failing calls that such a run needs at least, however rare failures are otherwise."""


@dataclass(slots=True, frozen=True)
class Spread:
    """How counts scatter around their expectation: variance = `linear` x mean + `quadratic` x mean squared."""

    linear: float = 1.0
    quadratic: float = 0.0


@dataclass(slots=True, frozen=True)
class Baseline:
    """What is usual for one scope and window length.

    `rate` is expected failing sessions per call, `calls` how many calls it rests on, `failures` how many failing
    sessions.
    """

    rate: float
    spread: Spread
    calls: int
    failures: int


def smoothed_rate(failures: float, calls: float, prior: float) -> float:
    """Failures per call, pulled towards `prior` while there are few calls: (e + 0.5) / (N + 0.5 / prior)."""
    return (failures + 0.5) / (calls + 0.5 / prior)


def tail(k: int, expected: float, spread: Spread) -> float:
    """P(K >= k) for a negative binomial with this mean and spread; Poisson where the spread is Poisson's.

    Both by the incomplete gamma and beta functions (NIST's Digital Library of Mathematical Functions, 8.4.10, 8.17.24).
    """
    from scipy import special

    if k <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    variance = spread.linear * expected + spread.quadratic * expected**2
    if variance <= expected * (1 + 1e-9):
        return float(special.gammainc(k, expected))
    size = expected**2 / (variance - expected)
    return float(special.betainc(k, size, 1 - expected / variance))


def fit_spread(failures: Counts, calls: Counts, rate: float) -> Spread:
    """Fit the spread on past windows of one length: `failures[i]` failing sessions in `calls[i]` calls.

    Regresses the squared deviation over the mean, (k - m)^2 / m = F + C m, with F >= 1 and C >= 0. Weights are the
    inverse variance that a Poisson count would give that quantity, so that near-empty windows do not rule the fit.
    """
    mean = rate * calls[calls > 0]
    observed = failures[calls > 0]
    if mean.size < 2:
        return Spread()
    ratio = (observed - mean) ** 2 / mean
    kept = ratio <= np.quantile(ratio, 1 - TRIMMED_SHARE)
    mean, ratio = mean[kept], ratio[kept]
    weight = np.sqrt(mean / (1 + 2 * mean))
    design = np.column_stack([weight, weight * mean])
    extra, quadratic = _not_negative(design, weight * (ratio - 1).clip(min=-1))
    return Spread(linear=1 + extra, quadratic=quadratic)


def _not_negative(design: Counts, target: Counts) -> tuple[float, float]:
    """Least squares in two coefficients that may not be negative: where the plain answer has one, that one is 0."""
    both = np.linalg.lstsq(design, target)[0]
    if both.min() >= 0:
        return float(both[0]), float(both[1])
    alone = (design.T @ target / (design * design).sum(axis=0)).clip(min=0)
    answers = [(float(alone[0]), 0.0), (0.0, float(alone[1]))]
    return min(answers, key=lambda each: float(((design @ np.array(each) - target) ** 2).sum()))


def fit(failures: Counts, calls: Counts, prior: float) -> Baseline:
    """Rate and spread of one scope from its past windows of one length."""
    rate = smoothed_rate(float(failures.sum()), float(calls.sum()), prior)
    return Baseline(rate, fit_spread(failures, calls, rate), int(calls.sum()), int(failures.sum()))


@dataclass(slots=True, frozen=True)
class Run:
    """A run of a quiet tool's last calls, `failures` of `calls`, and the binomial probability of as many or more."""

    calls: int
    failures: int
    tail: float


def unlikely_run(failed: list[bool], rate: float, level: float) -> Run | None:
    """The most unlikely of the runs of the last 5, 10, 20, 50 calls, if its binomial tail is below `level`.

    Args:
        failed: newest call first.
        rate: the usual share of failing calls.
        level: probability below which a run counts as met.
    """
    from scipy import special

    lengths = [n for n in LAST_N if n <= len(failed)] or [len(failed)]
    counted = [(n, sum(failed[:n])) for n in lengths]
    runs = [Run(n, k, float(special.bdtrc(k - 1, n, rate))) for n, k in counted if k >= FEWEST_OF_A_RUN]
    best = min(runs, key=lambda run: run.tail, default=None)
    return best if best is not None and best.tail < level else None
