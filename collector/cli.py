"""The collector's share of the `telltale` command."""

from __future__ import annotations

import typer

from collector.commands import tokens
from collector.commands.backups import backup, redact, restore
from collector.commands.doctor import doctor
from collector.commands.ingest import ingest
from collector.commands.serve import serve
from collector.demo.command import demo


def register(app: typer.Typer) -> None:
    """Add the commands that own the database file or the process."""
    app.command("demo")(demo)
    app.command("serve")(serve)
    app.command("ingest")(ingest)
    app.command("doctor")(doctor)
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("redact")(redact)
    app.add_typer(tokens.app, name="token")
