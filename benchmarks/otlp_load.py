"""OTLP requests of tool-call traces, built before the clock starts, and senders that push them.

One trace is one turn of an agent's session: the agent, a model call, one to four tool calls with none to two HTTP
children each. About 8 % of the tool calls fail openly and 3 % fail while claiming success. The same seed gives the same
requests.

    python -m benchmarks.otlp_load ENDPOINT [--batches N] [--shape whole|spread] [--protocol http|grpc]

sends them and prints one JSON object; `benchmarks.ingest` runs it as a process of its own, so that the sender's work is
not counted as the service's.
"""

from __future__ import annotations

import argparse
import http.client
import json
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TOOLS = [
    f"{verb}_{thing}"
    for verb in ("get", "find", "book", "update", "send")
    for thing in ("order", "room", "file", "page")
]
CODES = ("TIMEOUT", "RATE_LIMITED", "INVALID_ARGUMENT", "PERMISSION_DENIED", "NOT_FOUND", "INTERNAL")
WORDS = ("order", "customer", "shipped", "pending", "result", "value", "query", "invoice", "amount", "region", "owner")
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
MS = 1_000_000


def attribute(key: str, value: str | int | float | bool) -> KeyValue:
    """One attribute."""
    if isinstance(value, bool):
        return KeyValue(key=key, value=AnyValue(bool_value=value))
    if isinstance(value, int):
        return KeyValue(key=key, value=AnyValue(int_value=value))
    if isinstance(value, float):
        return KeyValue(key=key, value=AnyValue(double_value=value))
    return KeyValue(key=key, value=AnyValue(string_value=value))


@dataclass
class Shape:
    """How traces become requests: `spread` sends each trace's spans in that many requests, children first."""

    spread: int = 1
    payload: tuple[int, int] = (300, 1500)
    sessions: int = 200


SHAPES = {"whole": Shape(), "spread": Shape(spread=6, payload=(3000, 5500), sessions=20)}


@dataclass
class Generator:
    """Makes traces; counts what it made."""

    seed: int
    shape: Shape
    now_ns: int
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._sessions = [f"session-{self._random.getrandbits(32):08x}" for _ in range(self.shape.sessions)]

    def text(self, success: bool) -> str:
        """A tool's result of the shape's size, as JSON."""
        rows, size, wanted = [], 40, self._random.randint(*self.shape.payload)
        while size < wanted:
            row = {"id": self._random.randint(1, 10**9), "name": " ".join(self._random.choices(WORDS, k=3))}
            rows.append(row)
            size += 45
        return json.dumps({"success": success, "items": rows})

    def trace(self) -> list[Span]:
        """The spans of one turn, parents first."""
        chance = self._random
        trace_id, session = chance.getrandbits(128).to_bytes(16, "big"), chance.choice(self._sessions)
        start = self.now_ns - chance.randint(0, 60_000) * MS
        common = {"gen_ai.conversation.id": session, "user.id": f"user-{chance.randint(0, 999)}", "deployment": "prod"}

        def span(name: str, parent: bytes, kind: int, **attributes: str | int | float | bool) -> Span:
            made = Span(trace_id=trace_id, span_id=chance.getrandbits(64).to_bytes(8, "big"), parent_span_id=parent)
            made.name, made.kind = name, kind
            made.start_time_unix_nano = start + len(spans) * MS
            made.end_time_unix_nano = made.start_time_unix_nano + chance.randint(5, 900) * MS
            for key, value in {**common, **attributes}.items():
                made.attributes.append(attribute(key.replace("__", "."), value))
            spans.append(made)
            return made

        spans: list[Span] = []
        agent = span(
            "invoke_agent planner", b"", 1, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="planner"
        )
        model = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "large", "gen_ai.usage.input_tokens": 900}
        span("chat large", agent.span_id, 3, **model, **{"gen_ai.output.messages": self.text(True)})
        for _ in range(chance.randint(1, 4)):
            self._tool(span, agent.span_id)
        self.counts["spans"] += len(spans)
        return spans

    def _tool(self, span: Callable[..., Span], parent: bytes) -> None:
        chance, name = self._random, self._random.choice(TOOLS)
        error = chance.choice(CODES) if chance.random() < 0.08 else None
        silent = error is None and chance.random() < 0.03
        self.counts["calls"] += 1
        self.counts["failed"] += bool(error or silent)
        call = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": f"call_{chance.getrandbits(64):016x}",
            "gen_ai.tool.call.arguments": json.dumps({"q": " ".join(chance.choices(WORDS, k=4))}),
            "gen_ai.tool.call.result": self.text(not error and not silent),
            "attempt": chance.randint(1, 3),
        }
        made = span(f"execute_tool {name}", parent, 1, **call)
        if error:
            made.status.code, made.status.message = 2, error
            made.attributes.append(attribute("error.type", error))
            event = made.events.add(name="exception", time_unix_nano=made.end_time_unix_nano)
            event.attributes.append(attribute("exception.type", error))
        for _ in range(chance.choice((0, 1, 1, 2))):
            status = 503 if silent else 400 if error else 200
            http = {"http.request.method": "POST", "server.address": "api.example", "http.response.status_code": status}
            span(
                "POST", made.span_id, 3, **http, url__full=f"https://api.example/v1/{name}?page={chance.randint(1, 9)}"
            )


