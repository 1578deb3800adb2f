"""Telltale: one envelope for every tool of an LLM agent, and the spans that say what the tool really returned."""

from __future__ import annotations

from telltale._budget import Budget, BudgetStore, MappingStore, MemoryStore, RedisStore, Spending
from telltale._call import Policy
from telltale._config import Config, configure, get_config, reset_defaults
from telltale._contract import contract, schema
from telltale._envelope import (
    Dialect,
    Envelope,
    ToolError,
    ToolFault,
    error,
    http_status,
    is_error,
    ok,
    read,
    to_dialect,
    untrusted,
)
from telltale._guard import Guard, guard
from telltale._identity import Identity, carry, conversation, current_identity, tool_call
from telltale._instrument import instrument
from telltale._mapper import Failure, Mapper, default_mapper, register_mapping
from telltale._resilience import CircuitBreaker, Retry
from telltale._words import agent_instruction
from telltale.vocabulary import Action, Code

__all__ = [
    "Action",
    "Budget",
    "BudgetStore",
    "CircuitBreaker",
    "Code",
    "Config",
    "Dialect",
    "Envelope",
    "Failure",
    "Guard",
    "Identity",
    "Mapper",
    "MappingStore",
    "MemoryStore",
    "Policy",
    "RedisStore",
    "Retry",
    "Spending",
    "ToolError",
    "ToolFault",
    "agent_instruction",
    "carry",
    "configure",
    "contract",
    "conversation",
    "current_identity",
    "default_mapper",
    "error",
    "get_config",
    "guard",
    "http_status",
    "instrument",
    "is_error",
    "ok",
    "read",
    "register_mapping",
    "reset_defaults",
    "schema",
    "to_dialect",
    "tool_call",
    "untrusted",
]
