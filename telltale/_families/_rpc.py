"""gRPC status errors and MCP's JSON-RPC errors."""

from __future__ import annotations

from typing import Any

from telltale._families import _google_rpc, _retry_after
from telltale._families._names import ancestry
from telltale._mapper import Failure
from telltale.vocabulary import Code, code_of, code_of_grpc, code_of_json_rpc


def grpc(exc: BaseException) -> Failure | None:
    """`grpc.RpcError` of both stacks: its status code, and RetryInfo from the trailing metadata
    (google/rpc/error_details.proto).
    """
    if "grpc.RpcError" not in ancestry(exc):
        return None
    status: Any = _called(exc, "code")
    number = status.value[0] if hasattr(status, "value") and isinstance(status.value, tuple) else None
    code = code_of_grpc(number) if number is not None else None
    if code is None:
        return None
    trailing = _called(exc, "trailing_metadata")
    return Failure(code, f"grpc {status.name}", retry_after_seconds=_retry_delay(trailing))


def _called(exc: BaseException, name: str) -> object:
    method = getattr(exc, name, None)
    return method() if callable(method) else method


def _retry_delay(trailing: object) -> float | None:
    if not isinstance(trailing, list | tuple) and not hasattr(trailing, "__iter__"):
        return None
    pairs: Any = trailing
    plain: dict[str, object] = {}
    for pair in list(pairs)[:64]:
        key, value = pair[0], pair[1]
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            delay = _google_rpc.retry_delay(value)
            if delay is not None:
                return delay
        plain[key] = value
    pushback = plain.get("grpc-retry-pushback-ms")
    if isinstance(pushback, str) and pushback.isdigit():
        return int(pushback) / 1000
    return _retry_after.from_headers(plain)


def mcp(exc: BaseException) -> Failure | None:
    """`McpError`/`MCPError` of the MCP SDKs: the JSON-RPC number of its error data."""
    names = {name.rpartition(".")[2] for name in ancestry(exc) if name.startswith(("mcp.", "fastmcp."))}
    if not names & {"McpError", "MCPError"}:
        return None
    number = getattr(getattr(exc, "error", None), "code", getattr(exc, "code", None))
    if not isinstance(number, int):
        return None
    code = Code.UNAVAILABLE if number in _MCP_PASSING else code_of_json_rpc(number) or code_of(number)
    return Failure(code or Code.INTERNAL, f"json-rpc {number}")


_MCP_PASSING = frozenset({408, -32000, -32001})
"""The SDK's own numbers for a request timeout (408, -32001) and a closed connection (-32000): both may pass."""
