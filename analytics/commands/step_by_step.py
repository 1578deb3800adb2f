"""`telltale replay` and `telltale explain`: one session, one verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from analytics.alerts.wording import count
from analytics.commands.lists import Api, Db, Project
from analytics.commands.output import console, lines_of, plain, quiet_pipe
from analytics.commands.source import fail, source

TextOrJson = Annotated[str, typer.Option("--format", help="text or json.")]

_GLYPH = {"ok": "✓", "structured_error": "✗", "unstructured_error": "✗", "silent_failure": "!"}
_STYLE = {"ok": "green", "structured_error": "yellow", "unstructured_error": "red", "silent_failure": "bold magenta"}
_LONGEST = 2000


def replay(
    session: Annotated[str, typer.Argument(help="Session id, as `telltale sessions` lists it.")],
    *,
    db: Db = None,
    api: Api = None,
    project: Project = None,
    around: Annotated[str | None, typer.Option(help="Step number or span id: that part of a long session.")] = None,
    form: TextOrJson = "text",
) -> None:
    """A session step by step: who said what, what each tool returned, what the model was told."""
    _show("replay", _replay, db=db, api=api, given={"project": project, "around": around}, form=form, id=session)


def _show(
    endpoint: str,
    draw: Callable[[Console, Mapping[str, Any]], None],
    *,
    db: Path | None,
    api: str | None,
    given: Mapping[str, str | None],
    form: str,
    **path: str,
) -> None:
    """Print the answer of an endpoint about one thing, drawn or as JSON."""
    if form not in ("text", "json"):
        fail(f"--format is {form!r}; it can be text or json")
    with quiet_pipe(), source(db, api) as asked:
        answer = asked.ask(endpoint, {name: said for name, said in given.items() if said is not None}, **path)
        if form == "json":
            print(json.dumps(answer, ensure_ascii=True, indent=2))
        else:
            draw(console(), answer)


def _replay(out: Console, answer: Mapping[str, Any]) -> None:
    _head(out, answer)
    for step in answer["steps"]:
        _step(out, step, first_failing=step["n"] == answer["first_failing_step"])


def _head(out: Console, answer: Mapping[str, Any]) -> None:
    session = answer["session"]
    counts = f"{count(session['calls'], 'call')}, {session['failures']} failed, {session['silent']} silently"
    out.print(Text(f"session {plain(session['session_id'])}", style="bold"))
    out.print(Text(f"{plain(session['agent']) or 'no agent named'} · {session['started_at']} · {counts}"))
    if answer["traces_left_out"]:
        out.print(Text(f"left out: {count(answer['traces_left_out'], 'trace')}, the oldest"))
    elif answer["calls_left_out"]:
        out.print(Text(f"left out: {count(answer['calls_left_out'], 'call')}, the oldest"))
    shown = answer["steps"]
    if len(shown) < answer["total"]:
        part = f"steps {shown[0]['n']} to {shown[-1]['n']} of {answer['total']}"
        out.print(Text(f"{part}; --around STEP or SPAN_ID shows another part"))


def _step(out: Console, step: Mapping[str, Any], *, first_failing: bool) -> None:
    call = step["call"]
    line = Text(f"{step['n']:>4}  {step['kind']:<8} ")
    if call:
        line.append(f"{_GLYPH[call['outcome']]} ", style=_STYLE[call["outcome"]])
    line.append(plain(step["title"])[:80], style="bold" if call else "")
    if call and call["outcome"] != "ok":
        line.append(f"  {call['outcome']} {plain(call['code'])}", style=_STYLE[call["outcome"]])
    if first_failing:
        line.append("  ◀ first failure", style="bold red")
    out.print(line)
    for name, text in _texts(step):
        _block(out, name, text)


def _texts(step: Mapping[str, Any]) -> list[tuple[str, str]]:
    call = step["call"]
    found = [] if call or not step["text"] else [("", str(step["text"]))]
    for upstream in step["upstream"]:
        said = " ".join(plain(upstream[key]) for key in ("name", "host", "status") if upstream[key])
        found.append(("upstream", said))
    if call:
        found += [
            (name, str(step[key])) for name, key in (("arguments", "arguments"), ("result", "result")) if step[key]
        ]
        if step["told"] and step["told"] != step["result"]:
            found.append(("told", str(step["told"])))
    return found


def _block(out: Console, name: str, text: str) -> None:
    shown = lines_of(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "")
    for number, line in enumerate(shown.splitlines() or [""]):
        out.print(Text(f"      {name if number == 0 else '':<10} {line}", style="dim"))


def explain(
    span_id: Annotated[str, typer.Argument(help="Id of any span of the call.")],
    *,
    db: Db = None,
    api: Api = None,
    project: Project = None,
    form: TextOrJson = "text",
) -> None:
    """Why this verdict: the rules, the evidence each rests on, what the span declared. Of an ok verdict also what
    accused the call, and what dismissed that.
    """
    _show("call", _explain, db=db, api=api, given={"project": project}, form=form, span_id=span_id)


def _explain(out: Console, call: Mapping[str, Any]) -> None:
    head = Text(f"{_GLYPH[call['outcome']]} {plain(call['tool'])}: ", style="bold")
    head.append(f"{call['outcome']} {plain(call['code'])}".rstrip(), style=_STYLE[call["outcome"]])
    head.append(f" ({call['confidence']})")
    out.print(head)
    declared = {"ok": "success", "error": "an error", "none": "nothing"}[call["declared"]]
    code = f", code {plain(call['declared_code'])}" if call["declared_code"] else ""
    out.print(Text(f"  declared {declared}{code}; payload {call['payload']}; rules version {call['rules_version']}"))
    for each in call["rules_explained"]:
        out.print(Text(f"  {each['rule']}", style="bold"))
        out.print(Text(f"    {plain(each['sentence'])}"))
        _evidence(out, each["evidence"])
    if not call["rules_explained"]:
        out.print(Text("  no rule spoke against it"))
    for each in call.get("dismissed", ()):  # a service of an earlier release does not tell it
        out.print(Text(f"  dismissed: {plain(each['rule']) or 'a failure below the call'}", style="bold"))
        _evidence(out, each["evidence"])
        out.print(Text(f"    by {plain(each['by'])}: {plain(each['because'])}"))
    _explain_rest(out, call)


def _evidence(out: Console, found: Sequence[Mapping[str, Any]]) -> None:
    for each in found:
        place = next((f"{key} {plain(each[key])}" for key in ("key", "mark", "span_id") if each.get(key)), "")
        out.print(Text(f"    evidence: {' = '.join(filter(None, (place, plain(each.get('value')))))}"[:400]))


def _explain_rest(out: Console, call: Mapping[str, Any]) -> None:
    facts = ("flags", "contract_fields", "code_source", "action", "retryable", "recovered", "upstream", "lost")
    for name in facts:
        if call[name] not in (None, [], ""):
            out.print(Text(f"  {name.replace('_', ' ')}: {plain(call[name])}"))
    for name in ("arguments", "result", "error_message"):
        if call[name]:
            _block(out, name.replace("error_message", "told"), str(call[name]))
