"""What is wrong with a value, in the words of a settings file instead of a library's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import AfterValidator

_WORDS = {
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be a text",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "list_type": "must be a list of texts",
    "tuple_type": "must be a list of texts",
    "frozen_set_type": "must be a list of texts",
    "path_type": "must be a path",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "missing": "is missing",
}
"""By the type of a pydantic error; braces hold names of its context."""


def like(pattern: str, words: str) -> AfterValidator:
    """A check that a text has a form; `words` say which ("must be …")."""
    form = re.compile(pattern)

    def check(text: str) -> str:
        if not form.fullmatch(text):
            raise ValueError(words)
        return text

    return AfterValidator(check)


def wrong(error: Mapping[str, Any]) -> str:
    """What one error of pydantic says, for the person who wrote the value."""
    words = _WORDS.get(error["type"])
    if words is None:
        said: str = error["msg"]
        return said.removeprefix("Value error, ").replace("Input should be", "must be")
    return words.format_map({name: _plain(bound) for name, bound in error.get("ctx", {}).items()})


def _plain(bound: Any) -> Any:
    """A bound as people write it: 1, not 1.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