def requests(count: int, spans_each: int, shape: Shape, seed: int, now_ns: int) -> tuple[list[bytes], Counter[str]]:
    """Serialised export requests, and what they hold."""
    generator = Generator(seed, shape, now_ns)
    bodies = []
    for group in _groups(generator, count, spans_each):
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        resource.resource.attributes.extend(
            [attribute("service.name", f"agents-{seed % 5}"), attribute("service.version", "1.4.2")]
        )
        scope = resource.scope_spans.add()
        scope.scope.name = "benchmark"
        scope.spans.extend(group)
        bodies.append(request.SerializeToString())
    return bodies, generator.counts


def _groups(generator: Generator, count: int, spans_each: int) -> Iterator[list[Span]]:
    """Spans by request. Spread: each trace's spans, last first, go to consecutive requests of a window."""
    spread = generator.shape.spread
    for _ in range(max(1, count // spread)):
        window: list[list[Span]] = [[] for _ in range(spread)]
        while sum(map(len, window)) < spans_each * spread:
            spans = generator.trace()[::-1]
            for n, span in enumerate(spans):
                window[n * spread // len(spans)].append(span)
        yield from window


@dataclass
class Sent:
    """What came of sending."""

    seconds: float
    codes: Counter[str]
    latencies: list[float]

    def line(self, counts: Counter[str], size: int) -> str:
        """As one JSON object."""
        waits = sorted(self.latencies)
        at = lambda part: round(waits[min(len(waits) - 1, int(len(waits) * part))] * 1000, 1) if waits else None  # noqa: E731
        return json.dumps(
            {
                "seconds": round(self.seconds, 3),
                "codes": self.codes,
                "p50_ms": at(0.5),
                "p99_ms": at(0.99),
                "bytes": size,
                **counts,
            }
        )


def send(bodies: list[bytes], endpoint: str, protocol: str, senders: int, rate: float | None) -> Sent:
    """Push all bodies from several threads; a busy answer is tried again. `rate` is requests a second, None at once."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for n in range(len(bodies)):
        waiting.put(n)
    sent = Sent(0.0, Counter(), [])
    started = time.perf_counter()

    def work() -> None:
        one = _grpc(endpoint) if protocol == "grpc" else _http(endpoint)
        while True:
            try:
                n = waiting.get_nowait()
            except queue.Empty:
                return
            if rate:
                time.sleep(max(0.0, started + n / rate - time.perf_counter()))
            for attempt in range(60):
                before = time.perf_counter()
                code = one(bodies[n])
                sent.codes[code] += 1
                if code in ("200", "OK"):
                    sent.latencies.append(time.perf_counter() - before)
                    break
                time.sleep(min(0.2 * 2**attempt, 2.0))

    threads = [threading.Thread(target=work) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent.seconds = time.perf_counter() - started
    return sent


def _http(endpoint: str) -> Callable[[bytes], str]:
    url = urlsplit(endpoint)
    connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)

    def one(body: bytes) -> str:
        try:
            connection.request("POST", "/v1/traces", body, {"content-type": "application/x-protobuf"})
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return type(error).__name__
        return str(answer.status)

    return one


def _grpc(endpoint: str) -> Callable[[bytes], str]:
    call = grpc.insecure_channel(endpoint.removeprefix("http://")).unary_unary(EXPORT)

    def one(body: bytes) -> str:
        try:
            call(body, timeout=60)
        except grpc.RpcError as error:
            return str(error.code().name)
        return "OK"

    return one


def run() -> None:
    """Send, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("endpoint")
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--spans", type=int, default=512)
    parser.add_argument("--senders", type=int, default=4)
    parser.add_argument("--shape", choices=SHAPES, default="whole")
    parser.add_argument("--protocol", choices=("http", "grpc"), default="http")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, help="requests a second; default as fast as they are taken")
    given = parser.parse_args()
    bodies, counts = requests(given.batches, given.spans, SHAPES[given.shape], given.seed, time.time_ns())
    sent = send(bodies, given.endpoint, given.protocol, given.senders, given.rate)
    print(sent.line(counts, sum(map(len, bodies))))


if __name__ == "__main__":
    run()
