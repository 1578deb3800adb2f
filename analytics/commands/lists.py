"""`telltale calls`, `tools`, `sessions`, `groups`, `incidents`, `senders`: the lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from analytics.api.query import MAX_LIMIT
from analytics.commands.output import FORMATS, quiet_pipe, show
from analytics.commands.source import Source, fail, source

Db = Annotated[Path | None, typer.Option(help="Database file that no service holds. (TELLTALE_DB)")]
Api = Annotated[str | None, typer.Option(help="Address of a running service's API. (TELLTALE_API_URL)")]
Since = Annotated[str | None, typer.Option(help="15m, 24h, 7d, a time, or all.", show_default="all; 24h with --api")]
Until = Annotated[str | None, typer.Option(help="The same words.")]
Project = Annotated[str | None, typer.Option(help="Project.", show_default="default")]
ToolName = Annotated[str | None, typer.Option("--tool", help="Tool name.")]
OutcomeList = Annotated[str | None, typer.Option("--outcome", help="Outcomes, comma-separated; or failed.")]
CodeList = Annotated[str | None, typer.Option("--code", help="Codes, comma-separated; none for calls without one.")]
Agent = Annotated[str | None, typer.Option(help="Agent name.")]
Session = Annotated[str | None, typer.Option(help="Session id.")]
Limit = Annotated[int | None, typer.Option(help="Most rows.", min=1, show_default="all; 50 in a table")]
Format = Annotated[str, typer.Option("--format", help="table, jsonl or csv.")]

TABLE_ROWS = 50

CALL_FIELDS = (
    "project",
    "trace_id",
    "span_id",
    "session_id",
    "agent",
    "user",
    "service",
    "release",
    "tool",
    "call_id",
    "started_at",
    "duration_ms",
    "declared",
    "outcome",
    "code",
    "declared_code",
    "code_source",
    "flags",
    "contract_fields",
    "rules",
    "evidence",
    "confidence",
    "payload",
    "action",
    "retryable",
    "recovered",
    "inferred",
    "run_aborted",
    "rules_version",
)
"""What `telltale calls --format jsonl` prints of each call, in this order: a contract."""


def calls(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    tool: ToolName = None,
    outcome: OutcomeList = None,
    code: CodeList = None,
    agent: Agent = None,
    session: Session = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Judged tool calls, newest first."""
    given = _given(
        since=since, until=until, project=project, tool=tool, outcome=outcome, code=code, agent=agent, session=session
    )
    columns = ("started_at", "tool", "outcome", "code", "declared", "flags", "session_id", "span_id")
    list_rows("calls", given, columns, db=db, api=api, limit=limit, form=form, whole=CALL_FIELDS)


def tools(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    tool: ToolName = None,
    outcome: OutcomeList = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Tools with their failures and compliance, the most failures first."""
    columns = ("tool", "calls", "failures", "silent_failure", "compliance", "top_code", "p50_ms", "p95_ms")
    given = _given(since=since, until=until, project=project, tool=tool, outcome=outcome)
    list_rows("tools", given, columns, db=db, api=api, limit=limit, form=form)


def sessions(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    tool: ToolName = None,
    outcome: OutcomeList = None,
    flagged: Annotated[bool, typer.Option("--flagged", help="Only sessions that hold a failure.")] = False,
    unrecovered: Annotated[bool, typer.Option("--unrecovered", help="Only those not known to be recovered.")] = False,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Sessions, newest first."""
    columns = ("started_at", "session_id", "agent", "calls", "failures", "silent", "unrecovered", "codes", "tools")
    given = _given(since=since, until=until, project=project, tool=tool, outcome=outcome)
    given |= {name: "true" for name, wanted in (("flagged", flagged), ("unrecovered", unrecovered)) if wanted}
    list_rows("sessions", given, columns, db=db, api=api, limit=limit, form=form)


def groups(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    tool: ToolName = None,
    outcome: OutcomeList = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Failures grouped by what they have in common, and whose fault each group is."""
    columns = ("calls", "sessions", "tool", "code", "outcome", "fault", "last_seen", "message")
    given = _given(since=since, until=until, project=project, tool=tool, outcome=outcome)
    list_rows("groups", given, columns, db=db, api=api, limit=limit, form=form)


def incidents(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    tool: ToolName = None,
    state: Annotated[str | None, typer.Option(help="firing, acknowledged or resolved.")] = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Incidents, newest first."""
    columns = ("detected", "state", "severity", "rule", "tool", "code", "cause", "id")
    given = _given(since=since, until=until, project=project, tool=tool, state=state)
    list_rows("incidents", given, columns, db=db, api=api, limit=limit, form=form)


def senders(*, db: Db = None, api: Api = None, project: Project = None, form: Format = "table") -> None:
    """Who sends what in which words, and what their spans lack."""
    columns = ("service", "scope", "convention", "spans", "calls", "last_seen", "lost")
    list_rows("senders", _given(project=project), columns, db=db, api=api, limit=None, form=form)


def _given(**options: str | None) -> dict[str, str]:
    return {name: value for name, value in options.items() if value is not None}


def list_rows(
    endpoint: str,
    given: dict[str, str],
    columns: Sequence[str],
    *,
    db: Path | None,
    api: str | None,
    limit: int | None,
    form: str,
    whole: Sequence[str] = (),
) -> None:
    """Print the rows of a list endpoint."""
    if form not in FORMATS:
        fail(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    if limit is None and form == "table":
        limit = TABLE_ROWS
    with quiet_pipe(), source(db, api) as asked:
        counts: dict[str, int] = {}
        shown = show(paged(asked, endpoint, given, limit, counts), columns, form, whole=whole)
        total = counts.get("total", shown)
        if form == "table":
            noun = endpoint.removesuffix("s") if total == 1 else endpoint
            print(f"{shown} of {total} {noun}" if shown < total else f"{total} {noun}")


def paged(
    asked: Source, endpoint: str, given: Mapping[str, str], limit: int | None, counts: dict[str, int] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a list endpoint, page after page, at most `limit`; `counts` gets the answer's `total`."""
    left = limit
    cursor: dict[str, str] = {}
    while left is None or left > 0:
        size = MAX_LIMIT if left is None else min(left, MAX_LIMIT)
        page = asked.ask(endpoint, {"since": asked.default_since, **given, **cursor, "limit": str(size)})
        if counts is not None:
            counts.setdefault("total", page.get("total", len(page["rows"])))
        yield from page["rows"]
        left = None if left is None else left - len(page["rows"])
        if not page.get("next_cursor"):
            return
        cursor = {"cursor": page["next_cursor"]}
