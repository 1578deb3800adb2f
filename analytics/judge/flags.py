"""The flags of a failed call: what else an engineer should know of the text that the model saw."""

from __future__ import annotations

from typing import Any

from analytics.judge.attempts import failure_of
from analytics.judge.case import Verdict
from analytics.judge.code import class_of
from analytics.normalise.logical_call import LogicalCall, Meaning
from telltale.payload import Reading
from telltale.payload.asked.verbs import Verb, names_documents, verb_of
from telltale.payload.codes.budgets import names_a_spent_budget, tells_of_a_spent_budget
from telltale.payload.leaks import holds_stack, is_foreign_stack, leaks_in
from telltale.payload.objects.evidence import told_texts
from telltale.payload.texts.catalogues import injection_in, masking_of, says_nothing, tells_more
from telltale.payload.texts.named import denies_tool
from telltale.payload.words import words
from telltale.vocabulary import MESSAGE_CAP, NOT_RETRYABLE, Action, Code, Flag, Outcome, Payload

_RAW_CAP = 2000
_PASSING = frozenset({Code.RATE_LIMITED, Code.UNAVAILABLE})


def flags_of(
    call: LogicalCall, reading: Reading, verdict: Verdict, code: Code
) -> tuple[list[str], list[dict[str, Any]]]:
    """The flags of a failed call and the evidence for those that need some; in the order of the vocabulary."""
    flags: list[str] = []
    evidence: list[dict[str, Any]] = []

    def raise_flag(flag: Flag, value: Any) -> None:
        flags.append(flag.value)
        evidence.append({"rule": f"flag.{flag.value}", "key": "", "value": value})

    seen = _seen(call, reading)
    if seen is not None:
        if not (reading.empty and verdict.outcome is Outcome.SILENT_FAILURE) and _is_generic(
            call, reading, seen, verdict
        ):
            flags.append(Flag.GENERIC_ERROR.value)
        leak = None if _is_data(reading, verdict) else _leak(call, reading, seen)
        if leak is not None:
            raise_flag(Flag.LEAKED_INTERNALS, leak)
        length = len(seen) if call.payload is Payload.ABSENT else _length(call, reading)
        if length > MESSAGE_CAP:
            raise_flag(Flag.OVERSIZED_MESSAGE, length)
    spent = _is_spent(call, reading, code)
    if spent:
        flags.append(Flag.BUDGET_EXHAUSTED.value)
    if not spent and _is_wrong(reading, code):
        raise_flag(Flag.WRONG_RETRYABLE, reading.retryable)
    if seen is not None:
        order = injection_in(seen)
        if order is not None:
            raise_flag(Flag.PROMPT_INJECTION_IN_ERROR, order[:120])
    if verdict.refused:
        flags.append(Flag.REFUSED.value)
    if (
        verdict.outcome is Outcome.STRUCTURED_ERROR
        and reading.envelope is not None
        and reading.envelope.contract_fields
    ):
        flags.append(Flag.CONTRACT_FIELD.value)
    return flags, evidence


def _seen(call: LogicalCall, reading: Reading) -> str | None:
    """The text that the model saw of the failure; None where it is not known."""
    if call.payload is not Payload.ABSENT:
        return reading.value if isinstance(reading.value, str) else call.result_text or reading.message
    return call.told


def _is_data(reading: Reading, verdict: Verdict) -> bool:
    """Whether the result is data that only the spans below it convict: what it holds was meant for the model."""
    silent = verdict.outcome is Outcome.SILENT_FAILURE and not reading.failed
    return silent and isinstance(reading.value, dict | list)


def _leak(call: LogicalCall, reading: Reading, seen: str) -> str | None:
    """The kind of internals that a failing result gives away: as it was sent, or in the texts of the decoded object.

    In JSON a stack's lines are escaped, or each is an item of a list: only the decoded object shows them as lines.
    """
    business: frozenset[str] | None = None
    escaped = isinstance(reading.value, dict | list) and ("\\" in seen or not call.result_text)
    for text in (seen, "\n".join(told_texts(reading.value)) if escaped else ""):
        for kind, _ in leaks_in(text, call.arguments_text or "") if text else ():
            business = business if business is not None else _business(call)
            if kind not in business or (kind == "stack trace" and is_foreign_stack(text, call.tool)):
                return kind
    return "stack trace" if holds_stack(reading.value) and "stack trace" not in _business(call) else None


def _business(call: LogicalCall) -> frozenset[str]:
    """The internals that a tool deals in, so that they are no leak: a file tool's paths, a query tool's SQL."""
    verb = verb_of(call.tool)
    keys = call.arguments.keys() if isinstance(call.arguments, dict) else ()
    found = set()
    if verb is Verb.RUN or any(key in _COMMANDS for key in keys):
        found |= {"server path", "stack trace", "exception class"}
    if names_documents(call.tool) or any(key in _PLACES for key in keys):
        found.add("server path")
    text = (call.arguments_text or "").lower()
    if "select " in text or "insert " in text or "update " in text or "delete " in text:
        found.add("SQL")
    return frozenset(found)


