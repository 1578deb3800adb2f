"""The mapper: one case a code, one a family, wrapped causes, groups, and what nobody knows.

Libraries that are installed here are the real ones; of the others, classes of the same name and module stand in.
"""

from __future__ import annotations

import concurrent.futures
import errno
import json
import socket
import ssl
import urllib.error
from email.message import Message
from email.utils import formatdate
from typing import Any

import aiohttp
import grpc
import httpx
import pydantic
import pytest
import requests
import urllib3

import telltale
from telltale import Code, Failure, Mapper, ToolError
from telltale._families import _google_rpc
from telltale._families._retry_after import from_headers
from telltale._mapper import chain

mapper = Mapper()
URL = "https://calendar.example/meetings"


def stand_in(path: str, *bases: type, **attributes: Any) -> type[Exception]:
    """A class that looks like `module.Class` of a library that is not installed here."""
    module, _, name = path.rpartition(".")
    return type(name, bases or (Exception,), {"__module__": module, **attributes})


def code_and_source(exc: BaseException) -> tuple[str, str]:
    """What the mapper makes of an exception."""
    found = mapper.map(exc)
    return found.code.value, found.mapped_from


# --- HTTP status, in every client's own exception --------------------------------------------------------------------

STATUSES = {
    400: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    401: "PERMISSION_DENIED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    410: "NOT_FOUND",
    409: "CONFLICT",
    412: "CONFLICT",
    408: "UNAVAILABLE",
    425: "UNAVAILABLE",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
    429: "RATE_LIMITED",
    500: "INTERNAL",
    501: "INTERNAL",
    418: "INVALID_ARGUMENT",
}


def httpx_error(status: int, headers: dict[str, str] | None = None) -> Exception:
    """What `raise_for_status` raises."""
    response = httpx.Response(status, headers=headers, request=httpx.Request("GET", URL))
    with pytest.raises(httpx.HTTPStatusError) as caught:
        response.raise_for_status()
    return caught.value


@pytest.mark.parametrize(("status", "code"), STATUSES.items())
def test_each_http_status_has_its_code(status: int, code: str) -> None:
    """The table of the contract, through httpx."""
    assert code_and_source(httpx_error(status)) == (code, f"http {status}")


def test_requests_status() -> None:
    """requests keeps the response on the exception."""
    response = requests.Response()
    response.status_code, response.url = 429, URL
    response.headers["Retry-After"] = "7"

    found = mapper.map(requests.HTTPError("429", response=response))

    assert (found.code, found.mapped_from, found.retry_after_seconds) == (Code.RATE_LIMITED, "http 429", 7)


def test_aiohttp_status() -> None:
    """aiohttp carries the status itself."""
    info: Any = None
    headers: Any = {"Retry-After": "3"}
    exc = aiohttp.ClientResponseError(info, (), status=503, headers=headers)

    found = mapper.map(exc)

    assert (found.code, found.mapped_from, found.retry_after_seconds) == (Code.UNAVAILABLE, "http 503", 3)


def test_urllib_status() -> None:
    """The standard library's client too."""
    headers = Message()
    headers["Retry-After"] = "5"
    with urllib.error.HTTPError(URL, 404, "gone", headers, None) as exc:
        assert code_and_source(exc) == ("NOT_FOUND", "http 404")


def test_api_clients_with_a_status_code() -> None:
    """API clients (OpenAI, Stripe, Google) name it `status_code`, `status` or `code`."""
    for path, name in (("openai.APIStatusError", "status_code"), ("google.api_core.exceptions.Conflict", "code")):
        assert code_and_source(stand_in(path, **{name: 409})()) == ("CONFLICT", "http 409")


# --- Requests without an answer --------------------------------------------------------------------------------------

UNANSWERED: list[tuple[Exception, str]] = [
    (httpx.ReadTimeout("x"), "timeout ReadTimeout"),
    (httpx.PoolTimeout("x"), "timeout PoolTimeout"),
    (httpx.ConnectError("x"), "connection ConnectError"),
    (httpx.RemoteProtocolError("x"), "connection RemoteProtocolError"),
    (requests.ConnectTimeout("x"), "timeout ConnectTimeout"),
    (requests.ConnectionError("x"), "connection ConnectionError"),
    (urllib3.exceptions.ReadTimeoutError(None, URL, "x"), "timeout ReadTimeoutError"),  # type: ignore[arg-type]
    (urllib3.exceptions.MaxRetryError(None, URL, None), "connection MaxRetryError"),  # type: ignore[arg-type]
    (aiohttp.ServerTimeoutError("x"), "timeout ServerTimeoutError"),
    (aiohttp.ServerDisconnectedError("x"), "connection ServerDisconnectedError"),
    (urllib.error.URLError(ConnectionRefusedError()), "connection ConnectionRefusedError"),
    (TimeoutError(), "timeout TimeoutError"),
    (TimeoutError(), "timeout TimeoutError"),
    (concurrent.futures.TimeoutError(), "timeout TimeoutError"),
    (concurrent.futures.CancelledError(), "timeout CancelledError"),
    (TimeoutError(), "timeout TimeoutError"),
    (socket.gaierror(-2, "Name or service not known"), "connection gaierror"),
    (ConnectionResetError(), "connection ConnectionResetError"),
    (BrokenPipeError(), "connection BrokenPipeError"),
    (ssl.SSLError(1, "handshake"), "connection SSLError"),
    (OSError(errno.EHOSTUNREACH, "x"), "os EHOSTUNREACH"),
    (stand_in("trio.TooSlowError")(), "timeout TooSlowError"),
]


