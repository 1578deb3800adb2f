"""Traces straight from recordings, for commands that need no database."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from analytics.commands.source import fail
from analytics.spans import Trace

STDIN = Path("-")


@dataclass(slots=True)
class Recorded:
    """What recordings hold. `problems` are sentences about what could not be read."""

    traces: list[Trace] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def recorded(paths: Sequence[Path]) -> Recorded:
    """The traces of some files and folders (- for standard input). Ends the command where a path cannot be read."""
    # The arrow collector → analytics forbids an import here; the command line joins the rooms at run time.
    reading = importlib.import_module("collector.files.reading")
    found = Recorded()
    traces: dict[str, Trace] = {}
    seq = 0
    for stream, name in _streams(paths):
        with stream as opened:
            for piece in reading.read(opened, name):
                if isinstance(piece, reading.Problem):
                    found.problems.append(f"{piece.where}: {piece.why}")
                    continue
                for row in _rows(piece, found):
                    seq += 1
                    row.seq = seq
                    trace = traces.setdefault(row.trace_id, Trace(row.project, row.trace_id))
                    (trace.spans if hasattr(row, "parent_span_id") else trace.logs).append(row)
    found.traces = list(traces.values())
    return found


def _rows(piece: Any, found: Recorded) -> list[Any]:
    decoding = importlib.import_module("collector.decode")
    limits = importlib.import_module("collector.files.targets").FILE_LIMITS
    try:
        decoded = decoding.decode(piece.body, piece.signal, piece.encoding, limits=limits)
    except decoding.DecodeError as wrong:
        found.problems.append(f"{piece.where}: {wrong}")
        return []
    decoding.trim_batch(decoded.batch, limits)
    found.problems += [f"{piece.where}: {count} {reason}" for reason, count in decoded.reasons.items()]
    return [*decoded.batch.spans, *decoded.batch.logs]


def _streams(paths: Sequence[Path]) -> Iterator[tuple[Any, str]]:
    finding = importlib.import_module("collector.files.finding")
    if STDIN in paths:
        yield _standard_input(), "standard input"
    try:
        files = finding.find(path for path in paths if path != STDIN)
    except finding.NotReadable as wrong:
        fail(str(wrong))
    if STDIN not in paths and not files:
        fail("no recording is named (.json, .jsonl, .pb, …, also .gz and .zst; folders; - for standard input)")
    for each in files:
        yield each.path.open("rb"), str(each.path)


@contextmanager
def _standard_input() -> Iterator[IO[bytes]]:
    yield sys.stdin.buffer
