"""The outbox: notices wait in the store until each destination has them, in order, over failures and restarts.

A notice is written in the transaction that marks its incidents as told, then delivered, then marked: it cannot be lost,
and is repeated only if the process dies between delivery and mark (its id is the same then).
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import structlog

from analytics.alerts.notice import Notice
from analytics.alerts.notifiers import DeliveryError, Notifier
from analytics.alerts.queries import sql
from analytics.alerts.reader import SECOND
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import plain
from analytics.store import Store, Transaction

FIRST_WAIT_S = 10.0
LONGEST_WAIT_S = 300.0
ROUND_S = 8.0
"""How long one round may hand notices to a slow destination before the rules must be evaluated again, in seconds."""

_log = structlog.get_logger("telltale.alerts")

_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "destination", "kind", "project", "rule")),
        ("incidents", pa.list_(pa.string())),
        ("body", pa.string()),
        ("created_ns", pa.int64()),
        ("next_try_ns", pa.int64()),
        ("attempts", pa.int32()),
    ]
)


@dataclass(slots=True, frozen=True)
class Health:
    """How one destination does: notices waiting, tries of the oldest of them, what went wrong last."""

    destination: str
    waiting: int
    attempts: int
    last_error: str | None


def put(transaction: Transaction, notices: Sequence[Notice], destinations: Sequence[str], now_ns: int) -> None:
    """Write notices for every destination, inside the transaction that marks their incidents."""
    rows = [
        {
            "id": notice.id,
            "destination": destination,
            "kind": notice.kind,
            "project": notice.project,
            "rule": notice.rule,
            "incidents": list(notice.incidents),
            "body": json.dumps(notice.body),
            "created_ns": now_ns,
            "next_try_ns": now_ns,
            "attempts": 0,
        }
        for notice in notices
        for destination in destinations
        if destination not in notice.spares
    ]
    if rows:
        transaction.insert("notice", pa.Table.from_pylist(rows, schema=_SCHEMA))


class Outbox:
    """Delivers what waits. Destinations are served side by side, each in the order of its notices."""

    def __init__(self, store: Store, notifiers: Sequence[Notifier], settings: AlertSettings) -> None:
        self._store = store
        self._notifiers = {notifier.name: notifier for notifier in notifiers}
        self._settings = settings

    def deliver(self, now_ns: int) -> int:
        """Try everything that is due; returns how many deliveries succeeded."""
        waiting = self._store.read(sql("waiting"), {"now_ns": now_ns}).to_pylist()
        queues = {name: [row for row in waiting if row["destination"] == name] for name in self._notifiers}
        busy = {name: queue for name, queue in queues.items() if queue}
        if not busy:
            return 0
        with ThreadPoolExecutor(max_workers=len(busy)) as pool:
            return sum(pool.map(lambda name: self._serve(name, busy[name], now_ns), busy))

    def _serve(self, name: str, queue: Sequence[dict[str, Any]], now_ns: int) -> int:
        """Deliver one destination's notices until one fails: a resolved notice must not overtake its firing one."""
        delivered = 0
        started = time.monotonic()
        for row in queue:
            if time.monotonic() - started > ROUND_S:
                break
            try:
                self._notifiers[name].send(_notice(row))
            except DeliveryError as failure:
                self._failed(row, str(failure), now_ns)
                break
            except Exception as failure:  # a notifier's own fault must not stop the others
                _log.exception("notifier_broke", destination=name)
                self._failed(row, type(failure).__name__, now_ns)
                break
            self._delivered(row, now_ns)
            delivered += 1
        return delivered

    def _delivered(self, row: dict[str, Any], now_ns: int) -> None:
        reached = self._notifiers[row["destination"]].reaches_people or not any(
            notifier.reaches_people for notifier in self._notifiers.values()
        )
        with self._store.write() as transaction:
            transaction.execute(sql("mark_delivered"), {**_key(row), "now_ns": now_ns})
            if reached and row["kind"] == "firing":
                transaction.execute(sql("mark_notified"), {"incidents": row["incidents"], "now_ns": now_ns})

    def _failed(self, row: dict[str, Any], why: str, now_ns: int) -> None:
        attempts = row["attempts"] + 1
        wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(attempts - 1, 10)) * random.uniform(0.5, 1.0)  # noqa: S311
        over = now_ns - row["created_ns"] >= self._settings.give_up_s * SECOND
        reason = plain(why, 300)
        _log.warning(
            "notice_not_delivered", destination=row["destination"], attempts=attempts, given_up=over, reason=reason
        )
        with self._store.write() as transaction:
            transaction.execute(
                sql("mark_failed"),
                {
                    **_key(row),
                    "attempts": attempts,
                    "next_try_ns": now_ns + int(wait * SECOND),
                    "given_up_ns": now_ns if over else None,
                    "last_error": reason,
                },
            )

    def health(self) -> list[Health]:
        """Every destination that has notices waiting."""
        return [Health(**row) for row in self._store.read(sql("health")).to_pylist()]


def _key(row: dict[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "destination": row["destination"]}


def _notice(row: dict[str, Any]) -> Notice:
    body = json.loads(row["body"])
    return Notice(
        id=row["id"],
        kind=row["kind"],
        project=row["project"],
        rule=row["rule"],
        severity=body["severity"],
        title=body["title"],
        text=body["text"],
        incidents=tuple(row["incidents"]),
        body=body,
    )