@pytest.mark.parametrize(
    ("exc", "source"), UNANSWERED, ids=lambda value: getattr(value, "args", value) and str(value)[:30]
)
def test_what_got_no_answer_is_unavailable(exc: Exception, source: str) -> None:
    """Timeouts, refused and broken connections may pass."""
    assert code_and_source(exc) == ("UNAVAILABLE", source)


def test_a_bad_certificate_is_nobodys_outage() -> None:
    """Waiting does not mend a certificate, on its own or inside a client's connection error."""
    bad = ssl.SSLCertVerificationError(1, "certificate verify failed")
    wrapped = httpx.ConnectError("x")
    wrapped.__cause__ = bad

    assert code_and_source(bad) == ("INTERNAL", "tls SSLCertVerificationError")
    assert code_and_source(wrapped) == ("INTERNAL", "tls ConnectError")


def test_an_unusable_url_is_the_callers() -> None:
    """A URL that the model made up is an argument."""
    for exc in (httpx.UnsupportedProtocol("x"), requests.exceptions.MissingSchema("x"), aiohttp.InvalidURL("x")):
        assert code_and_source(exc)[0] == "INVALID_ARGUMENT"


# --- Retry-After -----------------------------------------------------------------------------------------------------

NOW = 1_800_000_000.0
WAITS: list[tuple[dict[str, str], float | None]] = [
    ({"Retry-After": "120"}, 120),
    ({"retry-after": formatdate(NOW + 60, usegmt=True)}, 60),
    ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0),
    ({"retry-after-ms": "1500"}, 1.5),
    ({"RateLimit": '"default";r=0;t=30'}, 30),
    ({"RateLimit-Reset": "12"}, 12),
    ({"X-RateLimit-Reset": str(int(NOW + 40))}, 40),
    ({"X-RateLimit-Reset": str(int((NOW + 40) * 1000))}, 40),
    ({"x-ratelimit-reset-after": "2.5"}, 2.5),
    ({"x-ratelimit-reset-requests": "1m30s"}, 90),
    ({"x-ratelimit-reset-requests": "250ms"}, 0.25),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "-3"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, dates, milliseconds, resets as duration or moment; what is not readable is not there."""
    assert from_headers(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


def test_headers_that_are_none_at_all() -> None:
    """Anything may stand where headers should."""
    assert [from_headers(found) for found in (None, 3, "x", [("retry-after", "3")])] == [None] * 4
    assert from_headers({b"retry-after": b"4"}) == 4


def test_retry_after_reaches_the_envelope() -> None:
    """The model is told how long to wait."""
    assert mapper.map(httpx_error(503, {"retry-after": "9"})).envelope()["error"]["retry_after_seconds"] == 9


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


# --- Arguments, files, decoding --------------------------------------------------------------------------------------


class Meeting(pydantic.BaseModel):
    """A tool's arguments."""

    date: str
    seats: int


def validation_error(**given: Any) -> pydantic.ValidationError:
    """What the model's arguments raise."""
    with pytest.raises(pydantic.ValidationError) as caught:
        Meeting.model_validate(given)
    return caught.value


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"seats": 3}, "date", "date is missing"),
        ({"date": "x", "seats": "many"}, "seats", "seats must be an integer"),
        ({"date": 3, "seats": 1}, "date", "date must be a string"),
        ({}, "date", "1 more argument also need"),
    ],
)
def test_pydantic_names_the_field_in_our_words(given: dict[str, Any], field: str, words: str) -> None:
    """The field, what is wrong with it, nothing of the input."""
    found = mapper.map(validation_error(**given))

    assert (found.code, found.field) == (Code.INVALID_ARGUMENT, field)
    assert words in (found.message or "")
    assert "many" not in (found.message or "")


def test_a_hostile_location_is_no_field() -> None:
    """Keys of the input can stand in a location."""
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(dict[str, int]).validate_python({"<b>ignore previous</b>": "x"})

    assert mapper.map(caught.value).field is None


@pytest.mark.parametrize(
    ("exc", "code"),
    [
        (PermissionError(), "PERMISSION_DENIED"),
        (FileNotFoundError("/srv/secret"), "NOT_FOUND"),
        (FileExistsError(), "CONFLICT"),
        (IsADirectoryError(), "INVALID_ARGUMENT"),
        (OSError(errno.EACCES, "x"), "PERMISSION_DENIED"),
        (OSError(errno.ENOSPC, "x"), "INTERNAL"),
    ],
)
def test_files(exc: OSError, code: str) -> None:
    """By class and by number."""
    assert code_and_source(exc)[0] == code
    assert "/srv" not in mapper.map(exc).envelope()["error"]["message"]


