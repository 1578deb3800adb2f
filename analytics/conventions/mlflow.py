"""MLflow Tracing over OTLP: `mlflow.spanType`; in some exports every value is a JSON text, quotes included.

Its tracing of DSPy names a tool's span `Tool.X`, with `X` as the attribute `name`; elsewhere the span's name is the
tool's. That of Pydantic AI has two more spans of a tool's kind: an MCP server's list, which is no call, and the
request to that server, inside the call.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, text, whole_name
from analytics.spans import Span

_KINDS = {
    "tool": Kind.TOOL,
    "llm": Kind.MODEL,
    "chat_model": Kind.MODEL,
    "embedding": Kind.MODEL,
    "agent": Kind.AGENT,
    "chain": Kind.STEP,
}
_MCP_REQUEST = "MCPToolset.direct_call_tool"


def _tool(span: Span) -> str | None:
    name = text(span.attributes.get("name"))
    return name if name is not None and span.name == f"Tool.{name}" else whole_name(span)


MLFLOW = Convention(
    name="mlflow",
    kinds={"mlflow.spanType": _KINDS | {f'"{word}"': kind for word, kind in _KINDS.items()}},
    tool_of=_tool,
    call_id=("tool_call_id",),
    arguments=("mlflow.spanInputs",),
    result=("mlflow.spanOutputs",),
    skip=frozenset({"MCPToolset.list_tools", _MCP_REQUEST}),
    parts=(_MCP_REQUEST,),
    session=("mlflow.trace.session",),
    user=("mlflow.trace.user",),
    model=("mlflow.llm.model",),
    messages_in=("mlflow.spanInputs",),
    messages_out=("mlflow.spanOutputs",),
    switches={"session": "mlflow.update_current_trace(metadata={'mlflow.trace.session': …, 'mlflow.trace.user': …})"},
)
