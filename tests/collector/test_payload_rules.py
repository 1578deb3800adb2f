"""What a request may hold, by both encodings, against the running service (rows 58 to 84 of the conformance table)."""

from __future__ import annotations

import base64
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
from tests.collector.running import JSON, post, status, stored, stored_span, wait_for


def json_span(**fields: Any) -> tuple[str, dict[str, Any]]:
    """A span in OTLP/JSON under a new trace id."""
    trace_id = os.urandom(16).hex()
    span = {"traceId": trace_id, "spanId": os.urandom(8).hex(), "name": "n", "startTimeUnixNano": "1", **fields}
    return trace_id, span


def send_json(service: Service, *spans: Any, **group: Any) -> Any:
    """Post spans as JSON; returns the HTTP answer."""
    body = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}], **group}]}
    return post(service, json.dumps(body).encode(), JSON)


def send(service: Service, request: Any) -> bytes:
    """Post a protobuf trace request that must be taken; returns its (first) trace id."""
    answer = post(service, request.SerializeToString())
    assert answer.status_code == 200, status(answer)
    trace_id: bytes = request.resource_spans[0].scope_spans[0].spans[0].trace_id
    return trace_id


@pytest.mark.otlp(58)
def test_json_ids_are_hex_in_any_case(service: Service) -> None:
    """Upper and lower case give the same ids, kept in lower case."""
    trace_id, span = json_span()
    upper = {**span, "traceId": trace_id.upper(), "spanId": os.urandom(8).hex().upper()}
    assert send_json(service, span, upper).status_code == 200
    found = wait_for(lambda: (trace := stored(service, trace_id)).spans and trace)
    assert {s.span_id for s in found.spans} == {span["spanId"], upper["spanId"].lower()}


@pytest.mark.otlp(59)
@pytest.mark.parametrize(
    "bad",
    ["5b8e", "5b" * 15 + "5", "zz" * 16, base64.b64encode(bytes(range(16))).decode(), "5b" * 15 + " 5", "5b" * 17],
)
def test_json_ids_of_another_shape_are_400(service: Service, bad: str) -> None:
    """Wrong or odd length, other characters, base64 in every span: the request is malformed."""
    assert send_json(service, {**json_span()[1], "traceId": bad}).status_code == 400


@pytest.mark.otlp(59, 70)
@pytest.mark.parametrize("field_name", ["traceId", "spanId", "parentSpanId"])
def test_one_malformed_json_id_costs_one_span(service: Service, field_name: str) -> None:
    """The others of the request are stored, and the sender is told how many were not."""
    trace_id, good = json_span()
    answer = send_json(service, {**json_span()[1], field_name: "5b8e"}, good)
    assert answer.status_code == 200
    told = answer.json()["partialSuccess"]
    assert int(told["rejectedSpans"]) == 1
    assert "hex digits" in told["errorMessage"]
    assert stored_span(service, trace_id).span_id == good["spanId"]


@pytest.mark.otlp(60, 61)
def test_enums(service: Service) -> None:
    """Numbers are taken, unknown ones too; known names as the Collector does; unknown names are 400."""
    for kind, kept in ((2, 2), ("SPAN_KIND_SERVER", 2), (99, 99)):
        trace_id, span = json_span(kind=kind)
        assert send_json(service, span).status_code == 200
        assert stored_span(service, trace_id).kind == kept
    assert send_json(service, json_span(kind="SERVER")[1]).status_code == 400
    assert stored_span(service, send(service, traces(kind=99))).kind == 99


@pytest.mark.otlp(62)
def test_64_bit_integers_are_text_or_numbers(service: Service) -> None:
    """Both spellings give the same value; a fraction, a sign on an unsigned one and 2^64 are 400."""
    for start in ("1544712660000000000", 1544712660000000000):
        trace_id, span = json_span(startTimeUnixNano=start)
        assert send_json(service, span).status_code == 200
        assert stored_span(service, trace_id).start_ns == 1544712660000000000
    for start in ("1.5", 1.5, "-1", -1, str(2**64), 2**64, "0x10", "", "١"):
        assert send_json(service, json_span(startTimeUnixNano=start)[1]).status_code == 400, start
    trace_id, span = json_span(attributes=[{"key": "n", "value": {"intValue": str(-(2**63))}}])
    assert send_json(service, span).status_code == 200
    assert stored_span(service, trace_id).attributes == {"n": -(2**63)}


