"""The evidence pack of an incident: what failed, since when, for whom, how unusual, and where to look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from analytics.alerts.baselines import FEWEST_CALLS
from analytics.alerts.incident import Finding, Incident, Rule
from analytics.alerts.reader import POOL, Reader
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import answer, count, duration, moment, odds, percent, plain, quoted
from analytics.settings import JudgeSettings

_FAILED = {
    Rule.INTERNAL: "failed with INTERNAL",
    Rule.DENIED: "were denied (PERMISSION_DENIED)",
    Rule.EXHAUSTED: "spent their failure budget",
    Rule.SILENT: "failed silently",
}
_SIGNS = {
    Rule.INTERNAL: {"code": "INTERNAL"},
    Rule.DENIED: {"code": "PERMISSION_DENIED"},
    Rule.EXHAUSTED: {"flag": "budget_exhausted"},
    Rule.SILENT: {"outcome": "silent_failure"},
}

_LINKED = 300
"""The longest name, in characters, that a link holds whole."""


def gather(
    reader: Reader, opened: Sequence[tuple[Incident, Finding]], busy: dict[str, Sequence[str]], end_ns: int
) -> None:
    """Put blast radius, example sessions and the first error into each incident that was just opened or escalated.

    An episode that grows graver is the same episode: what was found of it first stays its beginning.
    """
    groups: dict[tuple[str, str], list[tuple[Incident, Finding]]] = defaultdict(list)
    for incident, finding in opened:
        if finding.signal:
            groups[finding.project, finding.signal].append((incident, finding))
    for (project, signal), members in groups.items():
        since = {
            finding.tool or POOL: min(finding.since_ns, incident.first_failure_ns or finding.since_ns)
            for incident, finding in members
        }
        own = {*busy.get(project, ()), *(scope for scope in since if scope != POOL)}
        found = reader.evidence(project, signal, since, own, end_ns)
        for incident, finding in members:
            _fill(incident, found.get(finding.tool or POOL, {}))


def _fill(incident: Incident, row: dict[str, Any]) -> None:
    if not row:
        return
    incident.first_failure_ns = min(filter(None, (row["first_ns"], incident.first_failure_ns)), default=None)
    if incident.numbers.get("met") != "run_of_calls":
        incident.first_failure_ns = row["first_ns"]
    incident.example_sessions = [row[f"example_{n}"] for n in (1, 2, 3) if row[f"example_{n}"]]
    incident.numbers |= {
        "failing_calls": row["failures"],
        "sessions_affected": row["sessions"],
        "users_affected": row["users"],
        "agents_affected": row["agents"],
        "inferred": row["inferred"],
        "declared": row["failures"] - row["inferred"],
        "first_span": row["first_span_id"],
        "first_error": plain(row["first_message"] or "", 300),
    }


def headline(incident: Incident) -> str:
    """One line: what, where, how many."""
    numbers = incident.numbers
    tool = f"`{quoted(incident.tool, 80)}`" if incident.tool else "the quiet tools together"
    if incident.rule == Rule.NO_DATA:
        return f"No calls of {tool if incident.tool else 'any tool'} for {duration(numbers['silent_s'])}"
    if incident.rule == Rule.NOTIFIER:
        return f"Notices cannot be delivered to {quoted(incident.tool, 80)}"
    verb = _FAILED[Rule(incident.rule)]
    if numbers.get("sessions") == 1:
        verb = verb.replace("were", "was").replace("their", "its")
    return f"{incident.code or _label(incident)}: {count(numbers.get('sessions', 0), 'session')} {verb} on {tool}"


def _label(incident: Incident) -> str:
    return {Rule.EXHAUSTED: "BUDGET", Rule.SILENT: "SILENT"}.get(Rule(incident.rule), str(incident.rule).upper())


def _sentence(incident: Incident) -> str:
    """The numbers, so that a person can compute them again."""
    say = _SENTENCES.get(incident.numbers.get("met", ""))
    return say(incident.numbers) if say else ""


def _window(n: Mapping[str, Any]) -> str:
    return (
        f"{count(n['sessions'], 'session')} failed in {count(n['calls'], 'call')} ({duration(n['window_s'])}). "
        f"Usual: {percent(n['usual_rate'])} a call, expected {n['expected']:.2g}. Odds by chance {odds(n['odds'])}."
    )


def _run(n: Mapping[str, Any]) -> str:
    known = "" if n["baseline_calls"] >= FEWEST_CALLS else " (assumed: no baseline yet)"
    return (
        f"{n['failing_calls']} of the last {count(n['calls'], 'call')} failed, in {count(n['sessions'], 'session')}. "
        f"Usual: {percent(n['usual_rate'])}{known}. Odds by chance {odds(n['odds'])}{_tested(n)}."
    )


def _tested(n: Mapping[str, Any]) -> str:
    """What the odds are those of, where the run began before the calls that were tested."""
    tested = n.get("tested_calls", n["calls"])
    return "" if tested == n["calls"] else f" for {n['tested_failures']} of the last {tested}"


def _never_before(n: Mapping[str, Any]) -> str:
    known = f" in {count(n['baseline_calls'], 'call')}" if n["baseline_calls"] else "; no baseline yet"
    return f"{count(n['sessions'], 'session')} within 10 min. None in the 7 days before{known}."


def _times(n: Mapping[str, Any]) -> str:
    return count(n["most_calls_of_a_session"], "time")


_SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "window": _window,
    "run_of_calls": _run,
    "never_before": _never_before,
    "one_session_keeps_trying": lambda n: f"One session was denied {_times(n)} within 10 min.",
    "first_in_a_day": lambda n: f"{count(n['sessions'], 'session')} within 10 min, none in the day before.",
    "no_data": lambda n: f"{count(n['calls_a_week_ago'], 'call')} in this hour a week ago.",
    "notifier_failing": lambda n: f"{count(n['waiting'], 'notice')} waiting, {count(n['attempts'], 'attempt')}.",
}


def describe(incident: Incident, tools: JudgeSettings, settings: AlertSettings) -> str:
    """The text of one incident, a line for each thing to know."""
    n = incident.numbers
    lines = [headline(incident), _sentence(incident), f"Since {moment(incident.first_failure_ns)}."]
    if "sessions_affected" in n:
        reach = [count(n[f"{who}s_affected"], who) for who in ("session", "user", "agent")]
        lines.append(f"Affected: {', '.join(reach)}.")
    if n.get("inferred"):
        verb = "carries" if n["inferred"] == 1 else "carry"
        lines.append(f"Of {count(n['failing_calls'], 'failing call')}, {n['inferred']} {verb} a derived code only.")
    if n.get("silent_calls"):
        calls, sessions = count(n["silent_calls"], "call"), count(n["silent_sessions"], "session")
        lines.append(f"Silent: {calls} in {sessions} claimed success or bore no mark of the failure.")
    if n.get("first_error"):
        lines.append(f"First error: {answer(n['first_error'])}")
    if incident.example_sessions:
        lines.append(f"Sessions: {', '.join(quoted(s, 80) for s in incident.example_sessions)}")
    own = tools.tool(incident.tool) if incident.tool else None
    if own and own.owner:
        lines.append(f"Owner: {plain(own.owner)}")
    runbook = (own.runbook if own else None) or settings.runbook_url
    if runbook:
        lines.append(f"Runbook: {plain(runbook, 500)}")
    lines.append(f"Dashboard: {deep_link(incident, settings)}")
    return "\n".join(line for line in lines if line)


def deep_link(incident: Incident, settings: AlertSettings) -> str:
    """Where a person looks first: an example session at its failing step; where none is known, the calls."""
    for session in incident.example_sessions:
        if incident.rule in _SIGNS and len(session) <= _LINKED:
            return session_link(incident, session, settings)
    return calls_link(incident, settings)


def calls_link(incident: Incident, settings: AlertSettings) -> str:
    """The list of calls behind the incident, on the dashboard; the overview where it is about no calls."""
    page = "calls" if incident.rule in _SIGNS else "overview"
    return _link(page, _view(incident) | _SIGNS.get(Rule(incident.rule), {}), settings)


def session_link(incident: Incident, session: str, settings: AlertSettings) -> str:
    """The replay of one session, on the dashboard: it opens at the first failing step of the tool that is named."""
    return _link("replay", _view(incident) | {"session": session[:_LINKED]}, settings)


def _view(incident: Incident) -> dict[str, str]:
    view = {"project": incident.project, "since": moment(incident.first_failure_ns or incident.detected_ns)}
    if incident.tool and incident.rule != Rule.NOTIFIER:
        view["tool"] = incident.tool[:_LINKED]
    return view


def _link(page: str, view: Mapping[str, str], settings: AlertSettings) -> str:
    return f"{settings.dashboard_url.rstrip('/')}/{page}?{urlencode(view, errors='replace')}"
