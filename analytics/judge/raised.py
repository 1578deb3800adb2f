"""Steps inside a call that ended in an exception: whether the result was made in spite of them, or hides them."""

from __future__ import annotations

from analytics.conventions.convention import Kind
from analytics.conventions.vocabulary import kind_of
from analytics.judge.answers import is_hollow, is_short_text, reports_the_deed
from analytics.judge.attempts import failure_of
from analytics.judge.case import Case
from analytics.spans import ERROR, Span
from telltale.payload import Says
from telltale.payload.asked.verbs import Verb, verb_of
from telltale.payload.codes.budgets import names_a_spent_budget


def is_deed_undone(case: Case) -> bool:
    """A change that is claimed, or told in a short text, although the last step inside the tool ended in an exception.

    A step that ended well after it (a second try, another way) makes it good.
    """
    if not case.below.ends_badly:
        return False
    claimed = case.reading.finding(Says.SUCCESS) is not None
    if not case.changes:
        return (claimed and verb_of(case.asked.tool) in (Verb.RUN, Verb.UNKNOWN)) or _is_word_of_a_claim(case)
    return claimed or reports_the_deed(case.reading) or is_short_text(case.reading)


def is_all_raised(case: Case) -> bool:
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


def cut_short(case: Case) -> Span | None:
    """The run below a call (a sub-agent's) that ended at its limit or in ERROR, and an answer came all the same."""
    spent = (span for span in case.below.raised if names_a_spent_budget(failure_of(span)[0]))
    last = case.below.raised[-1] if case.below.ends_badly else None
    failed = last if last is not None and kind_of(last)[0] is Kind.AGENT and last.status_code == ERROR else None
    return next(spent, failed)
