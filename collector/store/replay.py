"""At opening: what the journal holds and the database does not is taken in, before anything is asked or appended."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from collector.journal import Journal, Kind, Record
from collector.store import writer
from collector.store.backlog import Backlog, Piece
from collector.store.days import Days
from collector.store.drain import ROWS_A_TRANSACTION, Drain
from collector.store.engine import Engine
from collector.store.recovery import Recovery
from collector.store.relations import NS_PER_DAY
from collector.store.rows import LOG_SCHEMA, SPAN_SCHEMA

_SCHEMAS = {Kind.SPANS_1: SPAN_SCHEMA, Kind.LOGS_1: LOG_SCHEMA}
_KINDS = {int(kind): kind for kind in Kind}


def take_in_journal(engine: Engine, days: Days, journal: Journal, recovery: Recovery) -> int:
    """At opening, before anything is asked or appended: rows of the journal that the database does not hold.

    Returns:
        The last arrival number ever used.
    """
    with engine.cursor() as cursor:
        stored = writer.stored_position(cursor, writer.STORED)
    recovery.journal_short = journal.ends_before(stored)
    backlog = Backlog(2**62)
    drain = Drain(engine, days, journal, backlog)
    last = stored
    for record in journal.records(stored):
        piece = _piece(record)
        if piece is None:
            recovery.journal_damaged_bytes += len(record.payload)
            recovery.quarantined.append(_keep_unreadable(journal, record))
            continue
        backlog.add(piece)
        recovery.journal_rows += record.rows
        last = max(last, record.last_seq)
        if backlog.rows >= ROWS_A_TRANSACTION:
            drain.once()
    while drain.once():
        pass
    return max(last, journal.recovered.last_seq)


def _keep_unreadable(journal: Journal, record: Record) -> Path:
    """A record whose checksum is right and whose content is not: nothing acknowledged is thrown away."""
    kept = journal.folder / f"unreadable-{record.first_seq:020d}.bin"
    kept.write_bytes(record.payload)
    return kept


def _piece(record: Record) -> Piece | None:
    """The rows of a journal record; None where its content is not what its checksum vouched for."""
    try:
        kind = _KINDS[record.kind]
        aligned = pa.allocate_buffer(len(record.payload))
        memoryview(aligned).cast("B")[:] = record.payload
        rows = pa.ipc.read_record_batch(aligned, _SCHEMAS[kind])
    except (KeyError, pa.ArrowException):
        return None
    days = pc.divide(rows["received_ns"], NS_PER_DAY)
    places = set(zip(rows["project"].to_pylist(), days.to_pylist(), strict=True))
    return Piece(kind, record.first_seq, record.last_seq, rows, frozenset(places))
