"""The verdict on one call: outcome, what was declared, the rules that hit and their evidence.

Order of evidence: a compliant envelope; control flow; marks of the protocol and the span; marks in the result; what
the result says without a mark; what the spans below say. A failure that was claimed to be a success, or that bears no
mark at all, is a silent one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analytics.judge.attempts import Attempt, failure_of
from analytics.judge.echo import echoed_status
from analytics.judge.upstream import Surroundings, TraceIndex, surroundings_of
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.settings import ToolSettings
from telltale.payload import Asked, Finding, Reading, Says
from telltale.payload.refusals import Refusal, refusal_of
from telltale.payload.verbs import Verb, verb_of
from telltale.vocabulary import Code, Confidence, Declared, Outcome, Payload

_SHORT_TEXT = 300
_GRAVE = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE, Code.INTERNAL})
"""What nobody asks for: a source that answers with one of these gave no answer."""


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


@dataclass(slots=True)
class Case:
    """Everything that one verdict rests on."""

    call: LogicalCall
    reading: Reading
    asked: Asked
    settings: ToolSettings
    index: TraceIndex
    failed: list[Mark]
    claimed: Mark | None
    _below: Surroundings | None = None

    @property
    def below(self) -> Surroundings:
        """The spans below the call, walked when first asked for."""
        if self._below is None:
            self._below = surroundings_of(self.call, self.index)
        return self._below


def decide(call: LogicalCall, reading: Reading, asked: Asked, settings: ToolSettings, index: TraceIndex) -> Verdict:
    """Decides one call; see the module's text."""
    verdict = Verdict()
    failed = [mark for mark in call.marks if mark.meaning is Meaning.FAILED]
    claimed = next((mark for mark in call.marks if mark.meaning is Meaning.CLAIMED_OK), None)
    case = Case(call, reading, asked, settings, index, failed, claimed)
    verdict.declared = _declared(failed, claimed, reading)
    for mark in call.marks:
        if mark.meaning is Meaning.REFUSED:
            verdict.refused = True
            verdict.hit("trace.refused", "mark", mark.name, _brief(mark.value))
    _note_findings(reading, verdict)
    if _is_envelope(reading):
        _structured(failed, verdict)
    elif not _steers(call, verdict):
        _weigh(case, verdict)
        if verdict.outcome is not Outcome.OK:
            _hear_a_no(case, verdict)
    if verdict.outcome is not Outcome.OK and verdict.cause is None and verdict.raised is None:
        _find_cause(case.below, verdict)
    return verdict


def _hear_a_no(case: Case, verdict: Verdict) -> None:
    """A failing text that hands on a person's no, or a question still open, is no failure; a policy's no is one."""
    reading = case.reading
    text = reading.message or (reading.value if isinstance(reading.value, str) else None) or case.call.told
    refusal = refusal_of(text) if text else None
    if refusal is None:
        return
    verdict.refused = refusal is not Refusal.PENDING
    rule = "trace.control_flow" if refusal is Refusal.PENDING else "trace.refused"
    verdict.hit(rule, "key", "", f"{refusal.value}: {str(text)[:160]}")
    if refusal is not Refusal.POLICY:
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE


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


def _weigh(case: Case, verdict: Verdict) -> None:
    mark = case.reading.finding(Says.FAILED)
    hidden = case.reading.finding(Says.HIDDEN)
    if case.failed:
        _marked(case, verdict)
    elif mark is not None:
        claim = case.claimed is not None or case.reading.finding(Says.SUCCESS) is not None
        verdict.outcome = Outcome.SILENT_FAILURE if claim else Outcome.UNSTRUCTURED_ERROR
        if case.claimed is not None:
            verdict.hit("trace.claimed_ok", "mark", case.claimed.name, _brief(case.claimed.value))
    elif hidden is not None:
        verdict.outcome = Outcome.SILENT_FAILURE
        verdict.confidence = Confidence.SUSPECTED if hidden.rule == "text.html_page" else Confidence.PROBABLE
    else:
        _look_below(case, verdict)


def _marked(case: Case, verdict: Verdict) -> None:
    """The span or the protocol says failed: visible, unless an answer shows that it is none, or the mark was lost."""
    call, reading = case.call, case.reading
    first = case.failed[0]
    for mark in case.failed:
        verdict.hit("trace.marked_failed", "mark", mark.name, _brief(mark.value))
    verdict.outcome = Outcome.UNSTRUCTURED_ERROR
    if call.payload is Payload.ABSENT:
        return
    answer = reading.finding(Says.ANSWER)
    if answer is not None and answer.rule in ("text.exit_code", "payload.exit_code"):
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif reading.failed:
        if reading.finding(Says.FAILED) is None and _is_lost(case):
            _lose(first, verdict)
    elif all(mark.name == "event.exception" for mark in case.failed) and _is_proper(reading):
        verdict.hit("trace.exception_handled", "mark", first.name, _brief(first.value))
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif _is_lost(case):
        _lose(first, verdict)


