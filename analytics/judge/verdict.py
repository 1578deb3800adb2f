"""The verdict on one call: outcome, what was declared, the rules that hit and their evidence.

Order of evidence: a compliant envelope; control flow; marks of the protocol and the span; marks in the result; what
the result says without a mark; what the spans below say. A failure that was claimed to be a success, or that bears no
mark at all, is a silent one.
"""

from __future__ import annotations

from typing import Any

from analytics.judge.below import look_below
from analytics.judge.case import Case, Verdict, brief
from analytics.judge.upstream import Surroundings, TraceIndex
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.settings import ToolSettings
from telltale.payload import PAYLOAD_RULES, Asked, Reading, Says
from telltale.payload.texts.refusals import Refusal, refusal_of
from telltale.vocabulary import Confidence, Declared, Outcome, Payload


def decide(call: LogicalCall, reading: Reading, asked: Asked, settings: ToolSettings, index: TraceIndex) -> Verdict:
    """Decides one call; see the module's text."""
    if _is_plainly_well(call, reading, index):
        claims = call.marks or reading.findings
        return Verdict(declared=Declared.OK if claims else Declared.NONE)
    verdict = Verdict()
    failed = [mark for mark in call.marks if mark.meaning is Meaning.FAILED]
    claimed = next((mark for mark in call.marks if mark.meaning is Meaning.CLAIMED_OK), None)
    case = Case(call, reading, asked, settings, index, failed, claimed)
    verdict.declared = _declared(failed, claimed, reading)
    for mark in call.marks:
        if mark.meaning is Meaning.REFUSED:
            verdict.refused = True
            verdict.hit("trace.refused", "mark", mark.name, brief(mark.value))
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


def _is_plainly_well(call: LogicalCall, reading: Reading, index: TraceIndex) -> bool:
    """Whether there is no evidence to weigh: a result, nothing but claims of success, and no trouble below the call."""
    if call.payload is Payload.ABSENT:
        return False
    for mark in call.marks:
        if mark.meaning is not Meaning.CLAIMED_OK:
            return False
    for found in reading.findings:
        if found.says is not Says.SUCCESS:
            return False
    return index.is_calm(call)


def _hear_a_no(case: Case, verdict: Verdict) -> None:
    """A failing text that hands on a person's no, or a question still open, is no failure; a policy's no is one."""
    reading = case.reading
    text = reading.message or (reading.value if isinstance(reading.value, str) else None) or case.call.told
    refusal = refusal_of(text) if text else None
    if refusal is None or (refusal is Refusal.PERSON and _was_run(case)):
        return
    verdict.refused = refusal is not Refusal.PENDING
    rule = "trace.control_flow" if refusal is Refusal.PENDING else "trace.refused"
    verdict.hit(rule, "key", "", f"{refusal.value}: {str(text)[:160]}")
    if refusal is not Refusal.POLICY:
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE


def _was_run(case: Case) -> bool:
    """Whether requests were made for the call, and all failed: then no person kept it from being run."""
    return case.below.all_failed


def _is_envelope(reading: Reading) -> bool:
    return reading.envelope is not None and reading.envelope.compliant


def _structured(failed: list[Mark], verdict: Verdict) -> None:
    verdict.outcome = Outcome.STRUCTURED_ERROR
    verdict.rules.insert(0, "payload.envelope")
    verdict.evidence.insert(0, {"rule": "payload.envelope", "key": "error", "value": "compliant"})
    for mark in failed:
        verdict.hit("trace.marked_failed", "mark", mark.name, brief(mark.value))


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
        verdict.hit("trace.control_flow", "mark", mark.name, brief(mark.value))
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
            verdict.hit("trace.claimed_ok", "mark", case.claimed.name, brief(case.claimed.value))
    elif hidden is not None:
        verdict.outcome = Outcome.SILENT_FAILURE
        sure = PAYLOAD_RULES[hidden.rule].confidence
        verdict.confidence = sure if sure is Confidence.SUSPECTED else Confidence.PROBABLE
    else:
        look_below(case, verdict)


def _marked(case: Case, verdict: Verdict) -> None:
    """The span or the protocol says failed: visible, unless an answer shows that it is none, or the mark was lost."""
    call, reading = case.call, case.reading
    first = case.failed[0]
    for mark in case.failed:
        verdict.hit("trace.marked_failed", "mark", mark.name, brief(mark.value))
    verdict.outcome = Outcome.UNSTRUCTURED_ERROR
    if call.payload is Payload.ABSENT:
        return
    answer = reading.finding(Says.ANSWER)
    if answer is not None and answer.rule in ("text.exit_code", "payload.exit_code"):
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif reading.failed:
        if reading.finding(Says.FAILED) is None and _is_lost(case):
            verdict.silent("trace.error_lost", first.span_id, brief(first.value))
    elif all(mark.name == "event.exception" for mark in case.failed) and _is_proper(reading):
        verdict.hit("trace.exception_handled", "mark", first.name, brief(first.value))
        verdict.outcome, verdict.confidence = Outcome.OK, Confidence.PROBABLE
    elif _is_lost(case):
        verdict.silent("trace.error_lost", first.span_id, brief(first.value))


def _is_lost(case: Case) -> bool:
    """Whether all marks stand on spans below the one whose result the model saw, and the result tells of none."""
    top = case.call.span.span_id
    seen = case.call.result_text or ""
    cut = case.call.payload is Payload.TRUNCATED and len(seen) >= _SHORTEST_MESSAGE
    messages = [_message_of(mark.value) for mark in case.failed]
    if any(message in seen or (cut and message.startswith(seen)) for message in messages):
        return False
    return all(mark.span_id != top and case.index.is_below(case.call, mark.span_id) for mark in case.failed)


def _message_of(value: Any) -> str:
    """What an exception says, as a mark holds it; the mark itself where it holds none that can be told apart."""
    told = value.get("message") if isinstance(value, dict) else value
    return told if isinstance(told, str) and len(told) >= _SHORTEST_MESSAGE else repr(value)


_SHORTEST_MESSAGE = 8


def _is_proper(reading: Reading) -> bool:
    """Whether the result is one that a tool returns after it dealt with an exception: structured, and not empty."""
    return not reading.text and not reading.empty


def _find_cause(below: Surroundings, verdict: Verdict) -> None:
    """For a failure known otherwise: the outside call or the inner exception that explains it."""
    failed = below.unovercome(strict=False)
    if failed:
        verdict.cause = failed[-1]
    if below.raised:
        verdict.raised = below.raised[-1]
