"""Nesting, damage, repetition and size of what a request holds, against the running service (rows 58 to 84)."""

from __future__ import annotations

import json
import os
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from collector.decode import DEFAULT_LIMITS
from collector.decode.caps import DEPTH_MARK
from collector.service import Service
from tests.collector.otlp import any_value, field, logs, traces
from tests.collector.running import JSON, json_span, post, send, send_json, status, stored, stored_span, wait_for


def nested(depth: int) -> Any:
    """A list in a list, `depth` deep."""
    value: Any = "core"
    for _ in range(depth):
        value = [value]
    return value


def wire_nested(depth: int) -> tuple[str, bytes]:
    """A trace id, and a request whose span has the attribute `deep`, made on the wire: no library builds that deep."""
    span = traces(attributes={}).resource_spans[0].scope_spans[0].spans[0]
    value = field(1, b"core")
    for _ in range(depth):
        value = field(5, field(1, value))
    with_deep = span.SerializeToString() + field(9, field(1, b"deep") + field(2, value))
    return span.trace_id.hex(), field(1, field(2, field(2, with_deep)))


def json_nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "core"}
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    return value


@pytest.mark.otlp(79)
@pytest.mark.parametrize("encoding", ["protobuf", "json"])
def test_depth(service: Service, encoding: str) -> None:
    """32 levels are kept, deeper ones end in a marker, far deeper ones are 400."""

    def attempt(depth: int) -> tuple[int, Any]:
        if encoding == "json":
            trace_id, span = json_span(attributes=[{"key": "deep", "value": json_nested(depth)}])
            answer = send_json(service, span)
        else:
            trace_id, body = wire_nested(depth)
            answer = post(service, body)
        return answer.status_code, stored(service, trace_id).spans

    code, spans = attempt(32)
    assert (code, spans[0].attributes["deep"]) == (200, nested(32))
    code, spans = attempt(40)
    assert code == 200
    assert DEPTH_MARK in json.dumps(spans[0].attributes["deep"])
    assert "deep" in spans[0].cut
    code, spans = attempt(60)
    assert (code, spans) == (400, [])


@pytest.mark.otlp(79)
def test_very_deep_json_is_400(service: Service) -> None:
    """A million brackets are refused, in an unknown field too."""
    for body in (b"[" * 10**6, b'{"x":' + b"[" * 10**6 + b"]" * 10**6 + b"}"):
        assert post(service, body, JSON).status_code == 400


def spoiled(request: Any, *texts: bytes) -> bytes:
    """The request with its texts made no UTF-8, the lengths as they were."""
    body: bytes = request.SerializeToString()
    for each in texts:
        assert each in body
        body = body.replace(each, b"\xff" * len(each))
    return body


PLACES: dict[str, tuple[dict[str, Any], str]] = {
    "name": ({"name": "spoil"}, "span"),
    "status": ({}, "span"),
    "trace state": ({"trace_state": "spoil"}, "span"),
    "key": ({"attributes": {"spoil": 1}}, "span"),
    "value": ({"attributes": {"key": "spoil"}}, "span"),
    "long value": ({"attributes": {"key": "spoil" + "x" * 500}}, "span"),
    "nested": ({"attributes": {"key": ["a", {"b": "spoil"}]}}, "span"),
    "event": ({}, "span"),
    "resource": ({}, "group"),
    "scope": ({}, "group"),
}


@pytest.mark.otlp(80)
@pytest.mark.parametrize("place", PLACES)
def test_invalid_utf8_costs_what_holds_it(service: Service, place: str) -> None:
    """The span with the bad text, or the spans under a bad resource or scope, are rejected; the rest is stored."""
    fields, reach = PLACES[place]
    request = traces(2)
    bad = traces(1, **fields).resource_spans[0]
    span = bad.scope_spans[0].spans[0]
    if place == "status":
        span.status.message = "spoil"
    if place == "event":
        span.events.add(name="exception").attributes.add(key="spoil")
    if place == "resource":
        bad.resource.attributes.add(key="k").value.string_value = "spoil"
    if place == "scope":
        bad.scope_spans[0].scope.version = "spoil"
    bad.scope_spans[0].spans.add().CopyFrom(request.resource_spans[0].scope_spans[0].spans[0])
    bad.scope_spans[0].spans[1].trace_id = os.urandom(16)
    other = bad.scope_spans[0].spans[1].trace_id
    request.resource_spans.add().CopyFrom(bad)
    answer = post(service, spoiled(request, b"spoil"))
    assert answer.status_code == 200
    told = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert told.rejected_spans == (2 if reach == "group" else 1)
    assert "not UTF-8" in told.error_message
    for good in request.resource_spans[0].scope_spans[0].spans:
        assert stored_span(service, good.trace_id).name == good.name
    assert len(stored(service, other).spans) == (0 if reach == "group" else 1)


