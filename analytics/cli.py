"""The analytics room's share of the `telltale` command."""

from __future__ import annotations

import typer

from analytics.commands import lists


def register(app: typer.Typer) -> None:
    """Add the questions to the command line."""
    app.command("calls")(lists.calls)
    app.command("tools")(lists.tools)
    app.command("sessions")(lists.sessions)
    app.command("groups")(lists.groups)
    app.command("incidents")(lists.incidents)
    app.command("senders")(lists.senders)
