"""The same random spans by four ways give the same rows (row 85)."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
import os
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from analytics.spans import Span
from collector.decode import Encoding, Signal, decode
from collector.service import Service
from tests.collector.otlp import pairs, traces
from tests.collector.running import JSON, post, stored_span

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), TEXT, st.binary(max_size=8))
VALUE = st.recursive(
    SCALAR, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)), max_leaves=6
)
ATTRIBUTES = st.dictionaries(TEXT, VALUE, max_size=5)
SPAN = st.fixed_dictionaries(
    {
        "name": TEXT,
        "kind": st.integers(0, 5),
        "start": st.integers(0, 2**64 - 1),
        "end": st.integers(0, 2**64 - 1),
        "status": st.integers(0, 2),
        "message": TEXT,
        "state": TEXT,
        "dropped": st.integers(0, 2**32 - 1),
        "attributes": ATTRIBUTES,
        "events": st.lists(st.tuples(TEXT, st.integers(0, 2**64 - 1), ATTRIBUTES), max_size=2),
    }
)


def as_protobuf(plain: dict[str, Any]) -> Any:
    request = traces(
        name=plain["name"],
        kind=plain["kind"],
        start_time_unix_nano=plain["start"],
        end_time_unix_nano=plain["end"],
        trace_state=plain["state"],
        dropped_attributes_count=plain["dropped"],
        attributes=plain["attributes"],
    )
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.status.code, span.status.message = plain["status"], plain["message"]
    for name, time, attributes in plain["events"]:
        span.events.add(name=name, time_unix_nano=time).attributes.extend(pairs(attributes))
    return request


def json_value(value: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    match value:
        case bool():
            made["boolValue"] = value
        case int():
            made["intValue"] = str(value)
        case float():
            names = {math.inf: "Infinity", -math.inf: "-Infinity"}
            made["doubleValue"] = "NaN" if math.isnan(value) else names.get(value, value)
        case bytes():
            made["bytesValue"] = base64.b64encode(value).decode()
        case list():
            made["arrayValue"] = {"values": [json_value(item) for item in value]}
        case dict():
            made["kvlistValue"] = {"values": json_pairs(value)}
        case str():
            made["stringValue"] = value
    return made


def json_pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": json_value(value)} for key, value in attributes.items()]


def as_json(plain: dict[str, Any], trace_id: str, span_id: str) -> bytes:
    span = {
        "traceId": trace_id,
        "spanId": span_id,
        "name": plain["name"],
        "kind": plain["kind"],
        "startTimeUnixNano": str(plain["start"]),
        "endTimeUnixNano": plain["end"],
        "status": {"code": plain["status"], "message": plain["message"]},
        "traceState": plain["state"],
        "droppedAttributesCount": plain["dropped"],
        "attributes": json_pairs(plain["attributes"]),
        "events": [
            {"name": name, "timeUnixNano": str(time), "attributes": json_pairs(attributes)}
            for name, time, attributes in plain["events"]
        ],
    }
    scoped = {"scope": {"name": "tests"}, "spans": [span]}
    resource = {"attributes": json_pairs({"service.name": "tests"})}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}).encode()


def comparable(span: Span) -> Span:
    """A row without what differs by design: ids and arrival."""
    return dataclasses.replace(span, trace_id="", span_id="", seq=0, received_ns=0)


@pytest.mark.otlp(85)
@given(plain=SPAN)
@settings(max_examples=100, deadline=None)
def test_both_decoders_agree(plain: dict[str, Any]) -> None:
    """Protobuf and JSON of one span decode to equal rows."""
    request = as_protobuf(plain)
    span = request.resource_spans[0].scope_spans[0].spans[0]
    body = as_json(plain, span.trace_id.hex(), span.span_id.hex())
    by_protobuf = decode(request.SerializeToString(), Signal.TRACES, Encoding.PROTOBUF)
    by_json = decode(body, Signal.TRACES, Encoding.JSON)
    assert by_protobuf.batch == by_json.batch
    assert by_protobuf.notes == by_json.notes


@pytest.mark.otlp(85)
@given(plain=SPAN)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_four_ways_store_equal_rows(service: Service, plain: dict[str, Any]) -> None:
    """gRPC, gRPC with gzip, HTTP protobuf and HTTP JSON store equal rows."""
    requests = [as_protobuf(plain) for _ in range(3)]
    ids = [request.resource_spans[0].scope_spans[0].spans[0].trace_id for request in requests]
    with grpc.insecure_channel(service.urls.otlp_grpc.removeprefix("http://")) as channel:
        TraceServiceStub(channel).Export(requests[0], timeout=30)
        TraceServiceStub(channel).Export(requests[1], timeout=30, compression=grpc.Compression.Gzip)
    assert post(service, requests[2].SerializeToString()).status_code == 200
    ids.append(os.urandom(16))
    assert post(service, as_json(plain, ids[3].hex(), os.urandom(8).hex()), JSON).status_code == 200
    rows = [comparable(stored_span(service, trace_id)) for trace_id in ids]
    assert rows[1:] == rows[:1] * 3
