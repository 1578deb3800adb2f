"""A secret in any text of a span or log, whole, across a cap or as bytes, by both encodings, is nowhere afterwards."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector import parts
from collector.service import Service
from collector.store.rescan import rescan
from tests.collector.running import JSON, PROTOBUF, config_for, post, stored, wait_for

OVERLAP = 256
SHORT, VALUE, PAYLOAD = 1024, 16 * 1024, 256 * 1024
NOW = "1796000000000000000"
ENDPOINTS = ("calls", "sessions", "groups", "tools", "overview", "report")


class Plants:
    """Makes texts with a new secret each, in one way, and remembers what must be gone."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.places: dict[str, str] = {}
        self.total = 0

    def secret(self, place: str) -> str:
        digest = hashlib.sha256(f"{self.way} {len(self.places)} {place}".encode()).digest()
        made = "AKI" + "A" + base64.b32encode(digest).decode()[:16]
        self.places[made[:12]] = place
        return made

    def text(self, place: str, cap: int) -> str:
        """A text of a field whose cap is `cap` characters."""
        secret = self.secret(place)
        if self.way == "whole":
            return f"see {secret} now"
        if self.way == "across the cap":
            return _fill("lorem ipsum ", cap - 10) + secret + " and so on" * 60
        start = cap + OVERLAP - 15
        if self.way == "across the overlap":
            return _fill("lorem ipsum ", start) + secret + " and so on" * 60
        mails = min(start // 80, 200)  # their marks are shorter: the secret's half moves to below the cap
        return (
            _fill("x" * 60 + "@mail.example ", mails * 74) + _fill("lorem ", start - mails * 74) + secret + " z" * 300
        )

    def value(self, place: str, cap: int) -> dict[str, Any]:
        return {"stringValue": self.text(place, cap)}

    def bytes(self, place: str) -> dict[str, Any]:
        return {"bytesValue": base64.b64encode(f"in bytes {self.secret(place)} so".encode()).decode()}

    def pairs(self, place: str) -> list[dict[str, Any]]:
        """Attributes with a secret as text, as bytes, in a key, and the same inside a value."""
        inner = {"values": [{"key": "in", "value": self.value(f"{place} nested", VALUE - 8)}]}
        deep = [self.bytes(f"{place} bytes in a list"), {"stringValue": "x"}]
        keyed = {"values": [{"key": self.text(f"{place} nested key", SHORT), "value": {"intValue": "1"}}]}
        return [
            {"key": "text", "value": self.value(place, VALUE)},
            {"key": self.text(f"{place} key", SHORT), "value": {"intValue": "1"}},
            {"key": f"{self.secret(f'{place} name of a cut value')} x", "value": {"stringValue": "long " * 4000}},
            {"key": "map", "value": {"kvlistValue": inner}},
            {"key": "keyed", "value": {"kvlistValue": keyed}},
            {"key": "b", "value": self.bytes(f"{place} bytes")},
            {"key": "list", "value": {"arrayValue": {"values": deep}}},
        ]

    def scope(self, place: str) -> dict[str, Any]:
        name, version = self.text(f"{place} name", SHORT), self.text(f"{place} version", SHORT)
        return {"name": name, "version": version, "attributes": self.pairs(f"{place} attribute")}

    def spans(self, trace_id: str) -> dict[str, Any]:
        """A trace request with a secret in every text there is."""
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in tool.items()]
        payload = ("gen_ai.tool.call.result", "gen_ai.tool.call.arguments")
        attributes += [{"key": key, "value": self.value(key, PAYLOAD)} for key in payload]
        event = {"name": self.text("event name", VALUE), "attributes": self.pairs("event attribute")}
        state = self.text("link trace state", SHORT)
        link = {
            "traceId": trace_id,
            "spanId": "ab" * 8,
            "traceState": state,
            "attributes": self.pairs("link attribute"),
        }
        span = {
            "traceId": trace_id,
            "spanId": "cd" * 8,
            "name": self.text("span name", VALUE),
            "traceState": self.text("trace state", SHORT),
            "startTimeUnixNano": NOW,
            "endTimeUnixNano": NOW,
            "status": {"code": 2, "message": self.text("status", VALUE)},
            "attributes": [*attributes, *self.pairs("attribute")],
            "events": [event],
            "links": [link],
        }
        scoped = {"scope": self.scope("scope"), "schemaUrl": self.text("scope's schema", SHORT), "spans": [span]}
        other = {**span, "spanId": "ef" * 8, "traceState": "", "attributes": attributes, "events": [], "links": []}
        unscoped = {"spans": [other]}
        resource = {"attributes": self.pairs("resource")}
        url = self.text("resource's schema", SHORT)
        return {"resourceSpans": [{"resource": resource, "schemaUrl": url, "scopeSpans": [scoped, unscoped]}]}

    def logs(self, trace_id: str) -> dict[str, Any]:
        """A log request with a secret in every text there is."""
        record = {
            "traceId": trace_id,
            "spanId": "cd" * 8,
            "timeUnixNano": NOW,
            "eventName": self.text("log event", SHORT),
            "severityText": self.text("severity", SHORT),
            "body": self.value("body", PAYLOAD),
            "attributes": self.pairs("log attribute"),
        }
        nested = {**record, "body": {"kvlistValue": {"values": self.pairs("body's map")}}, "attributes": []}
        whole = {**record, "body": self.bytes("body of bytes"), "attributes": []}
        scoped = {"scope": self.scope("log scope"), "logRecords": [record, nested, whole]}
        return {"resourceLogs": [{"resource": {"attributes": self.pairs("log resource")}, "scopeLogs": [scoped]}]}


