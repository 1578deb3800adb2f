"""psycopg, asyncpg, SQLAlchemy and redis. Nothing of a database's own message ever reaches the model: it holds SQL,
table names and hosts.
"""

from __future__ import annotations

from telltale._families._names import ancestry, comes_from
from telltale._mapper import Failure
from telltale.vocabulary import Code

_BUSY = "The database is busy or not reachable. Try once more later."
_CLASH = "The record clashes with one that exists, or that depends on it. Choose other values."
_VALUE = "A value does not fit the database field. Correct the arguments and try again."

_SQLSTATES = {
    "40001": (Code.UNAVAILABLE, _BUSY),
    "40P01": (Code.UNAVAILABLE, _BUSY),
    "55P03": (Code.UNAVAILABLE, _BUSY),
    "57014": (Code.UNAVAILABLE, "The database did not answer in time. Try once more later."),
    "42501": (Code.PERMISSION_DENIED, None),
    "23502": (Code.INVALID_ARGUMENT, _VALUE),
    "23514": (Code.INVALID_ARGUMENT, _VALUE),
    "P0002": (Code.NOT_FOUND, None),
    "08": (Code.UNAVAILABLE, _BUSY),
    "53": (Code.UNAVAILABLE, _BUSY),
    "57": (Code.UNAVAILABLE, _BUSY),
    "58": (Code.UNAVAILABLE, _BUSY),
    "22": (Code.INVALID_ARGUMENT, _VALUE),
    "23": (Code.CONFLICT, _CLASH),
    "28": (Code.PERMISSION_DENIED, None),
}
"""PostgreSQL error codes (appendix A of its manual): whole codes first, then classes. Serialisation failures and
deadlocks are passing: the same statement works when repeated."""

_SQLALCHEMY = (
    ({"NoResultFound"}, Code.NOT_FOUND, None),
    ({"MultipleResultsFound"}, Code.INVALID_ARGUMENT, "More than one record fits. Give narrower arguments."),
    ({"StaleDataError", "IntegrityError"}, Code.CONFLICT, _CLASH),
    ({"DataError"}, Code.INVALID_ARGUMENT, _VALUE),
    ({"OperationalError", "InterfaceError", "TimeoutError", "DisconnectionError"}, Code.UNAVAILABLE, _BUSY),
)

_REDIS = (
    ({"AuthenticationError", "NoPermissionError", "AuthorizationError"}, Code.PERMISSION_DENIED, None),
    ({"ReadOnlyError", "BusyLoadingError", "ClusterDownError", "TryAgainError"}, Code.UNAVAILABLE, _BUSY),
    ({"WatchError", "LockError"}, Code.CONFLICT, None),
    ({"DataError"}, Code.INVALID_ARGUMENT, _VALUE),
    ({"ConnectionError", "TimeoutError"}, Code.UNAVAILABLE, _BUSY),
)


def asyncpg_or_psycopg(exc: BaseException) -> Failure | None:
    """PostgreSQL drivers: by SQLSTATE (`sqlstate`, psycopg2 `pgcode`); without one, a lost connection."""
    if not comes_from(exc, "psycopg", "psycopg2", "psycopg_pool", "asyncpg"):
        return None
    state = getattr(exc, "sqlstate", None) or getattr(exc, "pgcode", None)
    if isinstance(state, str) and state:
        code, message = _SQLSTATES.get(state) or _SQLSTATES.get(state[:2]) or (Code.INTERNAL, None)
        return Failure(code, f"sqlstate {state[:5]}", message)
    kinds = {name.rpartition(".")[2] for name in ancestry(exc)}
    if kinds & {"OperationalError", "InterfaceError", "PoolTimeout", "PoolClosed", "ConnectionTimeout"}:
        return Failure(Code.UNAVAILABLE, f"database {type(exc).__name__}", _BUSY)
    return None


def sqlalchemy(exc: BaseException) -> Failure | None:
    """SQLAlchemy: the driver's own error first (`orig`), where it carries a SQLSTATE, then SQLAlchemy's class."""
    if not comes_from(exc, "sqlalchemy"):
        return None
    inner = getattr(exc, "orig", None)
    if isinstance(inner, BaseException):
        found = asyncpg_or_psycopg(inner)
        if found is not None:
            return found
    return _by_class(exc, _SQLALCHEMY, "database")


def redis(exc: BaseException) -> Failure | None:
    """redis-py and valkey-py."""
    return _by_class(exc, _REDIS, "redis") if comes_from(exc, "redis", "valkey") else None


def _by_class(exc: BaseException, table: tuple[tuple[set[str], Code, str | None], ...], word: str) -> Failure | None:
    kinds = {name.rpartition(".")[2] for name in ancestry(exc)}
    for names, code, message in table:
        if kinds & names:
            return Failure(code, f"{word} {type(exc).__name__}", message)
    return None
