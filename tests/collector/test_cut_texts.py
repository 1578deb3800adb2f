"""Texts at their caps: what decoding keeps for the redactor, what is marked as cut, what stays after the trim."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from analytics.spans import LogRecord, Span
from collector.decode import Encoding, Signal, base64_of, decode, trim_batch
from collector.decode.caps import SHORT_CHARS, event_mark
from collector.redact import BatchRedactor
from telltale.redaction import Redactor
from tests.collector.otlp import logs, pairs, traces

SECRET = "AKI" + "AZ7Q4WMTB2XKD5P3N"
LONG = "lorem ipsum " * 2000


def span_of(request: Any, redactor: BatchRedactor | None = None) -> Span:
    """The first span of a request after decoding, redaction (where asked for) and trim."""
    of_bytes = redactor.of_bytes if redactor else base64_of
    batch = decode(request.SerializeToString(), Signal.TRACES, Encoding.PROTOBUF, of_bytes=of_bytes).batch
    if redactor:
        redactor(batch)
    trim_batch(batch)
    return batch.spans[0]


def filled() -> Any:
    """A request of two spans with every short text beyond its cap."""
    request = traces(2, trace_state=LONG)
    group = request.resource_spans[0]
    group.resource.attributes.extend(pairs({"note": LONG}))
    scoped = group.scope_spans[0]
    scoped.scope.name = scoped.scope.version = scoped.schema_url = LONG
    scoped.scope.attributes.extend(pairs({"note": LONG}))
    scoped.spans[0].events.add(name=LONG)
    return request


@pytest.mark.parametrize("redactor", [None, BatchRedactor(Redactor())])
def test_every_cut_text_ends_at_its_cap_and_says_so(redactor: BatchRedactor | None) -> None:
    """With redaction and without, also in what the spans of a scope or resource share."""
    span = span_of(filled(), redactor)
    for text in (span.scope_name, span.scope_version, span.schema_url, span.trace_state):
        assert text == LONG[:SHORT_CHARS]
    for text in (span.events[0].name, span.resource["note"], span.scope_attributes["note"]):
        assert text == LONG[: 16 * 1024]
    names = ("scope_name", "scope_version", "schema_url", "trace_state", "event.name", "resource.note", "scope.note")
    assert span.cut == dict.fromkeys(names, len(LONG))


def test_a_cut_log_ends_at_its_caps() -> None:
    """The name of its event, its scope and its resource."""
    request = logs()
    group = request.resource_logs[0]
    group.resource.attributes.extend(pairs({"note": LONG}))
    group.scope_logs[0].scope.name = group.scope_logs[0].log_records[0].event_name = LONG
    batch = decode(request.SerializeToString(), Signal.LOGS, Encoding.PROTOBUF).batch
    trim_batch(batch)
    record: LogRecord = batch.logs[0]
    assert record.event_name == record.scope_name == LONG[:SHORT_CHARS]
    assert record.resource["note"] == LONG[: 16 * 1024]
    assert record.cut.keys() == {"event_name", "scope_name", "resource.note"}


def test_bytes_without_a_secret_stay_base64() -> None:
    """Text, pictures and half characters; a mark stands for those that say a secret, also between other bytes."""
    kept = {"text": b"a quiet text", "picture": bytes(range(256)), "half": b"ab\xc3", "none": b""}
    said = {"plain": SECRET.encode(), "keyed": b'{"password": "hunter2"}', "between": b"\xff\0 " + SECRET.encode()}
    redactor = Redactor()
    found = span_of(traces(attributes={**kept, **said, "in": [said["plain"], 1]}), BatchRedactor(redactor)).attributes
    assert {key: found[key] for key in kept} == {key: base64.b64encode(raw).decode() for key, raw in kept.items()}
    assert all(found[key].startswith("[REDACTED:bytes:") for key in said)
    assert found["in"][0] == found["plain"]
    assert redactor.counts["bytes"] == 4


def test_the_name_of_a_cut_value_is_masked_as_the_value_s_own_name() -> None:
    """`cut` speaks of attributes by their names, and a name may hold a secret."""
    span = span_of(traces(attributes={f"of {SECRET}": LONG}), BatchRedactor(Redactor()))
    [name] = span.attributes
    assert span.cut == {name: len(LONG)}
    assert SECRET not in name


def test_the_mark_of_a_long_event_has_no_half_of_its_name() -> None:
    """Short names stay, since readers look them up; a cut one could end within a secret."""
    assert event_mark("exception") == "event.exception."
    assert event_mark("x" * 60 + SECRET) == "event."
