"""What the journal holds and the database does not yet: rows on their way, in order of arrival, bounded in bytes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from collector.journal import Kind

Place = tuple[str, int]
"""Project, and day of receipt since 1970."""


@dataclass(slots=True, frozen=True)
class Piece:
    """Rows of one append (or one journal record), and the day tables that they belong to.

    `doubtful` are the arrival numbers of rows that the database may hold already; None where nobody looked. Of all
    others memory knows that it does not.
    """

    kind: Kind
    first_seq: int
    last_seq: int
    rows: pa.RecordBatch
    places: frozenset[Place]
    doubtful: Sequence[int] | None = None


class Backlog:
    """Pieces between the journal and the database."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.bytes = 0
        self.rows = 0
        self._pieces: deque[Piece] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._ending = False

    @property
    def full(self) -> bool:
        """Whether the writer has fallen so far behind that nothing more may be taken."""
        return self.bytes >= self.limit_bytes

    def add(self, piece: Piece) -> None:
        """One more piece; arrival numbers only grow."""
        with self._changed:
            self._pieces.append(piece)
            self.bytes += piece.rows.nbytes
            self.rows += piece.rows.num_rows
            self._changed.notify_all()

    def first(self, most_rows: int) -> list[Piece]:
        """The oldest pieces, up to about `most_rows`; they stay until `done`."""
        with self._changed:
            taken: list[Piece] = []
            rows = 0
            for piece in self._pieces:
                if taken and rows + piece.rows.num_rows > most_rows:
                    break
                taken.append(piece)
                rows += piece.rows.num_rows
            return taken

    def done(self, stored_seq: int) -> None:
        """The database holds everything up to this number."""
        with self._changed:
            while self._pieces and self._pieces[0].last_seq <= stored_seq:
                piece = self._pieces.popleft()
                self.bytes -= piece.rows.nbytes
                self.rows -= piece.rows.num_rows
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Until there is something, or the time is over; returns whether there is something."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._pieces) or self._ending, seconds)
            return bool(self._pieces)

    def wait_for(self, stored_seq: int, seconds: float) -> bool:
        """Until everything up to this number is in the database, or the time is over; the writer is told to hurry."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(
                    lambda: not self._pieces or self._pieces[0].first_seq > stored_seq, seconds
                )
            finally:
                self._waiting -= 1

    def wait_for_room(self, seconds: float) -> bool:
        """Until the bound is kept again, or the time is over; returns whether there is room."""
        if not self.full:
            return True
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: not self.full or self._ending, seconds) and not self.full
            finally:
                self._waiting -= 1

    def gather(self, seconds: float, enough_rows: int) -> None:
        """Let rows gather: until there are enough of them, somebody waits for them, or the time is over."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._ending or self.rows >= enough_rows or (self._waiting > 0 and self.rows > 0), seconds
            )

    def end(self) -> None:
        """Nothing more will come: nobody waits for rows any longer."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
