"""What engineers said of verdicts, applied after the judge to every call of the tool with the same rule and keys."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from analytics.calls import Call
from analytics.jobs.call_rows import CORRECTION as RULE
from analytics.jobs.call_rows import call_of, clean, digest, texts
from analytics.jobs.writing import Change, Placed, rewrite_sessions, write_change
from analytics.store import Store, Transaction
from telltale.vocabulary import Confidence, Outcome

_MAX_KEYS = 50
_TABLE = "correction"


class NoSuchCallError(Exception):
    """No judged call holds the span that a correction names."""


@dataclass(slots=True, frozen=True)
class Pattern:
    """What a correction speaks of: a tool's calls whose verdict rests on this rule and these keys.

    Where the verdict rested on no rule (`ok`), `rule` is "" and the keys are those of the result's own top level.
    """

    project: str
    tool: str
    rule: str
    key_paths: str


def pattern_of(call: Call) -> Pattern:
    """The pattern that a call's verdict, as the judge left it, belongs to."""
    rule = next((rule for rule in call.rules if rule != RULE), "")
    if rule:
        keys = {str(each.get("key") or each.get("mark") or "") for each in call.evidence if each.get("rule") == rule}
    else:
        keys = _top_level(call.result)
    return Pattern(call.project, call.tool, rule, json.dumps(sorted(clean(key) for key in keys)[:_MAX_KEYS]))


def _top_level(result: str | None) -> set[str]:
    try:
        value = json.loads(result or "null")
    except (ValueError, RecursionError):
        return {"text"}
    return {str(key) for key in value} if isinstance(value, dict) else {type(value).__name__}


class Corrections:
    """The corrections in force: the latest for each pattern."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        ordered = sorted(rows, key=lambda row: row["created_ns"])
        self._said = {Pattern(row["project"], row["tool"], row["rule"], row["key_paths"]): row for row in ordered}
        self._tools = {(row["project"], row["tool"]) for row in ordered}

    @classmethod
    def load(cls, transaction: Transaction) -> Corrections:
        """Those of the store."""
        return cls(transaction.query("SELECT * FROM correction").to_pylist())

    def apply(self, calls: Iterable[Call]) -> None:
        """Correct freshly judged calls in place."""
        if not self._said:
            return
        for call in calls:
            if (call.project, call.tool) in self._tools:
                said = self._said.get(pattern_of(call))
                if said is not None:
                    correct_call(call, said)


def correct_call(call: Call, said: Mapping[str, Any]) -> None:
    """Put a person's word over the judge's; the judge's stays readable in the evidence."""
    call.evidence = [each for each in call.evidence if each.get("rule") != RULE]
    call.evidence.append(
        {"rule": RULE, "mark": f"judged {call.outcome}, corrected by {said['who']}", "value": said["why"]}
    )
    call.rules = [*(rule for rule in call.rules if rule != RULE), RULE]
    call.outcome = Outcome(said["outcome"])
    call.confidence = Confidence.CERTAIN
    if call.outcome is Outcome.OK:
        call.code = None


def correct(store: Store, project: str, span_id: str, *, outcome: Outcome, who: str, why: str) -> dict[str, Any]:
    """Remember that a verdict is wrong, and correct it and every stored call of the same pattern.

    Returns:
        The row of `correction`, and under `corrected` how many calls changed.

    Raises:
        NoSuchCallError: the span belongs to no judged call.
    """
    with store.write() as transaction:
        found = transaction.query(_BY_SPAN, {"project": project, "span_id": span_id}).to_pylist()
        if not found:
            raise NoSuchCallError(f"no judged call of project {project!r} holds span {span_id[:64]!r}")
        pattern = pattern_of(call_of(found[0]))
        said = {
            "id": uuid.uuid4().hex[:16],
            "project": project,
            "tool": pattern.tool,
            "rule": pattern.rule,
            "key_paths": pattern.key_paths,
            "span_id": found[0]["span_id"],
            "judged": judged_outcome(found[0]),
            "outcome": outcome.value,
            "who": clean(who),
            "why": clean(why),
            "created_ns": time.time_ns(),
        }
        transaction.insert(_TABLE, _row(said))
        said["corrected"] = _apply_to_stored(transaction, pattern, said)
    return said


def judged_outcome(row: Mapping[str, Any]) -> str:
    """The outcome that the judge gave, also of a call that was corrected since."""
    for each in call_of(row).evidence:
        mark = str(each.get("mark", ""))
        if each.get("rule") == RULE and mark.startswith("judged "):
            return mark.removeprefix("judged ").partition(",")[0]
    return str(row["outcome"])


def _apply_to_stored(transaction: Transaction, pattern: Pattern, said: Mapping[str, Any]) -> int:
    change = Change()
    place = {"project": pattern.project, "tool": pattern.tool, "rule": pattern.rule}
    for row in transaction.query(_CANDIDATES, place).to_pylist():
        call = call_of(row)
        call.outcome = Outcome(judged_outcome(row))
        if pattern_of(call) != pattern:
            continue
        correct_call(call, said)
        change.gone.append(row)
        change.added.append(Placed(call, row["scope"], row["judged_seq"], digest(call)))
    write_change(transaction, change)
    rewrite_sessions(transaction, change)
    return len(change.added)


def _row(said: Mapping[str, Any]) -> pa.Table:
    columns = {name: texts([value]) for name, value in said.items() if name != "created_ns"}
    return pa.table({**columns, "created_ns": pa.array([said["created_ns"]], pa.int64())})


_BY_SPAN = """SELECT * FROM call WHERE project = $project
    AND (span_id = $span_id OR id = $span_id OR list_contains(span_ids, $span_id)) LIMIT 1"""
_CANDIDATES = """SELECT * FROM call WHERE project = $project AND tool = $tool
    AND (($rule = '' AND len(list_filter(rules, lambda r: r <> 'correction')) = 0) OR list_contains(rules, $rule))"""
