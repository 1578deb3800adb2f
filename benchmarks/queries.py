"""What an answer costs over many calls: the questions of the pages, asked over HTTP of a real server.

Bars: overview, tools × codes and compliance over 30 days under 100 ms, a session's replay under 50 ms, at ten million
calls. `TELLTALE_BENCH_CALLS` says how many calls (default 1,000,000). The calls are synthetic: 30 days, 40 tools, 5 %
failures, five calls a session; the spans of the last thousand sessions are stored as well, for the replay. CPU is
that of client, server and database together, over all threads; on a shared machine it is the figure to compare.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import uvicorn

from analytics.api import create_app
from analytics.client import ApiClient
from analytics.jobs import JudgeJob
from analytics.questions.times import HOUR_NS
from analytics.spans import CLIENT, Span
from analytics.store import Batch
from collector.store import DuckDBStore

CALLS = int(os.environ.get("TELLTALE_BENCH_CALLS", "1000000"))
RUNS = 7
DAYS = 30
REPLAYED = 1000

_CALLS = """INSERT INTO call BY NAME SELECT
    'c' || i AS id, 'default' AS project, md5((i // 5)::VARCHAR) AS trace_id, printf('%016x', i) AS span_id,
    [printf('%016x', i)] AS span_ids, 'tool_' || (hash(i) % 40) AS tool, $start + i * $step AS started_ns,
    1 + (hash(i + 1) % 1000) / 2.0 AS duration_ms,
    CASE bad WHEN 0 THEN 'structured_error' WHEN 1 THEN 'unstructured_error' WHEN 2 THEN 'silent_failure'
        ELSE 'ok' END AS outcome,
    'none' AS declared, 'certain' AS confidence, 'captured' AS payload, true AS measured,
    'session-' || (i // 5) AS session_id, 'session.id' AS session_source, 'session-' || (i // 5) AS session_key,
    'agent_' || (hash(i // 5) % 12) AS agent, 'user_' || (hash(i // 5) % 5000) AS "user", 'service' AS service,
    '1.' || (i * 20 // $calls) AS release, 'genai' AS convention, 'bench' AS scope,
    CASE WHEN bad < 3 THEN ['UNAVAILABLE', 'INTERNAL', 'NOT_FOUND'][1 + (hash(i) % 3)::INTEGER] END AS code,
    []::VARCHAR[] AS flags, []::VARCHAR[] AS contract_fields,
    CASE WHEN bad < 3 THEN ['trace.marked_failed'] ELSE [] END AS rules, '[]' AS evidence,
    CASE WHEN bad < 3 THEN 'something failed with number ' || (hash(i) % 100) END AS error_message,
    CASE WHEN bad < 3 THEN 'fingerprint-' || (hash(i) % 200) END AS fingerprint,
    false AS inferred, false AS run_aborted, false AS muted,
    '{"query": "' || md5(i::VARCHAR) || '"}' AS arguments, repeat(md5(i::VARCHAR), 4) AS result,
    []::VARCHAR[] AS lost, 1 AS rules_version, $start + i * $step AS received_ns, i AS judged_seq,
    $start + i * $step AS judged_ns, i AS digest
FROM (SELECT i, hash(i + 2) % 60 AS bad FROM range($first, $last) AS numbers(i))"""
_ROLLUP = """INSERT INTO rollup_hour BY NAME SELECT project, (started_ns // 3600000000000)::INTEGER AS hour, tool,
    outcome, coalesce(code, 'none') AS code, payload, measured, inferred, muted, false AS budget_exhausted,
    'unknown' AS recovered, count(*)::BIGINT AS calls FROM call GROUP BY ALL"""
_LATENCY = """INSERT INTO latency_day BY NAME SELECT project, (started_ns // 86400000000000)::INTEGER AS day, tool,
    ceil(ln(duration_ms / 0.01) / ln(1.1))::INTEGER AS bucket, count(*)::BIGINT AS calls FROM call GROUP BY ALL"""
_TOOL_SESSION = """INSERT INTO tool_session BY NAME SELECT project, session_key AS session_id, tool,
    count(*)::BIGINT AS failures, min(started_ns) AS t0_ns, max(started_ns) AS t1_ns
FROM call WHERE outcome <> 'ok' AND judged_seq >= $first AND judged_seq < $last
GROUP BY project, session_key, tool ORDER BY t0_ns"""
_SESSION = """INSERT INTO session BY NAME SELECT project, session_key AS session_id,
    min(session_source) AS session_source, min(agent) AS agent, min("user") AS "user", min(service) AS service,
    min(started_ns) AS t0_ns, max(started_ns) AS t1_ns, min(received_ns) AS received_from_ns,
    max(received_ns) AS received_to_ns, count(*)::BIGINT AS calls, count(code)::BIGINT AS failures,
    count(CASE WHEN outcome = 'silent_failure' THEN 1 END)::BIGINT AS silent, count(code)::BIGINT AS unrecovered,
    []::VARCHAR[] AS codes, list(DISTINCT tool) AS tools, []::VARCHAR[] AS flags, 1::BIGINT AS traces
FROM call WHERE judged_seq >= $first AND judged_seq < $last GROUP BY project, session_key ORDER BY t0_ns"""
_TRACE = """INSERT INTO trace BY NAME SELECT project, trace_id, min(session_key) AS session_key,
    min(started_ns) AS t0_ns, max(started_ns) AS t1_ns, min(received_ns) AS received_from_ns,
    max(received_ns) AS received_to_ns, 20::BIGINT AS spans, count(*)::BIGINT AS calls, max(judged_seq) AS judged_seq
FROM call WHERE judged_seq >= $first AND judged_seq < $last GROUP BY project, trace_id ORDER BY t0_ns"""


def main() -> None:
    """Fill a store, ask, print."""
    with tempfile.TemporaryDirectory() as folder:
        store = DuckDBStore(Path(folder) / "bench.db")
        try:
            began = time.perf_counter()
            fill(store)
            sessions = _replayable(store)
            store.checkpoint()
            size = Path(folder, "bench.db").stat().st_size / 1e6
            took = time.perf_counter() - began
            print(f"{CALLS:,} calls, {size:,.0f} MB, filled in {took:.0f} s; median of {RUNS}, warm")
            _ask_all(store, sessions)
        finally:
            store.close()


def fill(store: DuckDBStore) -> None:
    """CALLS calls with their sessions, traces and rollups."""
    start = time.time_ns() - DAYS * 24 * HOUR_NS
    step = DAYS * 24 * HOUR_NS // CALLS
    part = 500_000
    for first in range(0, CALLS, part):
        place = {"first": first, "last": min(first + part, CALLS)}
        with store.write() as transaction:
            transaction.execute(_CALLS, {"start": start, "step": step, "calls": CALLS, **place})
            transaction.execute(_SESSION, place)
            transaction.execute(_TRACE, place)
            transaction.execute(_TOOL_SESSION, place)
    with store.write() as transaction:
        transaction.execute(_ROLLUP)
        transaction.execute(_LATENCY)


def _replayable(store: DuckDBStore) -> list[str]:
    """Sessions with spans behind them, judged as any other."""
    names = [f"replayed-{number}" for number in range(REPLAYED)]
    for first in range(0, REPLAYED, 100):
        store.append(Batch(spans=[span for name in names[first : first + 100] for span in _session(name)]))
    JudgeJob(store, pause_s=0).drain()
    return names


def _session(name: str) -> list[Span]:
    """Ten turns of a model, a tool call and its HTTP request."""
    start = time.time_ns()
    trace = blake2b(name.encode(), digest_size=16).hexdigest()
    payload = json.dumps({"rows": ["x" * 50] * 12})
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": payload}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": payload,
        "gen_ai.conversation.id": name,
    }
    http = {"http.request.method": "GET", "http.response.status_code": 200}
    spans: list[Span] = []
    for number in range(30):
        span_id = blake2b(f"{name} {number}".encode(), digest_size=8).hexdigest()
        title, kind, attributes = (("chat m", 1, chat), ("execute_tool search", 1, tool), ("GET", CLIENT, http))[
            number % 3
        ]
        span = Span(trace, span_id, "", title, kind, start + number, start + number + 1)
        span.attributes, span.resource, span.scope_name = dict(attributes), {"service.name": "bench"}, "bench"
        if kind == CLIENT:
            span.parent_span_id = spans[-1].span_id
        spans.append(span)
    return spans


def _ask_all(store: DuckDBStore, sessions: list[str]) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(store), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        with ApiClient(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=120) as client:
            some = iter(sessions * 10)
            _row("overview, 30 days", 100, lambda: client.get("overview", since="30d"))
            _row("overview, 24 hours", 100, lambda: client.get("overview", since="24h"))
            _row("tools × codes, 30 days", 100, lambda: client.get("tools-codes", since="30d"))
            _row("tools with compliance, 30 days", 100, lambda: client.get("tools", since="30d"))
            _row("one tool's compliance, 30 days", 100, lambda: client.get("tools", since="30d", tool="tool_7"))
            _row("one tool's overview, 30 days", 100, lambda: client.get("overview", since="30d", tool="tool_7"))
            _row("tools by release, 30 days", None, lambda: client.get("tools", since="30d", by="release"))
            _row("error groups, 24 hours", 100, lambda: client.get("groups", since="24h"))
            _row("error groups, 30 days", None, lambda: client.get("groups", since="30d"))
            _row("silent failures, 30 days", None, lambda: client.get("silent", since="30d"))
            _row("calls, first page, 30 days", None, lambda: client.get("calls", since="30d"))
            _row("sessions with failures, 30 days", None, lambda: client.get("sessions", since="30d", flagged=True))
            _row("one agent's overview, 30 days", None, lambda: client.get("overview", since="30d", agent="agent_3"))
            _row("a session's replay", 50, lambda: client.get("sessions", next(some), "replay"))
            _row("an old call by its span", None, lambda: client.get("calls", f"{CALLS // 3:016x}"))
        server.should_exit = True
        thread.join(30)


def _row(name: str, bar_ms: int | None, ask: Callable[[], object]) -> None:
    ask()
    took, cpu = [], []
    for _ in range(RUNS):
        began, worked = time.perf_counter(), time.process_time()
        ask()
        took.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
    bar = "" if bar_ms is None else f"   bar {bar_ms} ms"
    print(f"  {name:<34} {statistics.median(took):8.1f} ms   {statistics.median(cpu):8.1f} ms CPU{bar}")


if __name__ == "__main__":
    main()
