"""What frameworks read off a function: kept, except a return annotation that would no longer be true."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_origin

_TRUE_RETURNS = ("dict", "Dict", "Mapping", "MutableMapping", "Any", "Envelope", "object", "None")
_FRAMEWORKS = frozenset(
    {"google", "mcp", "fastmcp", "langchain", "langchain_core", "langgraph", "agents", "pydantic_ai", "crewai"}
)


def dress(guarded: Callable[..., Any], fn: Callable[..., Any]) -> None:
    """Give a guarded function the name, docstring, signature and annotations of the function inside.

    A return annotation that is no mapping (`-> list[str]`) becomes `dict[str, Any]`: an envelope is what comes back,
    and frameworks that validate results by the annotation (FastMCP) would refuse it otherwise.
    """
    functools.update_wrapper(guarded, fn)
    try:
        signature = inspect.signature(fn)
    except (ValueError, TypeError):  # a builtin without one
        return
    if _is_mapping(signature.return_annotation) or inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        return
    annotations = dict(getattr(fn, "__annotations__", {}))
    annotations["return"] = dict[str, Any]
    guarded.__annotations__ = annotations
    guarded.__signature__ = signature.replace(return_annotation=dict[str, Any])  # type: ignore[attr-defined]


def _is_mapping(annotation: Any) -> bool:
    if annotation is inspect.Signature.empty or annotation is Any or annotation is None:
        return True
    if isinstance(annotation, str):
        return annotation.strip("'\" ").partition("[")[0].rpartition(".")[2] in _TRUE_RETURNS
    kind = get_origin(annotation) or annotation
    return isinstance(kind, type) and (issubclass(kind, Mapping) or kind is object or kind is type(None))


def positional_names(fn: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters that may be given by position."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (ValueError, TypeError):
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in kinds)


def arguments_of(names: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """A call's arguments by name, without `self` and without the contexts that frameworks inject."""
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names):
        given["*args"] = list(args[len(names) :])
    given.update(kwargs)
    first = names[0] if names else None
    if first in ("self", "cls"):
        given.pop(first, None)
    return {name: value for name, value in given.items() if _root(value) not in _FRAMEWORKS}


def _root(value: object) -> str:
    return type(value).__module__.partition(".")[0]
