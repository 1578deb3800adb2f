"""The cross-span rules: a result without any mark, held against the spans below its call."""

from __future__ import annotations

from typing import Any

from analytics.judge.answers import (
    admits,
    counts_none,
    denies,
    holds_rows,
    is_a_yes,
    is_hollow,
    is_nothing,
    is_short_text,
    is_where_it_ended,
    reports_the_deed,
)
from analytics.judge.attempts import PROCESS, Attempt, failure_of, host_of
from analytics.judge.case import Case, Verdict
from analytics.judge.echo import echoed_error, echoed_status, headed_status, refused_fields, repeats
from analytics.judge.programs import hidden_exit, is_contradicted, is_of_a_runner
from analytics.judge.raised import cut_short, is_all_raised, is_deed_undone
from analytics.spans import Span
from telltale.payload import Says
from telltale.payload.asked.verbs import Verb, names_a_state, names_errors, names_logs, verb_of
from telltale.payload.texts.marks import mark_of
from telltale.payload.words import words
from telltale.vocabulary import Code, Confidence, Payload

_GRAVE = frozenset({Code.PERMISSION_DENIED, Code.RATE_LIMITED, Code.UNAVAILABLE, Code.INTERNAL})
"""What nobody asks for: a source that answers with one of these gave no answer."""

_REFUSING = (400, 422)
_WRITES = words("POST PUT PATCH DELETE INSERT UPDATE UPSERT MERGE REPLACE")


def look_below(case: Case, verdict: Verdict) -> None:
    """Judges a call that nothing marked, by what happened below it."""
    call, below = case.call, case.below
    if call.payload is Payload.ABSENT:
        _unseen(case, verdict)
        return
    failed = below.unovercome(strict=not case.changes)
    rule = _empty(case, failed) if case.reading.empty else _filled(case, failed)
    own = hidden_exit(case) if rule is None else None
    if own is not None:
        verdict.silent("trace.exit_contradicted", call.span.span_id, f"exit code {own}")
        return
    if rule is None and not failed and is_deed_undone(case):
        rule = "trace.deed_over_exception"
    if rule is None and is_all_raised(case):
        hollow = is_hollow(case.reading.value, case.asked.arguments)
        rule = "trace.empty_after_exception" if hollow else "trace.text_after_exception"
    ended = cut_short(case) if rule is None else None
    if ended is not None:
        verdict.silent("trace.run_cut_short", ended.span_id, failure_of(ended)[0][:120], _SUSPECTED)
        verdict.raised = ended
    elif rule == "trace.empty_beside_log":
        line = below.logged[-1]
        verdict.silent(rule, line.span.span_id, line.text)
        verdict.logged = line.code
    elif rule in _RAISED:
        span = below.raised[-1]
        sure = _SUSPECTED if rule in _DOUBTFUL else Confidence.PROBABLE
        verdict.silent(rule, span.span_id, (failure_of(span)[0] or "status ERROR")[:120], sure)
        verdict.raised = span
    elif rule is not None:
        verdict.cause = failed[-1]
        bottom = verdict.cause.cause
        doubtful = rule in _DOUBTFUL or verdict.cause.code is Code.NOT_FOUND
        verdict.silent(rule, bottom.span.span_id, bottom.value, _SUSPECTED if doubtful else Confidence.PROBABLE)
    elif (words := _repeated(case, failed)) is not None:
        verdict.silent("trace.words_echoed", words[0].span_id, words[1][:120])
        verdict.cause = failed[-1] if failed else None
        verdict.raised = words[0]
    elif failed and not _is_status_asked_for(case):
        statuses = [attempt.status for attempt in failed if attempt.status]
        echoed: tuple[str, Any] | None = echoed_status(case.reading.value, statuses)
        if echoed is None and below.all_failed:
            echoed = _echo_of(case.reading.value, failed[-1])
        if echoed is not None:
            verdict.silent("trace.status_echoed", failed[-1].span.span_id, f"{echoed[0]}: {echoed[1]}"[:160])
            verdict.cause = failed[-1]


