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
from telltale.vocabulary import Code, Confidence, Outcome

_MAX_KEYS = 50
_TABLE = "correction"


PERSON = "person"
"""The source of a code that a person named."""


class NoSuchCallError(Exception):
    """No judged call, or no correction in force, is what a change names."""


class NoCodeError(Exception):
    """A code is named for a call that did not fail."""


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
    """The corrections in force: the latest for each pattern that nobody took back."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        ordered = sorted(rows, key=lambda row: row["created_ns"])
        kept = [row for row in ordered if row["undone_ns"] is None]
        self._said = {Pattern(row["project"], row["tool"], row["rule"], row["key_paths"]): row for row in kept}
        self._tools = {(row["project"], row["tool"]) for row in kept}

    @classmethod
    def load(cls, transaction: Transaction) -> Corrections:
        """Those of the store."""
        return cls(transaction.query("SELECT * FROM correction").to_pylist())

    def of(self, pattern: Pattern) -> Mapping[str, Any] | None:
        """What is in force for a pattern."""
        return self._said.get(pattern)

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
    """Put a person's word over the judge's, which stays readable in the evidence and comes back by `restore`.

    Where the person confirmed the outcome (`judged` equals `outcome`), that of the call is left as the judge has it.
    """
    own = {"outcome": str(call.outcome), "code": call.code, "code_source": call.code_source}
    mark = f"judged {call.outcome}, corrected by {said['who']}"
    call.evidence = [
        *call.evidence,
        {"rule": RULE, "mark": mark, "value": said["why"], "judged": {**own, "confidence": str(call.confidence)}},
    ]
    call.rules = [*call.rules, RULE]
    if said["outcome"] != said["judged"]:
        call.outcome = Outcome(said["outcome"])
    call.confidence = Confidence.CERTAIN
    if call.outcome is Outcome.OK:
        call.code = call.code_source = None
    elif said["code"]:
        call.code, call.code_source = said["code"], PERSON


def restore(call: Call) -> None:
    """Take people's word off a call: its verdict is the judge's again."""
    said = next((each for each in call.evidence if each.get("rule") == RULE), None)
    if said is None:
        return
    own = said.get("judged") or _told_in(str(said.get("mark")), call)
    call.outcome, call.confidence = Outcome(own["outcome"]), Confidence(own["confidence"])
    call.code, call.code_source = own["code"], own["code_source"]
    call.evidence = [each for each in call.evidence if each.get("rule") != RULE]
    call.rules = [rule for rule in call.rules if rule != RULE]


def _told_in(mark: str, call: Call) -> dict[str, Any]:
    """What can be told of the judge's verdict of a row that was corrected before rows kept all of it."""
    outcome = mark.removeprefix("judged ").partition(",")[0]
    code = None if outcome == Outcome.OK else call.code or call.declared_code
    return {"outcome": outcome, "code": code, "code_source": call.code_source, "confidence": Confidence.PROBABLE}


def correct(
    store: Store,
    project: str,
    span_id: str,
    *,
    outcome: Outcome | None,
    code: Code | None = None,
    who: str,
    why: str,
) -> dict[str, Any]:
    """Remember that a verdict is wrong, and correct it and every stored call of the same pattern.

    Args:
        store: where the call is.
        project: its project.
        span_id: any span of it.
        outcome: the outcome that is right; None: the judge's is, and only the code is wrong.
        code: the code that is right; None: the judge's stays.
        who: who says so.
        why: why.

    Returns:
        The row of `correction`, and under `corrected` how many calls changed.

    Raises:
        NoSuchCallError: the span belongs to no judged call.
        NoCodeError: a code for a call that did not fail.
    """
    with store.write() as transaction:
        call = _judged_call(transaction, project, span_id)
        right = outcome or call.outcome
        if code is not None and right is Outcome.OK:
            raise NoCodeError("a call that did not fail has no code: name the outcome that is right as well")
        pattern = pattern_of(call)
        said = {
            "id": uuid.uuid4().hex[:16],
            "project": project,
            "tool": pattern.tool,
            "rule": pattern.rule,
            "key_paths": pattern.key_paths,
            "span_id": call.span_id,
            "judged": str(call.outcome),
            "outcome": str(right),
            "who": clean(who),
            "why": clean(why),
            "created_ns": time.time_ns(),
            "code": None if code is None else str(code),
        }
        transaction.insert(_TABLE, _row(said))
        said["corrected"] = _apply_to_stored(transaction, pattern, said)
    return {**said, "undone_ns": None, "undone_by": None, "undone_why": None}


