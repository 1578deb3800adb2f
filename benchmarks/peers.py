"""Ingest beside two other stores of agents' spans: Phoenix and MLflow take the very same bodies in the same run.

    make bench-peers-setup                  # once: each peer in an environment of its own below .venvs
    make bench ARGS=peers

The figure is spans per CPU-second of the whole process tree, from the first request until every span can be counted
and the processes are at rest again (work put off is counted too): for Telltale judged and in the API, for Phoenix in
`recordCount` of its projects, for MLflow in the rows of its `spans` table. It holds on a shared machine where wall
figures do not. All servers run throughout, each with its defaults and its own SQLite or DuckDB file; the rounds take
turns and the medians are compared. A peer takes the first requests of a round, Telltale those and more of the same
kind, BENCH_PEER_OURS times as many: it would be done with a peer's share in a fraction of a CPU-second, which is too
short to measure. `TELLTALE_BENCH_PHOENIX` and `TELLTALE_BENCH_MLFLOW` name other environments than `.venvs/phoenix`
and `.venvs/mlflow`; BENCH_PEER_BATCHES and BENCH_PEER_ROUNDS change the size. A peer does more per span than Telltale
in places (token costs, attributes of its own pages); what is compared is the price of a span that can be asked for.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.ingest import service
from benchmarks.otlp_load import SHAPES, attribute, requests

BAR = 100
"""Spans per CPU-second, ours over each peer's."""

ROUNDS, BATCHES = int(os.environ.get("BENCH_PEER_ROUNDS", "5")), int(os.environ.get("BENCH_PEER_BATCHES", "4"))
OURS = int(os.environ.get("BENCH_PEER_OURS", "30"))
SPANS, SENDERS = 512, 4
START_S, VISIBLE_S, REQUEST_S = 240, 900, 300
_REST_S = 2.0


@dataclass(frozen=True)
class Target:
    """One running store: where it takes OTLP, how many spans it shows, whose CPU counts."""

    name: str
    url: str
    visible: Callable[[], int]
    process: psutil.Process
    headers: Mapping[str, str]
    look_every_s: float = 1.0
    """Seconds between two looks at what is visible: looking costs the peer CPU, so it is rare."""

    def cpu_s(self) -> float:
        """CPU seconds of the process tree so far; children that ended count through their parents."""
        used = 0.0
        for process in (self.process, *self.process.children(recursive=True)):
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            used += times.user + times.system + times.children_user + times.children_system
        return used


@dataclass(frozen=True)
class Peer:
    """How another store is found, started and asked. `command`, `environment` take a folder and a free port."""

    name: str
    program: str
    command: Callable[[Path, int], list[str]]
    environment: Callable[[Path, int], dict[str, str]]
    visible: Callable[[Path, str], int]
    headers: Mapping[str, str]

    def installed(self) -> Path | None:
        """The program of its environment, None where there is none."""
        folder = os.environ.get(f"TELLTALE_BENCH_{self.name.upper()}", f".venvs/{self.name.lower()}")
        program = Path(folder).absolute() / "bin" / self.program
        return program if program.is_file() else None


def _phoenix_visible(_folder: Path, url: str) -> int:
    query = "{projects{edges{node{recordCount}}}}"
    answer = httpx.post(f"{url}/graphql", json={"query": query}, timeout=60).raise_for_status().json()
    return sum(edge["node"]["recordCount"] for edge in answer["data"]["projects"]["edges"])


def _mlflow_visible(folder: Path, _url: str) -> int:
    with sqlite3.connect(f"file:{folder}/m.db?mode=ro", uri=True, timeout=60) as database:
        count: int = database.execute("SELECT count(*) FROM spans").fetchone()[0]
    database.close()
    return count