def _fill(words: str, size: int) -> str:
    return (words * (size // len(words) + 1))[: size - 1] + " "


def as_protobuf(plain: dict[str, Any], message: Any) -> bytes:
    """The request in the other encoding; its JSON form has ids in base64 where OTLP has hex."""

    def ids(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: base64.b64encode(bytes.fromhex(inner)).decode() if key in ("traceId", "spanId") else ids(inner)
                for key, inner in value.items()
            }
        return [ids(inner) for inner in value] if isinstance(value, list) else value

    made: bytes = json_format.ParseDict(ids(plain), message).SerializeToString()
    return made


def answers(service: Service) -> Iterator[bytes]:
    """What the API says of everything stored."""

    def ask(path: str, **params: str) -> httpx.Response:
        answer = httpx.get(f"{service.urls.api}/api/v1/{path}", params=params, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer

    yield ask("senders").content
    yield from (ask(path, since="all").content for path in ENDPOINTS)
    yield from (ask(f"calls/{row['span_id']}").content for row in ask("calls", since="all").json()["rows"])
    for row in ask("sessions", since="all").json()["rows"]:
        yield ask(f"sessions/{quote(row['session_id'], safe='')}/replay").content


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF])
@pytest.mark.parametrize("way", ["whole", "across the cap", "across the overlap", "behind masks"])
def test_nothing_of_a_secret_is_left(tmp_path: Path, way: str, encoding: str) -> None:
    """Database, journal and API hold no half of any planted secret, neither plain nor in base64."""
    plants, trace_id = Plants(way), "5b" * 16
    spans, logs = plants.spans(trace_id), plants.logs(trace_id)
    service = Service(config_for(tmp_path))
    service.start()
    try:
        for plain, message, path in (
            (spans, ExportTraceServiceRequest(), "/v1/traces"),
            (logs, ExportLogsServiceRequest(), "/v1/logs"),
        ):
            body = json.dumps(plain).encode() if encoding == JSON else as_protobuf(plain, message)
            answer = post(service, body, encoding, path)
            assert answer.status_code == 200, answer.text
        trace = wait_for(lambda: (t := stored(service, trace_id)).spans and t.logs and t)
        assert (len(trace.spans), len(trace.logs)) == (2, 3)
        wait_for(lambda: httpx.get(f"{service.urls.api}/api/v1/calls", params={"since": "all"}).json()["rows"])
        held = b"\n".join([repr(trace).encode(), *answers(service), *_files(tmp_path)])
    finally:
        service.stop()
    held += b"\n".join(_files(tmp_path))
    assert len(plants.places) >= 80
    assert [place for needle, place in plants.places.items() if needle.encode() in held] == []
    assert [place for needle, place in plants.places.items() if any(f in held for f in _in_base64(needle))] == []


@pytest.mark.parametrize("way", ["whole", "across the cap", "behind masks"])
def test_a_rescan_reaches_as_far(tmp_path: Path, way: str) -> None:
    """Secrets stored before their rule was known are gone after a rescan from every place; the next finds nothing."""
    plants, trace_id = Plants(way), "5b" * 16
    before = Service(config_for(tmp_path, redaction={"off": ["aws_key"]}))
    before.start()
    try:
        for plain, path in ((plants.spans(trace_id), "/v1/traces"), (plants.logs(trace_id), "/v1/logs")):
            assert post(before, json.dumps(plain).encode(), JSON, path).status_code == 200
        wait_for(lambda: httpx.get(f"{before.urls.api}/api/v1/calls", params={"since": "all"}).json()["rows"])
        held = b"\n".join([repr(stored(before, trace_id)).encode(), *answers(before)])
    finally:
        before.stop()
    assert sum(needle[:8].encode() in held for needle in plants.places) >= 20
    config = config_for(tmp_path)
    redactor = parts.redactor(config)
    done = rescan(config.db, redactor)
    assert done.changed >= 6
    again = rescan(config.db, redactor)
    assert (again.changed, again.kinds) == (0, {})
    after = Service(config)
    after.start()
    try:
        trace = stored(after, trace_id)
        assert (len(trace.spans), len(trace.logs)) == (2, 3)
        held = b"\n".join([repr(trace).encode(), *answers(after), *_files(tmp_path)])
    finally:
        after.stop()
    held += b"\n".join(_files(tmp_path))
    assert [place for needle, place in plants.places.items() if needle[:8].encode() in held] == []
    assert [place for needle, place in plants.places.items() if any(f in held for f in _in_base64(needle))] == []


def _files(folder: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in folder.rglob("*") if path.is_file())


def _in_base64(needle: str) -> list[bytes]:
    """The middle of a text as base64 has it, for each of its three alignments."""
    return [base64.b64encode(needle[skip : skip + 9].encode()) for skip in range(3)]
