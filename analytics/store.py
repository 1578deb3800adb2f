"""What the service needs of a store: append, read, write, each by intent. The collector implements it.

No caller gets a connection. A question names its relations in braces: `{span}` and `{log}` stand for the union of the
day tables that its scope touches; every other table is named plainly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from analytics.spans import LogRecord, Span, Trace


@dataclass(slots=True)
class Batch:
    """Decoded, capped and redacted rows of one or more export requests, on their way to the store."""

    spans: list[Span] = field(default_factory=list)
    logs: list[LogRecord] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class Receipt:
    """What `append` made durable: rows given, and how many of them the store had already."""

    spans: int
    logs: int
    duplicates: int
    last_seq: int


class TraceKey(NamedTuple):
    """Names one trace of one project; a tuple, since it is looked up for every trace many times."""

    project: str
    trace_id: str


@dataclass(slots=True, frozen=True)
class Arrivals:
    """The traces that got rows after a sequence number, and the number up to which this answer reaches."""

    traces: list[TraceKey]
    up_to: int


@dataclass(slots=True, frozen=True)
class Scope:
    """Which span tables a question touches: one project, and a range of receive time (ns, UTC); None is open."""

    project: str = "default"
    received_from_ns: int | None = None
    received_to_ns: int | None = None


class StoreUnavailable(Exception):
    """The store cannot take or answer now (full disk, reopening, shutting down); the same call may work later."""


class Transaction(Protocol):
    """Several statements that become visible together, or not at all."""

    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> int:
        """Run one statement with named parameters (`$name`); returns the number of rows it changed."""

    def query(self, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Rows of one statement, as this transaction sees them."""

    def insert(self, table: str, rows: pa.Table) -> int:
        """Append rows, matched to the table's columns by name; returns how many."""


class Store(Protocol):
    """The store of the service. Methods may be called from any thread."""

    def append(self, batch: Batch) -> Receipt:
        """Make a batch durable; returns only then.

        Raises:
            StoreUnavailable: nothing of the batch is kept; the sender may try again.
        """

    def arrivals(self, after_seq: int, limit: int = 1000) -> Arrivals:
        """Traces that got rows after `after_seq`, at most `limit`, oldest first."""

    def traces(self, keys: Sequence[TraceKey]) -> list[Trace]:
        """All rows of these traces, in the order of `keys`, duplicates removed, seq order; empty for unknown ones."""

    def read(self, sql: str, params: Mapping[str, Any] | None = None, scope: Scope | None = None) -> pa.Table:
        """Rows of one question with named parameters (`$name`), on a snapshot; never waits for a writer."""

    def write(self) -> AbstractContextManager[Transaction]:
        """A transaction over the derived tables; commits on leaving, rolls back on an exception.

        Raises:
            StoreUnavailable: nothing of the transaction is kept.
        """

    def close(self) -> None:
        """Finish what was acknowledged, checkpoint, release the file."""
