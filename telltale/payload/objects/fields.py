"""Sorts the keys of a result's own level by the role that they play, in one pass.

The rules look at roles (an error, a flag, a status), never at prose. A key that plays no role and holds a value is
substance: an answer beside which an error may be a detail.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from telltale.payload.objects.empty import is_empty
from telltale.payload.words import words


class Role:
    """What a key on the result's own level is there for. Plain bits: a rule is asked only where its roles occur."""

    ERROR = 1
    ERRORS = 2
    ERRNO = 4
    GOOD = 8
    BAD = 16
    STATUS = 32
    TYPE = 64
    HTTP = 128
    EXIT = 256
    STREAM = 512
    CODE = 1024
    MESSAGE = 2048
    RETRY = 4096
    META = 8192


_NAMES = {
    Role.ERROR: "error _error __error__"
    " err errMsg err_msg exception fault traceback error_message errorMessage error_msg errorMsg"
    " errmsg error_code errorCode error_type errorType error_description errorDescription __type error_reason"
    " errorReason error_summary error-type error-code error-message error-text odata.error"
    " error_details errorDetails error_detail error_info errorInfo"
    " failureReason failure_reason failureMessage failure_message failure_code failureCode failReason fail_reason"
    " exception_message"
    " fehler erreur errore erro ошибка 错误 錯誤 エラー 오류"
    " error_kind errorKind error_class errorClass error_name errorName error_text errorText",
    Role.ERRORS: "errors errorMessages error_messages validationErrors validation_errors userErrors user_errors",
    Role.ERRNO: "errcode errno err_code error_no errorNo serviceErrorCode errorNumber error_number",
    Role.GOOD: "ok success succeeded successful isSuccess is_success isSuccessful is_successful isOk is_ok"
    " erfolg erfolgreich succès éxito exito sucesso успех 成功",
    Role.BAD: "isError is_error iserror hasError has_error hasErrors has_errors failed failure timed_out timedOut"
    " timeout isTimeout is_timeout aborted isAborted is_aborted errored crashed killed",
    Role.STATUS: "status outcome resultCode result_code retCode ret_code resultStatus result_status",
    Role.TYPE: "type output_type _type kind object finish_reason finishReason stop_reason stopReason"
    " response_type responseType result_type resultType",
    Role.HTTP: "status_code statusCode http_status httpStatus http_code httpCode response_code responseCode"
    " status-code http_status_code httpStatusCode responseStatus response_status cod",
    Role.EXIT: "exit_code exitCode exit_status exitStatus returncode return_code returnCode exitcode",
    Role.STREAM: "stdout stderr",
    Role.CODE: "code",
    Role.MESSAGE: "message msg detail details reason title hint description stack cause help suggestion"
    " stackTrace stacktrace stack_trace StackTrace strerror"
    " recovery_suggestion statusText status_text",
    Role.RETRY: "retryable retry_after retryAfter retry_after_seconds retryAfterSeconds retry_after_ms retryAfterMs"
    " action should_retry shouldRetry retriable isRetryable is_retryable isRetriable is_retriable can_retry canRetry"
    " transient isTransient is_transient permanent isPermanent is_permanent",
    Role.META: "request_id requestId trace_id traceId correlation_id correlationId timestamp time duration"
    " duration_ms elapsed elapsed_ms took version path instance docs documentation_url doc_url more_info"
    " moreInfo info_url category tool tool_name toolName tool_call_id toolCallId call_id"
    " callId error_id errorId jsonrpc field fields param ref reference method url uri host_id hostId debug_id debugId"
    " _shards error_data errorData source schema schema_version schemaVersion $schema spanId span_id",
}
_ROLES: dict[str, int] = {}
for _role, _names in _NAMES.items():
    for _name in _names.split():
        _ROLES[_name] = _role
        _ROLES[_name[0].upper() + _name[1:]] = _role
        _ROLES[_name.upper()] = _role

_ROLES["Error Message"] = Role.ERROR

