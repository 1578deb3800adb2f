"""The standard library's own: timeouts, sockets and TLS, files, decoding."""

from __future__ import annotations

import errno

from telltale._families._names import ancestry
from telltale._mapper import Failure
from telltale.vocabulary import Code

_LATE = "The service did not answer in time. Try once more later."
_UNREACHABLE = "The service could not be reached. Try once more later."

_BY_CLASS: dict[type[OSError], Code] = {
    PermissionError: Code.PERMISSION_DENIED,
    FileNotFoundError: Code.NOT_FOUND,
    FileExistsError: Code.CONFLICT,
    IsADirectoryError: Code.INVALID_ARGUMENT,
    NotADirectoryError: Code.INVALID_ARGUMENT,
}
"""Raised by hand they carry no number; the class says as much."""
_ERRNO = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), Code.PERMISSION_DENIED),
    errno.ENOENT: Code.NOT_FOUND,
    **dict.fromkeys((errno.EEXIST, errno.ENOTEMPTY), Code.CONFLICT),
    **dict.fromkeys((errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG), Code.INVALID_ARGUMENT),
    **dict.fromkeys(
        (
            errno.ECONNREFUSED,
            errno.ECONNRESET,
            errno.ECONNABORTED,
            errno.EPIPE,
            errno.EHOSTUNREACH,
            errno.EHOSTDOWN,
            errno.ENETUNREACH,
            errno.ENETDOWN,
            errno.ETIMEDOUT,
            errno.EAGAIN,
            errno.EBUSY,
        ),
        Code.UNAVAILABLE,
    ),
}


def timeouts(exc: BaseException) -> Failure | None:
    """`TimeoutError` (asyncio's, concurrent.futures' and the socket's are the same class), anyio's and trio's."""
    if isinstance(exc, TimeoutError) or "trio.TooSlowError" in ancestry(exc) or _cancelled_future(exc):
        return Failure(Code.UNAVAILABLE, f"timeout {type(exc).__name__}", _LATE)
    return None


def _cancelled_future(exc: BaseException) -> bool:
    """`concurrent.futures.CancelledError`: a worker's future was given up (asyncio's is no Exception)."""
    return isinstance(exc, Exception) and "concurrent.futures._base.CancelledError" in ancestry(exc)


def operating_system(exc: BaseException) -> Failure | None:
    """OSError by class and number; a certificate that does not verify is INTERNAL, since waiting will not mend it."""
    if not isinstance(exc, OSError):
        return None
    names, kind = ancestry(exc), type(exc).__name__
    if "ssl.SSLCertVerificationError" in names:
        return Failure(Code.INTERNAL, f"tls {kind}")
    if isinstance(exc, ConnectionError) or names & {"ssl.SSLError", "socket.gaierror", "socket.herror"}:
        return Failure(Code.UNAVAILABLE, f"connection {kind}", _UNREACHABLE)
    by_class = next((code for known, code in _BY_CLASS.items() if isinstance(exc, known)), None)
    code = by_class or _ERRNO.get(exc.errno or 0)  # urllib's URLError has neither: its reason comes next in the chain
    return Failure(code, f"os {errno.errorcode.get(exc.errno or 0, kind)}") if code else None


def decoding(exc: BaseException) -> Failure | None:
    """An answer that is not what it should be: text that is no JSON, a content type that is none of the expected.

    Whether it was the upstream's answer or an argument cannot be told here, and repeating helps neither: INTERNAL.
    """
    known = {"json.JSONDecodeError", "requests.JSONDecodeError", "msgspec.DecodeError", "orjson.JSONDecodeError"}
    if ancestry(exc) & known:
        return Failure(Code.INTERNAL, f"decoding {type(exc).__name__}")
    return None
