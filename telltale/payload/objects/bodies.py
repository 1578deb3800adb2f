"""The bodies with which services refuse: an object that holds a code, a number or a message, and no answer beside it.

Each shape is one that many services share (RFC 9457's problem details, PostgREST's four keys, SAP's BAPIRET2, a
`meta` with the status, a result code, a message that is a fixed form), so none is tied to a service. All of them ask
first that nothing of substance stands beside.
"""

from __future__ import annotations

import re
from typing import Any

from telltale.payload.asked.asking import asks_for_state
from telltale.payload.asked.verbs import Verb, names_a_code, names_errors, verb_of
from telltale.payload.codes.infer import code_of, code_of_class, code_of_http, code_of_number
from telltale.payload.codes.phrases import code_of_phrase, first_code
from telltale.payload.objects.empty import is_empty
from telltale.payload.objects.evidence import asks_with_a_code, code_inside, short, told_texts
from telltale.payload.objects.exceptions import of_a_runtime
from telltale.payload.objects.fields import ERROR_WORDS, Fields, Role, fields_of, is_truthy_error
from telltale.payload.objects.refusals import noted, told_not_ok
from telltale.payload.reading import Asked, Finding, Says
from telltale.payload.words import words
from telltale.vocabulary import Code

_LONGEST = 200