def _echo_of(value: Any, last: Attempt) -> tuple[str, Any] | None:
    """What a refused request left in the result: what is wrong with each field, its status as title, an error."""
    if last.status in _REFUSING:
        return refused_fields(value, last.status)
    if isinstance(value, str):
        return ("title", last.status) if last.status is not None and headed_status(value, last.status) else None
    return echoed_error(value) if last.code in _GRAVE else None


def _repeated(case: Case, failed: list[Attempt]) -> tuple[Span, str] | None:
    """The words of what failed below, where the result hands them on and nothing that it reached gave an answer.

    Not of tools that examine, or hand out errors or logs: there a failure is what was asked for.
    """
    tool = case.asked.tool
    if verb_of(tool) is Verb.EXAMINE or names_errors(tool) or names_logs(tool) or names_a_state(tool):
        return None
    if not failed and not (case.below.ends_badly and not case.below.attempts):
        return None
    if failed and not case.below.all_failed:
        return None
    spans = [attempt.cause.span for attempt in failed] + case.below.raised[-1:]
    told = ((span, failure_of(span)[1]) for span in spans)
    return next((each for each in told if repeats(case.reading.value, each[1])), None)


def _is_status_asked_for(case: Case) -> bool:
    """Whether the HTTP status in the result is the answer itself: examined, named by the caller, or of the response."""
    if verb_of(case.asked.tool) is Verb.EXAMINE:
        return True
    found = case.reading.finding(Says.ANSWER)
    return found is not None and found.rule == "payload.http_status"


_SUSPECTED = Confidence.SUSPECTED
_DOUBTFUL = frozenset(
    (
        "trace.text_after_failure",
        "trace.text_after_exception",
        "trace.rows_after_failure",
        "trace.deed_over_failure",
        "trace.deed_over_exception",
        "trace.value_after_failure",
    )
)
_RAISED = frozenset(("trace.empty_after_exception", "trace.text_after_exception", "trace.deed_over_exception"))


def _unseen(case: Case, verdict: Verdict) -> None:
    """No mark and no result to read: only a call whose every source failed, beyond a mere "not found", is suspected."""
    failed = case.below.unovercome(strict=True)
    verdict.confidence = _SUSPECTED if failed else Confidence.PROBABLE
    if failed and case.below.all_failed and failed[-1].cause.code in _GRAVE:
        verdict.cause = failed[-1]
        bottom = verdict.cause.cause
        verdict.silent("trace.unseen_after_failure", bottom.span.span_id, bottom.value, _SUSPECTED)
    verdict.hit("trace.not_captured", "span_id", case.call.span.span_id, (case.call.lost or ["the result"])[0])


def _empty(case: Case, failed: list[Attempt]) -> str | None:
    """An empty result: honest, unless a source failed or a step inside raised."""
    if case.settings.empty_is_normal:
        return None
    if failed and all(_is_gone(attempt) for attempt in failed):
        return None
    honest = denies(case.reading) or (not case.changes and is_nothing(case.reading.value))
    if failed and not (honest and all(attempt.cause.code is Code.NOT_FOUND for attempt in failed)):
        return "trace.empty_after_failure"
    if not all(attempt.failed for attempt in case.below.attempts):
        return None
    if case.below.raised:
        return "trace.empty_after_exception"
    return "trace.empty_beside_log" if case.below.logged and not honest else None


def _filled(case: Case, failed: list[Attempt]) -> str | None:
    """A result that holds something: a claim, a report of the deed, or a short text, over sources that failed."""
    if not failed or _is_settled(failed[-1]):
        return None
    if is_of_a_runner(case, failed[-1]):
        return "trace.exit_contradicted" if is_contradicted(case, failed[-1]) else None
    return _over_failure(case, failed[-1])


def _over_failure(case: Case, last: Attempt) -> str | None:
    reading, all_failed = case.reading, case.below.all_failed
    claimed = reading.finding(Says.SUCCESS) is not None
    if claimed and admits(reading.value):
        return None
    if claimed and (all_failed or (last.code in _GRAVE and is_where_it_ended(reading.value, _address(last)))):
        return "trace.success_over_failure"
    if case.changes and _may_write(last):
        reported = all_failed and reports_the_deed(reading)
        if claimed or reported or (is_short_text(reading) and _is_last_of_writes(case, last)):
            return "trace.deed_over_failure"
    if all_failed and _is_refused_page(case, last):
        return "trace.refused_page"
    if all_failed and verb_of(case.asked.tool) is Verb.EXAMINE:
        clean = is_a_yes(reading.value) or (isinstance(reading.value, str) and counts_none(reading.value))
        return "trace.value_after_failure" if last.code in _GRAVE and clean else None
    return _unsourced(case, last) if all_failed else None


