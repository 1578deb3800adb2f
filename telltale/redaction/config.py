"""What a `Redactor` masks, and what it always keeps."""

from __future__ import annotations

from dataclasses import dataclass

from telltale.redaction.patterns import SECRETS, Pattern

STRUCTURE_KEYS = (
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.tool.call.id",
    "gen_ai.conversation.id",
    "gen_ai.agent.*",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.usage.*",
    "session.id",
    "service.*",
    "telemetry.sdk.*",
    "error.type",
    "exception.type",
    "http.*.status_code",
    "http.request.method",
    "rpc.*.status_code",
    "rpc.system",
    "db.system*",
    "server.address",
    "server.port",
    "telltale.*",
    "openinference.span.kind",
    "mcp.method.name",
)
"""Attribute names that the allow-list mode always keeps: they carry structure, never content."""


@dataclass(frozen=True, slots=True)
class RedactionConfig:
    """What is masked, and how the marks are made.

    `key` is the site's secret for the marks: with the same key, equal secrets have equal marks; without one, a random
    key of this process is used. `profiles` choose from the pattern table. `off` names kinds that are left alone (for
    instance `email` or `blob`). `extra_keys` are further key names to mask, `allow` (names or `*` patterns) switches to
    the allow-list mode: the value of every attribute that is neither listed nor structure is masked whole.
    """

    key: bytes = b""
    profiles: frozenset[str] = frozenset({SECRETS})
    off: frozenset[str] = frozenset()
    extra_keys: frozenset[str] = frozenset()
    extra_patterns: tuple[Pattern, ...] = ()
    allow: tuple[str, ...] | None = None
