"""The cross-span rules: a result without any mark, held against the spans below its call."""

from __future__ import annotations

from typing import Any

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.judge.answers import (
    admits,
    denies,
    holds_rows,
    is_a_yes,
    is_hollow,
    is_nothing,
    is_short_text,
    is_where_it_ended,
    reports_the_deed,
)
from analytics.judge.attempts import PROCESS, Attempt, failure_of, host_of, number_of, was_killed
from analytics.judge.case import Case, Verdict
from analytics.judge.echo import echoed_status, refused_fields
from analytics.spans import ERROR, Span
from telltale.payload import Says
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.budgets import names_a_spent_budget
from telltale.payload.texts.exits import exit_told, is_answer, reports_findings
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
    own = _hidden_exit(case) if rule is None else None
    if own is not None:
        verdict.silent("trace.exit_contradicted", call.span.span_id, f"exit code {own}")
        return
    if rule is None and not failed and _is_deed_undone(case):
        rule = "trace.deed_over_exception"
    if rule is None and _is_all_raised(case):
        hollow = is_hollow(case.reading.value, case.asked.arguments)
        rule = "trace.empty_after_exception" if hollow else "trace.text_after_exception"
    cut_short = _cut_short(case) if rule is None else None
    if cut_short is not None:
        verdict.silent("trace.run_cut_short", cut_short.span_id, failure_of(cut_short)[0][:120], _SUSPECTED)
        verdict.raised = cut_short
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
    elif failed and not _is_status_asked_for(case):
        echoed = echoed_status(case.reading.value, [attempt.status for attempt in failed if attempt.status])
        if echoed is None and below.all_failed and failed[-1].status in _REFUSING:
            echoed = refused_fields(case.reading.value, failed[-1].status or 0)
        if echoed is not None:
            verdict.silent("trace.status_echoed", failed[-1].span.span_id, f"{echoed[0]}: {echoed[1]}")
            verdict.cause = failed[-1]


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
    raised = case.below.raised and all(attempt.failed for attempt in case.below.attempts)
    return "trace.empty_after_exception" if raised else None


def _filled(case: Case, failed: list[Attempt]) -> str | None:
    """A result that holds something: a claim, a report of the deed, or a short text, over sources that failed."""
    if not failed or _is_settled(failed[-1]):
        return None
    if _is_of_a_runner(case, failed[-1]):
        return "trace.exit_contradicted" if _is_contradicted(case, failed[-1]) else None
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
        return "trace.value_after_failure" if last.code in _GRAVE and is_a_yes(reading.value) else None
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
    told = not (last.system == PROCESS and isinstance(reading.value, str) and "\n" in reading.value.strip())
    if told and is_short_text(reading) and not case.asked.content and _is_no_answer(case, last):
        return "trace.text_after_failure"
    if _is_no_answer(case, last) and is_hollow(reading.value, case.asked.arguments):
        return "trace.value_after_failure"
    return "trace.rows_after_failure" if _are_rows_of(case, last) else None


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


def _is_deed_undone(case: Case) -> bool:
    """A change that is claimed, or told in a short text, although the last step inside the tool ended in an exception.

    A step that ended well after it (a second try, another way) makes it good.
    """
    if not case.below.ends_badly:
        return False
    claimed = case.reading.finding(Says.SUCCESS) is not None
    if not case.changes:
        return (claimed and verb_of(case.asked.tool) in (Verb.RUN, Verb.UNKNOWN)) or _is_word_of_a_claim(case)
    return claimed or reports_the_deed(case.reading) or is_short_text(case.reading)


def _is_all_raised(case: Case) -> bool:
    """A value or a line such as a swallowed failure leaves, where every step inside raised and nothing went outside."""
    below = case.below
    return (
        below.ends_badly
        and not below.attempts
        and not below.fine_ns
        and (is_hollow(case.reading.value, case.asked.arguments) or _is_one_line(case))
    )


