"""Class names along an exception's ancestry: how a family recognises an exception without importing its library."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=512)
def _ancestry(kind: type) -> frozenset[str]:
    names: set[str] = set()
    for ancestor in kind.__mro__:
        root = ancestor.__module__.partition(".")[0]
        names.update((f"{root}.{ancestor.__name__}", f"{ancestor.__module__}.{ancestor.__name__}"))
    return frozenset(names)


def ancestry(exc: BaseException) -> frozenset[str]:
    """`package.Class` and `full.module.Class` of every class that the exception is an instance of."""
    kind: Any = type(exc)  # mypy takes the class for an unhashable
    return _ancestry(kind)


def comes_from(exc: BaseException, *packages: str) -> bool:
    """Whether the exception, or a class it extends, is defined in one of the top-level packages."""
    return any(name.partition(".")[0] in packages for name in ancestry(exc))
