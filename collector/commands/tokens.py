"""`telltale token create|list|revoke`: who may send and who may ask. Works while the service runs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from collector.access.tokens import Role, TokenFile, token_path
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
    try:
        secret, row = _file(db).create(role, project, note[:200])
    except ValueError as error:
        raise SystemExit(_say(str(error))) from None
    print(f"id {row.id}, role {role}" + (f", project {project}" if role is Role.INGEST else ""), file=sys.stderr)
    print(secret)


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
    for row in rows:
        shown = {
            "id": row.id,
            "role": str(row.role),
            "project": row.project,
            "created": row.created,
            "revoked": row.revoked,
            "note": row.note,
        }
        print(json.dumps(shown) if form == "jsonl" else "  ".join(str(value or "-") for value in shown.values()))


@app.command()
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID")], db: Db = None) -> None:
    """End a token. A running service notices within a second."""
    try:
        _file(db).revoke(token_id)
    except KeyError:
        raise SystemExit(_say(f"there is no token {token_id}")) from None
    except ValueError as error:
        raise SystemExit(_say(str(error))) from None
    print(f"revoked {token_id}", file=sys.stderr)


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