PEERS = (
    Peer(
        "Phoenix",
        "phoenix",
        lambda folder, port: ["serve"],
        lambda folder, port: {
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(_free_port()),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
        _phoenix_visible,
        {},
    ),
    Peer(
        "MLflow",
        "mlflow",
        lambda folder, port: [
            *("server", "--backend-store-uri", f"sqlite:///{folder}/m.db", "--default-artifact-root", f"{folder}/art"),
            *("--host", "127.0.0.1", "--port", str(port), "--workers", "1"),
        ],
        lambda folder, port: {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"},
        _mlflow_visible,
        {"x-mlflow-experiment-id": "0"},
    ),
)


@contextmanager
def running(peer: Peer, program: Path) -> Iterator[Target]:
    """The peer on an empty store and a free port, until the block ends."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), _free_port()
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, **peer.environment(folder, port)}
        url = f"http://127.0.0.1:{port}"
        with (folder / "log").open("w") as log:
            child = subprocess.Popen(
                [str(program), *peer.command(folder, port)], stdout=log, stderr=log, env=environment, cwd=folder
            )
        process = psutil.Process(child.pid)
        try:
            _wait(lambda: _answers(url) or child.poll() is not None, START_S, f"{peer.name} to start")
            if child.poll() is not None:
                raise RuntimeError(f"{peer.name} ended: {(folder / 'log').read_text()[-2000:]}")
            yield Target(peer.name, url, lambda: peer.visible(folder, url), process, peer.headers)
        finally:
            family = [*process.children(recursive=True), process] if process.is_running() else []
            for each in family:
                each.terminate()
            for each in psutil.wait_procs(family, 20)[1]:
                each.kill()
            child.wait()


@contextmanager
def telltale() -> Iterator[Target]:
    """`telltale serve`; a span is visible once it is judged and counted in the API."""
    with service() as own:

        def judged() -> int:
            status = own.status()
            return 0 if status["judged_lag_s"] > 0 else int(status["spans"])

        yield Target("Telltale", own.urls["otlp_http"], judged, own.process, {}, look_every_s=0.1)


def push(target: Target, bodies: list[bytes]) -> Counter[str]:
    """Send all, four at a time; what is refused for now is sent again. Returns the answers by status."""
    codes: Counter[str] = Counter()
    lock = threading.Lock()
    headers = {"content-type": "application/x-protobuf", **target.headers}

    def one(body: bytes) -> None:
        for attempt in range(100):
            try:
                answer = httpx.post(f"{target.url}/v1/traces", content=body, headers=headers, timeout=REQUEST_S)
                code = str(answer.status_code)
            except httpx.HTTPError as error:
                code = type(error).__name__
            with lock:
                codes[code] += 1
            if code == "200":
                return
            time.sleep(min(0.2 * 2**attempt, 5.0))
        raise RuntimeError(f"{target.name} refused a body for good: {codes}")

    with ThreadPoolExecutor(SENDERS) as pool:
        list(pool.map(one, bodies))
    return codes


_KINDS = {"invoke_agent": "AGENT", "chat": "LLM", "execute_tool": "TOOL"}


def known_to_all(body: bytes) -> bytes:
    """The same spans with the attributes by which each of the three knows a session and a kind of span.

    Without `session.id` and `openinference.span.kind` the peers would store spans that their pages make nothing of.
    """
    request = ExportTraceServiceRequest.FromString(body)
    for span in request.resource_spans[0].scope_spans[0].spans:
        values = {each.key: each.value.string_value for each in span.attributes}
        span.attributes.append(attribute("session.id", values["gen_ai.conversation.id"]))
        kind = _KINDS.get(values.get("gen_ai.operation.name", ""))
        if kind is not None:
            span.attributes.append(attribute("openinference.span.kind", kind))
    return request.SerializeToString()


def measure(target: Target, bodies: list[bytes]) -> tuple[float, float, Counter[str]]:
    """Spans per CPU-second and per second of wall time until all are visible, and the answers."""
    spans = sum(_spans(body) for body in bodies)
    before = target.visible()
    wall, cpu = time.perf_counter(), target.cpu_s()
    codes = push(target, bodies)
    shown = f"{target.name} to show {spans} spans"
    _wait(lambda: target.visible() >= before + spans, VISIBLE_S, shown, target.look_every_s)
    wall = time.perf_counter() - wall
    _wait(lambda: _resting(target), VISIBLE_S, f"{target.name} to rest")
    return spans / (target.cpu_s() - cpu), spans / wall, codes


def _resting(target: Target) -> bool:
    """Whether the processes use less than a fifth of a core."""
    before = target.cpu_s()
    time.sleep(_REST_S)
    return target.cpu_s() - before < 0.2 * _REST_S


def main() -> None:
    """Start what is installed, take turns, compare."""
    print(
        f"{ROUNDS} rounds of {BATCHES} requests of {SPANS} spans (Telltale {OURS} times as many),"
        f" {SENDERS} senders, {os.cpu_count()} cores, load average before {os.getloadavg()[0]:.1f}"
    )
    with ExitStack() as stack:
        targets = [stack.enter_context(telltale())]
        for peer in PEERS:
            program = peer.installed()
            if program is None:
                print(f"  {peer.name}: not installed (make bench-peers-setup)")
            else:
                targets.append(stack.enter_context(running(peer, program)))
        found: dict[str, list[tuple[float, float]]] = {target.name: [] for target in targets}
        answers: dict[str, Counter[str]] = {target.name: Counter() for target in targets}
        for number in range(-1, ROUNDS):  # the first round warms up
            made, _ = requests(BATCHES * OURS, SPANS, SHAPES["whole"], 100 + number, time.time_ns())
            bodies = [known_to_all(body) for body in made]
            for target in targets:
                per_cpu, per_wall, codes = measure(target, bodies if target is targets[0] else bodies[:BATCHES])
                print(f"    round {number}: {target.name} {per_cpu:,.1f} per CPU-s", flush=True)
                if number >= 0:
                    found[target.name].append((per_cpu, per_wall))
                    answers[target.name] += codes
        _tell(found, answers)


def _spans(body: bytes) -> int:
    return len(ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans)


def _tell(found: dict[str, list[tuple[float, float]]], answers: dict[str, Counter[str]]) -> None:
    ours = [per_cpu for per_cpu, _ in found["Telltale"]]
    for name, rows in found.items():
        per_cpu, wall = (statistics.median(row[n] for row in rows) for n in (0, 1))
        spread = f"{min(row[0] for row in rows):,.0f} to {max(row[0] for row in rows):,.0f}"
        print(
            f"  {name:9} {per_cpu:9,.1f} spans per CPU-s ({spread})  {wall:9,.1f}/s wall until visible"
            f"  codes {dict(answers[name])}"
        )
        if name != "Telltale":
            ratio = statistics.median(mine / theirs for mine, (theirs, _) in zip(ours, rows, strict=True))
            print(f"            Telltale takes {ratio:,.0f} times as many per CPU-s (bar {BAR}: {_met(ratio >= BAR)})")


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, follow_redirects=True).status_code < 500
    except httpx.HTTPError:
        return False


def _wait(until: Callable[[], bool], seconds: float, what: str, every_s: float = 0.5) -> None:
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds:.0f} s for {what}")
        time.sleep(every_s)


if __name__ == "__main__":
    main()
