"""Results that fight back: circles, shared parts, classes whose methods raise, half characters, far too much."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from telltale._jsonify import to_json

SHAPES = {
    "a circle entered twice": "x = {}; x['a'] = x; x['b'] = [x, x]",
    "children that know their parent": (
        "x = {'name': 'root', 'children': []}\n"
        "x['children'] += [{'parent': x, 'siblings': x['children']} for _ in range(3)]"
    ),
    "lists that hold the next one twice": "x = 'end'\nfor _ in range(100): x = [x, x]",
    "dicts that hold the next one twice": "x = 'end'\nfor _ in range(100): x = {'l': x, 'r': x}",
    "tuples that hold the next one twice": "x = ()\nfor _ in range(100): x = (x, x)",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_small_in_memory_and_endless_as_a_tree_ends(shape: str) -> None:
    """The text is bounded and the work too; in a process of its own, since an encoder at work lets nobody interrupt."""
    script = (
        f"{SHAPES[shape]}\nfrom telltale._jsonify import to_json\ntext, cut = to_json(x, 2000)\nprint(len(text), cut)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    length, cut = done.stdout.split()
    assert int(length) <= 2000
    assert cut == "True"


def test_keys_stay_when_their_value_is_cut() -> None:
    """What is cut is the value: the keys around it, which say what it is, stay."""
    text, cut = to_json({"status": "error", "error": {"code": "INTERNAL", "detail": {"trace": "x" * 5000}}}, 1000)
    assert cut
    assert text.startswith('{"status":"error","error":{"code":"INTERNAL","detail":{"trace":"xxx')


class _Mapping(dict[str, Any]):
    """A mapping that cannot be read."""

    def items(self) -> NoReturn:
        """Never."""
        raise RuntimeError("items")


class _List(list[Any]):
    """A list that cannot be walked."""

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("iter")


class _Key:
    """A key without a text."""

    def __str__(self) -> str:
        raise RuntimeError("str")


@pytest.mark.parametrize("value", [_Mapping(a=1), _List([1]), {_Key(): 1}], ids=["mapping", "list", "key"])
def test_a_class_that_raises_is_told_by_its_name(value: object) -> None:
    """What stands beside it is kept, and the text says that something is missing."""
    text, cut = to_json({"before": 1, "it": value, "after": 2}, 1000)
    found = json.loads(text)
    assert (found["before"], found["after"], cut) == (1, 2, True)
    assert found["it"].startswith("<")


@pytest.mark.parametrize("cap", [1000, 40])
def test_half_characters_do_not_keep_a_result_from_being_sent(cap: int) -> None:
    """Half a surrogate pair, as cutting an emoji leaves it, becomes a question mark; the text is UTF-8."""
    text, _ = to_json({"title": "caf\u00e9 \ud83d" + "y" * 50}, cap)
    assert text.encode().decode().startswith('{"title":"caf\u00e9 ?y')
