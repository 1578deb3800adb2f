"""The verdict on one call: outcome, what was declared, the rules that hit and their evidence.

Order of evidence: a compliant envelope; control flow; marks of the protocol and the span; marks in the result; what
the result says without a mark; what the spans below say. A failure that was claimed to be a success, or that bears no
mark at all, is a silent one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analytics.judge.echo import echoed_status
from analytics.judge.upstream import Attempt, Surroundings, TraceIndex, failure_of, surroundings_of
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.settings import ToolSettings
from telltale.payload import Asked, Finding, Reading, Says
from telltale.payload.verbs import Verb, verb_of
from telltale.vocabulary import Code, Confidence, Declared, Outcome, Payload

_SHORT_TEXT = 300


@dataclass(slots=True)
class Verdict:
    """What the judge found on one call, before it becomes a row."""

    outcome: Outcome = Outcome.OK
    declared: Declared = Declared.NONE
    confidence: Confidence = Confidence.CERTAIN
    rules: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    refused: bool = False
    cause: Attempt | None = None
    raised: Any = None

    def hit(self, rule: str, place: str, where: str, value: Any) -> None:
        """Notes one rule's hit with its evidence (`place` is `key`, `mark` or `span_id`)."""
        if rule not in self.rules:
            self.rules.append(rule)
        self.evidence.append({"rule": rule, place: where, "value": value})


def decide(call: LogicalCall, reading: Reading, asked: Asked, settings: ToolSettings, index: TraceIndex) -> Verdict:
    """Decides one call; see the module's text."""
    verdict = Verdict()
    failed = [mark for mark in call.marks if mark.meaning is Meaning.FAILED]
    claimed = next((mark for mark in call.marks if mark.meaning is Meaning.CLAIMED_OK), None)
    verdict.declared = _declared(failed, claimed, reading)
    for mark in call.marks:
        if mark.meaning is Meaning.REFUSED:
            verdict.refused = True
            verdict.hit("trace.refused", "mark", mark.name, _brief(mark.value))
    _note_findings(reading, verdict)
    if _is_envelope(reading):
        _structured(failed, verdict)
    elif _steers(call, verdict):
        verdict.outcome = Outcome.OK
    else:
        _weigh(call, reading, asked, settings, index, failed, claimed, verdict)
    if verdict.outcome is not Outcome.OK and verdict.cause is None and verdict.raised is None:
        _find_cause(surroundings_of(call, index), verdict)
    return verdict


def _is_envelope(reading: Reading) -> bool:
    return reading.envelope is not None and reading.envelope.compliant


def _structured(failed: list[Mark], verdict: Verdict) -> None:
    verdict.outcome = Outcome.STRUCTURED_ERROR
    verdict.rules.insert(0, "payload.envelope")
    verdict.evidence.insert(0, {"rule": "payload.envelope", "key": "error", "value": "compliant"})
    for mark in failed:
        verdict.hit("trace.marked_failed", "mark", mark.name, _brief(mark.value))


def _declared(failed: list[Mark], claimed: Mark | None, reading: Reading) -> Declared:
    """What the span, the protocol and the envelope said, in the order in which a program would believe them."""
    if failed or _is_envelope(reading):
        return Declared.ERROR
    if claimed is not None or reading.finding(Says.SUCCESS) is not None:
        return Declared.OK
    return Declared.ERROR if reading.finding(Says.FAILED) is not None else Declared.NONE


def _steers(call: LogicalCall, verdict: Verdict) -> bool:
    steering = [mark for mark in call.marks if mark.meaning is Meaning.CONTROL_FLOW]
    for mark in steering:
        verdict.hit("trace.control_flow", "mark", mark.name, _brief(mark.value))
    return bool(steering) or (verdict.refused and not any(m.meaning is Meaning.FAILED for m in call.marks))


def _note_findings(reading: Reading, verdict: Verdict) -> None:
    for found in reading.findings:
        if found.says is not Says.SUCCESS or reading.failed:
            verdict.hit(found.rule, "key", found.key, found.value)


def _weigh(
    call: LogicalCall,
    reading: Reading,
    asked: Asked,
    settings: ToolSettings,
    index: TraceIndex,
    failed: list[Mark],
    claimed: Mark | None,
    verdict: Verdict,
) -> None:
    mark = reading.finding(Says.FAILED)
    hidden = reading.finding(Says.HIDDEN)
    if failed:
        _marked(call, reading, index, failed, verdict)
    elif mark is not None:
        claim = claimed is not None or reading.finding(Says.SUCCESS) is not None
        verdict.outcome = Outcome.SILENT_FAILURE if claim else Outcome.UNSTRUCTURED_ERROR
        if claimed is not None:
            verdict.hit("trace.claimed_ok", "mark", claimed.name, _brief(claimed.value))
    elif hidden is not None:
        verdict.outcome = Outcome.SILENT_FAILURE
        verdict.confidence = Confidence.SUSPECTED if hidden.rule == "text.html_page" else Confidence.PROBABLE
    else:
        _look_below(call, reading, asked, settings, surroundings_of(call, index), verdict)


