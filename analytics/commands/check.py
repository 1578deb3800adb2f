"""`telltale check`: the gate for CI and release scripts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from analytics.alerts.wording import count
from analytics.calls import Call
from analytics.commands.output import plain, rate_text
from analytics.commands.recordings import recorded
from analytics.commands.source import BAD_USAGE, fail
from analytics.jobs.call_rows import measured
from analytics.judge import judge
from analytics.questions.statistics import compliance
from analytics.settings import JudgeSettings
from analytics.spans import Trace
from telltale.vocabulary import Outcome

PASS, BREACH, CANNOT_TELL = 0, 1, 3
_SHOWN = 10


def check(
    paths: Annotated[list[Path], typer.Argument(help="Recordings or folders; - for standard input.", metavar="PATH…")],
    min_compliance: Annotated[
        float | None, typer.Option(help="Least share of failures told in a compliant envelope, 0 to 1.")
    ] = None,
    max_silent: Annotated[int | None, typer.Option(help="Most silent failures.", min=0)] = None,
    min_samples: Annotated[int, typer.Option(help="Fewest failures that a compliance rate may rest on.", min=1)] = 1,
) -> None:
    """Judge recordings and compare with limits.

    Exit codes: 0 pass, 1 a limit is breached, 2 bad usage or input, 3 cannot tell (too few samples).
    """
    if min_compliance is None and max_silent is None:
        fail("name a limit: --min-compliance, --max-silent, or both")
    if min_compliance is not None and not 0 <= min_compliance <= 1:
        fail(f"--min-compliance is {min_compliance}; it can be 0 to 1")
    found = recorded(paths)
    for problem in found.problems[:_SHOWN]:
        print(f"telltale: {plain(problem)}", file=sys.stderr)
    if found.problems:
        fail(f"{count(len(found.problems), 'part')} of the recordings cannot be read")
    calls = list(_judged(found.traces))
    raise SystemExit(_verdict(calls, min_compliance, max_silent, min_samples))


def _judged(traces: Iterable[Trace]) -> Iterable[Call]:
    for trace in traces:
        yield from judge(trace, JudgeSettings())


def _verdict(calls: list[Call], min_compliance: float | None, max_silent: int | None, min_samples: int) -> int:
    if not calls:
        print("cannot tell: no tool call is seen in these recordings (telltale mapping shows why)")
        return CANNOT_TELL
    silent = [call for call in calls if call.outcome is Outcome.SILENT_FAILURE]
    counted = Counter(call.outcome for call in calls if measured(call))
    rate = compliance(counted, sum(not measured(call) for call in calls))
    print(f"{count(len(calls), 'tool call')}; silent failures: {len(silent)}; compliance: {rate_text(rate)}")
    code = PASS
    if min_compliance is not None:
        if rate["denominator"] < min_samples:
            measured_few = count(rate["denominator"], "failure")
            print(f"cannot tell: {measured_few} measured, {min_samples} needed for a compliance rate")
            code = CANNOT_TELL
        elif rate["rate"] < min_compliance:
            print(f"breach: compliance {rate['rate']:.1%} is below {min_compliance:.1%}")
            code = BREACH
    if max_silent is not None and len(silent) > max_silent:
        print(f"breach: {count(len(silent), 'silent failure')}, {max_silent} allowed")
        for call in silent[:_SHOWN]:
            print(f"  {plain(call.tool)} {call.span_id}: {', '.join(call.rules)}")
        code = BREACH
    return code


__all__ = ["BAD_USAGE", "check"]
