"""Options that `guard` and the adapters cannot use are refused where the tool is decorated, never in a call."""

from __future__ import annotations

from typing import Any

import pytest

from telltale import Budget, CircuitBreaker, Mapper, Retry, guard
from telltale._adapter import policy_of

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"budget": "x"}, "budget takes a number, a Budget or None, not 'x'"),
    ({"budget": True}, "budget takes a number, a Budget or None, not True"),
    ({"budget": 2.5}, "budget takes a number, a Budget or None, not 2.5"),
    ({"budget": Budget}, "budget takes a number, a Budget or None, not a type"),
    ({"retry": 3}, r"retry takes a Retry or None, such as retry=Retry\(\), not 3"),
    ({"retry": Retry}, r"retry takes a Retry or None, such as retry=Retry\(\), not a type"),
    ({"breaker": True}, r"breaker takes a CircuitBreaker or None, such as breaker=CircuitBreaker\(\), not True"),
    ({"mapper": None}, "mapper takes a Mapper, not None"),
    ({"mapper": lambda exc: None}, "mapper takes a Mapper, not a function"),
    ({"fatal": "X"}, "fatal takes an exception class or a tuple of them, not 'X'"),
    ({"fatal": KeyError("x")}, "fatal takes an exception class or a tuple of them, not a KeyError"),
    ({"fatal": (KeyError, int)}, "fatal takes an exception class or a tuple of them, not a type"),
    ({"fatal": None}, "fatal takes an exception class or a tuple of them, not None"),
]


@pytest.mark.parametrize(("option", "sentence"), WRONG)
def test_an_option_of_the_wrong_kind_is_refused_at_decoration(option: dict[str, Any], sentence: str) -> None:
    """The sentence names the option and what it takes; all forms of guarding refuse alike."""
    forms: Any = guard
    for decorate in (lambda: forms(len, **option), lambda: forms("book", **option), lambda: policy_of(option)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=f"^{sentence}$"):
            decorate()


@pytest.mark.parametrize("wrong", [5, None, [len], object()])
def test_what_cannot_be_called_is_refused(wrong: Any) -> None:
    """There is no tool that could only answer INTERNAL."""
    forms: Any = guard
    with pytest.raises(TypeError, match=r"^guard takes a function or the tool's name, not "):
        forms(budget=1)(wrong)
    if wrong is not None:
        with pytest.raises(TypeError, match=r"^guard takes a function or the tool's name, not "):
            forms(wrong)


def test_arguments_of_a_block_are_a_mapping() -> None:
    """Refused before the block, not swallowed in it."""
    forms: Any = guard
    with pytest.raises(TypeError, match=r"^arguments takes a mapping or None, not 5$"):
        forms("book", arguments=5)


def test_an_unknown_option_of_an_adapter_is_refused() -> None:
    """A misspelt option does not silently do nothing."""
    given: Any = {"retries": Retry()}
    with pytest.raises(TypeError, match=r"^retries is no option; there are budget, retry, breaker, mapper, fatal$"):
        policy_of(given)


@pytest.mark.parametrize("limit", ["3", 1.5, True, None])
def test_a_limit_is_a_whole_number(limit: Any) -> None:
    """As for `budget=`."""
    with pytest.raises(TypeError, match="whole number"):
        Budget(limit)


def test_what_fits_is_taken() -> None:
    """The kinds that the documentation names, their subclasses included."""

    class Own(Mapper):
        """An app's own."""

    tool = guard(
        "t", budget=3, retry=Retry(), breaker=CircuitBreaker(), mapper=Own(), fatal=(KeyError, KeyboardInterrupt)
    )(lambda: 1)
    assert tool() == {"status": "ok", "output": 1}
    assert guard("t", budget=None, retry=None, breaker=None, fatal=KeyError)(lambda: 1)()["status"] == "ok"