def result_code(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"ret": -1, "retmsg": "…"}`, `{"code": -2010, "msg": "…"}`: a result code that is none of success, and why.

    A key that is called a result's code needs nothing more; of a plain `code`, a number below 0, or a message whose
    standard phrases mean a failure.
    """
    if names_a_code(asked.tool) or names_errors(asked.tool) or asks_with_a_code(asked):
        return None
    for key in _RESULT_CODES if not _RESULT_KEYS.isdisjoint(value) else ():
        number = _number_of(value.get(key))
        if number is not None and number not in _FINE and not 200 <= number < 300 and _told_beside(value, key):
            return Finding("payload.error_object", Says.FAILED, key, value[key], first_code(told_texts(value)))
    if fields.substance or not fields.has(Role.MESSAGE):
        return None
    for key, inner in fields.get(Role.CODE):
        number = _number_of(inner)
        if number is None or number in _FINE or 200 <= number < 600:
            continue
        told = [text for _, text in fields.get(Role.MESSAGE) if isinstance(text, str)]
        said = first_code(told) or (code_of_number(number) if verb_of(asked.tool) is not Verb.READ else None)
        if said is not None or (number < 0 and any(told)):
            return Finding("payload.error_object", Says.FAILED, key, inner, said)
    return None


_RESULT_CODES = (
    *("ret", "retcode", "retCode", "ret_code", "resultCode", "result_code", "resultcode", "respCode", "resp_code"),
    *("rtnCode", "sub_code", "subCode"),
)
_RESULT_KEYS = frozenset(_RESULT_CODES)
_MESSAGE_OF = re.compile(r"(?:ret|result|resp|response|rtn|sub)_?(?:msg|message|desc|info)|msg|message", re.IGNORECASE)
_FINE = frozenset((0, 1, 10_000, 20_000))


def _number_of(value: Any) -> int | None:
    """A number, also one written as text with up to nine digits."""
    if type(value) is int:
        return value
    if isinstance(value, str) and 0 < len(value) <= _MOST_DIGITS and value.lstrip("-").isdecimal():
        return int(value)
    return None


_MOST_DIGITS = 9


def _told_beside(value: dict[str, Any], code: str) -> bool:
    """Whether beside a result code stands its message, and no data."""
    told = False
    for key, inner in value.items():
        if key == code or is_empty(inner, 2) or not isinstance(inner, dict | list | str):
            continue
        if isinstance(inner, str):
            told = told or _MESSAGE_OF.fullmatch(key) is not None
        else:
            return False
    return told


def named_code(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A name for what failed beside its message: PostgREST's four keys, `{"id": "unauthorized", "message": "…"}`."""
    if (
        names_errors(asked.tool)
        or names_a_code(asked.tool)
        or asks_with_a_code(asked)
        or verb_of(asked.tool) is Verb.EXAMINE
    ):
        return None
    if value.keys() == _POSTGREST and isinstance(value["code"], str):
        return Finding("payload.error_object", Says.FAILED, "code", value["code"], first_code(told_texts(value)))
    told = [text for _, text in fields.get(Role.MESSAGE) if isinstance(text, str) and text]
    titled = "title" in value or "description" in value
    for key, name in (*fields.get(Role.CODE), *(() if titled else _own_names(value))) if told else ():
        if not isinstance(name, str) or not name or " " in name or len(name) > _LONGEST or name.isdecimal():
            continue
        if any(other not in (key, "") for other in fields.keys):
            continue
        code = code_of(name) or code_of_class(name)
        if code is not None and (key != "id" or code_of_phrase(told[0]) is not None) and _is_compound(name, key):
            return Finding("payload.error_object", Says.FAILED, key, name, code)
    return None


def _own_names(value: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What may stand in the place of a code: an id, or a name in capitals."""
    name = value.get("name")
    capital = isinstance(name, str) and name.isupper() and "_" in name
    return (("id", value.get("id")), ("name", name)) if capital else (("id", value.get("id")),)


_POSTGREST = frozenset(("code", "message", "details", "hint"))
_COMPOUND = re.compile(r"[A-Za-z][a-z]+(?:[A-Z][a-z]+)+(?:\.[A-Z]\w+)*|\w+[._-]\w[\w.-]*")


def _is_compound(name: str, key: str) -> bool:
    """Whether a name is made of several words, as codes are: `InvalidQuery`, `no_route`; an id may be one."""
    return key == "id" or _COMPOUND.fullmatch(name) is not None


def problem_details(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """RFC 9457 without its status: `{"type": "https://…/errors/…", "title": "…", "detail": "…"}`."""
    kind = value.get("type")
    if not isinstance(kind, str) or "title" not in value or "://" not in kind[:10] or fields.substance:
        return None
    if _ERRORS_PATH.search(kind) is None:
        return None
    said = code_of_class(kind.rpartition("/")[2].rpartition("#")[2]) or first_code(told_texts(value))
    return Finding("payload.error_object", Says.FAILED, "type", kind[:200], said)


_ERRORS_PATH = re.compile(r"/(?:errors?|problems?|exceptions?)(?=[/#.-])")


def status_in_frame(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"meta": {"status": 401, "msg": "…"}, "data": []}`: the status stands in the frame, and there is no answer."""
    if verb_of(asked.tool) is Verb.EXAMINE or len(value) > _MOST_FRAMED:
        return None
    for name in _FRAMES:
        frame = value.get(name)
        if not isinstance(frame, dict) or not all(name == key or is_empty(value[key], 1) for key in fields.keys):
            continue
        inner = fields_of(frame)
        if name == "sys" and isinstance(frame.get("type"), str) and frame["type"].lower() == "error":
            return Finding("payload.status_error", Says.FAILED, "sys.type", frame["type"], code_inside(frame))
        if name == "status" and is_truthy_error(frame.get("error")):
            said = code_inside(frame["error"]) or first_code(told_texts(frame))
            return Finding("payload.status_error", Says.FAILED, "status.error", short(frame["error"]), said)
        for key, number in (*inner.get(Role.STATUS), *inner.get(Role.CODE), *inner.get(Role.HTTP)):
            if type(number) is int and 400 <= number < 600:
                key_path = f"{name}.{key}"
                return Finding("payload.http_status", Says.HIDDEN, key_path, number, code_of_http(number))
    return None


_FRAMES = ("meta", "status", "sys", "header", "head")
_MOST_FRAMED = 8


def returned_messages(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """SAP's BAPIRET2 (`{"TYPE": "E", "ID", "NUMBER", "MESSAGE"}`), alone or in a list: type E or A is a failure."""
    for name in _RETURNS:
        held = value.get(name)
        for item in held[:_MOST_RETURNED] if isinstance(held, list) else (held,):
            if isinstance(item, dict) and item.get("TYPE") in ("E", "A") and isinstance(item.get("MESSAGE"), str):
                return Finding("payload.error_object", Says.FAILED, f"{name}.TYPE", item["TYPE"], _said(item))
    return None