def _is_lost(case: Case) -> bool:
    """Whether all marks stand on spans below the one whose result the model saw."""
    top = case.call.span.span_id
    return all(mark.span_id != top and case.index.is_below(case.call, mark.span_id) for mark in case.failed)


def _lose(mark: Mark, verdict: Verdict) -> None:
    verdict.hit("trace.error_lost", "span_id", mark.span_id, _brief(mark.value))
    verdict.outcome, verdict.confidence = Outcome.SILENT_FAILURE, Confidence.PROBABLE


def _is_proper(reading: Reading) -> bool:
    """Whether the result is one that a tool returns after it dealt with an exception: structured, and not empty."""
    return not reading.text and not reading.empty


def _look_below(case: Case, verdict: Verdict) -> None:
    """No mark anywhere: hold the result against the spans below it."""
    call, below = case.call, case.below
    if call.payload is Payload.ABSENT:
        _unseen(case, verdict)
        return
    asked = case.asked
    changes = asked.changes_state if asked.changes_state is not None else verb_of(asked.tool) is Verb.CHANGE
    failed = below.unovercome(strict=not changes)
    rule = _rule_below(case, failed)
    if rule == "trace.empty_after_exception":
        span = below.raised[-1]
        _silent(verdict, rule, span.span_id, (failure_of(span)[0] or "status ERROR")[:120])
        verdict.raised = span
    elif rule is not None:
        verdict.cause = failed[-1]
        bottom = verdict.cause.cause
        _silent(verdict, rule, bottom.span.span_id, bottom.value)
        if rule == "trace.text_after_failure" or verdict.cause.code is Code.NOT_FOUND:
            verdict.confidence = Confidence.SUSPECTED
    elif failed:
        echoed = echoed_status(case.reading.value, [a.status for a in failed if a.status])
        if echoed is not None:
            _silent(verdict, "trace.status_echoed", failed[-1].span.span_id, f"{echoed[0]}: {echoed[1]}")
            verdict.cause = failed[-1]


def _unseen(case: Case, verdict: Verdict) -> None:
    """No mark and no result to read: only a call whose every source failed, beyond a mere "not found", is suspected."""
    failed = case.below.unovercome(strict=True)
    verdict.confidence = Confidence.PROBABLE
    if failed and case.below.all_failed and failed[-1].cause.code in _GRAVE:
        verdict.cause = failed[-1]
        bottom = verdict.cause.cause
        _silent(verdict, "trace.unseen_after_failure", bottom.span.span_id, bottom.value)
        verdict.confidence = Confidence.SUSPECTED
    elif failed:
        verdict.confidence = Confidence.SUSPECTED
    verdict.hit("trace.not_captured", "span_id", case.call.span.span_id, (case.call.lost or ["the result"])[0])


def _rule_below(case: Case, failed: list[Attempt]) -> str | None:
    reading, below = case.reading, case.below
    rule = None
    if reading.empty:
        if case.settings.empty_is_normal:
            return None
        if failed:
            rule = "trace.empty_after_failure"
        elif below.raised and not any(not a.failed for a in below.attempts):
            rule = "trace.empty_after_exception"
    elif failed and below.all_failed:
        if reading.finding(Says.SUCCESS) is not None:
            rule = None if _is_settled(failed[-1]) else "trace.success_over_failure"
        elif _is_short_text(reading) and not case.asked.content and _is_no_answer(case, failed[-1]):
            rule = "trace.text_after_failure"
    return rule


def _is_no_answer(case: Case, attempt: Attempt) -> bool:
    """Whether a text cannot be the answer: examining tools report failures, and "not found" can be said in words."""
    return verb_of(case.asked.tool) is not Verb.EXAMINE and attempt.cause.code is not Code.NOT_FOUND


def _is_short_text(reading: Reading) -> bool:
    return isinstance(reading.value, str) and len(reading.value) <= _SHORT_TEXT


def _is_settled(attempt: Attempt) -> bool:
    """Whether the upstream refused what was so already: deleting what is gone, creating what is there."""
    status = attempt.status
    return (attempt.operation == "DELETE" and status in (404, 410)) or status in (409, 412)


def _silent(verdict: Verdict, rule: str, span_id: str, value: Any) -> None:
    verdict.outcome = Outcome.SILENT_FAILURE
    verdict.confidence = Confidence.PROBABLE
    verdict.hit(rule, "span_id", span_id, value)


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
    if isinstance(value, dict):
        return {str(key)[:40]: str(inner)[:200] for key, inner in list(value.items())[:8]}
    return str(value)[:200]


__all__ = ["Finding", "Verdict", "decide"]
