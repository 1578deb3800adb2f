"""Tools that fail on purpose, for end-to-end tests of an agent: did it stop at the budget?"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def failing_tool(
    *script: Any, like: Callable[..., Any] | None = None, name: str = "book_meeting"
) -> Callable[..., Any]:
    """A function that plays a script of exceptions (classes or objects) and values, with `calls` on it.

    ```python
    tool = failing_tool(ConnectionRefusedError, ConnectionRefusedError, {"id": 1}, like=book_meeting)
    agent = make_agent(tools=[guard(tool)])
    …
    assert len(tool.calls) == 2        # the agent stopped at the budget
    ```

    Args:
        script: what each call does, in order; the last entry for every further call.
        like: the function whose name, docstring and signature frameworks shall see.
        name: of the tool, where there is no `like`.

    Raises:
        ValueError: the script is empty.
    """
    entries = list(script)
    if not entries:
        raise ValueError("a failing tool needs at least one entry in its script")
    calls: list[dict[str, Any]] = []
    signature = inspect.signature(like) if like is not None else None

    def tool(*args: Any, **kwargs: Any) -> Any:
        """A fake tool for tests."""
        positional = {str(number): value for number, value in enumerate(args)} | kwargs
        calls.append(dict(signature.bind_partial(*args, **kwargs).arguments) if signature else positional)
        entry = entries.pop(0) if len(entries) > 1 else entries[0]
        if isinstance(entry, BaseException) or (isinstance(entry, type) and issubclass(entry, BaseException)):
            raise entry
        return entry

    if like is not None:
        functools.update_wrapper(tool, like)
    else:
        tool.__name__ = tool.__qualname__ = name
    tool.calls = calls  # type: ignore[attr-defined]
    return tool