@pytest.mark.otlp(63, 64, 84)
def test_unknown_fields_are_ignored_snake_case_among_them(service: Service) -> None:
    """Unknown keys of any type at any level, and snake_case spellings, change nothing."""
    trace_id, span = json_span(start_time_unix_nano="99", unknown=[[{"a": None}]], x={"y": 1}, z=1e400)
    span["attributes"] = [{"key": "k", "value": {"stringValue": "v", "other": []}, "more": 1}]
    span["status"] = {"code": 2, "deprecatedCode": 5}
    body: dict[str, Any] = {"resourceSpans": [{"scopeSpans": [{"spans": [span], "q": 1}], "q": {}}], "q": 1}
    body["resourceSpans"][0]["instrumentationLibrarySpans"] = [{"spans": [json_span()[1]]}]
    assert post(service, json.dumps(body).replace("Infinity", "1").encode(), JSON).status_code == 200
    found = stored_span(service, trace_id)
    assert (found.start_ns, found.attributes, found.status_code) == (1, {"k": "v"}, 2)


@pytest.mark.otlp(65, 84)
def test_unknown_protobuf_fields_are_ignored(service: Service) -> None:
    """Field 9999 at every level, and the old field 1000, change nothing."""
    odd = field(9999, b"new") + field(1000, b"old")
    request = traces()
    span = request.resource_spans[0].scope_spans[0].spans[0]
    inner = span.SerializeToString() + odd
    scoped = field(2, inner) + odd
    body = field(1, field(2, scoped) + odd) + odd
    assert post(service, body).status_code == 200
    assert stored_span(service, span.trace_id).name == span.name


@pytest.mark.otlp(66)
def test_bytes_values(service: Service) -> None:
    """bytesValue is base64 and kept as such, by both encodings; bad base64 is 400."""
    trace_id, span = json_span(attributes=[{"key": "b", "value": {"bytesValue": "AAEC"}}])
    assert send_json(service, span).status_code == 200
    assert stored_span(service, trace_id).attributes == {"b": "AAEC"}
    assert stored_span(service, send(service, traces(attributes={"b": b"\0\1\2"}))).attributes == {"b": "AAEC"}
    bad = json_span(attributes=[{"key": "b", "value": {"bytesValue": "?"}}])[1]
    assert send_json(service, bad).status_code == 400


@pytest.mark.otlp(67)
@pytest.mark.parametrize(
    ("sent", "kept"), [(1.5, 1.5), ("1.5", 1.5), (3, 3.0), ("NaN", None), ("Infinity", None), ("-Infinity", None)]
)
def test_double_values(service: Service, sent: Any, kept: float | None) -> None:
    """A number, its text, and the three names; what is not finite is kept as null and marked in `cut`."""
    trace_id, span = json_span(attributes=[{"key": "d", "value": {"doubleValue": sent}}])
    assert send_json(service, span).status_code == 200
    found = stored_span(service, trace_id)
    assert found.attributes == {"d": kept}
    assert ("d" in found.cut) == (kept is None)
    by_protobuf = stored_span(service, send(service, traces(attributes={"d": float(sent)})))
    assert (by_protobuf.attributes, by_protobuf.cut.keys()) == (found.attributes, found.cut.keys())


@pytest.mark.otlp(67)
@pytest.mark.parametrize("bad", ["1_0", " 1", "1\n", "\u0661", "", "one"])
def test_a_double_that_only_python_reads_is_400(service: Service, bad: str) -> None:
    """Digits with underscores, blanks around them and digits of other scripts are no JSON number."""
    span = json_span(attributes=[{"key": "d", "value": {"doubleValue": bad}}])[1]
    assert send_json(service, span).status_code == 400


@pytest.mark.otlp(68)
def test_null_is_absent(service: Service) -> None:
    """null for any field is the same as leaving it out."""
    nothing = dict.fromkeys(("name", "kind", "attributes", "events", "links", "status", "parentSpanId", "flags"))
    trace_id, span = json_span(**nothing)
    assert send_json(service, span, resource=None, schemaUrl=None).status_code == 200
    found = stored_span(service, trace_id)
    assert (found.name, found.kind, found.attributes, found.events) == ("", 0, {}, [])


