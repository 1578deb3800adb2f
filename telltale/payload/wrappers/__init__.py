"""What protocols, frameworks and encodings put around a tool's value, and how it is taken off."""

from __future__ import annotations

from telltale.payload.wrappers.decode import decode, too_deep, uncollected
from telltale.payload.wrappers.unwrap import unwrap
from telltale.payload.wrappers.unwrapped import MAX_DEPTH, MAX_LAYERS, MAX_READ, Unwrapped

__all__ = ["MAX_DEPTH", "MAX_LAYERS", "MAX_READ", "Unwrapped", "decode", "too_deep", "uncollected", "unwrap"]
