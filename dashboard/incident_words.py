"""What an incident's figures mean, in words: why it fired, what the arithmetic rested on, and what it came to since.

The words are ours and the numbers the service's; a figure of a name that is not known here is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dashboard import untrusted, words

WHY: Mapping[object, str] = {
    "window": "more sessions failed in the window than the usual rate explains",
    "run_of_calls": "a run of failing calls that the usual rate does not explain",
    "never_before": "several sessions met a failure that this tool had not shown in 7 days",
    "one_session_keeps_trying": "one session was denied again and again, and kept trying",
    "first_in_a_day": "the first spent failure budget in a day",
    "no_data": "no calls, where there were some at this hour a week ago",
    "notifier_failing": "notices do not reach their destination",
}
"""What `met` stands for: which of its conditions made a rule fire."""


def chance(value: object) -> str:
    """A probability as odds in whole powers of ten: `1 in 100 000`."""
    if not isinstance(value, int | float) or not 0 < value <= 1:
        return "less than 1 in 10^300" if value == 0 else "–"
    power = len(f"{1 / value:.0f}") - 1
    return f"1 in {words.count(10**power)}" if power < 10 else f"1 in 10^{power}"


def _number(value: object) -> str:
    return words.count(value) if isinstance(value, int) else f"{value:.2g}" if isinstance(value, float) else str(value)


def _seconds(value: object) -> str:
    return words.span_of_seconds(value) if isinstance(value, int | float) else "–"


class _Figure(NamedTuple):
    """How a number of an incident is called, and how it is written."""

    label: str
    told: Callable[[object], str] = _number


FIRED: Mapping[str, _Figure] = {
    "met": _Figure("why it fired", lambda value: WHY.get(value, untrusted.plain(value))),
    "window_s": _Figure("looked at the last", _seconds),
    "sessions": _Figure("sessions that failed then"),
    "calls": _Figure("calls then"),
    "failing_calls": _Figure("failed calls then"),
    "most_calls_of_a_session": _Figure("denials of that one session"),
    "sessions_affected": _Figure("sessions affected"),
    "users_affected": _Figure("users affected"),
    "agents_affected": _Figure("agents affected"),
    "silent_calls": _Figure("silent failures among them"),
    "silent_sessions": _Figure("sessions with silent failures"),
    "inferred": _Figure("failed calls whose code is derived"),
    "declared": _Figure("failed calls that declared their code"),
    "first_error": _Figure("first error", lambda value: untrusted.message(value, 400)),
    "silent_s": _Figure("no calls for", _seconds),
    "calls_a_week_ago": _Figure("calls in this hour a week ago"),
    "waiting": _Figure("notices that wait"),
    "attempts": _Figure("attempts to deliver"),
}
"""What a person wants to know of the moment when it fired, in this order."""

ARITHMETIC: Mapping[str, _Figure] = {
    "usual_rate": _Figure("usually fails", lambda value: f"{words.percent(value)} of the calls"),
    "expected": _Figure("failures expected of so many calls"),
    "tested_calls": _Figure("last calls that were tested"),
    "tested_failures": _Figure("failed calls among them"),
    "odds": _Figure("odds of so many by chance", chance),
    "level": _Figure("fires at odds below", chance),
    "before": _Figure("such failures in the 7 days before"),
    "baseline_calls": _Figure("calls that the usual rate rests on"),
    "baseline_sessions": _Figure("failing sessions that it rests on"),
    "spread_linear": _Figure("spread of the usual, linear part"),
    "spread_quadratic": _Figure("spread of the usual, quadratic part"),
    "first_span": _Figure("span of the first failure", lambda value: untrusted.plain(value, 40)),
}
"""What the rule computed with, for whoever wants to repeat it."""


def figures(numbers: Mapping[str, Any], named: Mapping[str, _Figure]) -> list[tuple[str, str]]:
    """The numbers that `named` knows, in its order, as label and text."""
    return [(figure.label, figure.told(numbers[key])) for key, figure in named.items() if key in numbers]


def others(numbers: Mapping[str, Any]) -> list[tuple[str, object]]:
    """The numbers that nobody has words for, under their own names: of a later release."""
    return [(key.replace("_", " "), value) for key, value in numbers.items() if key not in {**FIRED, **ARITHMETIC}]


_DID = {
    "internal_above_baseline": "failed with INTERNAL",
    "permission_denied": "failed with PERMISSION_DENIED",
    "budget_exhausted": "failed with the budget spent",
    "silent_failures": "failed silently",
}
"""What the calls did that a rule counts: other failures of the tool are not among them."""


def now(row: Mapping[str, Any]) -> str:
    """What an open incident has come to: how many by now, and whether it grows. "" where nothing can be counted.

    Numbers and our own words, with Streamlit's colours.
    """
    told = row.get("now")
    if not isinstance(told, Mapping):
        return ""
    failed, calls = told.get("failing_calls") or 0, told.get("calls")
    if not failed:
        return "**Now:** none of its failed calls is stored any more"
    sessions = words.plural(told.get("sessions"), "session")
    did = _DID.get(str(row.get("rule")), "failed")
    reach = f"{words.count(failed)} of {words.plural(calls, 'call')} {did}, in {sessions}"
    last = f"last {words.ago(told.get('last_failure'))}"
    return f"**Now{'' if row.get('tool') else ', over all tools'}:** {reach}, {last} · {course(row)}"


def course(row: Mapping[str, Any]) -> str:
    """Whether it gets worse: failures of the last minutes against as many minutes before."""
    told = row.get("now") or {}
    recent, before, window = told.get("recent") or 0, told.get("before") or 0, told.get("window_s") or 0
    stretch = words.span_of_seconds(window)
    if recent and recent == told.get("failing_calls"):
        return f":red[↑ new: all of them in the last {stretch}]"
    against = f"{words.count(recent)} in the last {stretch}, {words.count(before)} in the {stretch} before"
    if recent > before:
        return f":red[↑ growing: {against}]"
    if recent == before:
        return (
            f":orange[→ steady: {against}]"
            if recent
            else f":green[↓ none in the last {words.span_of_seconds(2 * window)}]"
        )
    return f":green[↓ falling: {against}]"
