"""What log records tell of calls that have spans of their own: arguments, failure, the error's text."""

from __future__ import annotations

from collections import defaultdict

from analytics.conventions.convention import RecordRule, text
from analytics.conventions.vocabulary import RECORDS
from analytics.normalise.logical_call import LogicalCall, Mark, Meaning
from analytics.normalise.marks import meaning_by_rule
from analytics.normalise.reading import arguments_of
from analytics.normalise.values import as_text
from analytics.spans import LogRecord
from telltale.vocabulary import Payload

SKEW_NS = 1_000_000_000
"""A record of a call's end is written this much before or after it at most, by the clock of another exporter."""

_Told = tuple[LogRecord, RecordRule]


def add_records(calls: list[LogicalCall], logs: list[LogRecord]) -> None:
    """Add to each call what its own record says: the one under its id, of its time; each record is of one call."""
    told: dict[str, list[_Told]] = defaultdict(list)
    for log in sorted(logs, key=lambda log: (log.time_ns, log.span_id)):
        for scopes, rule in RECORDS.get(log.event, ()):
            call_id = text(log.attributes.get(rule.call_id))
            if call_id is not None and log.scope_name.startswith(scopes):
                told[call_id].append((log, rule))
                break
    if not told:
        return
    for call in calls:
        waiting = told.get(call.call_id or "")
        own = next((each for each in waiting if _of_its_time(call, each[0])), None) if waiting else None
        if waiting and own is not None:
            waiting.remove(own)
            _add(call, *own)


def _of_its_time(call: LogicalCall, log: LogRecord) -> bool:
    ended = max(member.end_ns for member in call.members)
    return call.span.start_ns - SKEW_NS <= log.time_ns <= ended + SKEW_NS


def _add(call: LogicalCall, log: LogRecord, rule: RecordRule) -> None:
    source = f"log {log.event} "
    sent = log.attributes.get(rule.arguments)
    if sent is not None and call.arguments_text is None:
        call.arguments, call.arguments_text = arguments_of(sent), as_text(sent)
        call.sources["arguments"] = source + rule.arguments
    failed = [
        Mark(source + mark.attribute, value, call.span.span_id, Meaning.FAILED)
        for mark in rule.marks
        if meaning_by_rule(mark, value := log.attributes.get(mark.attribute)) is Meaning.FAILED
    ]
    if not any(mark.meaning is Meaning.FAILED for mark in call.marks):
        call.marks += failed
    message = text(log.attributes.get(rule.message))
    if failed and message is not None and call.told is None and call.payload is Payload.ABSENT:
        call.told, call.sources["told"] = message, source + rule.message
