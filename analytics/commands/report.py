"""`telltale report`: the metrics of a period as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import jinja2
import typer

from analytics.alerts.wording import count
from analytics.commands.lists import FAILING, Api, Db, with_options
from analytics.commands.output import lines_of, plain, quiet_pipe, rate_text
from analytics.commands.source import fail, source

FORMATS = ("text", "json", "html")

TEXT_TOOLS = 20
"""Tools that the text names, those with the most failures; JSON and HTML hold all."""


def _report(*, db: Path | None, api: str | None, form: str, **given: str | None) -> None:
    """Compliance, failures by tool and code, error groups, time to diagnose."""
    if form not in FORMATS:
        fail(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    with quiet_pipe(), source(db, api) as asked:
        told = {name: value for name, value in given.items() if value is not None}
        sys.stdout.write(render(asked.ask("report", {"since": asked.default_since, **told}), form))


_Form = Annotated[str, typer.Option("--format", help="text, json or html.")]
report = with_options(_report, {"db": Db, "api": Api, **FAILING, "form": _Form}, {"form": "text"})
"""The command."""


def render(answer: dict[str, Any], form: str) -> str:
    """The page of a `report` answer, as text, JSON or one HTML file that loads nothing."""
    if form == "json":
        return json.dumps(answer, ensure_ascii=True, indent=2) + "\n"
    page = _templates().get_template(f"report.{'html' if form == 'html' else 'txt'}")
    # What a service of an earlier release does not tell has its default here.
    told = {"groups_total": len(answer["groups"]), "narrowed": {}, **answer}
    return page.render(report=told, shown_tools=TEXT_TOOLS)


@cache
def _templates() -> jinja2.Environment:
    folder = files("analytics.commands") / "templates"
    texts = {entry.name: entry.read_text("utf-8") for entry in folder.iterdir() if entry.name.startswith("report.")}
    made = jinja2.Environment(
        loader=jinja2.DictLoader(texts),
        autoescape=jinja2.select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters.update(compliance=compliance_value, basis=compliance_basis, left_out=left_out)
    made.filters.update(plain=plain, lines=lines_of, rate=rate_text, seconds=_seconds, cell=_cell)
    return made


def compliance_value(report: Mapping[str, Any]) -> str:
    """The rate of all tools, or what stands in its place: no failures is neither 0 % nor 100 %."""
    if not report["failures"]:
        return "no failures"
    rate = report["compliance"]
    return f"{rate['rate'] * 100:.1f} %" if rate["denominator"] else "not measured"


def compliance_basis(report: Mapping[str, Any]) -> str:
    """What that rests on, in words that add up with the failures; "" without failures."""
    rate, failures = report["compliance"], report["failures"]
    if not failures:
        return ""
    if not rate["denominator"]:
        return f"of {count(failures, 'failure')} no result was captured"
    span = f"{rate['low'] * 100:.0f}–{rate['high'] * 100:.0f} %"
    return f"{rate['numerator']} of {count(rate['denominator'], 'failure')}; 95 % interval {span}"


def left_out(report: Mapping[str, Any]) -> str:
    """What is in no rate: calls whose result was not captured, and how many failures are among them; "" for none."""
    rate = report["compliance"]
    if not rate["not_measured"]:
        return ""
    failed = report["failures"] - rate["denominator"]
    return f"{count(rate['not_measured'], 'call')} without a captured result, {count(failed, 'failure')} among them"


def _cell(value: Any, width: int) -> str:
    text = plain(value) or "–"
    return text[: width - 1] + "…" if len(text) > width else text.ljust(width)


def _seconds(value: float | None) -> str:
    if value is None:
        return "not measured"
    for name, unit in (("d", 86400), ("h", 3600), ("min", 60)):
        if value >= 2 * unit:
            return f"{value / unit:.1f} {name}"
    return f"{value:.1f} s"
