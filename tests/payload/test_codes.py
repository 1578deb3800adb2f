"""Codes from evidence: class names, numbers, SQLSTATE, errno, standard phrases."""

from __future__ import annotations

import pytest

from telltale.payload.codes.database_numbers import code_of_database
from telltale.payload.codes.infer import code_of, code_of_class, code_of_sqlstate, is_defect
from telltale.payload.codes.phrases import code_of_phrase
from telltale.vocabulary import Code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("httpx.ReadTimeout", "UNAVAILABLE"),
        ("TimeoutError", "UNAVAILABLE"),
        ("requests.exceptions.ConnectionError", "UNAVAILABLE"),
        ("ConnectionRefusedError", "UNAVAILABLE"),
        ("ECONNRESET", "UNAVAILABLE"),
        ("java.net.UnknownHostException", "UNAVAILABLE"),
        ("CircuitBreakerOpenError", "UNAVAILABLE"),
        ("openai.RateLimitError", "RATE_LIMITED"),
        ("ThrottlingException", "RATE_LIMITED"),
        ("google.api_core.exceptions.ResourceExhausted", "RATE_LIMITED"),
        ("PermissionError", "PERMISSION_DENIED"),
        ("AuthenticationError", "PERMISSION_DENIED"),
        ("AccessDeniedException", "PERMISSION_DENIED"),
        ("NoCredentialsError", "PERMISSION_DENIED"),
        ("FileNotFoundError", "NOT_FOUND"),
        ("NoSuchKey", "NOT_FOUND"),
        ("ResourceNotFoundException", "NOT_FOUND"),
        ("sqlalchemy.exc.IntegrityError", "CONFLICT"),
        ("DuplicateKeyError", "CONFLICT"),
        ("OptimisticLockException", "CONFLICT"),
        ("pydantic_core._pydantic_core.ValidationError", "INVALID_ARGUMENT"),
        ("json.decoder.JSONDecodeError", "INVALID_ARGUMENT"),
        ("ZodError", "INVALID_ARGUMENT"),
        ("invalid_tool_params", "INVALID_ARGUMENT"),
        ("KeyError", "INTERNAL"),
        ("NullPointerException", "INTERNAL"),
        ("503", "UNAVAILABLE"),
        ("-32601", "NOT_FOUND"),
        ("ValueError", None),
        ("RuntimeError", None),
        ("tool_error", None),
        ("", None),
    ],
)
def test_class(name: str, code: str | None) -> None:
    """A class name means a code, or blames nothing."""
    assert code_of_class(name) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("HTTP 409 conflict", "CONFLICT"),
        ("request failed with status code: 500", "INTERNAL"),
        ("429 Too Many Requests", "RATE_LIMITED"),
        ("Rate limit reached, slow down", "RATE_LIMITED"),
        ("quota exceeded for today", "RATE_LIMITED"),
        ("permission denied: a.txt", "PERMISSION_DENIED"),
        ("You are not authorized to see this board", "PERMISSION_DENIED"),
        ("the session has expired", "PERMISSION_DENIED"),
        ("invalid api key", "PERMISSION_DENIED"),
        ("connection refused", "UNAVAILABLE"),
        ("the request timed out after 30 s", "UNAVAILABLE"),
        ("service temporarily unavailable", "UNAVAILABLE"),
        ("could not connect to the depot", "UNAVAILABLE"),
        ("row already exists", "CONFLICT"),
        ("duplicate key value violates unique constraint", "CONFLICT"),
        ("date is required", "INVALID_ARGUMENT"),
        ("amount must be positive", "INVALID_ARGUMENT"),
        ("unknown field 'colour'", "INVALID_ARGUMENT"),
        ("the file is too large", "INVALID_ARGUMENT"),
        ("expected string, received number", "INVALID_ARGUMENT"),
        ("no such lane", "NOT_FOUND"),
        ("lane 9 does not exist", "NOT_FOUND"),
        ("no seat found", "NOT_FOUND"),
        ("could not find the board", "NOT_FOUND"),
        ("MCP error -32603: oops", "INTERNAL"),
        ("boom", None),
        ("room 404 is blue", None),
        ("the card was declined", None),
    ],
)
def test_phrase(text: str, code: str | None) -> None:
    """A standard phrase of a failing text means a code; other words mean none."""
    found = code_of_phrase(text)

    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("23505", "CONFLICT"),
        ("40001", "CONFLICT"),
        ("08006", "UNAVAILABLE"),
        ("57014", "UNAVAILABLE"),
        ("28P01", "PERMISSION_DENIED"),
        ("42501", "PERMISSION_DENIED"),
        ("22P02", "INVALID_ARGUMENT"),
        ("23502", "INVALID_ARGUMENT"),
        ("00000", None),
        ("timeout", None),
        ("99999", None),
    ],
)
def test_sqlstate(state: str, code: str | None) -> None:
    """A SQLSTATE means a code by itself or by its class."""
    assert code_of_sqlstate(state) == code


def test_names_and_defects() -> None:
    """Aliases in any spelling mean one code; a fault of the program says nothing of the caller."""
    assert code_of("rate-limit-exceeded") is Code.RATE_LIMITED
    assert code_of("x" * 100) is None
    assert is_defect("builtins.KeyError")
    assert not is_defect("TimeoutError")


@pytest.mark.parametrize(
    ("system", "state", "code"),
    [
        ("mysql", "1045", Code.PERMISSION_DENIED),
        ("mariadb", "1146", Code.NOT_FOUND),
        ("microsoft.sql_server", "18456", Code.PERMISSION_DENIED),
        ("mssql", "2627", Code.CONFLICT),
        ("oracle.db", "ORA-00942", Code.NOT_FOUND),
        ("oracle", "12541", Code.UNAVAILABLE),
        ("sqlite", "SQLITE_BUSY", Code.UNAVAILABLE),
        ("mongodb", "11000", Code.CONFLICT),
        ("mongodb", "MaxTimeMSExpired", Code.UNAVAILABLE),
        ("mysql", "9999", None),
        ("postgresql", "1045", None),
        ("", "", None),
    ],
)
def test_numbers_of_engines(system: str, state: str, code: Code | None) -> None:
    """An engine's own number or name gives its code; one of another engine, or none, gives none."""
    assert code_of_database(system, state) is code
