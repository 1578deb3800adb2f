"""`telltale alerts`: what fired, whether notices arrive, and what the rules would have said of stored history."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from analytics.alerts.backtest import STEP_S, backtest, first_call
from analytics.alerts.incident import AlertEvent
from analytics.alerts.notice import Notice, trial
from analytics.alerts.notifiers import DeliveryError, Notifier
from analytics.alerts.notifiers.build import build_notifiers
from analytics.alerts.settings import AlertSettings
from analytics.alerts.wording import count
from analytics.commands import lists
from analytics.commands.output import FORMATS, quiet_pipe, show
from analytics.commands.source import fail, open_file
from analytics.questions.times import parse_time, rfc3339

NOT_DELIVERED = 1
_HELD = "name a copy with --db (`telltale backup` makes one), or stop it: the test reads the file itself"

app = typer.Typer(no_args_is_help=True, help="What fired, whether notices arrive, what would have fired.")

ConfigFile = Annotated[Path | None, typer.Option("--config", help="Settings file.", envvar="TELLTALE_CONFIG")]


def register(parent: typer.Typer) -> None:
    """Add `alerts` to the command line."""
    parent.add_typer(app, name="alerts")


app.command("list")(lists.command("incidents"))


@app.command("test")
def send_test(*, config: ConfigFile = None) -> None:
    """Send a test notice to every destination of the settings.

    Exit 0: all took it; 1: one did not; 2: the settings are wrong.
    """
    settings, _ = _settings(config)
    try:
        notifiers = build_notifiers(settings)
    except ValueError as wrong:
        fail(str(wrong))
    notice = trial(settings, time.time_ns())
    results = [_try(notifier, notice) for notifier in notifiers]
    show(results, ("destination", "result"), "table")
    if not any(notifier.reaches_people for notifier in notifiers):
        print("Only the log is told: set alerts.webhooks, alerts.alertmanagers or alerts.apprise to reach people.")
    if any(row["result"] != "delivered" for row in results):
        raise SystemExit(NOT_DELIVERED)


def _try(notifier: Notifier, notice: Notice) -> dict[str, str]:
    try:
        notifier.send(notice)
    except DeliveryError as failure:
        return {"destination": notifier.name, "result": str(failure)}
    return {"destination": notifier.name, "result": "delivered"}


@app.command("backtest")
def run_backtest(
    *,
    db: lists.Db = None,
    since: Annotated[str, typer.Option(help="15m, 24h, 7d, a time, or all.")] = "14d",
    until: Annotated[str | None, typer.Option(help="The same words.")] = None,
    step: Annotated[int, typer.Option(help="Seconds between evaluations.", min=10)] = STEP_S,
    config: ConfigFile = None,
    form: lists.Format = "table",
) -> None:
    """When the rules would have fired on what is stored; nothing is sent. Reads the file itself: beside a running
    service, a backup of it."""
    if form not in FORMATS:
        fail(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    settings, tools = _settings(config)
    now = time.time_ns()
    start, end = _moment("--since", since, now), _moment("--until", until or "0s", now)
    if start is not None and end is not None and end < start:
        fail("--until is before --since: nothing can be between them")
    with quiet_pipe(), open_file(db, held=_HELD) as file:
        first = first_call(file.store)
        if first is None:
            fail("nothing is stored yet, so there is nothing to test the rules on")
        begin = max(start or 0, first)
        with Progress(transient=True, disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task("evaluating", total=1.0)
            told = backtest(
                file.store,
                settings,
                tools,
                from_ns=begin,
                to_ns=end or now,
                step_s=step,
                progress=lambda done: bar.update(task, completed=done),
            )
            rows = [_row(event) for event in told]
        show(rows, ("at", "event", "severity", "rule", "tool", "code", "first_failure", "why"), form)
        if form == "table":
            fired = [row for row in rows if row["event"] != "resolved"]
            pages = sum(row["severity"] == "page" for row in fired)
            print(f"{count(pages, 'page')} and {count(len(fired) - pages, 'ticket')} since {rfc3339(begin)}")


def _row(event: AlertEvent) -> dict[str, Any]:
    incident = event.incident
    at = incident.resolved_ns if event.kind == "resolved" else incident.last_met_ns
    lines = incident.text.split("\n")
    return {
        "at": rfc3339(at),
        "event": event.kind,
        "severity": str(incident.severity),
        "rule": str(incident.rule),
        "project": incident.project,
        "tool": incident.tool,
        "code": incident.code,
        "first_failure": rfc3339(incident.first_failure_ns),
        "why": lines[1] if len(lines) > 1 else "",
        "numbers": dict(incident.numbers),
    }


def _moment(option: str, text: str, now_ns: int) -> int | None:
    try:
        return parse_time(text, now_ns)
    except ValueError as wrong:
        fail(f"{option} {wrong}")


def _settings(config: Path | None) -> tuple[AlertSettings, Any]:
    """The alert settings and those of the tools. The arrow collector → analytics forbids an import of the loader."""
    module: Any = importlib.import_module("collector.config")
    try:
        loaded = module.load(config)
    except module.ConfigError as wrong:
        fail(str(wrong))
    settings: AlertSettings = loaded.alerts
    return settings, loaded.judge_settings()
