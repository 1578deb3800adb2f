"""`telltale backup`, `restore`, `retention` and `redact`: work on a database file that no service holds.

A running service makes backups and keeps its terms itself (its configuration names the folder and the terms); these
commands are for the file at rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from analytics.store import StoreUnavailable
from collector.redact import site_key
from collector.store.backup import BackupError, backup, restore
from collector.store.database import Limits
from collector.store.rescan import rescan
from collector.store.retention import Terms, apply
from collector.store.store import DuckDBStore, Options
from telltale.redaction import RedactionConfig, Redactor

Database = Annotated[
    Path, typer.Option("--db", envvar="TELLTALE_DB", help="The database file; no service may hold it.")
]
Days = Annotated[int | None, typer.Option(min=0, help="Whole days to keep; for ever where not given.")]

_FAILED = 1
_BAD_INPUT = 2


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("backup")(backup_command)
    app.command("restore")(restore_command)
    app.command("retention")(retention_command)
    app.command("redact")(redact_command)


def backup_command(
    folder: Annotated[Path, typer.Option("--to", file_okay=False, help="The folder for the copy.")],
    db: Database = Path("telltale.db"),
) -> None:
    """Copy the database into a new file of a folder, checked to be whole."""
    _existing(db)
    folder.mkdir(parents=True, exist_ok=True)
    with _sentences():
        store = DuckDBStore(db, Options(limits=Limits(backup_folder=folder)))
        try:
            done = backup(store)
        finally:
            store.close()
    typer.echo(f"{done.path}: {done.bytes / 1e6:.1f} MB in {done.seconds:.1f} s")


def restore_command(
    source: Annotated[Path, typer.Argument(help="A file that `telltale backup` made.")],
    db: Database = Path("telltale.db"),
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in place of an existing file, which is kept.")
    ] = False,
) -> None:
    """Put a backup in place of the database file."""
    with _sentences():
        kept = restore(source, db, replace=replace)
        store = DuckDBStore(db)
        said = store.recovery.sentences()
        store.close()
    for path in kept:
        typer.echo(f"kept: {path}")
    for sentence in said:
        typer.echo(sentence)
    typer.echo(f"{db} is restored from {source}")


def retention_command(  # noqa: PLR0917 (each is an option)
    db: Database = Path("telltale.db"),
    project: Annotated[str | None, typer.Option(help="One project; all where not given.")] = None,
    span_days: Days = None,
    payload_days: Days = None,
    verdict_days: Days = None,
    max_mib: Annotated[int | None, typer.Option(min=1, help="Most MiB of spans; the oldest days go first.")] = None,
) -> None:
    """Drop what is older than the terms, once."""
    _existing(db)
    terms = Terms(span_days, payload_days, verdict_days, None if max_mib is None else max_mib * 2**20)
    with _sentences():
        store = DuckDBStore(db)
        try:
            dropped = apply(store, {} if project is None else {project: terms}, terms if project is None else Terms())
        finally:
            store.close()
    typer.echo(f"{len(dropped.tables)} day tables, {dropped.payloads} payloads and {dropped.calls} verdicts dropped")


def redact_command(
    rescan_rows: Annotated[bool, typer.Option("--rescan", help="Mask stored rows with the patterns of this release.")],
    db: Database = Path("telltale.db"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be masked.")] = False,
) -> None:
    """Look for secrets in rows that were stored before a pattern was known."""
    if not rescan_rows:
        typer.echo("nothing to do: say --rescan", err=True)
        raise typer.Exit(_BAD_INPUT)
    _existing(db)
    with _sentences():
        done = rescan(db, Redactor(RedactionConfig(key=site_key(db))), dry_run=dry_run)
    verb = "would change" if dry_run else "changed"
    typer.echo(f"{done.rows} rows looked at, {done.changed} {verb}")
    for kind, count in done.kinds.most_common():
        typer.echo(f"  {kind}: {count}")


def _existing(db: Path) -> None:
    if not db.is_file():
        typer.echo(f"telltale: there is no database file {db}", err=True)
        raise typer.Exit(_BAD_INPUT)


@contextmanager
def _sentences() -> Iterator[None]:
    """Failures are told in a sentence."""
    try:
        yield
    except (StoreUnavailable, BackupError) as error:
        typer.echo(f"telltale: {error}", err=True)
        raise typer.Exit(_FAILED) from None
