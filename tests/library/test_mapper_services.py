"""The mapper over protocols and services: gRPC, MCP, clouds, databases; one case a family.

Libraries that are installed here are the real ones; of the others, classes of the same name and module stand in.
"""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from exceptions import code_and_source, httpx_error, mapper, stand_in

from telltale import Code
from telltale._families import _google_rpc

# --- gRPC and MCP ----------------------------------------------------------------------------------------------------


class FakeRpcError(grpc.RpcError):  # type: ignore[misc, unused-ignore]
    """What a stub raises: an RpcError that is also a call."""

    def __init__(self, code: grpc.StatusCode, trailing: Any = ()) -> None:
        self._code, self._trailing = code, trailing

    def code(self) -> grpc.StatusCode:
        """The status."""
        return self._code

    def trailing_metadata(self) -> Any:
        """The trailers."""
        return self._trailing


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        ("NOT_FOUND", "NOT_FOUND"),
        ("ALREADY_EXISTS", "CONFLICT"),
        ("RESOURCE_EXHAUSTED", "RATE_LIMITED"),
        ("UNAVAILABLE", "UNAVAILABLE"),
        ("DEADLINE_EXCEEDED", "UNAVAILABLE"),
        ("UNAUTHENTICATED", "PERMISSION_DENIED"),
        ("INTERNAL", "INTERNAL"),
    ],
)
def test_grpc_status(status: str, code: str) -> None:
    """google/rpc/code.proto."""
    assert code_and_source(FakeRpcError(grpc.StatusCode[status])) == (code, f"grpc {status}")


def test_grpc_retry_info() -> None:
    """RetryInfo out of the trailing status, as a real service encodes it."""
    from google.protobuf import any_pb2, duration_pb2
    from google.rpc import error_details_pb2, status_pb2

    info = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=3, nanos=500_000_000))
    packed = any_pb2.Any()
    packed.Pack(info)
    status = status_pb2.Status(code=14, message="busy", details=[packed])
    trailing = (("other", "x"), ("grpc-status-details-bin", status.SerializeToString()))

    assert mapper.map(FakeRpcError(grpc.StatusCode.UNAVAILABLE, trailing)).retry_after_seconds == 3.5


@pytest.mark.parametrize("junk", [b"", b"\xff" * 40, b"\x1a\xff\xff\xff\xff\x0f", b"\x0b", b"\x1a\x03abc"])
def test_broken_details_are_no_details(junk: bytes) -> None:
    """A service may send anything."""
    assert _google_rpc.retry_delay(junk) is None


def test_grpc_pushback() -> None:
    """gRPC's own retry throttling (grpc-retry-pushback-ms)."""
    trailing = (("grpc-retry-pushback-ms", "2500"),)

    assert mapper.map(FakeRpcError(grpc.StatusCode.UNAVAILABLE, trailing)).retry_after_seconds == 2.5


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (-32602, "INVALID_ARGUMENT"),
        (-32601, "NOT_FOUND"),
        (-32603, "INTERNAL"),
        (-32001, "UNAVAILABLE"),
        (408, "UNAVAILABLE"),
    ],
)
def test_mcp_errors(number: int, code: str) -> None:
    """JSON-RPC numbers of the MCP SDKs, old and new class name."""
    data = type("ErrorData", (), {"code": number})()
    for path in ("mcp.shared.exceptions.McpError", "mcp.shared.exceptions.MCPError"):
        assert code_and_source(stand_in(path, error=data)()) == (code, f"json-rpc {number}")


def test_the_tool_errors_of_frameworks_keep_their_authors_text() -> None:
    """ToolError of MCP and FastMCP, ToolException of LangChain: written for the model, kept after cleaning."""
    for path in (
        "mcp.server.mcpserver.exceptions.ToolError",
        "fastmcp.exceptions.ToolError",
        "langchain_core.tools.base.ToolException",
    ):
        found = mapper.map(stand_in(path)("date must be in the future"))
        assert (found.code, found.message) == (Code.INVALID_ARGUMENT, "date must be in the future")
    leaking = mapper.map(stand_in("fastmcp.exceptions.ToolError")("KeyError: 'x'")).envelope()["error"]["message"]
    assert "KeyError" not in leaking


def test_a_frameworks_wrapping_gives_way_to_its_cause() -> None:
    """`raise ToolError(…) from exc` is the framework speaking; the cause says more."""
    wrapped = stand_in("fastmcp.exceptions.ToolError")("Error calling tool 'x': 503")
    wrapped.__cause__ = httpx_error(503)

    assert code_and_source(wrapped) == ("UNAVAILABLE", "http 503")


