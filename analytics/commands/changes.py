"""`telltale correct`, `rejudge` and `rules`: what people say of verdicts, and what rules are worth."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from analytics.alerts.wording import count
from analytics.commands.lists import Api, Db, Format, Limit, Project, Since, ToolName, list_rows
from analytics.commands.output import plain
from analytics.commands.source import fail, open_file, source
from analytics.jobs import rejudge as judge_again
from analytics.questions.times import parse_time


def correct(
    named: Annotated[str, typer.Argument(help="Id of any span of the call; with --undo also of a correction.")],
    *,
    who: Annotated[str, typer.Option(help="Who says so.")],
    why: Annotated[str, typer.Option(help="Why.")],
    outcome: Annotated[str | None, typer.Option(help="The outcome that is right.")] = None,
    code: Annotated[str | None, typer.Option(help="The code that is right.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the correction back; who and why are kept.")] = False,
    db: Db = None,
    api: Api = None,
    project: Project = None,
) -> None:
    """Mark a verdict wrong, or take that back. It is remembered, and holds for every call of the tool with the same
    rule and keys. `telltale corrections` lists what was said.
    """
    if undo and (outcome or code):
        fail("--undo takes back a correction; --outcome and --code make one")
    if not undo and not (outcome or code):
        fail("name what is right: --outcome, --code, or both")
    given = {} if project is None else {"project": project}
    right = {name: value for name, value in (("outcome", outcome), ("code", code)) if value}
    with source(db, api) as asked:
        if undo:
            said = asked.tell("undo-correction", given, {"who": who, "why": why}, id=named)
        else:
            said = asked.tell("correct", given, {"span_id": named, **right, "who": who, "why": why})
    print(_told(said, undo=undo))


def _told(said: Mapping[str, Any], *, undo: bool) -> str:
    """What a change came to, in one line."""
    verb = "is" if said["corrected"] == 1 else "are"
    calls = f"{count(said['corrected'], 'call')} of {plain(said['tool'])} ({plain(said['rule']) or 'no rule'}) {verb}"
    if not undo:
        code = f" {said['code']}" if said["code"] else ""
        return f"{calls} now {said['outcome']}{code} (correction {said['id']})"
    then = f"as correction {said['in_force']} says" if said["in_force"] else "as judged"
    return f"taken back: {calls} {then} again"


def rejudge(
    *,
    since: Annotated[str, typer.Option(help="15m, 24h, 7d, a time, or all.")],
    db: Db = None,
    project: Project = None,
) -> None:
    """Judge stored traces again with the rules of this release. Needs the file: no service may hold it."""
    try:
        since_ns = parse_time(since, time.time_ns())
    except ValueError as wrong:
        fail(f"--since {wrong}")
    with open_file(db, held="stop it first: this command writes to the file itself") as file:
        judged = judge_again(file.store, since_ns, file.settings, project=project)
    print(f"{count(judged, 'trace')} judged again")


def rules(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    project: Project = None,
    tool: ToolName = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Every rule, how often it spoke, and its precision as far as people checked it."""
    columns = ("rule", "calls", "muted", "silent", "precision", "sentence")
    told = (("since", since), ("project", project), ("tool", tool))
    given = {name: value for name, value in told if value is not None}
    list_rows("rules", given, columns, db=db, api=api, limit=limit or 200, form=form)
