"""Every payload rule by its id: one sentence for the engineer, and how sure a hit is.

A payload rule asks what a result says of itself. Its function lives in `fields`, `texts` or `envelope`; its triggering
examples and near-misses live in `tests/payload/data/rules.json`, and a test holds the two lists together. The names are
part of the contract: they stand in stored rows, in muted rules and in corrections.
"""

from __future__ import annotations

from dataclasses import dataclass

from telltale.vocabulary import Confidence


@dataclass(slots=True, frozen=True)
class Rule:
    """A rule's id, its sentence for the engineer, what it rests on, and how sure a hit is."""

    id: str
    sentence: str
    evidence: str
    confidence: Confidence


_C, _P, _S = Confidence.CERTAIN, Confidence.PROBABLE, Confidence.SUSPECTED

PAYLOAD_RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule(
            "payload.envelope",
            "The result is an error envelope that keeps the contract: code, message, and whether to retry.",
            "the `error` object",
            _C,
        ),
        Rule(
            "payload.error_key",
            "The result carries an error where an answer was due: a truthy `error` and nothing of substance beside it.",
            "the key and its value",
            _C,
        ),
        Rule(
            "payload.errors_list",
            "The result lists errors and holds no data beside them.",
            "the key and the first entry",
            _C,
        ),
        Rule("payload.flag_false", "The result says of itself that it did not succeed.", "the flag", _C),
        Rule("payload.flag_error", "The result bears a flag that says it failed or timed out.", "the flag", _C),
        Rule(
            "payload.status_error",
            "The result's own status says error or failed, and it is no record that was merely looked up.",
            "the status key and its value",
            _C,
        ),
        Rule(
            "payload.status_word",
            "The result's own status names a failure (unauthorized, rate_limited), without any error mark.",
            "the status key and its value",
            _P,
        ),
        Rule(
            "payload.http_status",
            "The result's own status is an HTTP error that the caller did not ask about.",
            "the status key and its number",
            _P,
        ),
        Rule(
            "payload.error_object",
            "The result is itself an error object (a code and a message, an exception as an object) and nothing else.",
            "the keys that make it one",
            _C,
        ),
        Rule(
            "payload.reason_phrase",
            "The result is nothing but the reason phrase of an HTTP error, as gateways answer.",
            "the message",
            _P,
        ),
        Rule(
            "payload.id_told",
            "Where the result of a change was to give an id stands a sentence.",
            "the key and the sentence",
            _P,
        ),
        Rule(
            "payload.error_page",
            "The address in the result is that of a browser's own error page, so that nothing was loaded.",
            "the address",
            _P,
        ),
        Rule(
            "payload.other_page",
            "The address in the result is of a page in between, such as a sign-in, which would lead on to the one"
            " that was asked for.",
            "the address",
            _P,
        ),
        Rule(
            "payload.stopped_early",
            "The run that the tool stands for was stopped at its limit of turns or steps, or by an error.",
            "the reason and what it says",
            _P,
        ),
        Rule(
            "payload.exit_code", "The program that the tool ran ended with an exit code other than 0.", "the code", _P
        ),
        Rule("payload.items_failed", "Of the batch that was asked for, nothing succeeded.", "a counter or an item", _P),
        Rule(
            "payload.warned_empty",
            "The result is empty, and a warning beside it says that a source did not answer or refused.",
            "the warning",
            _P,
        ),
        Rule("payload.success", "The result says of itself that it succeeded.", "the flag or status", _C),
        Rule(
            "text.says_nothing",
            "The whole result says that something failed and nothing else, as a mask over an exception does.",
            "the text",
            _P,
        ),
        Rule(
            "text.tool_named",
            "The whole result says of the call's own tool that it failed, or that no such tool is known.",
            "the words that name the tool",
            _P,
        ),
        Rule(
            "text.limit_reached",
            "The whole result says that the run's own limit of calls, steps or turns is reached, and nothing else.",
            "the text",
            _P,
        ),
        Rule("text.timed_out", "The whole result says that time ran out, and nothing else.", "the text", _P),
        Rule("text.error_mark", "The whole result is a text that begins with an error mark.", "the mark", _P),
        Rule(
            "text.masking",
            "The whole result is a sentence that a framework puts in the place of a tool's exception.",
            "framework and version",
            _C,
        ),
        Rule(
            "text.status_line", "The whole result is an HTTP status line or a client library's error.", "the line", _P
        ),
        Rule(
            "text.validator",
            "The whole result is a validator's sentence about an argument that the call lacks or that was refused.",
            "the sentence; the argument it names fits the call",
            _P,
        ),
        Rule(
            "text.could_not",
            "The whole result is a short text that begins by saying that what was asked for could not be done.",
            "the first words",
            _S,
        ),
        Rule(
            "text.runtime_message",
            "The whole result is the message of an exception, in the form that a language's runtime gives it.",
            "the message",
            _P,
        ),
        Rule("text.xml_error", "The result is an XML error document or a SOAP fault.", "its root element and code", _P),
        Rule("text.status_word", "The whole result is one word for a failure.", "the word", _P),
        Rule("text.exit_code", "The text ends with the exit code of a program that failed.", "the last line", _P),
        Rule("text.html_error_page", "The result is an HTML error page (a gateway's, a server's).", "its title", _P),
        Rule("text.html_sign_in", "The result is a sign-in page where data was due.", "its title", _P),
        Rule("text.html_page", "The result is an HTML page where data was due.", "its title", _S),
    )
}
"""The payload rules in the order in which they are asked."""
