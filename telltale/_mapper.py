"""From an exception to what the model may know of it: one `Failure`, whatever library raised.

Families look at class names and attributes, so that nothing heavy is imported. The chain of causes is walked from the
outside in, exception groups are entered, and the first that a family knows decides; what none knows is INTERNAL with a
reference id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from telltale._config import get_config
from telltale._envelope import Envelope, ToolError, error
from telltale.vocabulary import ACTION_OF, Action, Code

_CHAIN_CAP = 12
"""Exceptions looked at in one chain, groups included: a chain can be a circle or a thousand members wide."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in one call, as the library understood it.

    `mapped_from` says what was seen (`http 503`); `message` is for the model, None for the code's own sentence; `ref`
    finds the log record; `certain` is False where nothing was recognised and INTERNAL is only the remainder.
    """

    code: Code
    mapped_from: str
    message: str | None = None
    field: str | None = None
    retry_after_seconds: float | None = None
    quote: str | None = None
    ref: str | None = None
    certain: bool = True

    @property
    def action(self) -> Action:
        """The next step that this failure asks for before any budget is counted."""
        return ACTION_OF[self.code]

    def envelope(self) -> Envelope:
        """The failure as the model is told it."""
        return error(
            self.code,
            self.message,
            field=self.field,
            retry_after_seconds=self.retry_after_seconds,
            ref=self.ref,
            quote=self.quote,
        )


AUTHORED = "ToolError"
"""`mapped_from` of an error that the tool's own author raised on purpose."""

Family: TypeAlias = Callable[[BaseException], Failure | None]
"""One body of knowledge: answers for the exceptions it knows, None for all others. Must not raise; one that does is
passed over."""


class Mapper:
    """An ordered list of families. The app's own come first, then the library's."""

    def __init__(self, *families: Family) -> None:
        self._own: list[Family] = list(families)

    def register(self, family: Family) -> Family:
        """Add a family before all others; usable as a decorator.

        ```python
        @mapper.register
        def calendar(exc):
            if isinstance(exc, CalendarBusy):
                return Failure(Code.CONFLICT, "calendar busy", "That slot was just taken.", field="slot")
        ```
        """
        self._own.insert(0, family)
        return family

    def unregister(self, family: Family) -> None:
        """Take a registered family out again; nothing happens when it is not there."""
        if family in self._own:
            self._own.remove(family)

    def map(self, exc: BaseException) -> Failure:
        """What an exception means. Never raises; INTERNAL always carries a reference id."""
        for seen in chain(exc):
            found = self._ask(seen)
            if found is not None:
                return with_reference(found)
        name = type(exc).__qualname__
        return with_reference(Failure(Code.INTERNAL, f"exception {name}", certain=False))

    def _ask(self, exc: BaseException) -> Failure | None:
        from telltale._families import FAMILIES

        for family in (*self._own, authored, *FAMILIES):
            try:
                found = family(exc)
            except Exception:  # a property of a foreign exception may raise anything
                found = None
            if found is not None:
                return found
        return None


def authored(exc: BaseException) -> Failure | None:
    """A `ToolError`: the tool's own author said what went wrong."""
    if not isinstance(exc, ToolError):
        return None
    return Failure(exc.code, AUTHORED, exc.message, exc.field, exc.retry_after_seconds, exc.quote)


def chain(exc: BaseException) -> Iterator[BaseException]:
    """The exception, what it wraps, and the members of groups, outermost first, each once, at most twelve.

    Looks at `__cause__`, at `__context__` unless suppressed, and at the attributes in which libraries keep the inner
    error: `orig` (SQLAlchemy), `reason` (urllib3, urllib), `original_exception`.
    """
    waiting, met = [exc], set[int]()
    while waiting and len(met) < _CHAIN_CAP:
        current = waiting.pop(0)
        if id(current) in met:
            continue
        met.add(id(current))
        yield current
        inner: list[object] = [current.__cause__]
        if not current.__suppress_context__:
            inner.append(current.__context__)
        if isinstance(current, BaseExceptionGroup):
            inner.extend(current.exceptions[:_CHAIN_CAP])
        inner.extend(current.__dict__.get(name) for name in ("orig", "reason", "original_exception"))
        waiting.extend(found for found in inner if isinstance(found, BaseException))


def reference() -> str:
    """A fresh reference id, as the settings make it."""
    return get_config().new_reference()


def with_reference(failure: Failure) -> Failure:
    """The failure with a reference id where it is INTERNAL and has none."""
    if failure.code is not Code.INTERNAL or failure.ref:
        return failure
    return replace(failure, ref=reference())


default_mapper = Mapper()
"""The mapper that every guard uses unless it is given another."""


def register_mapping(family: Family) -> Family:
    """Teach the default mapper an app's own errors; usable as a decorator. See `Mapper.register`."""
    return default_mapper.register(family)
