"""A call that does not fit the tool's parameters: the model's mistake, told apart from a bug inside the tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any


class ArgumentsError(TypeError):
    """The arguments do not fit the tool's parameters; its body never ran.

    Args:
        problems: what is wrong, the first one first: the parameter's name (None where it has none) and the kind, in
            the words of pydantic-core's list of validation errors (`missing_argument`).
    """

    def __init__(self, problems: list[tuple[str | None, str]]) -> None:
        super().__init__("the arguments do not fit the tool's parameters")
        self.problems = problems


def arguments_error(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], exc: TypeError
) -> ArgumentsError | None:
    """What a TypeError that left `fn(*args, **kwargs)` says of the arguments; None where it came from a body.

    Two things must hold. The arguments do not bind to the signature. And no body was entered: the caller's frame is
    the last of the traceback, or, beneath a decorator's frames, Python's own words name the function inside.

    Args:
        fn: what was called, in a frame where `exc` is being handled.
        args: by position.
        kwargs: by name.
        exc: what came of it.
    """
    if type(exc) is not TypeError or exc.__traceback__ is None:
        return None
    try:
        signature = inspect.signature(fn)
    except (ValueError, TypeError):  # a builtin without one
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        text = str(exc)
        inner = getattr(inspect.unwrap(fn), "__qualname__", None)
        if exc.__traceback__.tb_next is not None and not (inner and text.startswith(f"{inner}() ")):
            return None
        problems = [*_problems(signature, args, kwargs)] or [(None, "unexpected_positional_argument")]
        return ArgumentsError(sorted(problems, key=lambda problem: f"'{problem[0]}'" not in text))
    return None


def _problems(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[tuple[str | None, str]]:
    """Arguments given twice, those that are missing, those that nobody takes."""
    parameters = signature.parameters.values()
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    filled = positional[: len(args)]
    yield from ((name, "multiple_argument_values") for name in filled if name in kwargs and name in by_name)
    for parameter in parameters:
        given = parameter.name in filled or (parameter.name in kwargs and parameter.name in by_name)
        named = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if named and not given and parameter.default is parameter.empty:
            yield parameter.name, "missing_argument"
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        yield from ((name, "unexpected_keyword_argument") for name in kwargs if name not in by_name)
