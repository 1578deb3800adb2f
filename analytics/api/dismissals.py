"""Why a call is `ok` although something accused it: which evidence, and what dismissed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import structlog

from analytics.api.context import Context
from analytics.faults import fault
from analytics.jobs.call_rows import CORRECTION
from analytics.judge.attempts import Attempt, failure_of
from analytics.judge.upstream import Surroundings, TraceIndex, surroundings_of
from analytics.normalise import normalise
from analytics.normalise.logical_call import LogicalCall
from analytics.questions.call_object import evidence_of
from analytics.settings import ToolSettings
from analytics.store import TraceKey
from telltale.payload import PAYLOAD_RULES, Asked, read_payload
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.objects.empty import is_empty
from telltale.vocabulary import Outcome, Payload

DISMISSING = frozenset({"trace.control_flow", "trace.exception_handled", "trace.refused"})
"""Rules that decide a verdict by making it `ok`; every other rule accuses."""

_EXIT_CODES = ("text.exit_code", "payload.exit_code")
_BECAUSE: Mapping[str, str] = {
    CORRECTION: "A person corrected the verdict.",
    "trace.control_flow": "It steers the run: an interrupt, a hand-off, an approval, a request to retry or a question.",
    "trace.refused": "A person said no, or the call was refused before it ran: that is no failure of the tool.",
    "trace.exception_handled": "The tool returned a proper result after the exception.",
    "exit_code": "The exit code is the answer that was asked for: the command ran and reported.",
    "answer": "What looks like a failure is the answer itself: it was asked for, looked up, or stands beside data.",
    "later_attempt": "A later attempt, or another source, succeeded inside the same call.",
    "empty_is_normal": "The tool's settings say that an empty result is normal.",
    "nothing_there": "The upstream said that nothing is there, and the result says the same.",
    "result": "The result is an answer all the same: it is not what the failure would have left.",
    "not_captured": "The result was not captured, and not every upstream call failed for good.",
}
"""What dismisses accusing evidence, each with its sentence."""

Dismissal = dict[str, Any]

_log = structlog.get_logger(__name__)


def dismissals(row: Mapping[str, Any]) -> list[Dismissal]:
    """What accused a call that is `ok`, as its row tells; [] for any other.

    Returns:
        `{"rule", "evidence": [...], "by", "because"}` each: the rule that spoke, on what, the rule or reason that
        dismissed it, and that in a sentence.
    """
    if row["outcome"] != Outcome.OK:
        return []
    evidence = evidence_of(row)
    accusing = [rule for rule in row["rules"] if _accuses(rule)]
    return [
        _dismissal(rule, [each for each in evidence if each.get("rule") == rule], _by(rule, row["rules"]))
        for rule in accusing
    ]


def _dismissal(rule: str | None, evidence: list[dict[str, Any]], by: str) -> Dismissal:
    said = "exit_code" if by in _EXIT_CODES else by
    return {"rule": rule, "evidence": evidence, "by": by, "because": _BECAUSE[said]}


def _accuses(rule: str) -> bool:
    if rule in PAYLOAD_RULES:
        return rule != "payload.success"
    return rule.startswith("trace.") and rule not in DISMISSING and rule != "trace.not_captured"


def _by(rule: str, rules: list[str]) -> str:
    """The strongest word that spoke for the call: a person's, what steers it, its own answer, what was handled."""
    for word in (CORRECTION, "trace.control_flow", "trace.refused"):
        if word in rules:
            return word
    exit_code = next((each for each in rules if each in _EXIT_CODES), None)
    if exit_code is not None and rule not in PAYLOAD_RULES:
        return exit_code
    return "trace.exception_handled" if rule not in PAYLOAD_RULES and "trace.exception_handled" in rules else "answer"


def dismissals_below(context: Context, row: Mapping[str, Any]) -> list[Dismissal]:
    """Failures below a call that is `ok`, which its row does not name; [] where its spans have expired.

    Their `rule` is None: no rule spoke, because something stood against it. A trace that cannot be read any more (it
    grew into one that the judge cannot read either) leaves them out: what the row tells must not depend on it.
    """
    if row["outcome"] != Outcome.OK:
        return []
    [trace] = context.store.traces([TraceKey(row["project"], row["trace_id"])])
    try:
        calls = normalise(trace, context.settings)
    except Exception as error:
        _log.error("trace_not_read", trace_id=row["trace_id"], **fault(error))
        return []
    call = next((each for each in calls if each.id == row["id"]), None)
    if call is None:
        return []
    below = surroundings_of(call, TraceIndex(trace, calls))
    return list(_below(call, below, context.settings.tool(call.tool)))


def _below(call: LogicalCall, below: Surroundings, settings: ToolSettings) -> Iterator[Dismissal]:
    asked = Asked(call.tool, call.arguments, settings.content, settings.changes_state)
    changes = settings.changes_state if settings.changes_state is not None else verb_of(call.tool) is Verb.CHANGE
    stayed = below.unovercome(strict=not changes)
    left = _left(call, asked, settings)
    for attempt in below.attempts:
        if attempt.failed:
            yield _dismissal(None, [_failed(attempt)], left if attempt in stayed else "later_attempt")
    for span in below.raised:
        evidence = {"span_id": span.span_id, "value": failure_of(span)[0] or "status ERROR"}
        yield _dismissal(None, [evidence], left)


def _failed(attempt: Attempt) -> dict[str, Any]:
    bottom = attempt.cause
    return {"span_id": bottom.span.span_id, "value": bottom.value or bottom.span.name}


def _left(call: LogicalCall, asked: Asked, settings: ToolSettings) -> str:
    """What the result says against a failure that nothing made good."""
    if call.payload is Payload.ABSENT:
        return "not_captured"
    reading = read_payload(call.result, asked)
    if reading.empty or is_empty(reading.value):
        return "empty_is_normal" if settings.empty_is_normal else "nothing_there"
    return "result"