_COMMANDS = words("command cmd script code")
_PLACES = words("path file file_path filePath filename directory dir cwd folder")


def _is_generic(call: LogicalCall, reading: Reading, seen: str, verdict: Verdict) -> bool:
    """Whether the model was told no reason: nothing at all, or less than a span of the call knows."""
    if isinstance(reading.value, dict):
        message = str(reading.message or "")
        if not message or not says_nothing(message, call.tool, kinds=True) or _has_more(reading):
            return False
        texts = [message, *(text for text in told_texts(reading.value) if " " in text)]
        return _tell_nothing(texts, call, reading, seen, verdict)
    only_told = call.payload is Payload.ABSENT
    if reading.empty and not only_told:
        return any(mark.meaning is Meaning.FAILED for mark in call.marks)
    if not (reading.text or only_told) or not seen.strip() or denies_tool(seen, call.tool):
        return False
    masked = any(found.rule == "text.masking" for found in reading.findings)
    entry = masking_of(seen) if masked else None
    if entry is not None and entry.generic:
        return True
    return _tell_nothing([seen], call, reading, seen, verdict) and not _names_a_value(seen, call.arguments)


def _tell_nothing(texts: list[str], call: LogicalCall, reading: Reading, seen: str, verdict: Verdict) -> bool:
    """Whether texts give no reason; one that names the kind of failure is none where a span of the call tells more."""
    if not all(says_nothing(text, call.tool, kinds=True) for text in texts):
        return False
    return all(says_nothing(text, call.tool) for text in texts) or _is_known_better(call, reading, seen, verdict)


def _is_known_better(call: LogicalCall, reading: Reading, seen: str, verdict: Verdict) -> bool:
    """Whether a span of the call, or the failed one below it, tells what the model was not told."""
    spans = [*call.members, *([verdict.raised] if verdict.raised is not None else [])]
    spans += [verdict.cause.cause.span] if verdict.cause is not None else []
    told = seen if reading.text else str(reading.message or "")
    return any(tells_more(failure_of(span)[1], told, call.tool) for span in spans)


def _names_a_value(seen: str, arguments: Any) -> bool:
    """Whether a text speaks of something that the caller had named, and so says at least what failed."""
    values = list(arguments.values())[:20] if isinstance(arguments, dict) else []
    return any(isinstance(value, str) and 2 <= len(value) <= 200 and value in seen for value in values)


def _has_more(reading: Reading) -> bool:
    """Whether an object gives a reason beside its message: a code that is more than INTERNAL."""
    return reading.declared_code is not None and reading.code not in (None, Code.INTERNAL)


def _length(call: LogicalCall, reading: Reading) -> int:
    """Characters of the failing text: the message's, or the whole result's where that is far too long."""
    if isinstance(reading.value, str):
        return len(reading.value)
    raw = len(call.result_text or "")
    return max(len(reading.message or ""), raw if raw > _RAW_CAP else 0)


def _is_spent(call: LogicalCall, reading: Reading, code: Code) -> bool:
    """The failure budget is spent: our own attribute, an order to stop over a passing failure, an open circuit, or a
    limit of calls, steps or turns that the error names."""
    if call.span.attributes.get("telltale.budget.exhausted") is True:
        return True
    stops = reading.action == Action.STOP_AND_TELL_USER.value
    if stops and code in _PASSING and reading.declared_code != Code.INTERNAL.value:  # which asks for a stop by itself
        return True
    if isinstance(reading.value, dict) and _may_name_a_circuit(call) and _is_circuit_open(reading.value):
        return True
    classes = [class_of(mark) for mark in call.marks]
    names = (reading.declared_code or "", call.span.status_message, *classes)
    if any(names_a_spent_budget(name) for name in names):
        return True
    told = reading.message or (reading.value if isinstance(reading.value, str) else "")
    if tells_of_a_spent_budget(told) or tells_of_a_spent_budget(call.span.status_message):
        return True
    return any("circuit" in name and "open" in name for name in map(str.lower, classes))


def _may_name_a_circuit(call: LogicalCall) -> bool:
    sent = call.result_text
    return sent is None or "ircuit" in sent or "IRCUIT" in sent


def _is_circuit_open(value: dict[str, Any]) -> bool:
    """`{"circuit": "open"}`, `{"error": {"code": "CIRCUIT_OPEN"}}`: a breaker that spares a failing upstream."""
    error = value.get("error")
    for holder in (value, error if isinstance(error, dict) else {}):
        for key, inner in list(holder.items())[:40]:
            low = str(key).lower()
            if "circuit" in low and (inner is True or "open" in str(inner)[:40].lower()):
                return True
            if low in ("code", "error_code", "type") and isinstance(inner, str) and "circuit" in inner.lower():
                return True
    return False


def _is_wrong(reading: Reading, code: Code) -> bool:
    """The retry advice contradicts the code. A wrong argument or a conflict may be called either."""
    if reading.retryable is None:
        return False
    if reading.retryable:
        return code in NOT_RETRYABLE and (code is not Code.INTERNAL or reading.code is Code.INTERNAL)
    return code in _PASSING and reading.action != Action.STOP_AND_TELL_USER.value
