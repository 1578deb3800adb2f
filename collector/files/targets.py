"""Where recorded requests go: into a database file, or to a running service. Both tell what was taken."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import httpx
import tenacity

from analytics.jobs.judge_job import JudgeJob
from analytics.store import Batch
from collector.decode import Decoded, DecodeError, DecodeLimits, Encoding, base64_of, decode, trim_batch
from collector.files.reading import Piece, Problem
from collector.intake import Redact
from collector.redact import BatchRedactor
from collector.store import DuckDBStore

GROUP_ROWS = 5_000
"""Rows gathered before they are appended."""

FLUSH_S = 600.0
"""How long the last rows may take from the journal into the tables."""

FILE_LIMITS = DecodeLimits(records=1_000_000, json_objects=50_000_000, wire_messages=50_000_000)
"""Caps for a file that its owner chose; the caps of rows are the same as for requests."""


@dataclass(slots=True)
class Tally:
    """What came of an ingest. `refused` counts records and requests that were not taken."""

    spans: int = 0
    logs: int = 0
    duplicates: int = 0
    metrics: int = 0
    refused: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def problem(self, where: str, why: str, count: int = 1) -> None:
        """Count something that was not taken, and remember where."""
        self.refused += count
        self.problems.append(Problem(where, why))

    def take(self, piece: Piece, decoded: Decoded) -> None:
        """Count what a request held besides the rows that were stored."""
        self.metrics += decoded.not_kept
        self.notes.update(decoded.notes)
        for reason, count in decoded.reasons.items():
            self.problem(piece.where, f"{count} {reason}", count)


class Target(Protocol):
    """Takes requests one after the other."""

    def send(self, piece: Piece) -> None:
        """Take one request; what cannot be taken goes into the tally."""

    def finish(self) -> int | None:
        """Nothing more comes; returns how many traces were judged, None where that is not this process's work."""


class StoreTarget:
    """Decodes, redacts and appends to a store of this process; judges at the end."""

    def __init__(self, store: DuckDBStore, tally: Tally, redact: Redact | None, judge: JudgeJob) -> None:
        self._store = store
        self._judge = judge
        self._redact = redact
        self._of_bytes = redact.of_bytes if isinstance(redact, BatchRedactor) else base64_of
        self._tally = tally
        self._batch = Batch()

    def send(self, piece: Piece) -> None:
        """Decode one request; append when enough has gathered."""
        try:
            decoded = decode(
                piece.body,
                piece.signal,
                piece.encoding,
                received_ns=time.time_ns(),
                limits=FILE_LIMITS,
                of_bytes=self._of_bytes,
            )
        except DecodeError as error:
            self._tally.problem(piece.where, str(error))
            return
        self._tally.take(piece, decoded)
        self._batch.spans += decoded.batch.spans
        self._batch.logs += decoded.batch.logs
        if len(self._batch.spans) + len(self._batch.logs) >= GROUP_ROWS:
            self._append()

    def finish(self) -> int:
        """Append what is left, and judge everything."""
        self._append()
        self._store.flush(FLUSH_S)
        self._tally.duplicates += self._store.drain.duplicates
        return self._judge.drain()

    def _append(self) -> None:
        batch, self._batch = self._batch, Batch()
        if not batch.spans and not batch.logs:
            return
        if self._redact is not None:
            self._redact(batch)
        trim_batch(batch, FILE_LIMITS)
        receipt = self._store.append(batch)
        self._tally.spans += receipt.spans
        self._tally.logs += receipt.logs
        self._tally.duplicates += receipt.duplicates


class _RetryableError(Exception):
    """The service asked to try again; `after_s` is its own wish."""

    def __init__(self, after_s: float) -> None:
        super().__init__("the service is busy")
        self.after_s = after_s


class EndpointTarget:
    """Sends to a service over OTLP/HTTP, waiting as long as the service asks."""

    def __init__(
        self, endpoint: str, tally: Tally, *, token: str | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(base_url=endpoint.rstrip("/"), headers=headers, timeout=15)
        self._tally = tally
        self._send = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type((_RetryableError, httpx.TransportError)),
            stop=tenacity.stop_after_delay(60),
            wait=_wait,
            sleep=sleep,
            reraise=True,
        )

    def send(self, piece: Piece) -> None:
        """Send one request.

        Raises:
            ConnectionError: nobody answers at the endpoint.
        """
        try:
            decoded = decode(piece.body, piece.signal, piece.encoding, limits=FILE_LIMITS)
            response = self._send(self._post, piece)
        except DecodeError as error:
            self._tally.problem(piece.where, str(error))
            return
        except _RetryableError as error:
            self._tally.problem(piece.where, str(error))
            return
        except httpx.TransportError as error:
            raise ConnectionError(f"nobody answers at {self._client.base_url} ({type(error).__name__})") from None
        if response.status_code != 200:
            self._tally.problem(piece.where, f"refused by the service: {_message(response, piece.encoding)}")
            return
        self._tally.take(piece, decoded)
        self._tally.spans += len(decoded.batch.spans)
        self._tally.logs += len(decoded.batch.logs)

    def finish(self) -> None:
        """Close the connection; the service judges by itself."""
        self._client.close()

    def _post(self, piece: Piece) -> httpx.Response:
        headers = {"content-type": piece.encoding, "content-encoding": "gzip"}
        response = self._client.post(f"/v1/{piece.signal}", content=gzip.compress(piece.body, 1), headers=headers)
        if response.status_code in (429, 502, 503, 504):
            raise _RetryableError(float(response.headers.get("retry-after", 1)))
        return response


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _RetryableError):
        return error.after_s
    return float(min(2**state.attempt_number * 0.25, 5.0))


def _message(response: httpx.Response, encoding: Encoding) -> str:
    from google.rpc.status_pb2 import Status

    try:
        if encoding is Encoding.JSON:
            return str(response.json()["message"])[:200]
        return str(Status.FromString(response.content).message[:200])
    except Exception:  # whatever stands at the endpoint may not speak OTLP
        return f"HTTP {response.status_code}"
