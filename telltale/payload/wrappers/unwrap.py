"""Takes every known wrapper and encoding off a recorded tool result, down to the value that the tool returned.

    >>> unwrap('{"content": [{"type": "text", "text": "{\\\\"ok\\\\": true}"}], "isError": false}').value
    {'ok': True}

`unwrap(sent: object) -> Unwrapped` takes the attribute as sent (text, bytes, or an already structured value). It is
pure, never raises, runs in time linear in the size of `sent`, and never evaluates code. What protocols and frameworks
say of the call on their wrappers (`isError`, a ToolMessage's `status`) is not part of the tool's value: it is handed
back as `marks`.
"""

from __future__ import annotations

from telltale.payload.wrappers.blocks import peel_blocks
from telltale.payload.wrappers.decode import peel_text, too_deep
from telltale.payload.wrappers.objects import peel_object
from telltale.payload.wrappers.unwrapped import MAX_LAYERS, MAX_READ, Unwrapped

_DECODED = frozenset({"json", "python", "quoted"})
"""Layers that came from a text, below which nothing nests deeper than a decoded value may."""


def unwrap(sent: object) -> Unwrapped:
    """Unwrap one recorded result (or one recorded set of arguments); see the module's text."""
    if isinstance(sent, bytes | bytearray):
        sent = bytes(sent).decode("utf-8", "replace")
    if isinstance(sent, str) and len(sent) > MAX_READ:
        return Unwrapped(sent[:MAX_READ], cut=True)
    found = Unwrapped(sent)
    for _ in range(MAX_LAYERS):
        value = found.value
        if isinstance(value, str):
            if not peel_text(value, found):
                break
        elif isinstance(value, dict):
            if not peel_object(value, found):
                break
        elif not isinstance(value, list) or not peel_blocks(value, found):
            break
    if not isinstance(sent, str) and _DECODED.isdisjoint(found.wrappers) and too_deep(found.value):
        found.value = "(nested too deep)"
    return found
