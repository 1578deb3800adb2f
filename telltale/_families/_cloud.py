"""botocore: AWS errors by their code first, by HTTP status second."""

from __future__ import annotations

from collections.abc import Mapping

from telltale._families import _retry_after
from telltale._families._names import ancestry
from telltale._mapper import Failure
from telltale.vocabulary import Code, code_of_http

_BY_PART = (
    (("Throttl", "TooManyRequests", "RequestLimitExceeded", "SlowDown", "ProvisionedThroughput"), Code.RATE_LIMITED),
    (
        ("AccessDenied", "Unauthorized", "UnrecognizedClient", "InvalidClientToken", "ExpiredToken", "SignatureDoes"),
        Code.PERMISSION_DENIED,
    ),
    (("NotFound", "NoSuch", "DoesNotExist"), Code.NOT_FOUND),
    (("ConditionalCheck", "Conflict", "AlreadyExists", "ResourceInUse", "TransactionCanceled"), Code.CONFLICT),
    (
        ("Validation", "InvalidParameter", "InvalidArgument", "MalformedQuery", "MissingParameter"),
        Code.INVALID_ARGUMENT,
    ),
    (("ServiceUnavailable", "RequestTimeout", "InternalServerError", "InternalError"), Code.UNAVAILABLE),
)
"""Parts of AWS error codes (AWS common errors and the services' own lists); the first match wins."""

_LINE = frozenset({"botocore.HTTPClientError", "botocore.ConnectionError", "botocore.EndpointConnectionError"})
_CREDENTIALS = frozenset(
    {
        "botocore.NoCredentialsError",
        "botocore.PartialCredentialsError",
        "botocore.CredentialRetrievalError",
        "botocore.TokenRetrievalError",
        "botocore.UnauthorizedSSOTokenError",
        "botocore.SSOTokenLoadError",
    }
)


def botocore(exc: BaseException) -> Failure | None:
    """botocore's ClientError, connection, credential and parameter errors."""
    names = ancestry(exc)
    kind = type(exc).__name__
    if "botocore.ClientError" in names:
        return _client_error(getattr(exc, "response", None))
    if names & _CREDENTIALS:
        return Failure(Code.PERMISSION_DENIED, f"aws {kind}")
    if "botocore.ParamValidationError" in names:
        return Failure(Code.INVALID_ARGUMENT, f"aws {kind}")
    if names & _LINE:
        return Failure(Code.UNAVAILABLE, f"aws {kind}")
    return None


def _client_error(response: object) -> Failure | None:
    if not isinstance(response, Mapping):
        return None
    declared = str((response.get("Error") or {}).get("Code") or "")[:80]
    metadata = response.get("ResponseMetadata") or {}
    status = metadata.get("HTTPStatusCode")
    by_name = next((code for parts, code in _BY_PART if any(part in declared for part in parts)), None)
    code = by_name or (code_of_http(status) if isinstance(status, int) else None) or Code.INTERNAL
    return Failure(
        code,
        f"aws {declared or status}",
        retry_after_seconds=_retry_after.from_headers(metadata.get("HTTPHeaders")),
    )
