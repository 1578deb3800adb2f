"""One incident per cause: a ticket on silent failures that another incident tells of already becomes a line of it.

A silent failure that is also INTERNAL or PERMISSION_DENIED counts for two rules. The one on the code is the graver and
the more specific; what is left for the other is what has other codes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analytics.alerts.episodes import Changes
from analytics.alerts.incident import AlertEvent, Finding, Incident, Rule, State
from analytics.alerts.reader import POOL, Reader, SilentCode
from analytics.alerts.rules import FEWEST_SESSIONS

_CODED = (Rule.INTERNAL, Rule.DENIED)
_Scope = tuple[str, str, str | None]


@dataclass(slots=True, frozen=True)
class Folded:
    """A finding that opens nothing: the scope of the incident that tells of it, and how much it saw."""

    finding: Finding
    into: _Scope
    calls: int
    sessions: int


def fold(
    findings: Sequence[Finding], known: Iterable[Incident], reader: Reader, busy: Collection[str], end_ns: int
) -> tuple[list[Finding], list[Folded]]:
    """Take out findings on silent failures whose calls another incident of the same scope tells of.

    What has other codes must be of fewer sessions than open an incident. One that people were told of stays.

    Args:
        findings: of one project.
        known: the project's incidents.
        reader: asked which codes the silent failures have.
        busy: tools with a scope of their own; the others are also part of the scope of the quiet tools together.
        end_ns: the moment of this evaluation.

    Returns:
        What is left, and what was folded.
    """
    still = [incident for incident in known if incident.open]
    told = {incident.scope for incident in still if incident.announced_ns is not None}
    coded = {(f.rule, f.tool): f.code for f in findings if f.rule in _CODED and f.severity is not None}
    coded |= {(Rule(i.rule), i.tool): i.code for i in still if i.rule in _CODED}
    asked = [f for f in findings if f.rule is Rule.SILENT and (f.rule, f.project, f.tool) not in told]
    if not coded or not asked:
        return list(findings), []
    since = {finding.tool or POOL: finding.since_ns for finding in asked}
    own = {*busy, *(scope for scope in since if scope != POOL)}
    codes = reader.silent_codes(asked[0].project, since, own, end_ns)
    folded = [
        each
        for finding in asked
        if (each := _folded(finding, coded, codes.get(finding.tool or POOL, ()), finding.tool not in busy))
    ]
    gone = {id(each.finding) for each in folded}
    return [finding for finding in findings if id(finding) not in gone], folded


def _folded(
    finding: Finding, coded: Mapping[tuple[Rule, str | None], str | None], seen: Sequence[SilentCode], pooled: bool
) -> Folded | None:
    tools = (finding.tool, None) if pooled else (finding.tool,)
    tellers = {code: (rule, tool) for (rule, tool), code in coded.items() if tool in tools}
    same = [each for each in seen if each.code in tellers]
    if not same or sum(each.sessions for each in seen if each not in same) >= FEWEST_SESSIONS:
        return None
    most = max(same, key=lambda each: each.calls)
    rule, tool = tellers[most.code]
    return Folded(
        finding,
        (rule, finding.project, tool),
        calls=sum(each.calls for each in same),
        sessions=sum(each.sessions for each in same),
    )


def absorb(
    changes: Changes,
    folded: Iterable[Folded],
    known: Iterable[Incident],
    describe: Callable[[Incident], str],
    now_ns: int,
) -> None:
    """Write what was folded into the incidents that tell of it, and end the tickets that nobody was told of yet."""
    current = {incident.scope: incident for incident in (*known, *changes.incidents.values()) if incident.open}
    for each in folded:
        teller = current.get(each.into)
        scope = each.finding.tool or POOL
        if teller is None:
            continue
        if scope not in teller.folded_scopes:
            teller.numbers |= {
                "silent_calls": teller.numbers.get("silent_calls", 0) + each.calls,
                "silent_sessions": teller.numbers.get("silent_sessions", 0) + each.sessions,
                "folded_scopes": [*teller.folded_scopes, scope],
            }
            teller.text = describe(teller)
            changes.incidents[teller.id] = teller
        ticket = current.get((each.finding.rule, each.finding.project, each.finding.tool))
        if ticket is not None:
            ticket.state, ticket.resolved_ns, ticket.inhibited_by = State.RESOLVED, now_ns, teller.id
            changes.incidents[ticket.id] = ticket
            changes.events.append(AlertEvent("resolved", ticket))
