"""Requests made to hurt (faults 16 to 18, 22 to 24): bounded memory, clear refusals, the next request served."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import zstandard

from tests.collector.conftest import serve  # noqa: F401 - a fixture
from tests.collector.otlp import field, traces
from tests.collector.running import DEADLINE_S, JSON, PROTOBUF, Process, wait_for

MIB = 1024 * 1024
MOST_MIB = 500
"""What the process may hold at its worst (fault 18), in MiB."""

Serve = Callable[..., Process]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")


@pytest.fixture
def process(serve: Serve, tmp_path: Path) -> Iterator[Process]:  # noqa: F811
    """A service of its own, so that its peak memory is its own."""
    started = serve(tmp_path)
    yield started
    assert started.child.poll() in (None, 0), "the service died"


def post(process: Process, body: bytes, content_type: str = PROTOBUF, coding: str = "identity") -> httpx.Response:
    headers = {"content-type": content_type, "content-encoding": coding}
    return httpx.post(process.urls["otlp_http"] + "/v1/traces", content=body, headers=headers, timeout=DEADLINE_S)


def peak_mib(process: Process) -> int:
    """The highest resident memory so far."""
    lines = Path(f"/proc/{process.child.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


def wrapped(spans: bytes) -> bytes:
    """Spans (fields of a ScopeSpans) as a request."""
    return field(1, field(2, spans))


def one_span(extra: bytes) -> bytes:
    """A request of one valid span with further bytes in it."""
    span = traces(attributes={}).resource_spans[0].scope_spans[0].spans[0].SerializeToString()
    return wrapped(field(2, span + extra))


BOMBS: dict[str, Callable[[], tuple[bytes, str, str, int]]] = {
    "2 million empty spans": lambda: (wrapped(field(2, b"") * 2_000_000), PROTOBUF, "identity", 413),
    "20 MiB of empty spans in 20 kB": lambda: (
        gzip.compress(wrapped(field(2, b"") * 9_000_000), 1),
        PROTOBUF,
        "gzip",
        413,
    ),
    "5 million empty attributes": lambda: (one_span(field(9, b"") * 5_000_000), PROTOBUF, "identity", 413),
    "100,000 attributes": lambda: (one_span(field(9, field(1, b"k")) * 100_000), PROTOBUF, "identity", 200),
    "100,000 events": lambda: (one_span(field(11, b"") * 100_000), PROTOBUF, "identity", 200),
    "an attribute of 10 MB": lambda: (
        one_span(field(9, field(1, b"gen_ai.tool.call.result") + field(2, field(1, b"words " * 1_700_000)))),
        PROTOBUF,
        "identity",
        200,
    ),
    "6 million empty JSON spans": lambda: (
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"{}," * 6_000_000 + b"{}]}]}]}",
        JSON,
        "identity",
        413,
    ),
    "a million brackets": lambda: (b"[" * 1_000_000, JSON, "identity", 400),
    "1 GB of zeros as gzip": lambda: (gzip.compress(bytes(256 * MIB), 9) * 4, PROTOBUF, "gzip", 413),
    "1 GB of zeros as zstd": lambda: (zstandard.compress(bytes(256 * MIB)) * 4, PROTOBUF, "zstd", 413),
    "gzip in gzip": lambda: (gzip.compress(gzip.compress(bytes(64 * MIB))), PROTOBUF, "gzip, gzip", 400),
}


def test_bombs(process: Process) -> None:
    """Each bomb gets its answer, memory stays under the bound throughout, and a good request is served after each."""
    for name, make in BOMBS.items():
        body, content_type, coding, expected = make()
        answer = post(process, body, content_type, coding)
        assert answer.status_code == expected, name
        assert post(process, traces().SerializeToString()).status_code == 200, name
        assert peak_mib(process) < MOST_MIB, f"{name}: {peak_mib(process)} MiB"


def test_text_that_attacks_its_reader(process: Process) -> None:
    """NUL, bidi overrides, ANSI escapes, a line of 1 MB: taken, told as JSON, and the logs stay whole lines."""
    odd = "\x1b[31mred\x1b[0m \u202eevil\u202c \r\nforged: log line \0 " + "x" * MIB
    request = traces(name=odd, attributes={odd[:100]: odd, "gen_ai.tool.name": odd})
    assert post(process, request.SerializeToString()).status_code == 200
    answer = httpx.post(process.urls["otlp_http"] + "/v1/traces?" + "y" * 1000, headers={"content-type": "a/b"})
    assert answer.status_code == 415
    httpx.get(process.urls["api"] + "/api/v1/calls", params={"tool": odd[:2000]})
    process.terminate()
    lines = (process.folder / "serve.log").read_text().splitlines()
    for line in lines:
        assert line.startswith("Telltale ") or isinstance(json.loads(line), dict)
    assert "\x1b" not in "\n".join(lines)
    assert "forged: log line" not in "\n".join(lines)


@pytest.mark.timeout(600)
def test_one_trace_over_many_batches(process: Process) -> None:
    """One endless trace, children first, over 200 batches: all spans are there, and its replay is answered in time."""
    trace_id = os.urandom(16)
    url, sent = process.urls["otlp_http"] + "/v1/traces", 0
    with httpx.Client(timeout=DEADLINE_S, headers={"content-type": PROTOBUF}) as client:
        for n in range(200):
            session = {"gen_ai.conversation.id": "endless", "gen_ai.operation.name": "execute_tool"}
            request = traces(10, trace_id=trace_id, attributes={**session, "gen_ai.tool.name": f"tool-{n % 7}"})
            for span in request.resource_spans[0].scope_spans[0].spans:
                span.parent_span_id = (n + 1).to_bytes(8, "big")
            assert client.post(url, content=request.SerializeToString()).status_code == 200
            sent += 10
    api = process.urls["api"] + "/api/v1"

    def calls() -> int:
        found: int = httpx.get(f"{api}/status", timeout=DEADLINE_S).json()["calls"]
        return found

    wait_for(lambda: calls() == sent, 300)
    started = time.monotonic()
    replay = httpx.get(f"{api}/sessions/endless/replay", timeout=DEADLINE_S)
    assert replay.status_code == 200
    assert time.monotonic() - started < 5 * 3  # the bar is 3 s, five times that on a busy machine


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_one_trace_over_five_thousand_batches(process: Process) -> None:
    """The same at full size: 5,000 batches, 100,000 spans of one trace; memory stays bounded."""
    trace_id = os.urandom(16)
    url = process.urls["otlp_http"] + "/v1/traces"
    with httpx.Client(timeout=DEADLINE_S, headers={"content-type": PROTOBUF}) as client:
        for _ in range(5000):
            request = traces(20, trace_id=trace_id, attributes={"gen_ai.conversation.id": "endless"})
            assert client.post(url, content=request.SerializeToString()).status_code == 200
    wait_for(lambda: httpx.get(process.urls["api"] + "/api/v1/status").json()["judged_lag_s"] == 0, 600)
    assert peak_mib(process) < 1024
