"""What the adapters share: the sentence for a missing framework, how a user writes a policy, MCP's result shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from telltale._budget import Budget, default_budget
from telltale._call import Policy
from telltale._envelope import Envelope, is_error, ok, read
from telltale._mapper import Failure, Mapper, default_mapper
from telltale._resilience import CircuitBreaker, Retry
from telltale._result import failed_text, failure_in

_TEXT_CAP = 64 * 1024


def needs(framework: str, extra: str, missing: ModuleNotFoundError) -> ModuleNotFoundError:
    """The one sentence that an adapter fails with where its framework is absent."""
    return ModuleNotFoundError(
        f"telltale.{extra.replace('-', '_')} needs {framework}: pip install 'telltale-otel[{extra}]' "
        f"({missing.name} is not installed)",
        name=missing.name,
    )


class PolicyOptions(TypedDict, total=False):
    """The keyword arguments that every adapter takes; they mean what they mean for `guard`."""

    budget: Budget | int | None
    retry: Retry | None
    breaker: CircuitBreaker | None
    mapper: Mapper
    fatal: type[BaseException] | tuple[type[BaseException], ...]


def as_budget(budget: Budget | int | None) -> Budget | None:
    """A budget from what a user may write: a number of failures in a row, a Budget, or None for none.

    Raises:
        TypeError: it is True or False.
        ValueError: the number is below 1.
    """
    if isinstance(budget, bool):
        raise TypeError("budget is a number, a Budget or None")
    return Budget(budget, default_budget.store) if isinstance(budget, int) else budget


def policy_of(options: PolicyOptions) -> Policy:
    """The policy that the options describe; the library's defaults for what is left out."""
    fatal = options.get("fatal", ())
    return Policy(
        budget=as_budget(options.get("budget", default_budget)),
        retry=options.get("retry"),
        breaker=options.get("breaker"),
        mapper=options.get("mapper", default_mapper),
        fatal=fatal if isinstance(fatal, tuple) else (fatal,),
    )


def mcp_answer(result: Mapping[str, Any]) -> Envelope | Failure | None:
    """What a dumped MCP CallToolResult says: an envelope, a failure, or None where the value is no such result.

    A server that speaks the contract is passed on as it is; `isError` without an envelope becomes a failure, its code
    from the text; a good result stays whole under `output`.
    """
    is_failed = result.get("isError", result.get("is_error"))
    if not isinstance(is_failed, bool) or not isinstance(result.get("content"), list):
        return None
    structured = result.get("structuredContent", result.get("structured_content"))
    text = text_of(result["content"])
    spoken = (structured, _json_of(text))
    for value in spoken:
        envelope = read(value)
        if envelope is not None and (is_error(envelope) or not is_failed):
            return envelope
    if not is_failed:
        return ok(dict(result))
    return failure_in(spoken[0]) or failure_in(spoken[1]) or failed_text(text, "mcp isError")


def text_of(blocks: list[Any]) -> str:
    """The text that MCP content blocks show, dumped or as objects, its first 64 KiB."""
    parts = [block.get("text") if isinstance(block, Mapping) else getattr(block, "text", None) for block in blocks[:64]]
    return "\n".join(part for part in parts if isinstance(part, str))[:_TEXT_CAP]


def _json_of(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