@pytest.mark.otlp(69)
def test_odd_json(service: Service) -> None:
    """Of equal keys the last wins; a NaN literal and a number of 5,000 digits are 400."""
    trace_id, span = json_span()
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    twice = body.replace('"name": "n"', '"name": "first", "name": "last"')
    assert post(service, twice.encode(), JSON).status_code == 200
    assert stored_span(service, trace_id).name == "last"
    for odd in ("NaN", "9" * 5000):
        assert post(service, body.replace('"n"', odd).encode(), JSON).status_code == 400


@pytest.mark.otlp(70)
def test_all_zero_json_ids_reject_the_span_alone(service: Service) -> None:
    """Zero ids are well formed but invalid: that span is rejected, the others stored."""
    trace_id, span = json_span()
    answer = send_json(service, span, {**span, "spanId": "0" * 16}, {**span, "traceId": ""})
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "2"
    assert stored_span(service, trace_id).span_id == span["spanId"]


@pytest.mark.otlp(72)
def test_parents(service: Service) -> None:
    """An empty parent is a root; eight bytes are kept, also when nobody knows that parent; other lengths reject."""
    assert stored_span(service, send(service, traces())).parent_span_id == ""
    orphan = traces(parent_span_id=b"\1\2\3\4\5\6\7\x08")
    assert stored_span(service, send(service, orphan)).parent_span_id == "0102030405060708"
    request = traces(parent_span_id=b"abc")
    assert post(service, request.SerializeToString()).status_code == 200
    assert not stored(service, request.resource_spans[0].scope_spans[0].spans[0].trace_id).spans


@pytest.mark.otlp(73, 74)
@pytest.mark.parametrize(("start", "end"), [(200, 100), (0, 0), (5, 2**64 - 1), (2**63, 2**63 + 1)])
def test_odd_times_are_stored_as_sent(service: Service, start: int, end: int) -> None:
    """End before start, zero, 1970 and beyond 2262 are kept raw; the receive time is ours."""
    request = traces(start_time_unix_nano=start, end_time_unix_nano=end)
    found = stored_span(service, send(service, request))
    assert (found.start_ns, found.end_ns) == (start, end)
    assert found.received_ns > 1_700_000_000 * 10**9


@pytest.mark.otlp(73)
def test_end_before_start_is_counted_in_a_warning(service: Service) -> None:
    """The answer says so, with nothing rejected."""
    span = json_span(startTimeUnixNano="5", endTimeUnixNano="4")[1]
    partial = send_json(service, span).json()["partialSuccess"]
    assert partial["rejectedSpans"] == "0"
    assert "end before they start" in partial["errorMessage"]


@pytest.mark.otlp(75)
def test_of_equal_attribute_keys_the_last_wins(service: Service) -> None:
    """A sender that repeats a key gets one deterministic value, by both encodings."""
    request = traces(attributes={"k": "first"})
    span = request.resource_spans[0].scope_spans[0].spans[0]
    span.attributes.add(key="k").value.string_value = "last"
    assert stored_span(service, send(service, request)).attributes == {"k": "last"}


@pytest.mark.otlp(76)
def test_flags_are_masked_to_eight_bits(service: Service) -> None:
    """The upper bits are ignored."""
    assert stored_span(service, send(service, traces(flags=0x301))).flags == 1


@pytest.mark.otlp(77)
def test_a_missing_status_is_unset(service: Service) -> None:
    """No status is UNSET; codes 1 and 2 are kept; others are UNSET."""
    for sent, kept in ((None, 0), (0, 0), (1, 1), (2, 2), (7, 0)):
        trace_id, span = json_span(status=None if sent is None else {"code": sent, "message": "m"})
        assert send_json(service, span).status_code == 200
        assert stored_span(service, trace_id).status_code == kept


@pytest.mark.otlp(78)
def test_any_values(service: Service) -> None:
    """No value is null; lists and maps nest; empty texts, zeros and false are kept as such."""
    sent = {"none": None, "empty": "", "zero": 0, "no": False, "list": [1, "a", [True, None]], "map": {"a": {"b": 1}}}
    assert stored_span(service, send(service, traces(attributes=sent))).attributes == sent


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
