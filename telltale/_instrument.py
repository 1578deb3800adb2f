"""One line that sends spans: `telltale.instrument(endpoint="http://localhost:4318")`."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from opentelemetry import trace

_log = logging.getLogger("telltale")
_NEEDS = "telltale.instrument needs the OpenTelemetry SDK and exporter: pip install 'telltale-otel[otlp]'"
_UPSTREAM = frozenset(
    {
        "aiohttp-client",
        "asyncpg",
        "botocore",
        "elasticsearch",
        "grpc_client",
        "grpc_aio_client",
        "httpx",
        "mysql",
        "psycopg",
        "psycopg2",
        "pymongo",
        "redis",
        "requests",
        "sqlalchemy",
        "urllib",
        "urllib3",
    }
)
"""OpenTelemetry instrumentations of clients, by entry point: what a tool's upstream answered is evidence."""

_TIMEOUT_SET = frozenset({"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"})
_TIMEOUT_S = 3
"""How long one export may take, retries included: what a dead collector can hold up at the end of the process."""

_sending: dict[str, Any] = {}


def instrument(
    endpoint: str | None = None,
    *,
    service: str | None = None,
    headers: Mapping[str, str] | None = None,
    upstream: bool = True,
) -> None:
    """Send this process's spans to a collector over OTLP, by the app's own OpenTelemetry set-up where there is one.

    A provider that the app installed gets one more exporter; a second provider is never made. Spans are sent by a
    background thread from a bounded queue: a dead, slow or refusing collector costs a call nothing. Calling it again
    with the same endpoint does nothing.

    Args:
        endpoint: `http://host:4318` for OTLP/HTTP, `http://host:4317` or `grpc://…` for OTLP/gRPC. Left out,
            the standard `OTEL_EXPORTER_OTLP_*` variables decide.
        service: `service.name` of a provider that is made here; `OTEL_SERVICE_NAME` where left out.
        headers: sent with every request, such as an ingest token: `{"authorization": "Bearer …"}`.
        upstream: also switch on the OpenTelemetry instrumentations of HTTP, RPC and database clients that are
            installed and not yet on, so that an empty result beside a failing upstream can be told from an honest one.

    Raises:
        ModuleNotFoundError: the extra `[otlp]` is not installed; the message says how.
    """
    key = endpoint or ""
    if key in _sending:
        return
    provider = _provider(service)
    if provider is None:
        return
    try:
        export = importlib.import_module("opentelemetry.sdk.trace.export")
        exporter = _exporter(endpoint, dict(headers or {}))
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"{_NEEDS} ({missing.name} is not installed)") from None
    processor = export.BatchSpanProcessor(exporter)
    provider.add_span_processor(processor)
    _sending[key] = processor
    if upstream:
        _instrument_clients()


def _provider(service: str | None) -> Any:
    """The app's provider; a new one, made global, where the app has none; None where the app's takes no exporter."""
    current = trace.get_tracer_provider()
    if hasattr(current, "add_span_processor"):
        return current
    if not isinstance(current, trace.ProxyTracerProvider):
        _log.error("telltale.instrument: the tracer provider in place takes no exporter; no spans will be sent")
        return None
    try:
        sdk = importlib.import_module("opentelemetry.sdk.trace")
        resources = importlib.import_module("opentelemetry.sdk.resources")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(f"{_NEEDS} ({missing.name} is not installed)") from None
    named = {"service.name": service} if service else {}
    provider = sdk.TracerProvider(resource=resources.Resource.create(named))
    trace.set_tracer_provider(provider)
    return provider


def _exporter(endpoint: str | None, headers: dict[str, str]) -> Any:
    if endpoint is None:
        protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
        over_grpc, target = protocol == "grpc", None
    else:
        parts = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        over_grpc = parts.scheme == "grpc" or parts.port == 4317
        path = parts.path.rstrip("/")
        target = f"{parts.scheme}://{parts.netloc}{path or '/v1/traces'}"
        if over_grpc:
            target = f"{'http' if parts.scheme == 'grpc' else parts.scheme}://{parts.netloc}"
    module = importlib.import_module(
        f"opentelemetry.exporter.otlp.proto.{'grpc' if over_grpc else 'http'}.trace_exporter"
    )
    given = {} if _TIMEOUT_SET & os.environ.keys() else {"timeout": _TIMEOUT_S}
    return module.OTLPSpanExporter(endpoint=target, headers=headers or None, **given)


def _instrument_clients() -> None:
    """Switch on installed client instrumentations. One that fails is left off: a missing span is no reason to stop."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="opentelemetry_instrumentor"):
        if entry.name not in _UPSTREAM:
            continue
        try:
            instrumentor = entry.load()()
            if not instrumentor.is_instrumented_by_opentelemetry:
                instrumentor.instrument()
        except Exception:
            _log.debug("telltale.instrument: %s was not switched on", entry.name, exc_info=True)
