"""The span of one tool call: opened under whatever is current, or the framework's own span enriched instead."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry import metrics, trace
from opentelemetry.trace import Span, Status, StatusCode

from telltale import _leaks, names
from telltale._budget import Spending
from telltale._config import Config, get_config
from telltale._envelope import Dialect, Envelope, is_error
from telltale._identity import Identity
from telltale._jsonify import to_json
from telltale._mapper import Failure

_STACK_CAP = 16 * 1024
_MESSAGE_CAP = 4 * 1024


class _Instruments:
    """Tracer and metric instruments of the providers in force; made anew when a provider is replaced."""

    __slots__ = ("calls", "duration", "exhausted", "meter_provider", "tracer", "tracer_provider")

    def __init__(self, tracer_provider: Any, meter_provider: Any) -> None:
        self.tracer_provider = tracer_provider
        self.meter_provider = meter_provider
        self.tracer = tracer_provider.get_tracer(names.SCOPE)
        meter = meter_provider.get_meter(names.SCOPE)
        self.calls = meter.create_counter(names.METRIC_CALLS, unit="{call}", description="Tool calls")
        self.duration = meter.create_histogram(names.METRIC_DURATION, unit="s", description="Duration of tool calls")
        self.exhausted = meter.create_counter(
            names.METRIC_EXHAUSTED, unit="{call}", description="Tool calls that spent their failure budget"
        )


_made: _Instruments | None = None


def instruments(config: Config) -> _Instruments:
    """The instruments for the providers that the app has now; OpenTelemetry's global ones unless configured."""
    global _made  # noqa: PLW0603 - a cache of one
    tracer_provider = config.tracer_provider or trace.get_tracer_provider()
    meter_provider = config.meter_provider or metrics.get_meter_provider()
    made = _made
    if made is None or made.tracer_provider is not tracer_provider or made.meter_provider is not meter_provider:
        made = _made = _Instruments(tracer_provider, meter_provider)
    return made


