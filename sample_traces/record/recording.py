"""What the recorders share: an exporter that keeps spans, scrubbing, a pace, and a backend that fails on purpose.

Needs: opentelemetry-sdk, opentelemetry-exporter-otlp-proto-http (for its encoder). Nothing leaves this machine.
"""

from __future__ import annotations

import base64
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

FOLDER = Path(__file__).resolve().parent.parent
PACE = float(os.environ.get("RECORD_PACE", "1"))
"""Seconds of thinking that one second in a script stands for; 0 records as fast as it goes."""

KEPT_RESOURCE = frozenset({"service.name", "service.version", "telemetry.sdk.name", "telemetry.sdk.version"})
DROPPED = ("code.", "thread.", "host.", "process.", "os.", "network.peer.", "net.sock.", "user_agent.")
"""Attributes that tell of the recording machine only."""

STACK_LINES = 8
"""Lines that are kept of a stack trace: the frameworks' own frames are long and tell nothing of the story."""

HTML_502 = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)


def think(seconds: float) -> None:
    """The time that a model or a person takes."""
    time.sleep(seconds * PACE)


class Recorder(SpanExporter):
    """Keeps every span of this process and writes them as OTLP/JSON, one request a line, one line a trace."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Keep them."""
        self.spans += spans
        return SpanExportResult.SUCCESS

    def provider(self, service: str, version: str = "1.4.2") -> TracerProvider:
        """A tracer provider of one service that records here; several may share a recorder."""
        made = TracerProvider(resource=Resource({"service.name": service, "service.version": version}))
        made.add_span_processor(SimpleSpanProcessor(self))
        return made

    def write(self, name: str, hosts: dict[str, str]) -> Path:
        """Write `<name>.jsonl`; `hosts` maps real `host:port` pairs to the names that stand for them."""
        traces: dict[int, list[ReadableSpan]] = {}
        for span in self.spans:
            traces.setdefault(span.context.trace_id, []).append(span)
        path = FOLDER / f"{name}.jsonl"
        lines = [json.dumps(scrubbed(request(spans), hosts), separators=(",", ":")) for spans in traces.values()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{path.name}: {len(self.spans)} spans, {len(lines)} traces, {path.stat().st_size / 1000:.0f} kB")
        return path


def request(spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    """One ExportTraceServiceRequest in OTLP/JSON: ids as hex, enums as numbers."""
    found: dict[str, Any] = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for group in found["resourceSpans"]:
        for scoped in group["scopeSpans"]:
            for span in scoped["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64decode(span[key]).hex()
                for link in span.get("links", []):
                    link["traceId"], link["spanId"] = (base64.b64decode(link[k]).hex() for k in ("traceId", "spanId"))
    return found


def scrubbed(found: dict[str, Any], hosts: dict[str, str]) -> dict[str, Any]:
    """Without what tells of the machine: resource, paths in stack traces, loopback addresses and ports."""
    for group in found["resourceSpans"]:
        resource = group.get("resource", {})
        resource["attributes"] = [a for a in resource.get("attributes", []) if a["key"] in KEPT_RESOURCE]
        for scoped in group["scopeSpans"]:
            for span in scoped["spans"]:
                for holder in (span, *span.get("events", [])):
                    kept = [a for a in holder.get("attributes", []) if not a["key"].startswith(DROPPED)]
                    holder["attributes"] = [_renamed(a, hosts) for a in kept]
                if "message" in span.get("status", {}):
                    span["status"]["message"] = _text(span["status"]["message"], hosts)
    return found


_PATH = re.compile(r"(?:/[\w.@+-]+)+/(?=[\w.-]+\.py)")


def _text(text: str, hosts: dict[str, str]) -> str:
    for real, name in hosts.items():
        text = text.replace(real, name)
    return _PATH.sub("", text)


def _renamed(attribute: dict[str, Any], hosts: dict[str, str]) -> dict[str, Any]:
    value = attribute["value"]
    if "stringValue" in value:
        text = _text(value["stringValue"], hosts)
        if attribute["key"] == "exception.stacktrace":
            text = "\n".join(text.splitlines()[-STACK_LINES:])
        if attribute["key"] in {"server.address", "net.peer.name", "http.host"} and hosts:
            text = next(
                (name.partition(":")[0] for real, name in hosts.items() if real.partition(":")[0] == text), text
            )
        return {"key": attribute["key"], "value": {"stringValue": text}}
    if attribute["key"] in {"server.port", "net.peer.port"}:
        ports = {real.partition(":")[2]: name.partition(":")[2] or "443" for real, name in hosts.items()}
        return {"key": attribute["key"], "value": {"intValue": ports.get(str(value.get("intValue")), "443")}}
    return attribute


Answer = tuple[int, Any]
"""HTTP status and body: a JSON value, or text sent as HTML."""


@contextmanager
def backend(answer: Callable[[str, str], Answer]) -> Iterator[str]:
    """A real HTTP server on the loopback address; `answer(method, path)` decides. Yields its `host:port`."""

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            status, body = answer(self.command, self.path)
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "text/html" if isinstance(body, str) else "application/json")
            if status == 429:
                self.send_header("retry-after", "30")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except BrokenPipeError:
                return

        do_GET = do_POST = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