_ID_KEYS = frozenset(("id", "uid", "uuid", "key", "number", "sha", "iid", "gid", "guid", "sid", "arn", "slug", "name"))
_NO_IDENTITY = words(
    """
    request_id trace_id correlation_id session_id tool_call_id call_id error_id host_id debug_id
    requestId traceId correlationId sessionId toolCallId callId errorId hostId HostId debugId
    """
)
ERROR_WORDS = frozenset(
    {"error", "errored", "failed", "failure", "fail", "fatal", "exception", "err", "crashed", "aborted", "ko", "nok"}
    | {"fehler", "erreur", "erro", "errore", "błąd", "ошибка", "错误", "失败", "錯誤", "失敗", "エラー", "오류", "실패"}
)
"""The words, in lower case, with which a status says that it failed."""

GOOD_WORDS = frozenset(
    {"ok", "success", "succeeded", "successful", "completed", "complete", "done"}
    | {"completed successfully", "finished successfully", "executed successfully"}
)
"""The words, in lower case, with which a status says that all went well."""

_FINE = (0, 200, "0", "ok", "OK", "200")
_NOTHING = (
    *("undefined", "", "none", "null", "0", "ok", "success", "no error", "false", "nil", "n/a"),
    *("keine", "keiner", "aucune", "aucun", "nessuno", "ninguno", "nenhum", "нет", "无", "無", "なし", "없음"),
)


@dataclass(slots=True)
class Fields:
    """The keys of one object by their roles; `substance` counts keys without a role that hold a value,
    up to a few dozen; `keys` names them."""

    roles: dict[int, list[tuple[str, Any]]] = field(default_factory=dict)
    mask: int = 0
    substance: int = 0
    identity: bool = False
    keys: list[str] = field(default_factory=list)

    def get(self, role: int) -> list[tuple[str, Any]]:
        """The keys of a role with their values, in the payload's order."""
        return self.roles.get(role, _NONE)

    def has(self, role: int) -> bool:
        """Whether any key plays this role."""
        return bool(self.mask & role)


_NONE: list[tuple[str, Any]] = []
_ENOUGH = 32
"""So many keys with a value settle that there is substance; the rest is only searched for roles."""


def fields_of(value: dict[str, Any]) -> Fields:
    """Sorts an object's keys; linear in their number."""
    found = Fields()
    roles, mask, substance = found.roles, 0, 0
    for key, inner in value.items():
        role = _ROLES.get(key)
        if role is None:
            if substance >= _ENOUGH:
                continue
            if inner is None or inner == "" or (isinstance(inner, list | dict | str) and _is_hollow(inner)):
                continue
            substance += 1
            found.keys.append(key)
            if not found.identity and is_identity(key):
                found.identity = True
        elif mask & role:
            roles[role].append((key, inner))
        else:
            roles[role] = [(key, inner)]
            mask |= role
    found.mask, found.substance = mask, substance
    return found


def _is_hollow(inner: Any) -> bool:
    """Whether a value holds nothing; a list of several items is taken to hold something, whatever they are."""
    return (type(inner) is not list or len(inner) < 2) and is_empty(inner, 2)


def role_of(key: str) -> int | None:
    """The role of a key; None for keys that hold substance."""
    return _ROLES.get(key)


def is_identity(key: str) -> bool:
    """Whether a key names a thing (`id`, `job_id`, `orderId`) and not a request."""
    if key in _NO_IDENTITY:
        return False
    return key in _ID_KEYS or key.endswith(("_id", "Id", "Uid", "Sid", "No", "_key", "_number", "_no", "_sid", "_uid"))


def is_truthy_error(value: Any) -> bool:
    """Whether an error key's value is an error: not null, false, empty, "none", nor a measured number."""
    if value is None or value is False or value is True:
        return value is True
    if isinstance(value, str):
        return value.strip().lower() not in _NOTHING if len(value) < 12 else bool(value.strip())
    if isinstance(value, int | float):
        return isinstance(value, int) and (400 <= value < 600 or value < -1)
    if isinstance(value, dict) and value.get("code") in _FINE:
        return False
    return bool(value) and (not is_empty(value, 1) or _tells(value))


def _tells(value: Any) -> bool:
    """Whether an error holds a text, under whatever key: `[{"message": "…", "field": null}]`."""
    items = value[:_MOST_TOLD] if isinstance(value, list) else (value,)
    return any(isinstance(inner, str) and inner for item in items if isinstance(item, dict) for inner in item.values())


_MOST_TOLD = 20
