"""The rules: which failures of which tools are more than what is usual.

Windows (in a simulation of seven traffic shapes they gave 0.0-0.5 false pages a week): distinct failing sessions in 5
minutes to 6 hours against a negative binomial with the scope's own rate and spread. Beside it, for tools too quiet for
that, runs of the last calls; and for failures that a tool never shows, the third session.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analytics.alerts.baselines import Baselines, Bins, Episode, usual_failures
from analytics.alerts.incident import Finding, Rule, Severity
from analytics.alerts.reader import HOUR, POOL, SECOND, WINDOWS, Reader, Settled, Suspect
from analytics.alerts.settings import AlertSettings
from analytics.alerts.statistics import LAST_N, Baseline, Spread, smoothed_rate, tail, unlikely_run
from telltale.vocabulary import Code

PAGE_LEVEL = 1e-5
TICKET_LEVEL = 1e-4
FEWEST_SESSIONS = 3
"""Distinct failing sessions without which no window pages."""
LEAST_FACTOR = 2.0
"""How many times the expected number there must be, however unlikely less would be."""
FREE_SCOPES = 10
"""Scopes of a project up to which the levels hold as they are; above, they are divided so that pages stay as rare."""
QUIET_CALLS_PER_HOUR = 60
"""Calls in the last hour up to which the rule on runs of calls speaks: above, the windows see as much."""
STUCK_CALLS = 5
"""Denials of one session within ten minutes that make a ticket: an agent that keeps trying."""
RECENT = {300: 300, 1800: 300, 3600: 300, 21600: 1800}
"""For each window (s), the short one that must be raised too: what is over neither fires nor keeps firing."""


@dataclass(slots=True, frozen=True)
class Spec:
    """One watched signal: the windows it is tested on, and what it opens at which tail probability.

    `floor` is the least quadratic spread assumed for a page: base rates of denials wander more than a week shows.
    `run_sessions` is how many sessions a run of failing calls must span.
    """

    rule: Rule
    signal: str
    code: str | None
    windows: Sequence[int]
    page: float | None
    ticket: float
    floor: float = 0.0
    run_sessions: int = FEWEST_SESSIONS

    @property
    def worst(self) -> Severity:
        """What this signal opens at most."""
        return Severity.TICKET if self.page is None else Severity.PAGE


SPECS = (
    Spec(Rule.INTERNAL, "internal", Code.INTERNAL, WINDOWS, PAGE_LEVEL, TICKET_LEVEL, run_sessions=2),
    Spec(Rule.DENIED, "denied", Code.PERMISSION_DENIED, (300, 3600), PAGE_LEVEL, TICKET_LEVEL, floor=0.25),
    Spec(Rule.EXHAUSTED, "exhausted", None, (300, 3600), PAGE_LEVEL, TICKET_LEVEL, floor=0.25),
    Spec(Rule.SILENT, "silent", None, WINDOWS, None, PAGE_LEVEL),
)


@dataclass(slots=True, frozen=True)
class Moment:
    """What one evaluation of one project stands on: until when (ns), and what earlier incidents explain already."""

    project: str
    end_ns: int
    settled: Settled
    episodes: Sequence[Episode]

    def episodes_of(self, scope: str, signal: str) -> list[Episode]:
        """Times in which an incident of this scope and signal was firing."""
        return [e for e in self.episodes if (e.scope, e.signal) == (scope, signal)]


class Rules:
    """Evaluates every rule over what the store holds. The same answer for the same rows and moment."""

    def __init__(self, reader: Reader, baselines: Baselines, settings: AlertSettings) -> None:
        self._reader = reader
        self._baselines = baselines
        self._settings = settings

    def evaluate(self, moment: Moment) -> list[Finding]:
        """What is met now in one project, at most one finding for each rule and scope, the gravest."""
        busy = self._baselines.busy(moment.project, moment.end_ns)
        failures = self._reader.window_failures(moment.project, moment.end_ns, busy, moment.settled)
        if not failures:
            return []
        calls = self._reader.window_calls(moment.project, moment.end_ns, busy)
        suspects = self._reader.suspects(moment.project, moment.end_ns, moment.settled)
        stricter = max(1.0, len(calls) / FREE_SCOPES)
        found: list[Finding] = []
        for spec in SPECS:
            mine = {scope: counts for (scope, signal), counts in failures.items() if signal == spec.signal}
            found += self._windows(spec, moment, calls, mine, stricter)
            found += self._suspects(spec, moment, [s for s in suspects if s.signal == spec.signal], stricter)
        return gravest(found)

    def _windows(
        self,
        spec: Spec,
        moment: Moment,
        calls: Mapping[str, Mapping[int, int]],
        failures: Mapping[str, Mapping[int, int]],
        stricter: float,
    ) -> Iterable[Finding]:
        candidates = [s for s, k in failures.items() if s in calls and k[spec.windows[-1]] >= FEWEST_SESSIONS]
        for width in spec.windows if candidates else ():
            usual = self._baselines.of(
                moment.project, spec.signal, moment.end_ns, width_s=width, scopes=candidates, episodes=moment.episodes
            )
            for scope, baseline in usual.items():
                counted = _Counted(spec, width, calls[scope], failures[scope], baseline, stricter)
                until = moment.settled.until.get((scope, spec.signal), 0)
                finding = _window_finding(counted, moment, scope, until)
                if finding:
                    yield finding

    def _suspects(self, spec: Spec, moment: Moment, suspects: Sequence[Suspect], stricter: float) -> Iterable[Finding]:
        if not suspects:
            return
        history = self._baselines.history(moment.project, spec.signal, [s.tool for s in suspects], moment.end_ns)
        quiet = [s.tool for s in suspects if s.calls_3600 <= QUIET_CALLS_PER_HOUR and s.sessions_3600 > 1]
        lasts = self._reader.last_calls(moment.project, spec.signal, quiet, moment.end_ns) if quiet else {}
        for suspect in suspects:
            bins = history[suspect.tool]
            yield from self._never(spec, moment, suspect, bins)
            if suspect.tool in lasts:
                yield from self._run(spec, moment, suspect.tool, bins=bins, last=lasts[suspect.tool], stricter=stricter)

    def _never(self, spec: Spec, moment: Moment, suspect: Suspect, bins: Bins) -> Iterable[Finding]:
        """Failures that need no statistics: on a tool that never shows them, or of an agent that keeps trying."""
        if suspect.first_ns is None or spec.rule is Rule.INTERNAL:
            return
        going_on = [e for e in moment.episodes_of(suspect.tool, spec.signal) if e.to_ns >= moment.end_ns]
        before = usual_failures(bins, going_on, suspect.first_ns)
        day = [b for b in bins if b[0] >= moment.end_ns - 24 * HOUR]
        numbers = {
            "window_s": 600,
            "sessions": suspect.sessions_600,
            "failing_calls": suspect.failures_600,
            "before": before,
            "baseline_calls": self._baselines.calls(moment.project, suspect.tool, moment.end_ns),
        }
        common = Finding(
            spec.rule,
            moment.project,
            suspect.tool,
            None,
            suspect.first_ns,
            numbers,
            spec.code,
            spec.signal,
            suspect.last_ns,
        )
        if before == 0 and suspect.sessions_600 >= self._settings.never_sessions:
            yield replace(common, severity=spec.worst, numbers={**numbers, "met": "never_before"})
        elif spec.rule is Rule.DENIED and suspect.most_600 >= STUCK_CALLS:
            stuck = {**numbers, "met": "one_session_keeps_trying", "most_calls_of_a_session": suspect.most_600}
            yield replace(common, severity=Severity.TICKET, numbers=stuck)
        elif spec.rule is Rule.EXHAUSTED and usual_failures(day, going_on, suspect.first_ns) == 0:
            yield replace(common, severity=Severity.TICKET, numbers={**numbers, "met": "first_in_a_day"})

    def _run(
        self,
        spec: Spec,
        moment: Moment,
        tool: str,
        *,
        bins: Bins,
        last: Sequence[tuple[int, str, bool]],
        stricter: float,
    ) -> Iterable[Finding]:
        """A run of failing calls of a quiet tool, over more than one session, the newest failure within the hour."""
        until = moment.settled.until.get((tool, spec.signal), 0)
        fresh = [call for call in last if call[0] > until]
        own = self._baselines.calls(moment.project, tool, moment.end_ns)
        usual = usual_failures(bins, moment.episodes_of(tool, spec.signal), moment.end_ns - HOUR)
        prior = self._baselines.prior(moment.project, spec.signal, moment.end_ns)
        rate = min(1.0, smoothed_rate(usual, max(own, usual), prior))
        run = unlikely_run([failed for _, _, failed in fresh], rate, PAGE_LEVEL / stricter)
        if run is None:
            return
        calls = _whole_run([failed for _, _, failed in fresh], run.calls)
        failing = [(at, session) for at, session, failed in fresh[:calls] if failed]
        going_on = failing[0][0] >= moment.end_ns - HOUR and any(failed for _, _, failed in fresh[: LAST_N[0]])
        if len({session for _, session in failing}) < spec.run_sessions or not going_on:
            return
        numbers = {
            "met": "run_of_calls",
            "calls": calls,
            "failing_calls": len(failing),
            "sessions": len({session for _, session in failing}),
            "tested_calls": run.calls,
            "tested_failures": run.failures,
            "usual_rate": rate,
            "expected": rate * run.calls,
            "odds": run.tail,
            "level": PAGE_LEVEL / stricter,
            "baseline_calls": own,
        }
        yield Finding(
            spec.rule,
            moment.project,
            tool,
            spec.worst,
            failing[-1][0],
            numbers,
            spec.code,
            spec.signal,
            failing[0][0],
        )


@dataclass(slots=True, frozen=True)
class _Counted:
    spec: Spec
    width: int
    calls: Mapping[int, int]
    failures: Mapping[int, int]
    baseline: Baseline
    stricter: float


def _window_finding(counted: _Counted, moment: Moment, scope: str, until_ns: int) -> Finding | None:
    """Test one window of one scope; its evidence begins no earlier than where the last incident ended."""
    spec, width, baseline = counted.spec, counted.width, counted.baseline
    k, n = counted.failures[width], counted.calls[width]
    exposed = _exposure(moment.end_ns, width, until_ns)
    expected = baseline.rate * n * exposed
    short = RECENT[width]
    recent, recent_expected = counted.failures[short], baseline.rate * counted.calls[short]
    if k < FEWEST_SESSIONS or k < LEAST_FACTOR * expected or recent < max(1.0, LEAST_FACTOR * recent_expected):
        return None
    odds = tail(k, expected, baseline.spread)
    if odds >= TICKET_LEVEL / counted.stricter:
        return None
    floored = Spread(baseline.spread.linear, max(baseline.spread.quadratic, spec.floor))
    severity = None
    if spec.page is not None and tail(k, expected, floored) < spec.page / counted.stricter:
        severity = Severity.PAGE
    elif odds < spec.ticket / counted.stricter:
        severity = Severity.TICKET
    numbers = {
        "met": "window",
        "window_s": width,
        "sessions": k,
        "calls": n,
        "usual_rate": baseline.rate,
        "expected": expected,
        "odds": odds,
        "level": (spec.page or spec.ticket) / counted.stricter,
        "spread_linear": floored.linear,
        "spread_quadratic": floored.quadratic,
        "baseline_calls": baseline.calls,
        "baseline_sessions": baseline.failures,
    }
    since = max(moment.end_ns - width * SECOND, until_ns)
    tool = None if scope == POOL else scope
    return Finding(spec.rule, moment.project, tool, severity, since, numbers, spec.code, spec.signal)


def _exposure(end_ns: int, width_s: int, until_ns: int) -> float:
    """Share of the window that lies after the last incident's end."""
    return min(1.0, max(0.0, (end_ns - until_ns) / (width_s * SECOND)))


_RANK = {Severity.PAGE: 0, Severity.TICKET: 1, None: 2}


def gravest(found: Iterable[Finding]) -> list[Finding]:
    """One finding for each rule and scope: the gravest, and of equal ones the one whose evidence begins latest.

    It was met when any of them was met last.
    """
    by_scope: dict[tuple[str, str | None], list[Finding]] = defaultdict(list)
    for finding in found:
        by_scope[finding.rule, finding.tool].append(finding)
    best = [min(group, key=lambda f: (_RANK[f.severity], -f.since_ns)) for group in by_scope.values()]
    return [replace(f, met_ns=_latest(by_scope[f.rule, f.tool])) for f in best]


def _latest(group: Iterable[Finding]) -> int | None:
    moments = [finding.met_ns for finding in group]
    return None if None in moments else max(m for m in moments if m is not None)


def _whole_run(failed: Sequence[bool], tested: int) -> int:
    """How many calls back, newest first, the failing began: the calls tested, and those failing without a break before.

    A test looks at a few calls only; a person asks since when.
    """
    return next((n for n in range(tested, len(failed)) if not failed[n]), len(failed))
