"""The account of each sender: how much came in which words, and what its spans lacked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa

from analytics.calls import Call
from analytics.jobs.call_rows import json_text, texts
from analytics.spans import Trace
from analytics.store import Transaction

MAX_LOSSES = 50
"""The most different losses that one sender's account lists."""

Key = tuple[str, str, str, str]
"""(project, service, scope, convention)."""


@dataclass(slots=True)
class _Account:
    spans: int = 0
    calls: int = 0
    first_seen_ns: int = 2**63 - 1
    last_seen_ns: int = 0
    lost: Counter[str] = field(default_factory=Counter)

    def seen(self, received_ns: int) -> None:
        """Something was received then; 0 says nothing."""
        self.last_seen_ns = max(self.last_seen_ns, received_ns)
        self.first_seen_ns = min(self.first_seen_ns, received_ns or self.first_seen_ns)


class Senders:
    """What one transaction adds to the accounts."""

    def __init__(self) -> None:
        self._accounts: dict[Key, _Account] = {}
        self._convention: dict[tuple[str, str, str], str] = {}

    def _account(self, key: Key) -> _Account:
        if key not in self._accounts:
            self._accounts[key] = _Account()
        return self._accounts[key]

    def calls(self, calls: Sequence[Call], scopes: Sequence[str]) -> None:
        """Count new calls in."""
        last: Key | None = None
        for call, scope in zip(calls, scopes, strict=True):
            key = (call.project, call.service or "", scope, call.convention)
            if key != last:
                last, account = key, self._account(key)
                self._convention.setdefault(key[:3], key[3])
            account.calls += 1
            account.seen(call.received_ns)
            if call.lost:
                account.lost.update(call.lost)

    def replaced(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count replaced rows of `call` out."""
        for row in rows:
            account = self._account((row["project"], row["service"] or "", row["scope"], row["convention"]))
            account.calls -= 1
            account.lost.subtract(row["lost"])

    def spans(self, trace: Trace, after_seq: int) -> None:
        """Count the spans of a trace that arrived after a number; call after `calls`."""
        resource: Any = None
        scope: str | None = None
        account, received_ns = _Account(), 0
        for span in trace.spans:
            if span.seq <= after_seq:
                continue
            if span.resource is not resource or span.scope_name != scope:
                account.seen(received_ns)  # they come in order of arrival: the last one of this sender
                resource, scope = span.resource, span.scope_name
                place = (span.project, str(resource.get("service.name") or ""), scope)
                account = self._account((*place, self._convention.get(place, "")))
                account.seen(span.received_ns)
            account.spans += 1
            received_ns = span.received_ns
        account.seen(received_ns)

    def write(self, transaction: Transaction) -> None:
        """Add the differences; spans go with the convention of their sender's calls, once that is known."""
        projects = {key[0] for key in self._accounts}
        stored: dict[Key, _Account] = {}
        for project in projects:
            rows = transaction.query("SELECT * FROM sender WHERE project = $project", {"project": project})
            for row in rows.to_pylist():
                key = (project, row["service"], row["scope"], row["convention"])
                lost = Counter(msgspec.json.decode(row["lost"], type=dict[str, int]))
                stored[key] = _Account(row["spans"], row["calls"], row["first_seen_ns"], row["last_seen_ns"], lost)
        known = {key[:3]: key[3] for key in sorted(stored) if key[3]} | self._convention
        merged: dict[Key, _Account] = {}
        for key, change in self._accounts.items():
            merge_key = key if key[3] else (*key[:3], known.get(key[:3], ""))
            into = merged.setdefault(merge_key, stored.get(merge_key, _Account()))
            into.spans += change.spans
            into.calls += change.calls
            into.first_seen_ns = min(into.first_seen_ns, change.first_seen_ns)
            into.last_seen_ns = max(into.last_seen_ns, change.last_seen_ns)
            into.lost.update(change.lost)
        self._replace(transaction, merged, {key for key in merged if key in stored})

    def _replace(self, transaction: Transaction, rows: dict[Key, _Account], stored: set[Key]) -> None:
        for project in {key[0] for key in stored}:
            transaction.execute(
                "DELETE FROM sender WHERE project = $project"
                " AND concat_ws(chr(31), service, scope, convention) IN (SELECT unnest($senders))",
                {"project": project, "senders": ["\x1f".join(key[1:]) for key in stored if key[0] == project]},
            )
        names = ("project", "service", "scope", "convention")
        columns = {name: texts([key[i] for key in rows]) for i, name in enumerate(names)}
        accounts = list(rows.values())
        for name in ("spans", "calls", "first_seen_ns", "last_seen_ns"):
            columns[name] = pa.array([getattr(each, name) for each in accounts], pa.int64())
        columns["lost"] = texts([json_text(dict(_most(each.lost))) for each in accounts])
        transaction.insert("sender", pa.table(columns))


def _most(lost: Counter[str]) -> list[tuple[str, int]]:
    return [(what, calls) for what, calls in lost.most_common(MAX_LOSSES) if calls > 0]