def _is_last_of_writes(case: Case, last: Attempt) -> bool:
    """Whether the last of several writes to one service was refused: what the first ones began was not finished."""
    writes = [attempt for attempt in case.below.attempts if attempt.operation in _WRITES]
    return len(writes) > 1 and writes[-1] is last and last.code in _GRAVE and host_of(writes[0]) == host_of(last)


def _is_refused_page(case: Case, last: Attempt) -> bool:
    """Whether the result is what an address showed that refused the request: a gatekeeper's page, not the one asked."""
    if case.asked.content or last.operation != "GET" or last.code not in _GRAVE or _is_status_asked_for(case):
        return False
    return is_where_it_ended(case.reading.value, _address(last))


def _unsourced(case: Case, last: Attempt) -> str | None:
    """An answer of which every source failed: a short text, a hollow value, the first rows of a statement."""
    reading = case.reading
    printed = last.system == PROCESS and isinstance(reading.value, str) and "\n" in reading.value.strip()
    told = not printed and not case.asked.content and (is_short_text(reading) or _is_marked_within(case))
    if told and _is_no_answer(case, last):
        return "trace.text_after_failure"
    if _is_no_answer(case, last) and is_hollow(reading.value, case.asked.arguments):
        return "trace.value_after_failure"
    return "trace.rows_after_failure" if _are_rows_of(case, last) else None


def _is_marked_within(case: Case) -> bool:
    """Whether a longer text of a tool that acts holds a line that begins with an error mark: `Error: …` below a log."""
    text = case.reading.value
    if not isinstance(text, str) or verb_of(case.asked.tool) not in (Verb.CHANGE, Verb.UNKNOWN):
        return False
    return any(line[:1].isalpha() and mark_of(line) is not None for line in text[:_MOST_READ].split("\n")[:_MOST_LINES])


_MOST_READ, _MOST_LINES = 8_000, 200


def _address(attempt: Attempt) -> str:
    attributes = attempt.span.attributes
    return str(attributes.get("url.full") or attributes.get("http.url") or "")


def _are_rows_of(case: Case, last: Attempt) -> bool:
    """Whether a result holds rows that only failed statements of a database can have given (cut off in the middle)."""
    if verb_of(case.asked.tool) in (Verb.EXAMINE, Verb.CHANGE) or case.asked.content or last.code is Code.NOT_FOUND:
        return False
    if any(attempt.system != "db" or attempt.found_nothing for attempt in case.below.attempts):
        return False
    return holds_rows(case.reading.value)


def _is_no_answer(case: Case, attempt: Attempt) -> bool:
    """Whether a text cannot be the answer: examining tools report failures, and "not found" can be said in words."""
    elsewhere = attempt.system not in ("http", "db") and verb_of(case.asked.tool) is not Verb.READ
    acted = elsewhere or (case.changes and attempt.operation in _WRITES)
    unasked = attempt.operation == "POST"  # nobody asks by POST whether a thing is there
    if attempt.cause.code is Code.NOT_FOUND and not acted and not unasked:
        return False
    return verb_of(case.asked.tool) is not Verb.EXAMINE


def _may_write(attempt: Attempt) -> bool:
    """Whether an outside call may be what was to bring the change about: a write, or a system without methods."""
    return attempt.operation in _WRITES or attempt.system not in ("http", "db", PROCESS)


def _is_settled(attempt: Attempt) -> bool:
    """Whether the upstream refused what was so already: deleting what is gone, creating what is there."""
    return _is_gone(attempt) or (attempt.status in (409, 412) and attempt.operation != "DELETE")


def _is_gone(attempt: Attempt) -> bool:
    """Whether the upstream refused to delete because nothing is there: what was wanted is so (RFC 9110 §9.3.5)."""
    return attempt.operation == "DELETE" and attempt.status in (404, 410)
