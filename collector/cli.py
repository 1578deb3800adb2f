"""The collector's share of the `telltale` command."""

from __future__ import annotations

import typer

from collector.commands import tokens
from collector.commands.ingest import ingest
from collector.commands.serve import serve
from collector.demo.command import demo


def register(app: typer.Typer) -> None:
    """Add `demo`, `serve`, `ingest` and `token` to the command line."""
    app.command("demo")(demo)
    app.command("serve")(serve)
    app.command("ingest")(ingest)
    app.add_typer(tokens.app, name="token")
