"""The payload rules over whole shapes: bare error objects, validators' reports, batches of which nothing succeeded."""

from __future__ import annotations

from typing import Any

from telltale.payload.asked.verbs import Verb, names_errors, verb_of
from telltale.payload.codes.infer import code_of, code_of_class, code_of_grpc, code_of_number, code_of_sqlstate
from telltale.payload.objects.evidence import asks_with_a_code, code_inside, short
from telltale.payload.objects.exceptions import written_exception
from telltale.payload.objects.fields import Fields, Role
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.texts.html import trouble_of_title
from telltale.vocabulary import Code


def error_object(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A result that is itself an error: `{"code", "message", "retryable"}`, a JSON-RPC or gRPC error, an exception."""
    thrown = written_exception(value, fields, asked)
    if thrown is not None or fields.substance > 1:
        return thrown
    for key, inner in fields.get(Role.CODE):
        found = _numbered(key, inner, value, fields, asked) if not asks_with_a_code(asked) else None
        if found is None and (fields.substance == 0 or fields.has(Role.RETRY)):
            found = _coded(key, inner, value, fields, asked)
        if found is not None:
            return found
    return None


def _numbered(key: str, inner: Any, value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"code": 102, "message": "…", "data": null}`: a frame of code, message and data, with a code and no data.

    Of a tool that acts also `{"code": 50001, "message": "…"}`: an HTTP status with two digits of the service's own.
    """
    if type(inner) is not int or inner in _FINE_CODES or _is_a_fine_number(inner) or not tells(fields):
        return None
    numbered = 40_000 <= inner < 60_000 and code_of_number(inner) is not None and verb_of(asked.tool) is not Verb.READ
    if numbered and not fields.substance:
        return Finding("payload.error_object", Says.FAILED, key, inner, code_of_number(inner))
    if not any(name in value and not value[name] for name in _DATA) or any(value[name] for name in fields.keys):
        return None
    return Finding("payload.error_object", Says.FAILED, key, inner, code_inside(value, fields))


def _is_a_fine_number(number: int) -> bool:
    """Whether a service's number is one of those for success: HTTP's 2xx, alone or with digits behind, or round.

    Alipay answers 10000, admin frameworks 20000, others 1000.
    """
    return 200 <= number < 300 or 20_000 <= number < 21_000 or 200_000 <= number < 210_000 or number in _ROUND


_ROUND = (100, 1_000, 10_000, 100_000)
_DATA = ("data", "result", "Data", "Result")
_FINE_CODES = frozenset((0, 1))
_FINE_MESSAGES = frozenset(("ok", "success", "succeeded", "done", "成功", "操作成功"))


def tells(fields: Fields) -> bool:
    """Whether a message says something else than that all is well."""
    return any(isinstance(inner, str) and not _is_fine(inner) for _, inner in fields.get(Role.MESSAGE))


def says_it_went_well(value: dict[str, Any]) -> bool:
    """Whether a message ends as reports of success do: `{"message": "Berth edited successfully", …}`."""
    message = value.get("message", value.get("msg"))
    said = message.strip(" \t\n.!。！").lower() if isinstance(message, str) else ""
    return said.endswith(_FINE_ENDS) and not said.endswith(_ILL_ENDS)


def _is_fine(message: str) -> bool:
    said = message.strip(" \t\n.!。！").lower()
    return said in ("", *_FINE_MESSAGES) or (said.endswith(_FINE_ENDS) and not said.endswith(_ILL_ENDS))


_FINE_ENDS = ("成功", " successfully", " successful", " succeeded")
_ILL_ENDS = ("不成功", "未成功", "not successful", "not succeeded", "be successful")


def _coded(key: str, inner: Any, value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A code with what makes it an error object: a JSON-RPC number, advice to retry, a known name beside a message."""
    if not (fields.has(Role.MESSAGE) or fields.has(Role.RETRY)):
        return None
    if isinstance(inner, int) and not isinstance(inner, bool):
        if -32768 <= inner <= -32000:
            return Finding("payload.error_object", Says.FAILED, key, inner, code_inside(value, fields))
        if isinstance(value.get("details"), list) and "message" in value and code_of_grpc(inner) is not None:
            return Finding("payload.error_object", Says.FAILED, key, inner, code_of_grpc(inner))
    elif isinstance(inner, str) and not (names_errors(asked.tool) and verb_of(asked.tool) is Verb.READ):
        known = code_of(inner) or code_of_sqlstate(inner)
        if known is None and (inner.endswith(("Error", "Exception")) or "_" in inner):
            known = code_of_class(inner)
        advised = isinstance(value.get("retryable"), bool) or (known is not None and fields.has(Role.RETRY))
        advised = advised or (_names_an_error(inner, value) and not names_errors(asked.tool))
        if (known is not None or advised) and _was_given(inner, asked):
            return None
        if advised or (isinstance(value.get("message"), str) and known is not None):
            return Finding("payload.error_object", Says.FAILED, key, inner[:200], known or code_inside(value, fields))
    return None


def _names_an_error(code: str, value: dict[str, Any]) -> bool:
    """Whether a code in capitals says of itself that it is an error's, beside a message: `E_BAY_SHUT`, `TOOL_ERROR`."""
    parts = code.split("_") if code.isupper() and "_" in code and isinstance(value.get("message"), str) else [""]
    return parts[0] in ("E", "ERR", "ERROR") or parts[-1] in ("ERR", "ERROR", "EXCEPTION")


def _was_given(code: str, asked: Asked) -> bool:
    """Whether the caller had named the code, so that the object explains it."""
    given = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    return any(isinstance(value, str) and value.lower() == code.lower() for value in given)


def validator_report(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"detail": [{"loc", "msg", "type"}]}`: a web framework refused the request that the tool sent on."""
    if fields.substance or len(value) > 3:
        return None
    detail = value.get("detail")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict) and {"loc", "msg"} <= detail[0].keys():
        return Finding("payload.error_object", Says.HIDDEN, "detail", short(detail[0]), Code.INVALID_ARGUMENT)
    return None


def titled_page(value: dict[str, Any], asked: Asked) -> Finding | None:
    """`{"url": "…", "title": "502 Bad Gateway"}`: a page that was opened, by a title that is nothing but a failure."""
    title = value.get("title")
    if not isinstance(title, str) or ADDRESS_KEYS.isdisjoint(value) or len(title) > _LONGEST_TITLE:
        return None
    code = trouble_of_title(title)
    full = any(isinstance(inner, str) and len(inner) > _LONG for inner in value.values())
    return None if code is None or full else Finding("payload.error_page", Says.HIDDEN, "title", title, code)


_LONGEST_TITLE, _LONG = 80, 600


def error_page(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"url": "chrome-error://chromewebdata/"}`: where a browser ends that could not load what it was sent to.

    So is a blank page, where it was sent to an address.
    """
    if ADDRESS_KEYS.isdisjoint(value):
        return None
    sent = asked.arguments.values() if isinstance(asked.arguments, dict) else ()
    pages = (*_ERROR_PAGES, "about:blank") if any("://" in str(each)[:12] for each in sent) else _ERROR_PAGES
    for key in ADDRESSES:
        inner = value.get(key)
        if isinstance(inner, str) and inner.startswith(pages):
            return Finding("payload.error_page", Says.HIDDEN, key, inner[:200], Code.UNAVAILABLE)
    return None


ADDRESSES = ("url", "final_url", "finalUrl", "current_url", "currentUrl", "page_url", "pageUrl", "location", "href")
ADDRESS_KEYS = frozenset(ADDRESSES)
_ERROR_PAGES = ("chrome-error://", "edge-error://", "about:neterror", "about:certerror")
