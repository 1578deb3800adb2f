"""The analytics room's share of the `telltale` command."""

from __future__ import annotations

import typer

from analytics.alerts import cli as alerts
from analytics.commands import changes, check, lists, mapping, report, step_by_step


def register(app: typer.Typer) -> None:
    """Add the questions to the command line."""
    for name in lists.LISTS:
        app.command(name)(lists.command(name))
    app.command("report")(report.report)
    app.command("replay")(step_by_step.replay)
    app.command("explain")(step_by_step.explain)
    app.command("mapping")(mapping.mapping_command)
    app.command("check")(check.check)
    app.command("correct")(changes.correct)
    app.command("rejudge")(changes.rejudge)
    app.command("rules")(changes.rules)
    alerts.register(app)
