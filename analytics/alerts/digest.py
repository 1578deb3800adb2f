"""The daily digest: failures that wake nobody, in one notice a day."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from analytics.alerts.incident import Severity
from analytics.alerts.notice import Notice
from analytics.alerts.queries import sql
from analytics.alerts.reader import HOUR, SECOND
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import count, moment, plain, quoted
from analytics.store import Store

DAY = 24 * HOUR


def due(store: Store, settings: AlertSettings, projects: Sequence[str], now_ns: int) -> list[Notice]:
    """Today's digests that are due and not in the outbox yet: one for each project that has something to tell."""
    today = datetime.fromtimestamp(now_ns // SECOND, UTC)
    if settings.digest_hour_utc is None or today.hour < settings.digest_hour_utc:
        return []
    found = []
    for project in projects:
        notice_id = hashlib.sha256(f"digest {today:%Y-%m-%d} {project}".encode("utf-8", "replace")).hexdigest()[:32]
        if store.read(sql("notice_exists"), {"id": notice_id}).num_rows:
            continue
        params = {"project": project, "from_ns": now_ns - DAY, "to_ns": now_ns}
        rows = store.read(sql("digest"), params).to_pylist()
        if rows:
            found.append(_compose(notice_id, project, rows, settings, now_ns))
    return found


def _line(row: dict[str, Any]) -> str:
    reach = f"{count(row['calls'], 'call')}, {count(row['sessions'], 'session')}"
    return f"{row['code']} on `{quoted(row['tool'], 80)}`: {reach}"


def _compose(
    notice_id: str, project: str, rows: Sequence[dict[str, Any]], settings: AlertSettings, now_ns: int
) -> Notice:
    failures = sum(row["calls"] for row in rows)
    title = f"[DIGEST] {count(failures, 'failing call')} in a day, project {plain(project)}"
    lines = [_line(row) for row in rows]
    link = f"{settings.dashboard_url.rstrip('/')}/tools-codes"
    text = "\n".join([*lines, f"Dashboard: {link}"])
    body = {
        "schema": "telltale.notice/1",
        "id": notice_id,
        "status": "digest",
        "severity": str(Severity.TICKET),
        "alert": "digest",
        "project": plain(project),
        "title": title,
        "text": text,
        "at": moment(now_ns),
        "count": 0,
        "dashboard": link,
        "incidents": [],
        "rows": [{**row, "tool": plain(row["tool"])} for row in rows],
    }
    return Notice(notice_id, "digest", project, "digest", str(Severity.TICKET), title, text, (), body)
