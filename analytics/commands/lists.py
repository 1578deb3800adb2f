"""`telltale calls`, `tools`, `silent`, `sessions`, `groups`, `incidents`, `corrections`,
`senders`: the lists."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from analytics.api.endpoints import BY_NAME
from analytics.api.query import MAX_LIMIT
from analytics.commands.output import FORMATS, plain, quiet_pipe, show
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
Service = Annotated[str | None, typer.Option(help="Service name.")]
Release = Annotated[str | None, typer.Option(help="Release (service.version).")]
User = Annotated[str | None, typer.Option(help="User id.")]
FlagName = Annotated[str | None, typer.Option("--flag", help="A flag that the calls bear, such as budget_exhausted.")]
By = Annotated[str | None, typer.Option(help="release: one row per tool and release.")]
State = Annotated[str | None, typer.Option(help="firing, acknowledged, resolved; or open for those not resolved.")]
Flagged = Annotated[bool, typer.Option("--flagged", help="Only sessions that hold a failure.")]
Unrecovered = Annotated[bool, typer.Option("--unrecovered", help="Only those not known to be recovered.")]
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


@dataclass(slots=True, frozen=True)
class Listing:
    """A command that lists: what it is about, the columns of its table, and what narrows it.

    `filters` are the options beside those of every list, by the parameter's name; `whole` the columns of jsonl and csv
    (empty: all that a row has). `paged` is False where the answer is short and has no limit. `by` holds the columns of
    the table where `--by` splits the rows.
    """

    about: str
    columns: tuple[str, ...]
    filters: Mapping[str, Any]
    whole: tuple[str, ...] = ()
    paged: bool = True
    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


PERIOD: Mapping[str, Any] = {"since": Since, "until": Until, "project": Project, "tool": ToolName}
WHOSE: Mapping[str, Any] = {
    "agent": Agent,
    "service": Service,
    "release": Release,
    "user": User,
    "session": Session,
    "flag": FlagName,
}
"""What narrows to the calls of somebody, under the names that the API has for it."""

_JUDGED: Mapping[str, Any] = {**PERIOD, "code": CodeList, **WHOSE}
FAILING: Mapping[str, Any] = {**_JUDGED, "outcome": OutcomeList}
"""What narrows to calls."""

LISTS: Mapping[str, Listing] = {
    "calls": Listing(
        "Judged tool calls, newest first.",
        ("started_at", "tool", "outcome", "code", "declared", "flags", "session_id", "span_id"),
        FAILING,
        CALL_FIELDS,
    ),
    "tools": Listing(
        "Tools with their failures and compliance, the most failures first.",
        ("tool", "calls", "failures", "silent_failure", "compliance", "top_code", "p50_ms", "p95_ms"),
        {**FAILING, "by": By},
        by={"release": ("tool", "release", "calls", "failures", "silent_failure", "compliance", "top_code")},
    ),
    "silent": Listing(
        "Failures that claimed success or said nothing, newest first: declared against derived.",
        ("started_at", "tool", "declared", "code", "confidence", "rules", "session_id", "span_id"),
        _JUDGED,
    ),
    "sessions": Listing(
        "Sessions, newest first.",
        ("started_at", "session_id", "agent", "calls", "failures", "silent", "unrecovered", "codes", "tools"),
        {**FAILING, "flagged": Flagged, "unrecovered": Unrecovered},
    ),
    "groups": Listing(
        "Failures grouped by what they have in common, and whose fault each group is.",
        ("calls", "sessions", "tool", "code", "outcome", "fault", "last_seen", "message"),
        FAILING,
    ),
    "incidents": Listing(
        "Incidents, newest first.",
        ("detected", "state", "severity", "rule", "tool", "code", "cause", "id"),
        {**PERIOD, "state": State},
    ),
    "corrections": Listing(
        "What people said of verdicts, the latest first; also what was taken back.",
        ("created_at", "tool", "rule", "judged", "outcome", "code", "who", "why", "undone_by", "id"),
        {"project": Project, "tool": ToolName},
    ),
    "senders": Listing(
        "Who sends what in which words, and what their spans lack.",
        ("service", "scope", "convention", "spans", "calls", "last_seen", "lost"),
        {"project": Project},
        paged=False,
    ),
}
"""The list commands by their endpoints in the API, which are also their names."""


def command(endpoint: str) -> Callable[..., None]:
    """The command that lists an endpoint of `LISTS`, with a signature for typer to read its options from."""
    listing = LISTS[endpoint]

    def run(*, db: Path | None, api: str | None, form: str, limit: int | None = None, **given: Any) -> None:
        told = {name: "true" if value is True else value for name, value in given.items() if value not in (None, False)}
        columns = listing.by.get(str(told.get("by")), listing.columns)
        list_rows(endpoint, told, columns, db=db, api=api, limit=limit, form=form, whole=listing.whole)

    limit = {"limit": Limit} if listing.paged else {}
    run.__doc__ = listing.about
    return with_options(run, {"db": Db, "api": Api, **listing.filters, **limit, "form": Format}, _DEFAULTS)


_DEFAULTS = {"form": "table", "flagged": False, "unrecovered": False}


def with_options(
    run: Callable[..., None], options: Mapping[str, Any], defaults: Mapping[str, Any]
) -> Callable[..., None]:
    """A command whose options typer reads from a table instead of from a signature (None where no default is named)."""
    run.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=defaults.get(name))
            for name, kind in options.items()
        ]
    )
    return run


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
            noun = "row" + "s" * (total != 1) if "by" in given else _nouns(endpoint, total)
            print(f"{shown} of {total} {noun}" if shown < total else f"{total} {noun}")
        if not total and "project" in given:
            _tell_of_projects(asked, given["project"])


def _tell_of_projects(asked: Source, project: str) -> None:
    """Says on stderr that nothing was ever stored for a project, and which projects there are."""
    known = asked.ask("status", {}).get("projects", [])
    if project not in known:
        names = ", ".join(plain(str(name)) for name in known) or "none yet"
        print(f"telltale: there is no project {plain(project)!r}; there are: {names}", file=sys.stderr)


def _nouns(endpoint: str, number: int) -> str:
    nouns = {"silent": "silent failures"}.get(endpoint, endpoint)
    return nouns.removesuffix("s") if number == 1 else nouns


def paged(
    asked: Source, endpoint: str, given: Mapping[str, str], limit: int | None, counts: dict[str, int] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a list endpoint, page after page, at most `limit`; `counts` gets the answer's `total`."""
    left = limit
    cursor: dict[str, str] = {}
    since = {"since": asked.default_since} if "since" in BY_NAME[endpoint].filters else {}
    while left is None or left > 0:
        size = MAX_LIMIT if left is None else min(left, MAX_LIMIT)
        page = asked.ask(endpoint, {**since, **given, **cursor, "limit": str(size)})
        if counts is not None:
            counts.setdefault("total", page.get("total", len(page["rows"])))
        yield from page["rows"]
        left = None if left is None else left - len(page["rows"])
        if not page.get("next_cursor"):
            return
        cursor = {"cursor": page["next_cursor"], "as_of": page["as_of"]}