def take_back(store: Store, project: str, named: str, *, who: str, why: str) -> dict[str, Any]:
    """Take a correction back, for every call that it changed; its row stays, with who and why.

    What was said of the same calls before it, and not taken back, is in force again; else the judge's verdict is.

    Args:
        store: where the correction is.
        project: its project.
        named: its id; or any span of a call that it corrected, for the correction in force there.
        who: who takes it back.
        why: why.

    Returns:
        The row of `correction`; under `corrected` how many calls changed, under `in_force` the id of the correction
        that they follow now (None: the judge).

    Raises:
        NoSuchCallError: no correction has that id, and no corrected call that span.
    """
    with store.write() as transaction:
        undone = _named(transaction, project, named)
        words = {"ns": time.time_ns(), "who": clean(who), "why": clean(why), "id": undone["id"]}
        transaction.execute(_TAKE_BACK, words)
        pattern = Pattern(project, undone["tool"], undone["rule"], undone["key_paths"])
        before = Corrections.load(transaction).of(pattern)
        changed = _apply_to_stored(transaction, pattern, before)
    taken = {"undone_ns": words["ns"], "undone_by": words["who"], "undone_why": words["why"]}
    return {**undone, **taken, "corrected": changed, "in_force": before["id"] if before else None}


def _named(transaction: Transaction, project: str, named: str) -> dict[str, Any]:
    """The correction that an id names, or that is in force on the call of a span."""
    found = transaction.query(_BY_ID, {"project": project, "id": named}).to_pylist()
    if found and found[0]["undone_ns"] is not None:
        raise NoSuchCallError(f"correction {named[:64]!r} was taken back already, by {found[0]['undone_by']}")
    if found:
        return dict(found[0])
    try:
        call = _judged_call(transaction, project, named)
    except NoSuchCallError:
        raise NoSuchCallError(f"no correction and no call of project {project!r} is named {named[:64]!r}") from None
    said = Corrections.load(transaction).of(pattern_of(call))
    if said is None:
        raise NoSuchCallError(f"nobody corrected the call of span {named[:64]!r}, or it was taken back already")
    return dict(said)


def _judged_call(transaction: Transaction, project: str, span_id: str) -> Call:
    """The call of a span as the judge left it."""
    found = transaction.query(_BY_SPAN, {"project": project, "span_id": span_id}).to_pylist()
    if not found:
        raise NoSuchCallError(f"no judged call of project {project!r} holds span {span_id[:64]!r}")
    call = call_of(found[0])
    restore(call)
    return call


def _apply_to_stored(transaction: Transaction, pattern: Pattern, said: Mapping[str, Any] | None) -> int:
    """Let the stored calls of a pattern follow a correction, or the judge where there is none; how many changed."""
    change = Change()
    place = {"project": pattern.project, "tool": pattern.tool, "rule": pattern.rule}
    for row in transaction.query(_CANDIDATES, place).to_pylist():
        call = call_of(row)
        was = digest(call)
        restore(call)
        if pattern_of(call) != pattern:
            continue
        if said is not None:
            correct_call(call, said)
        made = digest(call)
        if made != was:
            change.gone.append(row)
            change.added.append(Placed(call, row["scope"], row["judged_seq"], made))
    write_change(transaction, change)
    rewrite_sessions(transaction, change)
    return len(change.added)


def _row(said: Mapping[str, Any]) -> pa.Table:
    columns = {name: texts([value]) for name, value in said.items() if name != "created_ns"}
    return pa.table({**columns, "created_ns": pa.array([said["created_ns"]], pa.int64())})


_BY_ID = "SELECT * FROM correction WHERE project = $project AND id = $id"
_TAKE_BACK = "UPDATE correction SET undone_ns = $ns, undone_by = $who, undone_why = $why WHERE id = $id"
_BY_SPAN = """SELECT * FROM call WHERE project = $project
    AND (span_id = $span_id OR id = $span_id OR list_contains(span_ids, $span_id)) LIMIT 1"""
_CANDIDATES = """SELECT * FROM call WHERE project = $project AND tool = $tool
    AND (($rule = '' AND len(list_filter(rules, lambda r: r <> 'correction')) = 0) OR list_contains(rules, $rule))"""