_RETURNS = ("RETURN", "BAPIRETURN", "BAPIRET2", "ET_RETURN")
_MOST_RETURNED = 50


def _said(item: dict[str, Any]) -> Code | None:
    return first_code([item["MESSAGE"]])


def refused_fields(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """A validator's list of what it refused: `{"email": ["This field is required."]}`, `{"details": [{"property"}]}`.

    The sentences are those of widespread validators, and stand alone under the name of a field.
    """
    if verb_of(asked.tool) in (Verb.READ, Verb.EXAMINE) or not 0 < len(value) <= _MOST_FIELDS:
        return None
    details = value.get("details")
    if isinstance(details, list) and details and isinstance(value.get("message"), str) and not fields.substance:
        first = details[0]
        if isinstance(first, dict) and isinstance(first.get("message"), str) and not _PLACES.isdisjoint(first):
            return Finding("payload.error_object", Says.HIDDEN, "details", short(first), Code.INVALID_ARGUMENT)
    for inner in value.values():
        if not isinstance(inner, list) or not inner or not isinstance(inner[0], str):
            return None
        if len(inner[0]) > _LONGEST or _REFUSED.match(inner[0]) is None:
            return None
    key = next(iter(value))
    return Finding("payload.error_object", Says.HIDDEN, str(key), short(value[key]), Code.INVALID_ARGUMENT)


_PLACES = words("property field path loc param pointer attribute parameter")
_MOST_FIELDS = 12
_REFUSED = re.compile(
    r"(?:this field (?:is required|may not be (?:blank|null))|this value should not be blank|enter a valid \w+"
    r"|ensure (?:this|that) \w+|not a valid \w+|(?:can't|cannot) be blank|is (?:invalid|required|not a number)"
    r"|has already been taken|is too (?:short|long)|must (?:be|exist|not be)|the \w+(?: \w+)? field is required"
    r"|a valid \w+ is required|field required|missing data for required field)",
    re.IGNORECASE,
)


def directory_result(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """The result of an LDAP operation (RFC 4511 §4.1.9) as clients hand it out, with a code that is none of success."""
    number, told = value.get("result"), value.get("description")
    if type(number) is not int or number in _LDAP_FINE or not isinstance(told, str) or "dn" not in value:
        return None
    return Finding("payload.error_object", Says.FAILED, "result", number, code_of_class(told))


_LDAP_FINE = frozenset((0, 5, 6, 10, 14))
"""Success, a comparison's two answers, a referral, a bind that goes on."""


def ended_badly(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """`{"state": "ERROR"}` of a tool that acts: one word for how it ended, and nothing else; a cell's exception."""
    state = value.get("state")
    if isinstance(state, str) and state.lower() in ERROR_WORDS and fields.keys == ["state"]:
        acts = verb_of(asked.tool) is Verb.CHANGE and not asks_for_state(asked, state)
        return Finding("payload.status_error", Says.FAILED, "state", state) if acts else None
    return of_a_runtime(value, fields) if "ename" in value else None


_RULES = (
    result_code,
    named_code,
    problem_details,
    status_in_frame,
    returned_messages,
    refused_fields,
    told_not_ok,
    directory_result,
    ended_badly,
    noted,
)
_OTHER_SIGNS = words("code Code id name type details message description state ename Note Information")
_SIGNS = _OTHER_SIGNS | frozenset((*_RESULT_CODES, *_FRAMES, *_RETURNS))


def refusing_body(value: dict[str, Any], fields: Fields, asked: Asked) -> Finding | None:
    """The first of the shapes above that an object has; None for every other, at the price of one look at its keys."""
    if value.keys().isdisjoint(_SIGNS):
        return refused_fields(value, fields, asked) if type(next(iter(value.values()), None)) is list else None
    for rule in _RULES:
        found = rule(value, fields, asked)
        if found is not None:
            return found
    return None
