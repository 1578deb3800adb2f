"""Calls as rows of the `call` table and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1
from operator import attrgetter
from typing import Any

import msgspec
import pyarrow as pa

from analytics.calls import Call
from analytics.judge.rules import LATER_RULES
from analytics.questions.times import MAX_NS
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

_PLAIN: Mapping[str, pa.DataType] = {
    **dict.fromkeys(
        (
            "id",
            "project",
            "trace_id",
            "span_id",
            "tool",
            "outcome",
            "declared",
            "confidence",
            "payload",
            "session_id",
            "session_source",
            "agent",
            "user",
            "model",
            "service",
            "release",
            "call_id",
            "convention",
            "code",
            "declared_code",
            "code_source",
            "action",
            "error_message",
            "upstream",
            "fingerprint",
            "arguments",
            "result",
            "arguments_hash",
            "result_hash",
        ),
        pa.string(),
    ),
    **dict.fromkeys(("retryable", "recovered", "inferred", "run_aborted", "muted"), pa.bool_()),
    **dict.fromkeys(("retry_after_s",), pa.float64()),
    **dict.fromkeys(("rules_version", "turn"), pa.int32()),
}
_LISTS = ("span_ids", "flags", "contract_fields", "rules", "lost")
_ENUMS: Mapping[str, Callable[[str], Any]] = {
    "outcome": Outcome,
    "declared": Declared,
    "confidence": Confidence,
    "payload": Payload,
}
_COPIED = {name: attrgetter(name) for name in (*_PLAIN, *_LISTS)}
_LATER = ("rules", "evidence", "confidence")
"""What other sessions may add to beside `recovered`."""
_verdict = attrgetter(
    *(name for name in _PLAIN if name not in ("recovered", "arguments", "result", *_LATER)),
    *(name for name in _LISTS if name not in _LATER),
    *("started_ns", "received_ns", "duration_ms"),
)
"""Everything of a verdict that is the judge's; of the long texts their hashes stand for them."""
CORRECTION = "correction"
"""The rule id that a call bears when a person corrected its verdict."""

_json = msgspec.json.Encoder(enc_hook=str)
_packed = msgspec.msgpack.Encoder(enc_hook=str)
_LONGEST_MS = 1e15


def session_key(call: Call) -> str:
    """The session of a call, or the trace that stands in for one."""
    return call.session_id or call.trace_id


def measured(call: Call) -> bool:
    """Whether compliance can be told of a call: its payload is there, or it raised, and then there never was one.

    A failure of which normalising notes no missing result is one that raised (`analytics.normalise.losses`).
    """
    if call.payload is not Payload.ABSENT:
        return True
    return call.outcome is not Outcome.OK and not any(each.startswith("result") for each in call.lost)


def digest(call: Call) -> int:
    """A number that is equal for equal verdicts of the judge and of people.

    Whether the failure was overcome later, and what other sessions said of it, are no part of it.
    """
    later = _without_later(call) if not LATER_RULES.keys().isdisjoint(call.rules) else None
    said = later or (call.rules, call.evidence, call.confidence)
    content = sha1(_pack((_verdict(call), *said)), usedforsecurity=False)
    return int.from_bytes(content.digest()[:8], "little", signed=True)


def _without_later(call: Call) -> tuple[list[str], list[dict[str, Any]], Confidence]:
    """A call's rules, evidence and confidence without what other sessions said of it."""
    raised = [each for each in call.evidence if each.get("rule") in LATER_RULES]
    evidence = [each for each in call.evidence if each.get("rule") not in LATER_RULES]
    rules = [rule for rule in call.rules if rule not in LATER_RULES]
    confidence = call.confidence
    if raised and CORRECTION not in rules:
        before = (each for each in Confidence if raised_from(each) == raised[0].get("mark"))
        confidence = next(before, confidence)
    return rules, evidence, confidence


def raised_from(confidence: Confidence) -> str:
    """The mark in the evidence that made a verdict surer than this."""
    return f"raised from {confidence}"


def added_later(rule: object) -> bool:
    """Whether a rule was added to a row after the judge: by a person, or by what other sessions say."""
    return rule == CORRECTION or rule in LATER_RULES


def _pack(verdict: tuple[Any, ...]) -> bytes:
    try:
        return _packed.encode(verdict)
    except (UnicodeEncodeError, OverflowError, ValueError):
        return repr(verdict).encode("utf-8", "replace")


def call_table(
    calls: Sequence[Call], scopes: Sequence[str], digests: Sequence[int], judged_seq: Sequence[int], judged_ns: int
) -> pa.Table:
    """The rows of some calls, at least one, ready for insertion by name."""
    columns: dict[str, pa.Array] = {}
    values = {name: list(map(of, calls)) for name, of in _COPIED.items()}
    for name, kind in _PLAIN.items():
        columns[name] = texts(values[name]) if kind == pa.string() else pa.array(values[name], kind)
    for name in _LISTS:
        columns[name] = text_lists(values[name])
    columns["started_ns"] = pa.array([held(call.started_ns) for call in calls], pa.int64())
    columns["received_ns"] = pa.array([held(call.received_ns) for call in calls], pa.int64())
    columns["duration_ms"] = pa.array([duration(call) for call in calls], pa.float64())
    columns["evidence"] = texts([json_text(call.evidence) for call in calls])
    columns["session_key"] = texts([session_key(call) for call in calls])
    columns["scope"] = texts(scopes)
    columns["measured"] = pa.array([measured(call) for call in calls], pa.bool_())
    columns["judged_seq"] = pa.array(judged_seq, pa.int64())
    columns["judged_ns"] = pa.array([judged_ns] * len(calls), pa.int64())
    columns["digest"] = pa.array(digests, pa.int64())
    return pa.table(columns)


def call_of(row: Mapping[str, Any]) -> Call:
    """The call that a row of `call` holds."""
    fields = {name: row[name] for name in (*_PLAIN, *_LISTS, "started_ns", "received_ns", "duration_ms")}
    for name, kind in _ENUMS.items():
        fields[name] = kind(fields[name])
    fields["evidence"] = msgspec.json.decode(row["evidence"])
    return Call(**fields)


def held(ns: int) -> int:
    """A time that fits the column."""
    return max(0, min(ns, MAX_NS))


def duration(call: Call) -> float:
    """The duration of a call in ms; clocks that ran backwards give 0."""
    return min(call.duration_ms, _LONGEST_MS) if call.duration_ms > 0 else 0.0


def json_text(value: Any) -> str:
    """JSON text of what spans gave, whatever it holds."""
    try:
        return _json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError, ValueError, RecursionError):
        return _json.encode(clean(str(value))).decode()


def texts(values: Sequence[str | None]) -> pa.Array:
    """A text column; half surrogate pairs, which UTF-8 cannot hold, become question marks."""
    try:
        return pa.array(values, pa.string())
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array([None if value is None else clean(value) for value in values], pa.string())


def text_lists(values: Sequence[Sequence[str]]) -> pa.Array:
    """A column of lists of texts."""
    try:
        return pa.array(values, pa.list_(pa.string()))
    except (UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([[clean(str(each)) for each in value] for value in values], pa.list_(pa.string()))


def clean(text: str) -> str:
    """The text with what UTF-8 cannot hold replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
