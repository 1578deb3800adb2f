"""The conventions that the service understands, in order of preference, and what they say of a span together."""

from __future__ import annotations

from analytics.conventions.adk import ADK
from analytics.conventions.agentops import AGENTOPS
from analytics.conventions.ai_sdk import AI_SDK, AI_SDK_7
from analytics.conventions.beeai import BEEAI
from analytics.conventions.claude_agent_sdk import CLAUDE_AGENT_SDK
from analytics.conventions.claude_code import CLAUDE_CODE
from analytics.conventions.convention import Convention
from analytics.conventions.dspy import DSPY
from analytics.conventions.effect import EFFECT
from analytics.conventions.gemini_cli import GEMINI_CLI
from analytics.conventions.genai import AGENT_FRAMEWORK, AUTOGEN, GENAI, OPENAI_AGENTS_CONTRIB, TELLTALE
from analytics.conventions.genkit import GENKIT
from analytics.conventions.haystack import HAYSTACK
from analytics.conventions.laminar import LAMINAR
from analytics.conventions.langfuse import LANGFUSE
from analytics.conventions.langsmith import LANGSMITH
from analytics.conventions.langwatch import LANGWATCH
from analytics.conventions.livekit import LIVEKIT
from analytics.conventions.llamaindex import LLAMAINDEX, LLAMAINDEX_TRACELOOP
from analytics.conventions.logfire import LOGFIRE
from analytics.conventions.mastra import MASTRA
from analytics.conventions.mcp import MCP
from analytics.conventions.mlflow import MLFLOW
from analytics.conventions.monocle import MONOCLE
from analytics.conventions.openinference import OPENINFERENCE, SMOLAGENTS
from analytics.conventions.openlit import OPENLIT, OPENLIT_MCP
from analytics.conventions.pydantic_ai import PYDANTIC_AI
from analytics.conventions.respan import RESPAN
from analytics.conventions.semantic_kernel import SEMANTIC_KERNEL
from analytics.conventions.spring_ai import SPRING_AI
from analytics.conventions.strands import STRANDS
from analytics.conventions.traceai import TRACEAI
from analytics.conventions.traceloop import TRACELOOP, TRACELOOP_AGNO, TRACELOOP_MCP
from analytics.conventions.voltagent import VOLTAGENT

ALL: tuple[Convention, ...] = (
    GENAI,
    ADK,
    PYDANTIC_AI,
    AI_SDK,
    SPRING_AI,
    HAYSTACK,
    LANGSMITH,
    LANGFUSE,
    LANGWATCH,
    LAMINAR,
    MLFLOW,
    GENKIT,
    LIVEKIT,
    MASTRA,
    LOGFIRE,
    VOLTAGENT,
    AGENTOPS,
    MONOCLE,
    GEMINI_CLI,
    EFFECT,
    TRACEAI,
    RESPAN,
    CLAUDE_CODE,
    LLAMAINDEX,
    LLAMAINDEX_TRACELOOP,
    OPENINFERENCE,
    TRACELOOP_AGNO,
    TRACELOOP,
    MCP,
    TELLTALE,
    STRANDS,
    AUTOGEN,
    AGENT_FRAMEWORK,
    SEMANTIC_KERNEL,
    OPENLIT,
    OPENLIT_MCP,
    SMOLAGENTS,
    CLAUDE_AGENT_SDK,
    DSPY,
    BEEAI,
    TRACELOOP_MCP,
    OPENAI_AGENTS_CONTRIB,
    AI_SDK_7,
)
"""Every convention; where two name the same value on one span, the earlier is read first."""

__all__ = ["ALL", "Convention"]
