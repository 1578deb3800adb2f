"""MLflow Tracing over OTLP: `mlflow.spanType`; in some exports every value is a JSON text, quotes included."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, whole_name

_KINDS = {
    "tool": Kind.TOOL,
    "llm": Kind.MODEL,
    "chat_model": Kind.MODEL,
    "embedding": Kind.MODEL,
    "agent": Kind.AGENT,
    "chain": Kind.STEP,
}

MLFLOW = Convention(
    name="mlflow",
    kinds={"mlflow.spanType": _KINDS | {f'"{word}"': kind for word, kind in _KINDS.items()}},
    tool_of=whole_name,
    call_id=("tool_call_id",),
    arguments=("mlflow.spanInputs",),
    result=("mlflow.spanOutputs",),
    session=("mlflow.trace.session",),
    user=("mlflow.trace.user",),
    model=("mlflow.llm.model",),
    messages_in=("mlflow.spanInputs",),
    messages_out=("mlflow.spanOutputs",),
    switches={"session": "mlflow.update_current_trace(metadata={'mlflow.trace.session': …, 'mlflow.trace.user': …})"},
)
