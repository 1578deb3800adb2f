"""Judges the tool calls of one trace: normalise, read each result, weigh the evidence, make the row."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from analytics.calls import Call
from analytics.judge.attempts import Attempt
from analytics.judge.case import Verdict
from analytics.judge.code import choose_code
from analytics.judge.fingerprint import digest, fingerprint
from analytics.judge.flags import flags_of
from analytics.judge.upstream import TraceIndex
from analytics.judge.verdict import decide
from analytics.normalise import normalise
from analytics.normalise.logical_call import LogicalCall
from analytics.settings import JudgeSettings, ToolSettings
from analytics.spans import Trace
from telltale.payload import Asked, Reading, read_payload
from telltale.payload.asked.verbs import deed_name
from telltale.payload.declared import retry_after
from telltale.payload.wrappers import unwrap
from telltale.payload.wrappers.prefix import parse_prefix
from telltale.vocabulary import Outcome, Payload

TEXT_CAP = 16_384
"""Most characters of arguments and of a result that a row keeps."""

_MESSAGE_CAP = 2_000


def judge(trace: Trace, settings: JudgeSettings) -> list[Call]:
    """The judged calls of one trace, in the order in which they started.

    A pure function of the trace's spans and logs: any order of them gives the same rows. Loops, recovery and obedience
    need the calls around and come later, from `judge_session`.
    """
    return judge_calls(trace, normalise(trace, settings), settings)


def judge_calls(trace: Trace, calls: list[LogicalCall], settings: JudgeSettings) -> list[Call]:
    """Judges calls that are normalised already."""
    index = TraceIndex(trace, calls)
    rows = [judge_one(call, settings.tool(call.tool), index, trace) for call in calls]
    rows.sort(key=lambda row: (row.started_ns, row.id))
    return rows


def judge_one(call: LogicalCall, settings: ToolSettings, index: TraceIndex, trace: Trace) -> Call:
    """Judges one call against its trace."""
    name = deed_name(call.tool, call.arguments)
    asked = Asked(name, call.arguments, settings.content, settings.changes_state, call.tool)
    reading = _read(call, asked)
    verdict = decide(call, reading, asked, settings, index)
    row = _row(call, verdict, trace)
    if verdict.outcome is not Outcome.OK:
        _explain(row, call, reading, verdict)
    elif verdict.refused:
        row.flags = ["refused"]
    accusing = [rule for rule in row.rules if rule not in _CLAIMS]
    row.muted = bool(settings.mute) and bool(accusing) and all(rule in settings.mute for rule in accusing)
    return row


_CLAIMS = ("payload.success", "trace.claimed_ok")
"""Rules that accuse nobody: they note that success was claimed, as every guarded tool's `ok` does."""


def _read(call: LogicalCall, asked: Asked) -> Reading:
    """The reading of a call's result; of a cut one, by what is left of it, and never as empty."""
    if call.payload is Payload.ABSENT:
        return Reading(None)
    if call.payload is Payload.CAPTURED:
        return read_payload(call.result, asked)
    left = parse_prefix(call.result) if isinstance(call.result, str) else None
    reading = read_payload(call.result if left is None else unwrap(left).value, asked)
    reading.whole = False
    return reading


def _row(call: LogicalCall, verdict: Verdict, trace: Trace) -> Call:
    span = call.span
    start, end, ids = span.start_ns, span.end_ns, [span.span_id]
    if len(call.members) > 1:
        start = min(member.start_ns for member in call.members)
        end = max(member.end_ns for member in call.members)
        ids = sorted(member.span_id for member in call.members)
    arguments, result = call.arguments_text, call.result_text
    return Call(
        id=call.id,
        project=trace.project,
        trace_id=trace.trace_id,
        span_id=span.span_id,
        span_ids=ids,
        tool=call.tool,
        started_ns=start,
        duration_ms=max(0, end - start) / 1e6,
        outcome=verdict.outcome,
        declared=verdict.declared,
        confidence=verdict.confidence,
        payload=call.payload,
        session_id=call.session_id,
        session_source=call.session_source,
        agent=call.agent,
        user=call.user,
        model=call.model,
        service=call.service,
        release=call.release,
        call_id=call.call_id,
        convention=call.convention,
        rules=verdict.rules,
        evidence=verdict.evidence,
        inferred=call.inferred,
        run_aborted=call.run_aborted,
        arguments=arguments[:TEXT_CAP] if arguments else arguments,
        result=result[:TEXT_CAP] if result else result,
        arguments_hash=_hash(call.arguments),
        result_hash=_result_hash(call) if call.payload is not Payload.ABSENT else None,
        lost=call.lost,
        received_ns=span.received_ns,
        turn=call.turn,
    )


def _explain(row: Call, call: LogicalCall, reading: Reading, verdict: Verdict) -> None:
    """What a failed call carries beside its outcome: code, advice, message, flags, group."""
    code, source = choose_code(call, reading, verdict)
    flags, evidence = flags_of(call, reading, verdict, code)
    cause = verdict.cause.cause if verdict.cause is not None else None
    message = reading.message or (reading.value if reading.text else None) or call.told or call.span.status_message
    row.code, row.code_source = code.value, source
    row.declared_code = reading.declared_code
    row.flags = flags
    row.evidence += evidence
    row.contract_fields = reading.envelope.contract_fields if reading.envelope is not None else []
    row.action, row.retryable = reading.action, reading.retryable
    row.retry_after_s = reading.retry_after_s if reading.retry_after_s is not None else _retry_after(cause)
    row.error_message = message[:_MESSAGE_CAP] if message else None
    row.upstream = _name(cause) if cause is not None else None
    row.fingerprint = fingerprint(call.tool, code.value, row.error_message, row.upstream)


def _retry_after(cause: Attempt | None) -> float | None:
    """Seconds to wait as the failed upstream answered them in its Retry-After header (RFC 9110 §10.2.3)."""
    if cause is None:
        return None
    header = cause.span.attributes.get("http.response.header.retry-after")
    if isinstance(header, list):
        header = header[0] if header else None
    return retry_after({"retry_after": header})


def _name(cause: Attempt) -> str:
    """The upstream as engineers speak of it: host or database, and what it answered."""
    attributes = cause.span.attributes
    host = next((str(attributes[key]) for key in _HOST_KEYS if attributes.get(key)), "") or cause.span.name
    return f"{host[:120]} {cause.value or ''}".strip()[:200]


_HOST_KEYS = (
    "server.address",
    "net.peer.name",
    "http.host",
    "peer.service",
    "db.namespace",
    "db.system.name",
    "db.system",
)


def _result_hash(call: LogicalCall) -> str | None:
    """A hash of a result as it was written; without its wrappers, which may hold ids and times of their own."""
    if call.wrappers == _PLAIN_JSON and call.result_text is not None:
        return digest(call.result_text)
    return _hash(call.result, None)


_PLAIN_JSON = ["json"]


def _hash(value: Any, order: Literal["deterministic"] | None = "deterministic") -> str | None:
    """A hash of a value, whatever the order of its keys; or with `order` None, in their order."""
    if value is None:
        return None
    if isinstance(value, str):
        return digest(value)
    try:
        return digest(msgspec.json.encode(value, order=order))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return digest(repr(value)[:100_000])
