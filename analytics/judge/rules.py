"""Every trace rule by its id: what the spans around a result say of it. The payload rules stand beside them.

A trace rule holds a result against other evidence: the protocol's marks, the spans below the call. The session rules
hold a call against the calls around it, the later rules against other sessions. `ALL_RULES` is what `telltale explain`,
the API and the documents show.
"""

from __future__ import annotations

from telltale.payload import PAYLOAD_RULES, Rule
from telltale.vocabulary import Confidence

_C, _P, _S = Confidence.CERTAIN, Confidence.PROBABLE, Confidence.SUSPECTED

TRACE_RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "trace.marked_failed",
            "The span, the protocol or the framework marked the call as failed.",
            "the mark (status, exception event, isError, error.type)",
            _C,
        ),
        Rule(
            "trace.claimed_ok",
            "The protocol said that the call went well (isError false), and its result says otherwise.",
            "the mark",
            _C,
        ),
        Rule(
            "trace.exception_handled",
            "An exception was recorded on the span, but the tool returned a proper result after it.",
            "the exception event",
            _P,
        ),
        Rule(
            "trace.control_flow",
            "What looks like an error steers the run (an interrupt, a hand-off, an approval, a request to retry).",
            "the mark",
            _C,
        ),
        Rule("trace.refused", "A person or a policy refused the call before it ran.", "the mark", _C),
        Rule(
            "trace.error_lost",
            "A span below the result failed, and the result that the model saw bears no trace of it.",
            "the inner span's mark",
            _P,
        ),
        Rule(
            "trace.empty_after_failure",
            "The result is empty, and the upstream call it should have come from failed without a later success.",
            "the failed upstream span",
            _P,
        ),
        Rule(
            "trace.empty_after_exception",
            "The result is empty, and a step inside the tool raised an exception.",
            "the inner span's exception",
            _P,
        ),
        Rule(
            "trace.empty_beside_log",
            "The result is empty, and the tool logged an error meanwhile, or warned that a source did not answer.",
            "the line of the log and its span",
            _P,
        ),
        Rule(
            "trace.success_over_failure",
            "The result claims success, and every upstream call that it made failed.",
            "the failed upstream span",
            _P,
        ),
        Rule(
            "trace.deed_over_failure",
            "The result reports the change as made, and the last write that it needed was refused.",
            "the failed upstream span",
            _S,
        ),
        Rule(
            "trace.deed_over_exception",
            "The result reports the change as made, and the last step inside the tool ended in an exception.",
            "the inner span's exception",
            _S,
        ),
        Rule(
            "trace.refused_page",
            "The result is what an address showed that refused the request: a gatekeeper's page, not the one asked.",
            "the failed upstream span",
            _P,
        ),
        Rule(
            "trace.exit_contradicted",
            "The program below was killed, ran out of time or failed, and the result tells of none of it.",
            "the program's span",
            _P,
        ),
        Rule(
            "trace.run_cut_short",
            "A run below the call ended at its limit of steps or calls, or in ERROR, and its answer does not say so.",
            "the inner span's exception",
            _S,
        ),
        Rule(
            "trace.text_after_failure",
            "The result is a short text, and the only source that it could have come from failed.",
            "the failed upstream span",
            _S,
        ),
        Rule(
            "trace.value_after_failure",
            "The result is nothing but false, 0 or -1, and every source that it could have come from failed.",
            "the failed upstream span",
            _S,
        ),
        Rule(
            "trace.text_after_exception",
            "The result is one short line, and every step inside the tool ended in an exception.",
            "the inner span that raised last",
            _S,
        ),
        Rule(
            "trace.rows_after_failure",
            "The result holds rows, but every statement that could have given them ended in an error: they are a part.",
            "the failed statement's span",
            _S,
        ),
        Rule(
            "trace.status_echoed",
            "The result hands on the error answer of a failed upstream call as if it were content.",
            "the status, or what it says of each field, and the span that had it",
            _P,
        ),
        Rule(
            "trace.words_echoed",
            "The result holds the very words with which all that it reached failed, as if they were content.",
            "the words, and the span that failed with them",
            _P,
        ),
        Rule(
            "trace.unseen_after_failure",
            "Every upstream call failed, nothing marked the call as failed, and its result was not captured.",
            "the failed upstream span",
            _S,
        ),
        Rule(
            "trace.not_captured",
            "The result was not captured, so only marks and upstream spans could be judged.",
            "what was missing",
            _S,
        ),
    )
}
"""The trace rules."""

SESSION_RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "session.retry_storm",
            "The same call brought the same result again and again.",
            "how many times, since which call",
            _C,
        ),
        Rule(
            "agent.went_on_after_stop",
            "The agent called the tool again in the same turn although the envelope said to stop and tell the user.",
            "the later call",
            _C,
        ),
        Rule(
            "agent.retried_not_retryable",
            "The agent repeated a call in the same turn although its failure was declared not retryable.",
            "the later call",
            _C,
        ),
        Rule(
            "agent.ignored_retry_after",
            "The agent repeated a call before the time that the failure had asked it to wait.",
            "the later call",
            _C,
        ),
    )
}
"""The rules that need the calls around a call."""

SAME_UPSTREAM, NEVER_EMPTY = "sessions.same_upstream", "sessions.never_empty"

LATER_RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            SAME_UPSTREAM,
            "The same upstream failed in the same minutes in other sessions too, so the verdict is surer.",
            "the upstream, and in how many other sessions",
            _P,
        ),
        Rule(
            NEVER_EMPTY,
            "The tool is never empty otherwise, so the verdict on its empty result is surer.",
            "how many good results were looked at",
            _P,
        ),
    )
}
"""What other sessions say of a verdict: a later pass over stored rows, which raises how sure it is and changes nothing
else (`analytics.jobs.corroborate`)."""

FLAG_RULES: dict[str, Rule] = {
    f"flag.{name}": Rule(f"flag.{name}", sentence, evidence, _P)
    for name, sentence, evidence in (
        ("generic_error", "The model was told that something failed, but not what or why.", "the text"),
        ("leaked_internals", "The model saw internals: a stack trace, SQL, a host, a path, a credential.", "the kind"),
        ("oversized_message", "The failing text is longer than the model needs.", "its length in characters"),
        ("wrong_retryable", "The advice to retry or not contradicts the code.", "the advice"),
        ("prompt_injection_in_error", "The failing text gives the model orders.", "the order"),
        ("budget_exhausted", "The failure budget is spent; the agent was told to stop.", "the action or the attribute"),
        ("refused", "A person or a policy said no.", "the mark or the text"),
        ("contract_field", "The envelope keeps the contract but holds something foreign to it.", "the fields"),
    )
}
"""What a flag says; `retry_storm` is a session rule."""

ALL_RULES: dict[str, Rule] = {**PAYLOAD_RULES, **TRACE_RULES, **SESSION_RULES, **LATER_RULES, **FLAG_RULES}
"""Every rule that a stored row can name."""


def explain(rule: str) -> str:
    """The rule's sentence for the engineer; the id itself for a rule of another version."""
    known = ALL_RULES.get(rule)
    return known.sentence if known is not None else rule
