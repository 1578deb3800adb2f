"""Ten minutes at 2,000 spans a second with a dashboard's questions and retention running: flat, and without an error.

`make faults ARGS="-k soak"` runs it; SOAK_SECONDS and SOAK_SPANS_S change its size.
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from analytics.spans import Span
from analytics.store import Batch
from benchmarks.otlp_load import SHAPES, Generator, attribute
from collector.store import DuckDBStore
from tests.collector.conftest import serve  # noqa: F401 - a fixture
from tests.collector.running import DEADLINE_S, PROTOBUF, Process, wait_for

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
SPANS_S = int(os.environ.get("SOAK_SPANS_S", "2000"))
SENDERS, SPANS_A_REQUEST = 2, 200
OLD_DAYS = 7
MIB = 1024 * 1024
MOST_MIB = 1024

PATHS = ("overview", "tools", "tools-codes", "calls", "silent", "sessions", "groups", "incidents", "rules", "senders")
"""What the pages of the dashboard ask; beside them the replay of a session and the status."""

FAILURES = (
    "telltale_job_failures_total",
    "telltale_unreadable_traces_total",
    "telltale_store_failures_total",
    "telltale_store_failed_checkpoints_total",
    "telltale_store_rejected_rows_total",
)

RETENTION = {
    "TELLTALE_RETENTION__EVERY_S": "20",
    "TELLTALE_RETENTION__SPAN_DAYS": "2",  # five of the old days go while spans come in
    "TELLTALE_RETENTION__PAYLOAD_DAYS": "0",  # every round has payloads to blank
}

Serve = Callable[..., Process]


@dataclass
class Seen:
    """What the threads saw."""

    acknowledged: int = 0
    sent_again: int = 0
    waits: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Look:
    """The process at one moment."""

    at_s: float
    rss_mib: float
    fds: int
    threads: int
    acknowledged: int


def filled(folder: Path) -> None:
    """A store with a week of old days, which retention will drop."""
    store = DuckDBStore(folder / "telltale.db")
    day_ns = 86_400 * 10**9
    for day in range(1, OLD_DAYS + 1):
        at = time.time_ns() - day * day_ns
        spans = [Span(f"{day * 100_000 + n:032x}", f"{n:016x}", "", "POST", 3, at, at + 1) for n in range(1, 5001)]
        for span in spans:
            span.received_ns = at
        store.append(Batch(spans))
    store.close()


def body(generator: Generator) -> tuple[bytes, int]:
    """One request of whole traces, as of now."""
    generator.now_ns = time.time_ns()
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.append(attribute("service.name", "soak"))
    scope = resource.scope_spans.add()
    while len(scope.spans) < SPANS_A_REQUEST:
        scope.spans.extend(generator.trace())
    return request.SerializeToString(), len(scope.spans)


def send(url: str, seed: int, spans_s: int, seen: Seen) -> None:
    """One sender's share of the rate, until told to stop; a refused request is sent again."""
    generator = Generator(seed, SHAPES["whole"], 0)
    started, sent = time.monotonic(), 0
    with httpx.Client(timeout=DEADLINE_S, headers={"content-type": PROTOBUF}) as client:
        while not seen.stop.wait(max(0.0, started + sent * SENDERS / spans_s - time.monotonic())):
            content, spans = body(generator)
            before = time.monotonic()
            while (code := client.post(f"{url}/v1/traces", content=content).status_code) == 503:
                seen.sent_again += 1
            seen.waits.append(time.monotonic() - before)
            sent += spans
            if code == 200:
                seen.acknowledged += spans
            else:
                seen.errors[f"ingest {code}"] += 1


def ask(url: str, seen: Seen) -> None:
    """A dashboard that is looked at all the time: a question a second, every kind in turn, and a replay."""
    with httpx.Client(timeout=DEADLINE_S, base_url=f"{url}/api/v1") as client:
        for path in itertools.cycle(PATHS):
            if seen.stop.wait(0.5):
                return
            before = time.monotonic()
            params = {} if path == "senders" else {"since": "1h"}  # who sends is no matter of time
            answers = {path: client.get(path, params=params), "status": client.get("status")}
            rows = client.get("sessions", params={"since": "1h", "limit": "1"}).json().get("rows", [])
            if rows:
                answers["replay"] = client.get(f"sessions/{rows[0]['session_id']}/replay")
            seen.answers.append((time.monotonic() - before) / (len(answers) + 1))
            for name, answer in answers.items():
                if answer.status_code != 200:
                    seen.errors[f"{name} {answer.status_code}"] += 1