def _is_one_line(case: Case) -> bool:
    """Whether the result is a short sentence, and little was done after the last step inside raised.

    Not of tools that examine or hand out texts. After a step that failed early (a cache that missed) something else
    may have answered.
    """
    value = case.reading.value
    said = value.strip() if isinstance(value, str) and is_short_text(case.reading) else ""
    if "\n" in said or " " not in said:
        return False
    span, last = case.call.span, case.below.raised[-1]
    if last.end_ns - span.start_ns < (span.end_ns - span.start_ns) // 2:
        return False
    return not case.asked.content and verb_of(case.asked.tool) is not Verb.EXAMINE


def _is_word_of_a_claim(case: Case) -> bool:
    """One line where a program believes in success (`isError: false`), and no source that could have given it."""
    text = case.reading.value
    if case.claimed is None or case.asked.content or not isinstance(text, str) or "\n" in text.strip():
        return False
    answered = any(not attempt.failed for attempt in case.below.attempts)
    return is_short_text(case.reading) and not answered and verb_of(case.asked.tool) is not Verb.EXAMINE


def _is_no_answer(case: Case, attempt: Attempt) -> bool:
    """Whether a text cannot be the answer: examining tools report failures, and "not found" can be said in words."""
    elsewhere = attempt.system not in ("http", "db") and verb_of(case.asked.tool) is not Verb.READ
    acted = elsewhere or (case.changes and attempt.operation in _WRITES)
    unasked = attempt.operation == "POST"  # nobody asks by POST whether a thing is there
    if attempt.cause.code is Code.NOT_FOUND and not acted and not unasked:
        return False
    return verb_of(case.asked.tool) is not Verb.EXAMINE


def _is_of_a_runner(case: Case, attempt: Attempt) -> bool:
    """Whether a program ended badly below a tool that runs or examines, whose result mostly speaks of just that."""
    return attempt.system == PROCESS and verb_of(case.asked.tool) in (Verb.RUN, Verb.EXAMINE)


def _is_contradicted(case: Case, attempt: Attempt) -> bool:
    """Whether the result hides how the program ended: it was killed or ran out of time, or the result says exit 0."""
    if was_killed(attempt.span):
        return True
    told = exit_told(case.reading.value)
    hidden = told is None and case.reading.finding(Says.SUCCESS) is not None and not _tells_findings(case.reading.value)
    return verb_of(case.asked.tool) is Verb.RUN and (told == 0 or hidden)


def _tells_findings(value: Any) -> bool:
    """Whether a text of the result counts what a checker found, as a program that found something ends with 1."""
    texts = value.values() if isinstance(value, dict) else (value,)
    return any(isinstance(text, str) and reports_findings(text) for text in texts)


def _hidden_exit(case: Case) -> int | None:
    """The exit code other than 0 on a runner's own span, of which its result tells nothing or the contrary."""
    codes = (number_of(member.attributes.get("process.exit.code")) for member in case.call.members)
    code = next(filter(None, codes), None)
    if code is None or verb_of(case.asked.tool) is not Verb.RUN or exit_told(case.reading.value):
        return None
    text = case.reading.value if isinstance(case.reading.value, str) else ""
    return None if is_answer(case.asked.arguments, code) or reports_findings(text) else code


def _may_write(attempt: Attempt) -> bool:
    """Whether an outside call may be what was to bring the change about: a write, or a system without methods."""
    return attempt.operation in _WRITES or attempt.system not in ("http", "db", PROCESS)


def _cut_short(case: Case) -> Span | None:
    """The run below a call (a sub-agent's) that ended at its limit or in ERROR, and an answer came all the same."""
    spent = (span for span in case.below.raised if names_a_spent_budget(failure_of(span)[0]))
    last = case.below.raised[-1] if case.below.ends_badly else None
    failed = last if last is not None and kind_of(last)[0] is Kind.AGENT and last.status_code == ERROR else None
    return next(spent, failed)


def _is_settled(attempt: Attempt) -> bool:
    """Whether the upstream refused what was so already: deleting what is gone, creating what is there."""
    return _is_gone(attempt) or (attempt.status in (409, 412) and attempt.operation != "DELETE")


def _is_gone(attempt: Attempt) -> bool:
    """Whether the upstream refused to delete because nothing is there: what was wanted is so (RFC 9110 §9.3.5)."""
    return attempt.operation == "DELETE" and attempt.status in (404, 410)
