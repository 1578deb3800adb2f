"""`telltale backup`, `telltale restore`, `telltale redact --rescan`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from analytics.client import ApiClient, ApiError
from analytics.store import StoreUnavailable
from collector import logs, parts
from collector.config import Config, ConfigError, load
from collector.sockets import url_host
from collector.store import StoreHeld
from collector.store.backup import BackupError
from collector.store.backup import restore as restore_file
from collector.store.rescan import rescan as rescan_file

FAILED, BAD_USAGE = 1, 2

ConfigFile = Annotated[Path | None, typer.Option(help="Settings file.", envvar="TELLTALE_CONFIG")]
Db = Annotated[Path | None, typer.Option(help="Database file.", show_default="telltale.db")]


def backup(
    api: Annotated[str | None, typer.Option(help="Address of the running service's API.")] = None,
    token: Annotated[str | None, typer.Option(help="API token of an admin.", envvar="TELLTALE_API_TOKEN")] = None,
    config: ConfigFile = None,
) -> None:
    """Back up a running service into the folder that its settings name (store.backup_folder); prints the file."""
    settings = _settings(config)
    address = api or f"http://{url_host(settings.host)}:{settings.api_port}"
    try:
        with ApiClient(address, timeout=3600, token=token) as client:
            body = client.post("backup")
    except ApiError as error:
        raise SystemExit(_say("backup", str(error), FAILED)) from None
    print(body["path"])
    print(f"{body['bytes']} bytes in {body['seconds']} s", file=sys.stderr)


def restore(
    source: Annotated[Path, typer.Argument(help="A file that `telltale backup` made.")],
    db: Db = None,
    replace: Annotated[bool, typer.Option("--replace", help="Put it in place of an existing database.")] = False,
    config: ConfigFile = None,
) -> None:
    """Put a backup in place of the database while no service runs; what was there is kept under another name."""
    settings = _settings(config, db)
    try:
        kept = restore_file(source, settings.db, replace=replace)
    except (BackupError, OSError) as error:
        raise SystemExit(_say("restore", str(error), FAILED)) from None
    print(f"restored {settings.db}")
    for path in kept:
        print(f"kept {path}", file=sys.stderr)


def redact(
    rescan: Annotated[bool, typer.Option("--rescan", help="Mask what today's patterns find in stored rows.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be masked.")] = False,
    db: Db = None,
    config: ConfigFile = None,
) -> None:
    """Apply the redaction rules of today to rows stored before, while no service runs."""
    if not rescan:
        raise SystemExit(_say("redact", "say --rescan (with --dry-run to only look)", BAD_USAGE))
    settings = _settings(config, db)
    if not settings.db.is_file():
        raise SystemExit(_say("redact", f"there is no file {settings.db}", BAD_USAGE))
    try:
        done = rescan_file(settings.db, parts.redactor(settings), dry_run=dry_run)
    except StoreHeld as error:
        raise SystemExit(_say("redact", f"{error.fact}; stop it first", FAILED)) from None
    except StoreUnavailable as error:
        raise SystemExit(_say("redact", str(error), FAILED)) from None
    verb = "would change" if dry_run else "changed"
    print(f"{done.rows} rows looked at, {done.changed} {verb}")
    for kind, count in sorted(done.kinds.items()):
        print(f"  {kind}: {count}")


def _settings(config: Path | None, db: Path | None = None) -> Config:
    logs.configure("warning")
    try:
        return load(config, db=db)
    except ConfigError as error:
        raise SystemExit(_say("settings", str(error), BAD_USAGE)) from None


def _say(command: str, sentence: str, code: int) -> int:
    print(f"telltale {command}: {sentence}", file=sys.stderr)
    return code
