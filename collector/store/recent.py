"""Rows that arrived lately, as objects: what the judge reads needs no second decoding.

Bounded in bytes: the traces that were touched least lately leave first, but never rows that the database does not hold.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from analytics.spans import LogRecord, Span, Trace
from analytics.store import TraceKey
from collector.store.seen import Range

_OBJECT_BYTES = 1600
"""What the objects of a row weigh beside its texts, roughly."""


@dataclass(slots=True)
class Entry:
    """What memory holds of one trace. `missing` are stretches of arrival numbers that may hold more of its rows."""

    missing: list[Range]
    spans: dict[int, Span] = field(default_factory=dict)
    logs: dict[int, LogRecord] = field(default_factory=dict)
    size: int = 0
    last_seq: int = 0

    def trace(self, key: TraceKey) -> Trace:
        """The rows in order of arrival."""
        return Trace(
            key.project,
            key.trace_id,
            sorted(self.spans.values(), key=_seq),
            sorted(self.logs.values(), key=_seq),
        )

    def before(self, moment_ns: int) -> bool:
        """Whether every row was received before a moment."""
        rows: list[Span | LogRecord] = [*self.spans.values(), *self.logs.values()]
        return all(row.received_ns < moment_ns for row in rows)


class Recent:
    """Entries by trace, in order of their last touch. Not thread-safe: its owner holds a lock."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.size = 0
        self._entries: OrderedDict[tuple[str, str], Entry] = OrderedDict()

    def get(self, project: str, trace_id: str) -> Entry | None:
        """The entry of a trace, or None."""
        return self._entries.get((project, trace_id))

    def open(self, project: str, trace_id: str, missing: list[Range]) -> Entry:
        """A new entry; `missing` says where else rows of the trace may lie."""
        entry = self._entries[(project, trace_id)] = Entry(missing)
        return entry

    def add(self, entry: Entry, content_key: int, row: Span | LogRecord, text_bytes: int) -> None:
        """One more row of a trace."""
        if isinstance(row, Span):
            entry.spans[content_key] = row
        else:
            entry.logs[content_key] = row
        weight = _OBJECT_BYTES + text_bytes + text_bytes // 4
        entry.size += weight
        entry.last_seq = max(entry.last_seq, row.seq)
        self.size += weight

    def touch(self, project: str, trace_id: str) -> None:
        """The trace was written or asked for: it stays longest."""
        if (project, trace_id) in self._entries:
            self._entries.move_to_end((project, trace_id))

    def forget(self, project: str, before_ns: int) -> None:
        """Let go of the traces of a project whose rows were all received before a moment."""
        for key in [key for key, entry in self._entries.items() if key[0] == project and entry.before(before_ns)]:
            self.size -= self._entries.pop(key).size

    def shrink(self, stored_seq: int) -> None:
        """Let the oldest entries go until the limit is kept; `stored_seq` is what the database holds."""
        kept = []
        while self.size > self.limit_bytes and self._entries:
            key, entry = self._entries.popitem(last=False)
            if entry.last_seq > stored_seq:
                kept.append((key, entry))
                if len(kept) > 100:
                    break
                continue
            self.size -= entry.size
        for key, entry in reversed(kept):
            self._entries[key] = entry
            self._entries.move_to_end(key, last=False)


def _seq(row: Span | LogRecord) -> int:
    return row.seq
