"""`telltale token create|list|revoke`: who may send and who may ask. Works while the service runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from analytics.commands.output import plain
from collector.access.tokens import API_ROLES, Role, TokenFile, token_path
from collector.config import ConfigError, load
from collector.store.opening import missing_folder

app = typer.Typer(help="Tokens: who may send spans, who may use the query API.", no_args_is_help=True)

Db = Annotated[Path | None, typer.Option(help="Database file that the tokens belong to.", show_default="telltale.db")]
BAD_USAGE = 2
_PROJECT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


@app.command()
def create(
    role: Annotated[Role, typer.Option(help="ingest only writes; viewer, operator and admin use the query API.")],
    project: Annotated[
        str | None, typer.Option(help="Project that an ingest token writes to.", show_default="default")
    ] = None,
    note: Annotated[str, typer.Option(help="What the token is for.")] = "",
    db: Db = None,
) -> None:
    """Make a token, shown once and kept only as a hash. The first of a kind closes that door to all without one."""
    if project is not None and role is not Role.INGEST:
        raise SystemExit(_say("--project is for ingest tokens; a reader sees every project"))
    project = project or "default"
    if not _PROJECT.fullmatch(project):
        raise SystemExit(_say("--project is made of lower-case letters, digits, - and _, at most 63"))
    file = _file(db)
    try:
        first = not any(row.role in _same_door(role) for row in file.tokens())
        secret, row = file.create(role, project, note[:200])
    except ValueError as error:
        raise SystemExit(_say(str(error))) from None
    print(f"id {row.id}, role {role}" + (f", project {project}" if role is Role.INGEST else ""), file=sys.stderr)
    if first:
        print(f"{_SHUTS[role is Role.INGEST]}\n{_reopening(file)}", file=sys.stderr)
    print(secret)


_COLUMNS = ("id", "role", "project", "created", "revoked", "note")


@app.command("list")
def list_(
    form: Annotated[str, typer.Option("--format", help="table or jsonl")] = "table",
    db: Db = None,
) -> None:
    """Show the tokens, revoked ones included; never their secrets."""
    try:
        rows = _file(db).tokens()
    except ValueError as error:
        raise SystemExit(_say(str(error))) from None
    if rows and form != "jsonl":
        print("  ".join(_COLUMNS))
    for row in rows:
        shown = {
            "id": row.id,
            "role": str(row.role),
            "project": row.project,
            "created": row.created,
            "revoked": row.revoked,
            "note": row.note,
        }
        print(json.dumps(shown) if form == "jsonl" else "  ".join(plain(value or "-") for value in shown.values()))


@app.command()
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID")], db: Db = None) -> None:
    """End a token. A running service notices within a second."""
    file = _file(db)
    try:
        row = file.revoke(token_id)
        left = any(each.revoked is None and each.role in _same_door(row.role) for each in file.tokens())
    except KeyError:
        raise SystemExit(_say(f"there is no token {token_id}")) from None
    except ValueError as error:
        raise SystemExit(_say(str(error))) from None
    print(f"revoked {token_id}", file=sys.stderr)
    if not left:
        kind = "ingest" if row.role is Role.INGEST else "API"
        print(f"No valid {kind} token is left, and the door stays shut: `token create` makes another.", file=sys.stderr)
        print(_reopening(file), file=sys.stderr)


_SHUTS = {
    True: "It is the first ingest token: from now on (a running service notices within a second) spans without a token"
    " are refused with 401. Senders need the header `Authorization: Bearer TOKEN`, such as"
    " OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer%20TOKEN'.",
    False: "It is the first token for the query API: from now on (a running service notices within a second) the API,"
    " commands with --api and `telltale dashboard` need one, as TELLTALE_API_TOKEN.",
}
"""What changes with the first token of a door; True: of the senders' door."""


def _same_door(role: Role) -> tuple[Role, ...]:
    return (role,) if role is Role.INGEST else API_ROLES


def _reopening(file: TokenFile) -> str:
    return f"To do without tokens again, stop the service, delete {file.path} (this ends every token), and start it."


def _file(db: Path | None) -> TokenFile:
    try:
        path = load(None, db=db).db
    except ConfigError as error:
        raise SystemExit(_say(str(error))) from None
    missing = missing_folder(path)
    if missing:
        raise SystemExit(_say(missing))
    return TokenFile(token_path(path))


def _say(sentence: str) -> int:
    print(f"telltale token: {sentence}", file=sys.stderr)
    return BAD_USAGE