class ToolSpan:
    """One call's span. `enriched` tells that it is the framework's, which the framework also ends."""

    __slots__ = ("_config", "_made", "_started", "_token", "_tool", "enriched", "span")

    def __init__(
        self,
        tool: str,
        arguments: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None,
        identity: Identity,
        call_id: str | None,
        within: Span | None = None,
    ) -> None:
        """Open the span, or find the framework's own.

        Args:
            tool: its name.
            arguments: of the call, or how to get them.
            identity: whose call it is.
            call_id: the model's id of the call.
            within: the span of a call of ours that this one is made in; never taken for this one's own.
        """
        self._config = config = get_config()
        self._tool = tool
        self._made = instruments(config)
        self._token: Any = None
        self._started = time.perf_counter()
        current = trace.get_current_span()
        self.enriched = current is not within and _is_span_of(current, tool)
        attributes: dict[str, Any] = {}
        if call_id:
            attributes[names.TOOL_CALL_ID] = call_id
        if identity.session:
            attributes[names.CONVERSATION_ID] = identity.session
        if identity.agent:
            attributes[names.AGENT_NAME] = identity.agent
        if identity.user:
            attributes[names.USER_ID] = identity.user
        if self.enriched:
            self.span = current
            current.set_attributes(attributes)
        else:
            attributes[names.OPERATION_NAME] = names.EXECUTE_TOOL
            attributes[names.TOOL_NAME] = tool
            self.span = self._made.tracer.start_span(f"{names.EXECUTE_TOOL} {tool}", attributes=attributes)
        if not self.span.is_recording():
            return
        if arguments is not None and config.capture_content:
            plain = arguments() if callable(arguments) else arguments
            self.span.set_attribute(names.TOOL_ARGUMENTS, _leaks.redact(to_json(plain, config.content_cap)[0]))

    def attach(self) -> None:
        """Make the span current; a framework's own already is."""
        if not self.enriched:
            self._token = otel_context.attach(trace.set_span_in_context(self.span))

    def detach(self) -> None:
        """Undo `attach`."""
        token, self._token = self._token, None
        if token is not None:
            otel_context.detach(token)

    def exception(self, exc: BaseException) -> None:
        """Put an exception's whole detail on the span, redacted, for the engineer; the model never sees it."""
        if not self.span.is_recording():
            return
        kind = type(exc)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        stack = "".join(traceback.format_exception(exc, limit=-50))[-_STACK_CAP:]
        self.span.add_event(
            names.EXCEPTION_EVENT,
            {
                names.EXCEPTION_TYPE: name,
                names.EXCEPTION_MESSAGE: _leaks.redact(str(exc)[:_MESSAGE_CAP]),
                names.EXCEPTION_STACKTRACE: _leaks.redact(stack),
            },
        )

    def answered(
        self, envelope: Envelope, failure: Failure | None, spending: Spending | None, repeats: int, dialect: Dialect
    ) -> None:
        """Write what the model was given, and end the span unless it is the framework's."""
        span = self.span
        code = envelope["error"]["code"] if is_error(envelope) else None
        if span.is_recording():
            self._write_result(envelope, dialect)
            if repeats:
                span.set_attribute(names.RETRIES, repeats)
            if code is not None:
                self._write_error(envelope["error"], failure, spending)
        self._measure(code, spending)
        if not self.enriched:
            span.end()

    def abandoned(self, exc: BaseException, failed: bool) -> None:
        """The call was left by an exception that passes through: control flow (no status) or a fatal one."""
        if failed:
            self.exception(exc)
            self.span.set_attribute(names.ERROR_TYPE, type(exc).__qualname__)
            self.span.set_status(Status(StatusCode.ERROR))
        if not self.enriched:
            self.span.end()

    def _write_result(self, envelope: Envelope, dialect: Dialect) -> None:
        if self._config.capture_content:
            text, cut = to_json(envelope, self._config.content_cap)
            self.span.set_attribute(names.TOOL_RESULT, _leaks.redact(text))
            if cut:
                self.span.set_attribute(names.RESULT_TRUNCATED, True)
        self.span.set_attribute(names.DIALECT, dialect.value)

    def _write_error(self, body: Mapping[str, Any], failure: Failure | None, spending: Spending | None) -> None:
        span = self.span
        given = {
            names.ERROR_TYPE: body["code"],
            names.ERROR_CODE: body["code"],
            names.ERROR_ACTION: body.get("action"),
            names.ERROR_RETRYABLE: body["retryable"],
            names.ERROR_FIELD: body.get("field"),
            names.RETRY_AFTER_S: body.get("retry_after_seconds"),
        }
        if failure is not None:
            given |= {names.ERROR_REF: failure.ref, names.MAPPED_FROM: failure.mapped_from[:200]}
        if spending is not None:
            given |= {
                names.BUDGET_LIMIT: spending.limit,
                names.BUDGET_USED: spending.used,
                names.BUDGET_EXHAUSTED: spending.exhausted,
            }
        for name, value in given.items():
            if value is not None:
                span.set_attribute(name, value)
        span.set_status(Status(StatusCode.ERROR, f"{body['code']}: {body['message']}"))

    def _measure(self, code: str | None, spending: Spending | None) -> None:
        attributes = {names.TOOL_NAME: self._tool}
        if code is not None:
            attributes[names.ERROR_TYPE] = code
        self._made.calls.add(1, attributes)
        self._made.duration.record(time.perf_counter() - self._started, attributes)
        if spending is not None and spending.exhausted:
            self._made.exhausted.add(1, {names.TOOL_NAME: self._tool})


def _is_span_of(span: Span, tool: str) -> bool:
    """Whether a framework already opened a span for this very tool call, by its attributes or, where those come only
    at its end (ADK), by its name.
    """
    attributes = getattr(span, "attributes", None)
    if attributes is None or not span.is_recording():
        return False
    operation = attributes.get(names.OPERATION_NAME)
    if operation is not None and operation != names.EXECUTE_TOOL:
        return False
    known = attributes.get(names.TOOL_NAME) or attributes.get("tool.name") or attributes.get("traceloop.entity.name")
    if known is not None:
        return bool(known == tool)
    return getattr(span, "name", None) in (f"{names.EXECUTE_TOOL} {tool}", f"{tool}.tool")