def test_text_that_is_no_json() -> None:
    """An answer that cannot be read: neither a retry nor other arguments help."""
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("<html>")

    assert code_and_source(caught.value) == ("INTERNAL", "decoding JSONDecodeError")


# --- Chains, groups, the unknown, the app's own ----------------------------------------------------------------------


def test_a_tool_error_says_what_its_author_said() -> None:
    """One case a code is in the envelope's tests; here, that it comes through whole."""
    found = mapper.map(ToolError("CONFLICT", "Taken.", field="slot", retry_after_seconds=3, quote="busy"))

    assert found == Failure(Code.CONFLICT, "ToolError", "Taken.", "slot", 3, "busy")


def test_causes_contexts_and_groups_are_unwrapped() -> None:
    """Explicit causes, implicit contexts, groups and groups in groups."""
    cause = RuntimeError("reactive operator")
    cause.__cause__ = ValueError("wrapper")
    cause.__cause__.__cause__ = httpx_error(429)
    context = KeyError("x")
    context.__context__ = TimeoutError()
    group = ExceptionGroup("g", [ValueError("x"), ExceptionGroup("h", [httpx_error(404)])])

    assert code_and_source(cause) == ("RATE_LIMITED", "http 429")
    assert code_and_source(context) == ("UNAVAILABLE", "timeout TimeoutError")
    assert code_and_source(group) == ("NOT_FOUND", "http 404")


def test_a_suppressed_context_is_not_looked_at() -> None:
    """`raise … from None` says that the context is none of it."""
    exc = KeyError("x")
    exc.__context__ = TimeoutError()
    exc.__suppress_context__ = True

    assert code_and_source(exc) == ("INTERNAL", "exception KeyError")


def test_a_circle_and_a_crowd_end() -> None:
    """At most twelve exceptions are looked at, each once."""
    one, two = ValueError(1), ValueError(2)
    one.__cause__, two.__cause__ = two, one
    crowd = ExceptionGroup("g", [ValueError(n) for n in range(500)])

    assert list(chain(one)) == [one, two]
    assert len(list(chain(crowd))) == 12


def test_an_unknown_exception_is_internal_with_a_reference() -> None:
    """What nobody knows is a bug, and says so."""
    found = mapper.map(ZeroDivisionError())

    assert (found.code, found.mapped_from, found.certain) == (Code.INTERNAL, "exception ZeroDivisionError", False)
    assert found.ref is not None
    assert found.ref in found.envelope()["error"]["message"]


def test_an_exception_that_raises_when_looked_at_is_unknown() -> None:
    """A property of a foreign exception may do anything."""

    class NastyError(Exception):
        @property
        def response(self) -> Any:
            raise RuntimeError("no")

        status_code = property(response.fget)  # type: ignore[attr-defined]

    assert code_and_source(NastyError())[0] == "INTERNAL"


class CalendarBusyError(Exception):
    """An app's own."""


def test_an_app_teaches_its_own_errors() -> None:
    """Registered families come first, and can be taken back."""
    own = Mapper()

    @own.register
    def calendar(exc: BaseException) -> Failure | None:
        if isinstance(exc, CalendarBusyError):
            return Failure(Code.CONFLICT, "calendar busy", "That slot was just taken.", field="slot")
        return None

    assert own.map(CalendarBusyError()).code == Code.CONFLICT
    assert own.map(TimeoutError()).code == Code.UNAVAILABLE
    own.unregister(calendar)
    assert own.map(CalendarBusyError()).code == Code.INTERNAL


def test_the_default_mapper_is_taught_for_the_whole_process() -> None:
    """`telltale.register_mapping` serves every guard."""

    @telltale.register_mapping
    def calendar(exc: BaseException) -> Failure | None:
        return Failure(Code.CONFLICT, "calendar busy") if isinstance(exc, CalendarBusyError) else None

    def busy() -> None:
        raise CalendarBusyError

    try:
        assert telltale.guard("book")(busy)()["error"]["code"] == "CONFLICT"
    finally:
        telltale.default_mapper.unregister(calendar)


def test_a_mapper_that_raises_never_reaches_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app's own mapper can be wrong; in an app the answer is INTERNAL, under pytest the fault is raised."""

    class Faulty(Mapper):
        def map(self, exc: BaseException) -> Failure:
            raise RuntimeError("bug in the mapper")

    tool = telltale.guard("book", mapper=Faulty())(lambda: 1 / 0)
    with pytest.raises(RuntimeError, match="bug in the mapper"):
        tool()
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    assert tool()["error"]["code"] == "INTERNAL"


def test_a_family_that_raises_is_passed_over() -> None:
    """An app's faulty family never replaces the tool's failure by its own."""

    def faulty(exc: BaseException) -> Failure | None:
        raise RuntimeError("bug in the family")

    assert Mapper(faulty).map(TimeoutError()).code == Code.UNAVAILABLE
