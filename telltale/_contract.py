"""The contract as data: schemas, codes, actions; what `telltale contract` prints and what tests hold tools against."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from telltale._envelope import Dialect, http_status
from telltale._words import ACTIONS, MEANINGS
from telltale.vocabulary import ACTION_OF, MESSAGE_CAP, NOT_RETRYABLE, Action, Code


def schema(dialect: Dialect | str = Dialect.ENVELOPE) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a dialect, as published in the package under `telltale/schemas/`.

    Raises:
        ValueError: there is no such dialect.
    """
    text = (Path(__file__).parent / "schemas" / f"{Dialect(dialect).value}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def contract() -> dict[str, Any]:
    """The whole contract as plain JSON data."""
    return {
        "message_cap": MESSAGE_CAP,
        "codes": [
            {
                "code": code.value,
                "meaning": MEANINGS[code],
                "action": ACTION_OF[code].value,
                "retryable": code not in NOT_RETRYABLE,
                "http_status": http_status(code),
            }
            for code in Code
        ],
        "actions": [{"action": action.value, "sentence": ACTIONS[action]} for action in Action],
        "schemas": {dialect.value: schema(dialect) for dialect in Dialect},
    }
