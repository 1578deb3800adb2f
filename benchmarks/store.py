"""What the store costs per span: redact, append (encode, journal), take in (dedupe, insert), checkpoint, questions.

    python benchmarks/store.py [--spans 100000] [--batch 512] [--shape whole|spread] [--bytes 1000]

Figures are CPU microseconds per span of this process (all threads), the noise-robust measure; wall figures stand beside
them. `spread` sends every trace in five batches, children first.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from analytics.spans import Event, Span
from analytics.store import Batch, TraceKey
from collector.redact import BatchRedactor
from collector.store import DuckDBStore, Options
from telltale.redaction import Redactor

START = 1_764_500_000_000_000_000
SPANS_A_TRACE = 8


def payload(chance: random.Random, size: int) -> str:
    """A tool result of about `size` characters without a secret in it."""
    rows = []
    while len(json.dumps(rows)) < size - 200:
        rows.append({"id": chance.randrange(10**6), "title": "Flight from Zurich to London", "price": chance.random()})
    return json.dumps({"results": rows, "next": None})


def spans(count: int, size: int, seed: int = 1) -> list[Span]:
    """Traces of eight spans: agent, model, tools with payloads, HTTP clients."""
    chance = random.Random(seed)
    results = [payload(chance, size) for _ in range(50)]
    resource = {"service.name": "booking", "service.version": "1.2.3", "telemetry.sdk.language": "python"}
    made = []
    for n in range(count):
        trace, place = divmod(n, SPANS_A_TRACE)
        tool = place % 2 == 1
        attributes = {
            "gen_ai.operation.name": "execute_tool" if tool else "chat",
            "gen_ai.tool.name": f"tool_{trace % 20}",
            "gen_ai.tool.call.id": f"call_{n}",
            "gen_ai.conversation.id": f"s-{trace // 4}",
            "session.id": f"s-{trace // 4}",
            "gen_ai.agent.name": "booker",
            "gen_ai.usage.input_tokens": n % 4096,
            "gen_ai.usage.output_tokens": n % 512,
            "gen_ai.request.model": "some-model",
            "gen_ai.tool.call.arguments": '{"from": "ZRH", "to": "LHR", "date": "2026-11-30"}',
            "gen_ai.tool.call.result": results[n % 50],
        }
        made.append(
            Span(
                trace_id=f"{chance.getrandbits(128):032x}" if place == 0 else made[-1].trace_id,
                span_id=f"{chance.getrandbits(64):016x}",
                parent_span_id="" if place == 0 else made[n - place].span_id,
                name=f"execute_tool tool_{trace % 20}",
                kind=1,
                start_ns=START + n * 100_000,
                end_ns=START + n * 100_000 + 50_000_000,
                status_code=n % 3 % 2,
                attributes=attributes,
                events=[Event("exception", START + n, {"exception.type": "Timeout"})] if n % 10 == 0 else [],
                resource=resource,
                scope_name="bench",
            )
        )
    return made


def batches(made: list[Span], size: int, shape: str) -> Iterator[Batch]:
    """Whole traces per batch, or every trace over five batches, children first."""
    if shape == "spread":
        block = size * 5
        for start in range(0, len(made), block):
            part = made[start : start + block]
            for lane in range(4, -1, -1):
                yield Batch([s for i, s in enumerate(part) if (i % SPANS_A_TRACE) * 5 // SPANS_A_TRACE == lane])
        return
    for start in range(0, len(made), size):
        yield Batch(made[start : start + size])


def main() -> None:
    """Print one line per step, for each shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spans", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--bytes", type=int, default=700)
    parser.add_argument("--shape", choices=("whole", "spread"), help="one of them; both where not given")
    parser.add_argument("--recent-mib", type=int, default=96)
    args, _others = parser.parse_known_args()
    for shape in (args.shape,) if args.shape else ("whole", "spread"):
        folder = Path(tempfile.mkdtemp())
        try:
            run(argparse.Namespace(**{**vars(args), "shape": shape}), folder)
        finally:
            shutil.rmtree(folder)


def run(args: argparse.Namespace, folder: Path) -> None:
    """Append everything while a judge-like reader follows, then ask."""
    redact = BatchRedactor(Redactor())
    store = DuckDBStore(folder / "b.db", Options(recent_bytes=args.recent_mib * 2**20))
    total = reading = redacting = appending = 0.0
    after = read = 0
    wall = time.perf_counter()
    cpu = time.process_time()
    made_cpu = 0.0
    round_size = 20_480
    for first in range(0, args.spans, round_size):
        started = time.process_time()
        made = spans(min(round_size, args.spans - first), args.bytes, seed=first)
        made_cpu += time.process_time() - started
        for batch in batches(made, args.batch, args.shape):
            started = time.thread_time()
            redact(batch)
            redacting += time.thread_time() - started
            started = time.thread_time()
            store.append(batch)
            appending += time.thread_time() - started
        started = time.thread_time()
        while (answer := store.arrivals(after)).traces:
            read += sum(len(trace.spans) for trace in store.traces(answer.traces))
            after = answer.up_to
        reading += time.thread_time() - started
    store.flush()
    total = time.process_time() - cpu - made_cpu
    wall = time.perf_counter() - wall
    stats = store.stats()
    per = 1e6 / args.spans
    print(f"shape {args.shape}, {args.spans} spans of {args.bytes} byte results, batches of {args.batch}")
    print(f"redact            {redacting * per:6.1f} us CPU a span")
    print(f"append            {appending * per:6.1f} us CPU a span (encode, journal, remember)")
    print(f"arrivals, traces  {reading * per:6.1f} us CPU a span ({read} rows read)")
    rest = total - redacting - appending - reading
    print(f"take in           {rest * per:6.1f} us CPU a span (dedupe, insert, {stats.checkpoints} checkpoints)")
    print(
        f"all               {total * per:6.1f} us CPU a span; {args.spans / wall:.0f} spans/s wall, generator included"
    )
    started, wall = time.process_time(), time.perf_counter()
    store.checkpoint()
    used, waited = time.process_time() - started, time.perf_counter() - wall
    print(f"checkpoint        {used * per:6.1f} us CPU a span, {waited:.2f} s")
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stats = store.stats()
    print(f"RSS {rss:.0f} MB, file {stats.file_bytes / 2**20:.0f} MB, journal {stats.journal_bytes / 2**20:.0f} MB")
    ask(store)
    store.close()


def ask(store: DuckDBStore) -> None:
    """A few questions over spans, and a trace that left memory."""
    some = store.read("SELECT trace_id FROM {span} AS s LIMIT 3").to_pylist()
    for title, work in (
        ("count", lambda: store.read("SELECT count(*) FROM {span} AS s")),
        ("by name", lambda: store.read("SELECT name, count(*) FROM {span} AS s GROUP BY name")),
        ("old trace", lambda: store.traces([TraceKey("default", row["trace_id"]) for row in some])),
    ):
        times = []
        for _ in range(7):
            started = time.perf_counter()
            work()
            times.append(time.perf_counter() - started)
        print(f"{title:16}  {sorted(times)[3] * 1000:6.1f} ms median")


if __name__ == "__main__":
    main()
