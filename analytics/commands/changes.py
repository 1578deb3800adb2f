"""`telltale correct`, `rejudge` and `rules`: what people say of verdicts, and what rules are worth."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from analytics.alerts.wording import count
from analytics.commands.lists import Api, Db, Format, Limit, Project, Since, list_rows
from analytics.commands.output import plain
from analytics.commands.source import fail, open_file, source
from analytics.jobs import rejudge as judge_again
from analytics.questions.times import parse_time


def correct(
    span_id: Annotated[str, typer.Argument(help="Id of any span of the call.")],
    *,
    outcome: Annotated[str, typer.Option(help="The outcome that is right.")],
    who: Annotated[str, typer.Option(help="Who says so.")],
    why: Annotated[str, typer.Option(help="Why.")],
    db: Db = None,
    api: Api = None,
    project: Project = None,
) -> None:
    """Mark a verdict wrong. It is remembered, and corrected on every call of the tool with the same rule and keys."""
    with source(db, api) as asked:
        given = {} if project is None else {"project": project}
        said = asked.tell("correct", given, {"span_id": span_id, "outcome": outcome, "who": who, "why": why})
    rule, verb = plain(said["rule"]) or "no rule", "is" if said["corrected"] == 1 else "are"
    print(f"{count(said['corrected'], 'call')} of {plain(said['tool'])} ({rule}) {verb} now {said['outcome']}")


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
    with open_file(db) as file:
        judged = judge_again(file.store, since_ns, file.settings, project=project)
    print(f"{count(judged, 'trace')} judged again")


def rules(
    *,
    db: Db = None,
    api: Api = None,
    since: Since = None,
    project: Project = None,
    limit: Limit = None,
    form: Format = "table",
) -> None:
    """Every rule, how often it spoke, and its precision as far as people checked it."""
    columns = ("rule", "calls", "muted", "silent", "precision", "sentence")
    given = {name: value for name, value in (("since", since), ("project", project)) if value is not None}
    list_rows("rules", given, columns, db=db, api=api, limit=limit or 200, form=form)
