"""One incident per cause: a ticket on silent failures that another incident tells of already becomes a line of it.

A silent failure that is also INTERNAL or PERMISSION_DENIED counts for two rules. The one on the code is the graver and
the more specific; what is left for the other is what has other codes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from analytics.alerts.episodes import Changes
from analytics.alerts.incident import FOLDED, AlertEvent, Finding, Incident, Rule, State
from analytics.alerts.reader import POOL, Reader, SilentCode
from analytics.alerts.rules import FEWEST_SESSIONS

_CODED = (Rule.INTERNAL, Rule.DENIED)


@dataclass(slots=True, frozen=True)
class Folded:
    """A finding that opens nothing: the rule whose incident of the same scope tells of it, and how much it saw."""

    finding: Finding
    into: Rule
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
        busy: tools with a scope of their own.
        end_ns: the moment of this evaluation.

    Returns:
        What is left, and what was folded.
    """
    still = [incident for incident in known if incident.open]
    told = {incident.scope for incident in still if incident.announced_ns is not None}
    tellers = {(f.tool, f.code or ""): f.rule for f in findings if f.rule in _CODED and f.severity is not None}
    tellers |= {(i.tool, i.code or ""): Rule(i.rule) for i in still if i.rule in _CODED}
    scopes = {tool for tool, _ in tellers}
    asked = [
        f for f in findings if f.rule is Rule.SILENT and f.tool in scopes and (f.rule, f.project, f.tool) not in told
    ]
    if not asked:
        return list(findings), []
    since = {finding.tool or POOL: finding.since_ns for finding in asked}
    own = {*busy, *(scope for scope in since if scope != POOL)}
    codes = reader.silent_codes(asked[0].project, since, own, end_ns)
    folded = [each for f in asked if (each := _folded(f, tellers, codes.get(f.tool or POOL, ())))]
    gone = {id(each.finding) for each in folded}
    return [finding for finding in findings if id(finding) not in gone], folded


def _folded(
    finding: Finding, tellers: Mapping[tuple[str | None, str], Rule], seen: Sequence[SilentCode]
) -> Folded | None:
    same = [each for each in seen if (finding.tool, each.code) in tellers]
    if not same or sum(each.sessions for each in seen if each not in same) >= FEWEST_SESSIONS:
        return None
    most = max(same, key=lambda each: each.calls)
    return Folded(
        finding,
        tellers[finding.tool, most.code],
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
        project, tool = each.finding.project, each.finding.tool
        teller, ticket = current.get((each.into, project, tool)), current.get((each.finding.rule, project, tool))
        if teller is None:
            continue
        if not teller.tells_of_silent:
            teller.numbers |= dict(zip(FOLDED, (each.calls, each.sessions), strict=True))
            teller.text = describe(teller)
            changes.incidents[teller.id] = teller
        if ticket is not None:
            ticket.state, ticket.resolved_ns, ticket.inhibited_by = State.RESOLVED, now_ns, teller.id
            changes.incidents[ticket.id] = ticket
            changes.events.append(AlertEvent("resolved", ticket))
