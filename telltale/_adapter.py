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
        TypeError: it is anything else, True and False included.
        ValueError: the number is below 1.
    """
    if budget is None or isinstance(budget, Budget):
        return budget
    if isinstance(budget, bool) or not isinstance(budget, int):
        raise TypeError(f"budget takes a number, a Budget or None, not {shown(budget)}")
    return Budget(budget, default_budget.store)


def policy_of(options: PolicyOptions) -> Policy:
    """The policy that the options describe; the library's defaults for what is left out.

    Raises:
        TypeError: there is no such option, or it does not take a value of this kind. Checked here, once, so that no
            call finds out.
        ValueError: the budget is below 1.
    """
    for name in options:
        if name not in PolicyOptions.__annotations__:
            raise TypeError(f"{name} is no option; there are {', '.join(PolicyOptions.__annotations__)}")
    return Policy(
        budget=as_budget(options.get("budget", default_budget)),
        retry=_of_kind("retry", options.get("retry"), Retry, "a Retry or None"),
        breaker=_of_kind("breaker", options.get("breaker"), CircuitBreaker, "a CircuitBreaker or None"),
        mapper=_of_kind("mapper", options.get("mapper", default_mapper), Mapper, "a Mapper", none=False),
        fatal=_fatal(options.get("fatal", ())),
    )


def shown(value: object) -> str:
    """A wrong value in the sentence that refuses it; a repr of the app's own may be long, or raise."""
    return repr(value)[:60] if isinstance(value, str | int | float | None) else f"a {type(value).__qualname__}"


def _of_kind(name: str, value: Any, kind: type[Any], takes: str, *, none: bool = True) -> Any:
    if isinstance(value, kind) or (none and value is None):
        return value
    written = f", such as {name}={kind.__name__}()" if value is kind or isinstance(value, int) else ""
    raise TypeError(f"{name} takes {takes}{written}, not {shown(value)}")


def _fatal(value: Any) -> tuple[type[BaseException], ...]:
    classes = value if isinstance(value, tuple) else (value,)
    for each in classes:
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            raise TypeError(f"fatal takes an exception class or a tuple of them, not {shown(each)}")
    return classes


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