def _marked(call: LogicalCall, reading: Reading, index: TraceIndex, failed: list[Mark], verdict: Verdict) -> None:
    """The span or the protocol says failed: visible, unless an answer shows that it is none, or the mark was lost."""
    for mark in failed:
        verdict.hit("trace.marked_failed", "mark", mark.name, _brief(mark.value))
    verdict.outcome = Outcome.UNSTRUCTURED_ERROR
    if call.payload is Payload.ABSENT:
        return
    answer = reading.finding(Says.ANSWER)
    if answer is not None and answer.rule in ("text.exit_code", "payload.exit_code"):
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif not reading.failed and all(mark.name == "event.exception" for mark in failed) and _is_proper(reading):
        verdict.hit("trace.exception_handled", "mark", failed[0].name, _brief(failed[0].value))
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif all(mark.span_id != call.span.span_id and index.is_below(call, mark.span_id) for mark in failed):
        if reading.finding(Says.FAILED) is None:
            verdict.hit("trace.error_lost", "span_id", failed[0].span_id, _brief(failed[0].value))
            verdict.outcome, verdict.confidence = Outcome.SILENT_FAILURE, Confidence.PROBABLE


def _is_proper(reading: Reading) -> bool:
    """Whether the result is one that a tool returns after it dealt with an exception: structured, and not empty."""
    return not reading.text and not reading.empty


def _look_below(
    call: LogicalCall, reading: Reading, asked: Asked, settings: ToolSettings, below: Surroundings, verdict: Verdict
) -> None:
    """No mark anywhere: hold the result against the spans below it."""
    if call.payload is Payload.ABSENT:
        verdict.confidence = Confidence.SUSPECTED if any(a.failed for a in below.attempts) else Confidence.PROBABLE
        verdict.hit("trace.not_captured", "span_id", call.span.span_id, (call.lost or ["the result"])[0])
        return
    changes = asked.changes_state if asked.changes_state is not None else verb_of(asked.tool) is Verb.CHANGE
    failed = below.unovercome(strict=not changes)
    rule = _rule_below(reading, asked, settings, below, failed)
    if rule is None:
        echoed = echoed_status(reading.value, [a.status for a in failed if a.status]) if failed else None
        if echoed is not None:
            _silent(verdict, "trace.status_echoed", "key", echoed[0], echoed[1], failed[-1])
        return
    if rule == "trace.empty_after_exception":
        span = below.raised[-1]
        _silent(verdict, rule, "span_id", span.span_id, (failure_of(span)[0] or "status ERROR")[:120], None)
        verdict.raised = span
        return
    cause = failed[-1]
    _silent(verdict, rule, "span_id", cause.cause.span.span_id, cause.cause.value, cause)
    if rule == "trace.text_after_failure" or cause.code is Code.NOT_FOUND:
        verdict.confidence = Confidence.SUSPECTED


def _rule_below(
    reading: Reading, asked: Asked, settings: ToolSettings, below: Surroundings, failed: list[Attempt]
) -> str | None:
    if reading.empty and not settings.empty_is_normal:
        if failed:
            return "trace.empty_after_failure"
        if below.raised and not any(not a.failed for a in below.attempts):
            return "trace.empty_after_exception"
        return None
    if not (failed and below.all_failed):
        return None
    if reading.finding(Says.SUCCESS) is not None:
        return None if _is_settled(failed[-1]) else "trace.success_over_failure"
    value = reading.value
    short = reading.text and isinstance(value, str) and len(value) <= _SHORT_TEXT
    if short and not asked.content and verb_of(asked.tool) is not Verb.EXAMINE:
        return "trace.text_after_failure"
    return None


def _is_settled(attempt: Attempt) -> bool:
    """Whether the upstream's refusal is what the caller wanted anyway: deleting what is gone, creating what is there."""
    status = attempt.status
    return (attempt.operation == "DELETE" and status in (404, 410)) or status in (409, 412)


def _silent(verdict: Verdict, rule: str, place: str, where: str, value: Any, cause: Attempt | None) -> None:
    verdict.outcome = Outcome.SILENT_FAILURE
    verdict.confidence = Confidence.PROBABLE
    verdict.hit(rule, place, where, value)
    verdict.cause = cause


def _find_cause(below: Surroundings, verdict: Verdict) -> None:
    """For a failure known otherwise: the outside call or the inner exception that explains it."""
    failed = below.unovercome(strict=False)
    if failed:
        verdict.cause = failed[-1]
    if below.raised:
        verdict.raised = below.raised[-1]


def _brief(value: Any) -> Any:
    """A mark's value as evidence, small enough for a row."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)[:200]


__all__ = ["Finding", "Verdict", "decide"]