def failures(process: Process) -> dict[str, float]:
    """Every counter of failures that is not zero."""
    text = httpx.get(process.urls["api"] + "/metrics", timeout=DEADLINE_S).text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {f"{s.name}{s.labels}": s.value for s in samples if s.name in FAILURES and s.value}


def watch(process: Process, seen: Seen, seconds: float) -> list[Look]:
    """A look every twentieth of the time, printed."""
    looked, watched, started = psutil.Process(process.child.pid), [], time.monotonic()
    while (passed := time.monotonic() - started) < seconds:
        memory = looked.memory_info().rss / MIB
        watched.append(Look(passed, memory, looked.num_fds(), looked.num_threads(), seen.acknowledged))
        print("  at {:4.0f} s  {:5.0f} MiB  {} fds  {} threads  {:,} spans".format(*_figures(watched[-1])))
        time.sleep(min(seconds / 20, seconds - passed))
    return watched


def _figures(look: Look) -> tuple[float, float, int, int, int]:
    return look.at_s, look.rss_mib, look.fds, look.threads, look.acknowledged


def soak(serve: Serve, folder: Path, seconds: float, spans_s: int) -> tuple[list[Look], Seen]:  # noqa: F811
    """Run the load, print the figures, and check that nothing failed and nothing was lost."""
    filled(folder)
    process, seen = serve(folder, env=RETENTION), Seen()
    threads = [
        threading.Thread(target=send, args=(process.urls["otlp_http"], seed, spans_s, seen), daemon=True)
        for seed in range(SENDERS)
    ]
    threads.append(threading.Thread(target=ask, args=(process.urls["api"], seen), daemon=True))
    for thread in threads:
        thread.start()
    watched = watch(process, seen, seconds)
    seen.stop.set()
    for thread in threads:
        thread.join(DEADLINE_S)
        assert not thread.is_alive()

    def status() -> dict[str, float]:
        found: dict[str, float] = httpx.get(process.urls["api"] + "/api/v1/status", timeout=DEADLINE_S).json()
        return found

    wait_for(lambda: status()["judged_lag_s"] == 0, 300)
    p99 = sorted(seen.waits)[int(len(seen.waits) * 0.99)]
    answer_ms = statistics.mean(seen.answers) * 1000
    print(
        f"  {seen.acknowledged / seconds:,.0f} spans/s acknowledged, p99 {p99 * 1000:.0f} ms, {seen.sent_again} refused"
    )
    print(f"  an answer of the API takes {answer_ms:.0f} ms on average; errors {dict(seen.errors)}")
    assert not seen.errors
    assert not failures(process)
    assert process.terminate() == 0
    store = DuckDBStore(folder / "telltale.db")
    try:
        stored = store.read("SELECT count(*) AS n FROM {span} AS s WHERE name <> 'POST' OR attributes <> '{}'")
        assert stored["n"][0].as_py() == seen.acknowledged
        assert len(store.day_tables()) <= 4  # two old days, today, and the day that began meanwhile
    finally:
        store.close()
    return watched, seen


linux = pytest.mark.skipif(sys.platform != "linux", reason="file descriptors are counted in /proc")


@linux
@pytest.mark.timeout(300)
def test_a_short_soak_has_no_error(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """A few seconds of a quarter of the load: no error, nothing lost, the old days gone."""
    _, seen = soak(serve, tmp_path, 8, SPANS_S // 4)
    assert seen.acknowledged > 0


@linux
@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_soak_is_flat(serve: Serve, tmp_path: Path) -> None:  # noqa: F811
    """Nothing is refused; memory, descriptors and threads of the last third stay at what the middle third had."""
    print(f"\n{SECONDS:.0f} s at {SPANS_S:,} spans/s, load average before {os.getloadavg()[0]:.1f}")
    watched, seen = soak(serve, tmp_path, SECONDS, SPANS_S)
    assert not seen.sent_again
    third = len(watched) // 3
    middle, last = watched[third : 2 * third], watched[2 * third :]
    rss = [statistics.median(look.rss_mib for look in part) for part in (middle, last)]
    print(f"  resident, median of the middle third {rss[0]:.0f} MiB, of the last third {rss[1]:.0f} MiB")
    assert max(look.rss_mib for look in watched) < MOST_MIB
    assert max(look.fds for look in last) <= max(look.fds for look in middle) + 4
    assert max(look.threads for look in last) <= max(look.threads for look in middle) + 2
    assert SECONDS < 300 or rss[1] < rss[0] * 1.1 + 16  # a shorter run is still filling its caches