def test_an_unknown_tool_is_an_argument() -> None:
    """The model made up a name; it can mend that."""
    assert code_and_source(stand_in("fastmcp.exceptions.NotFoundError")("Unknown tool: 'x'")) == (
        "INVALID_ARGUMENT",
        "unknown tool",
    )


# --- Clouds and databases --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("aws", "status", "code"),
    [
        ("ThrottlingException", 400, "RATE_LIMITED"),
        ("AccessDeniedException", 400, "PERMISSION_DENIED"),
        ("NoSuchKey", 404, "NOT_FOUND"),
        ("ConditionalCheckFailedException", 400, "CONFLICT"),
        ("ValidationException", 400, "INVALID_ARGUMENT"),
        ("ServiceUnavailable", 503, "UNAVAILABLE"),
        ("Whatever", 409, "CONFLICT"),
        ("Whatever", 200, "INTERNAL"),
    ],
)
def test_botocore_client_errors(aws: str, status: int, code: str) -> None:
    """By AWS's own code first, by HTTP status second."""
    response = {
        "Error": {"Code": aws},
        "ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": {"retry-after": "4"}},
    }
    found = mapper.map(stand_in("botocore.exceptions.ClientError", response=response)())

    assert (found.code, found.mapped_from, found.retry_after_seconds) == (code, f"aws {aws}", 4)


def test_botocore_without_an_answer() -> None:
    """Credentials, parameters and lines."""
    core = stand_in("botocore.exceptions.BotoCoreError")
    for name, code in (
        ("NoCredentialsError", "PERMISSION_DENIED"),
        ("ParamValidationError", "INVALID_ARGUMENT"),
        ("EndpointConnectionError", "UNAVAILABLE"),
    ):
        assert code_and_source(stand_in(f"botocore.exceptions.{name}", core)()) == (code, f"aws {name}")


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("08006", "UNAVAILABLE"),
        ("53300", "UNAVAILABLE"),
        ("57014", "UNAVAILABLE"),
        ("40001", "UNAVAILABLE"),
        ("40P01", "UNAVAILABLE"),
        ("23505", "CONFLICT"),
        ("23503", "CONFLICT"),
        ("23502", "INVALID_ARGUMENT"),
        ("22P02", "INVALID_ARGUMENT"),
        ("28P01", "PERMISSION_DENIED"),
        ("42501", "PERMISSION_DENIED"),
        ("42P01", "INTERNAL"),
        ("XX000", "INTERNAL"),
    ],
)
def test_sqlstate_through_each_driver(state: str, code: str) -> None:
    """psycopg and asyncpg say `sqlstate`, psycopg2 says `pgcode`, SQLAlchemy keeps the driver's error."""
    for path, name in (
        ("psycopg.errors.X", "sqlstate"),
        ("asyncpg.exceptions.X", "sqlstate"),
        ("psycopg2.errors.X", "pgcode"),
    ):
        inner = stand_in(path, **{name: state})()
        outer = stand_in("sqlalchemy.exc.DBAPIError", orig=inner)()
        assert code_and_source(inner) == (code, f"sqlstate {state}")
        assert code_and_source(outer) == (code, f"sqlstate {state}")


def test_drivers_without_a_sqlstate() -> None:
    """A lost connection has none."""
    for path in ("psycopg.OperationalError", "psycopg_pool.PoolTimeout", "asyncpg.exceptions.InterfaceError"):
        assert code_and_source(stand_in(path)())[0] == "UNAVAILABLE"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("OperationalError", "UNAVAILABLE"),
        ("TimeoutError", "UNAVAILABLE"),
        ("IntegrityError", "CONFLICT"),
        ("DataError", "INVALID_ARGUMENT"),
        ("NoResultFound", "NOT_FOUND"),
        ("MultipleResultsFound", "INVALID_ARGUMENT"),
        ("ProgrammingError", "INTERNAL"),
    ],
)
def test_sqlalchemy(name: str, code: str) -> None:
    """By SQLAlchemy's own class where the driver says nothing."""
    assert code_and_source(stand_in(f"sqlalchemy.exc.{name}")("SELECT 1 FROM t"))[0] == code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ConnectionError", "UNAVAILABLE"),
        ("TimeoutError", "UNAVAILABLE"),
        ("BusyLoadingError", "UNAVAILABLE"),
        ("AuthenticationError", "PERMISSION_DENIED"),
        ("WatchError", "CONFLICT"),
        ("DataError", "INVALID_ARGUMENT"),
        ("ResponseError", "INTERNAL"),
    ],
)
def test_redis(name: str, code: str) -> None:
    """redis-py."""
    assert code_and_source(stand_in(f"redis.exceptions.{name}")())[0] == code