def in_json(place: str) -> tuple[dict[str, Any], list[str]]:
    """A request of two groups in JSON with one bad text in the second, and the traces in order: good, bad, beside."""
    ids = [os.urandom(16).hex() for _ in range(3)]
    spans: list[dict[str, Any]] = [{"traceId": trace, "spanId": "ab" * 8, "name": "look"} for trace in ids]
    resource: dict[str, Any] = {"attributes": []}
    scoped: dict[str, Any] = {"scope": {"name": "s"}, "spans": spans[1:]}
    pair = {"key": "k", "value": {"stringValue": "spoil"}}
    bad: dict[str, dict[str, Any]] = {
        "name": {"name": "spoil"},
        "status": {"status": {"code": 2, "message": "spoil"}},
        "trace state": {"traceState": "spoil"},
        "key": {"attributes": [{"key": "spoil", "value": {"intValue": "1"}}]},
        "value": {"attributes": [pair]},
        "long value": {"attributes": [{"key": "k", "value": {"stringValue": "spoil" + "x" * 500}}]},
        "nested": {"attributes": [{"key": "k", "value": {"kvlistValue": {"values": [pair]}}}]},
        "event": {"events": [{"name": "exception", "attributes": [pair]}]},
    }
    spans[1] |= bad.get(place, {})
    if place == "resource":
        resource["attributes"] = [pair]
    if place == "scope":
        scoped["scope"]["version"] = "spoil"
    groups = [{"scopeSpans": [{"spans": spans[:1]}]}, {"resource": resource, "scopeSpans": [scoped]}]
    return {"resourceSpans": groups}, ids


@pytest.mark.otlp(80)
@pytest.mark.parametrize("place", PLACES)
def test_invalid_utf8_in_json_costs_what_holds_it(service: Service, place: str) -> None:
    """As in protobuf: the span with the bad text, or those under a bad resource or scope; texts that look odd stay."""
    plain, (good, bad, beside) = in_json(place)
    plain["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] = "\ufdd0 \U0001f600 caf\u00e9"
    reach = PLACES[place][1]
    for raw in (b"\xff\xfe", b"\xed\xa0\x80"):
        body = json.dumps(plain, ensure_ascii=raw == b"\xff\xfe").encode().replace(b"spoil", raw)
        answer = post(service, body, JSON)
        assert answer.status_code == 200, answer.text
        told = answer.json()["partialSuccess"]
        assert int(told["rejectedSpans"]) == (2 if reach == "group" else 1)
        assert "not UTF-8" in told["errorMessage"]
    assert stored_span(service, bytes.fromhex(good)).name == "\ufdd0 \U0001f600 caf\u00e9"
    assert len(stored(service, bytes.fromhex(bad)).spans) == 0
    assert len(stored(service, bytes.fromhex(beside)).spans) == (0 if reach == "group" else 1)


def test_a_log_record_that_is_not_utf8_is_rejected_alone(service: Service) -> None:
    """The same for log records in JSON."""
    texts = ("good", "spoil", "good")
    records = [{"timeUnixNano": "1", "body": {"stringValue": text}} for text in texts]
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()
    answer = post(service, body.replace(b"spoil", b"\xc3("), JSON, "/v1/logs")
    assert answer.status_code == 200
    assert int(answer.json()["partialSuccess"]["rejectedLogRecords"]) == 1


@pytest.mark.otlp(42, 80)
def test_what_is_no_protobuf_is_400(service: Service) -> None:
    """An attribute that is no message refuses the request, as does JSON that is not UTF-8 where no record is."""
    body = spoiled(traces(attributes={"gone": 1}), any_value(1).SerializeToString())
    assert post(service, body).status_code == 400
    assert post(service, b'{"resourceSpans":[{"schemaUrl":"\xff"}]}', JSON).status_code == 400


@pytest.mark.otlp(81)
def test_nul_is_made_visible(service: Service) -> None:
    """NUL becomes U+2400 in names, keys, values and nested values."""
    request = traces(attributes={"a\0b": "x\0y", "list": ["p\0q"]}, name="n\0m")
    found = stored_span(service, send(service, request))
    assert found.name == "n␀m"
    assert found.attributes == {"a␀b": "x␀y", "list": ["p␀q"]}


@pytest.mark.otlp(82)
def test_the_same_span_is_one_span(service: Service) -> None:
    """A request sent twice, and a span twice in one request, give one row each."""
    request = traces()
    spans = request.resource_spans[0].scope_spans[0].spans
    spans.add().CopyFrom(spans[0])
    send(service, request)
    send(service, request)
    assert stored_span(service, spans[0].trace_id).name == spans[0].name


def test_attributes_in_another_order_are_the_same_call(service: Service) -> None:
    """A span sent again with its attributes turned round is counted once."""
    request = traces(attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "turned", "a": 1})
    trace_id = send(service, request)
    span = request.resource_spans[0].scope_spans[0].spans[0]
    turned = list(reversed(span.attributes))
    del span.attributes[:]
    span.attributes.extend(turned)
    send(service, request)
    wait_for(lambda: len(stored(service, trace_id).spans) == 2)
    ask = lambda: httpx.get(f"{service.urls.api}/api/v1/calls", params={"tool": "turned", "since": "all"}).json()  # noqa: E731
    assert len(wait_for(lambda: ask()["rows"])) == 1


