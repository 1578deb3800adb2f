"""Which tools this process has guarded, so that one test can check them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telltale._call import Policy
from telltale._guard import GUARD_ATTRIBUTE, guarded_functions


def registered_tools() -> list[Callable[..., Any]]:
    """The functions that `guard` has decorated so far and that still live, in the order of their names."""
    return sorted(guarded_functions(), key=lambda fn: (fn.__module__, fn.__qualname__))


def guard_of(tool: Any) -> tuple[str, Policy]:
    """Name and policy of a guarded function, or of a guarded tool of one of the adapters.

    Raises:
        TypeError: the tool is not guarded.
    """
    found = getattr(tool, GUARD_ATTRIBUTE, None)
    if found is None:
        policy = getattr(tool, "_policy", None) or getattr(tool, "policy", None)
        name = getattr(tool, "name", None)
        found = (str(name or "tool"), policy) if isinstance(policy, Policy) else None
    if found is None:
        raise TypeError(f"{tool!r} is not guarded: decorate it with telltale.guard or wrap it with an adapter")
    name, policy = found
    return name, policy
