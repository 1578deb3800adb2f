"""What the values of a request may be, by both encodings, against the running service (conformance rows 58 to 84)."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import pytest

from collector.service import Service
from tests.collector.otlp import field, traces
from tests.collector.running import JSON, json_span, post, send, send_json, stored, stored_span, wait_for


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