@pytest.mark.otlp(83)
def test_everything_round_trips(service: Service) -> None:
    """Dropped counts, events, links, trace state, scope and schema URL are kept."""
    request = traces(
        dropped_attributes_count=3, dropped_events_count=2, dropped_links_count=1, trace_state="a=b", name="whole"
    )
    group = request.resource_spans[0]
    group.schema_url = "https://resource"
    scoped = group.scope_spans[0]
    scoped.scope.version = "1.2"
    scoped.scope.attributes.add(key="s").value.CopyFrom(any_value(1))
    span = scoped.spans[0]
    event = span.events.add(name="exception", time_unix_nano=7)
    event.attributes.add(key="exception.message").value.CopyFrom(any_value("boom"))
    link = span.links.add(trace_id=b"t" * 16, span_id=b"s" * 8)
    link.attributes.add(key="why").value.CopyFrom(any_value("retry"))
    span.status.code, span.status.message = 2, "bad"
    found = stored_span(service, send(service, request))
    assert (found.dropped_attributes, found.dropped_events, found.dropped_links) == (3, 2, 1)
    assert (found.trace_state, found.schema_url, found.status_message) == ("a=b", "https://resource", "bad")
    assert (found.scope_name, found.scope_version, found.scope_attributes) == ("tests", "1.2", {"s": 1})
    assert [(e.name, e.time_ns, e.attributes) for e in found.events] == [
        ("exception", 7, {"exception.message": "boom"})
    ]
    assert [(k.trace_id, k.span_id, k.attributes) for k in found.links] == [
        ((b"t" * 16).hex(), (b"s" * 8).hex(), {"why": "retry"})
    ]
    assert found.resource == {"service.name": "tests"}


def test_texts_are_cut_at_their_cap_and_say_so(service: Service) -> None:
    """A payload key keeps 256 KiB, another key 16 KiB; `cut` holds the original length; the answer warns."""
    big = 300 * 1024
    text = "words " * (big // 6)
    request = traces(attributes={"gen_ai.tool.call.result": text, "note": text, "short": "s"})
    found = stored_span(service, send(service, request))
    assert len(found.attributes["gen_ai.tool.call.result"]) == DEFAULT_LIMITS.payload_chars
    assert len(found.attributes["note"]) == DEFAULT_LIMITS.value_chars
    assert found.attributes["short"] == "s"
    assert found.cut == {"gen_ai.tool.call.result": big, "note": big}


def test_a_large_list_is_cut_as_text(service: Service) -> None:
    """A nested value beyond its cap keeps the head of its JSON text, to be judged by its parsed prefix."""
    request = traces(attributes={"list": ["x" * 1000] * 100})
    found = stored_span(service, send(service, request))
    assert found.attributes["list"].startswith('["xxx')
    assert len(found.attributes["list"]) == DEFAULT_LIMITS.value_chars
    assert found.cut["list"] > 100_000


def test_attributes_and_events_beyond_the_caps_are_dropped_and_counted(service: Service) -> None:
    """512 attributes and 256 events are kept; plain keys before indexed ones; first and last events."""
    attributes = {f"llm.input_messages.{n}.message.role": "user" for n in range(600)} | {"output.value": "kept"}
    request = traces(attributes=attributes)
    span = request.resource_spans[0].scope_spans[0].spans[0]
    for n in range(300):
        span.events.add(name=f"e{n}")
    found = stored_span(service, send(service, request))
    assert len(found.attributes) == 512
    assert found.attributes["output.value"] == "kept"
    assert "llm.input_messages.599.message.role" in found.attributes
    assert found.dropped_attributes == len(attributes) - 512
    assert (len(found.events), found.dropped_events) == (256, 44)
    assert (found.events[0].name, found.events[-1].name) == ("e0", "e299")


def test_more_records_than_a_request_may_hold_are_413(service: Service) -> None:
    """50,001 spans are refused whole, before they are built."""
    scoped = field(2, b"") * 50_001
    answer = post(service, field(1, field(2, scoped)))
    assert answer.status_code == 413
    assert "50000" in status(answer).message


def test_log_records(service: Service) -> None:
    """Log records are kept with body, event name and ids; ids of another length reject that record."""
    request = logs(2, body={"content": [{"text": "hi"}]})
    good, bad = request.resource_logs[0].scope_logs[0].log_records
    good.trace_id, good.span_id = os.urandom(16), os.urandom(8)
    bad.trace_id = b"short"
    answer = post(service, request.SerializeToString(), path="/v1/logs")
    assert answer.status_code == 200
    assert b"1 log records rejected" in answer.content
    found = wait_for(lambda: stored(service, good.trace_id).logs)
    assert (found[0].body, found[0].event_name) == ({"content": [{"text": "hi"}]}, "gen_ai.choice")
    assert found[0].span_id == good.span_id.hex()
