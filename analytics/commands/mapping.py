"""`telltale mapping`: which tool calls are seen in recorded spans, what gave what, what was lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from analytics.alerts.wording import count
from analytics.commands.output import console, plain, quiet_pipe
from analytics.commands.recordings import recorded
from analytics.commands.source import BAD_USAGE, fail
from analytics.normalise.mapping import FIELDS, MappingReport, SenderMapping, Stranger, mapping


def mapping_command(
    paths: Annotated[list[Path], typer.Argument(help="Recordings or folders; - for standard input.", metavar="FILE…")],
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
) -> None:
    """Dry run: which tool calls are seen in these spans, which attributes were used, what was lost and which switch
    captures it. Exit codes: 0, or 2 where nothing could be read.
    """
    if form not in ("text", "json"):
        fail(f"--format is {form!r}; it can be text or json")
    found = recorded(paths)
    for problem in found.problems[:20]:
        print(f"telltale: {plain(problem)}", file=sys.stderr)
    if not found.traces:
        raise SystemExit(BAD_USAGE)
    report = mapping(found.traces)
    with quiet_pipe():
        if form == "json":
            print(json.dumps(report.to_dict(), ensure_ascii=True, indent=2))
        else:
            _print(report)


def _print(report: MappingReport) -> None:
    where = f"{count(report.spans, 'span')} of {count(report.traces, 'trace')}"
    console().print(Text(f"{count(report.calls, 'tool call')} in {where}"))
    for sender in report.senders:
        _sender(sender)
    for stranger in report.strangers:
        _stranger(stranger)
    if not report.calls:
        console().print(Text("No span here is one that a known convention calls a tool call."))


def _sender(sender: SenderMapping) -> None:
    out = console()
    name = f"{plain(sender.service) or 'no service name'} · {plain(sender.scope) or 'no scope'} · {sender.convention}"
    out.print()
    out.print(Text(name, style="bold"))
    known = f"{count(sender.calls, 'call')}, {sender.captured} with a result that can be judged"
    out.print(Text(f"  {known}, {sender.inferred} seen in the model's messages only"))
    table = Table(box=None, show_header=False, pad_edge=False)
    for field in FIELDS:
        sources = sender.sources.get(field)
        said = ", ".join(f"{plain(source)} ({calls})" for source, calls in sources.most_common()) if sources else "–"
        table.add_row(Text("  " + field), Text(said))
    out.print(table)
    for loss in sender.losses():
        out.print(
            Text(f"  lost on {loss.calls}: {plain(loss.what)}" + (f" → {plain(loss.switch)}" if loss.switch else ""))
        )


def _stranger(stranger: Stranger) -> None:
    keys = ", ".join(plain(key) for key in stranger.keys)
    console().print(
        Text(f"not understood: {stranger.spans} × {plain(stranger.name)} ({plain(stranger.scope)}): {keys}")
    )
