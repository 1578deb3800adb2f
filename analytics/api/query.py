"""What an endpoint is asked: parameters checked one by one, each refusal a sentence that names its parameter."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from analytics.questions.filters import FAILURES, NO_CODE, Filters
from analytics.questions.times import HOUR_NS, MAX_NS, parse_time, rfc3339
from telltale.vocabulary import Code, Flag, Outcome, Payload

DEFAULT_LIMIT = 100
MAX_LIMIT = 10_000
MAX_TEXT = 1024
"""The longest value of any parameter, in characters."""

PARAMETERS: Mapping[str, str] = {
    "project": "Project; default `default`",
    "since": "Start of the range: 15m, 24h, 7d, RFC 3339, or all; default 24h",
    "until": "End of the range, in the same words; default: the end of the next hour, none where since is all",
    "as_of": "The moment of the answer, RFC 3339: ranges count back from it, what came later is left out; default now",
    "tool": "Tool name",
    "agent": "Agent name",
    "service": "Service name",
    "release": "Release (service.version)",
    "session": "Session id",
    "user": "User id",
    "outcome": "Comma-separated outcomes; `failed` stands for the three failures",
    "code": "Comma-separated codes; `none` for calls without one",
    "flag": "A flag that the calls bear",
    "payload": "captured, truncated or absent",
    "fingerprint": "Fingerprint of an error group",
    "inferred": "true: calls seen only in the model's messages; false: the others",
    "recovered": "true: failures recovered later; false: the others",
    "flagged": "true: sessions that hold a failure",
    "unrecovered": "true: sessions in which a failure is not known to be recovered",
    "state": "State of an incident: firing, acknowledged, resolved; open for those not resolved",
    "by": "release: one row per tool and release",
    "limit": f"Rows of the answer, 1 to {MAX_LIMIT}; default {DEFAULT_LIMIT}",
    "cursor": "`next_cursor` of the page before",
    "around": "Span id or number of a step: of a session too long for one answer, the steps around it",
    "format": "json (default), csv or arrow",
}
"""Every query parameter, with what it means."""

_PLAIN = ("project", "tool", "agent", "service", "release", "session", "user", "fingerprint")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "flag": tuple(Flag),
    "payload": tuple(Payload),
    "state": ("firing", "acknowledged", "resolved", "open"),
    "by": ("release",),
    "format": ("json", "csv", "arrow"),
}
_LISTS: Mapping[str, tuple[str, ...]] = {
    "outcome": (*Outcome, "failed"),
    "code": (*Code, NO_CODE),
}


class BadRequestError(Exception):
    """The request cannot be answered as it stands; the text is a sentence for whoever sent it."""


class NotFoundError(Exception):
    """What the request names is not there; the text says what."""


@dataclass(slots=True, frozen=True)
class Cursor:
    """A position in a list: everything before (`ns`, `id`) in one that runs from new to old is still to come; in a list
    of another order everything from row `ns` on, with `id` "".
    """

    ns: int = 2**63 - 1
    id: str = "\U0010ffff"

    @property
    def row(self) -> int:
        """The position in a list of another order.

        Raises:
            BadRequestError: it is one of a list that runs from new to old.
        """
        if self.id and self != Cursor():
            raise BadRequestError(_FOREIGN)
        return 0 if self.id else max(0, self.ns)

    def in_time(self) -> Cursor:
        """The same position, in a list that runs from new to old.

        Raises:
            BadRequestError: it is one of a list of another order.
        """
        if not self.id:
            raise BadRequestError(_FOREIGN)
        return self

    def text(self) -> str:
        """The opaque form that `next_cursor` carries."""
        return base64.urlsafe_b64encode(f"{self.ns}:{self.id}".encode()).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """The position that `text` stands for.

        Raises:
            BadRequestError: no answer of this service has given that cursor.
        """
        try:
            ns, _, row_id = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(":")
            return cls(int(ns), row_id)
        except (ValueError, binascii.Error):
            raise BadRequestError(_FOREIGN) from None


_FOREIGN = "cursor is not one that this list has given: pass next_cursor unchanged, with the same filters"


@dataclass(slots=True, frozen=True)
class Query:
    """A checked request. `path` holds what the path names, `now_ns` the moment that the answer is for (ns since 1970
    UTC): when it was asked, or `as_of`; `at_moment` says that it was the latter."""

    filters: Filters
    now_ns: int
    at_moment: bool = False
    limit: int | None = DEFAULT_LIMIT
    cursor: Cursor = field(default_factory=Cursor)
    flagged: bool = False
    unrecovered: bool = False
    state: str | None = None
    by: str | None = None
    around: str | None = None
    format: str = "json"
    path: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)


def parse_query(
    given: Mapping[str, str],
    allowed: Collection[str],
    *,
    path: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    default_since: str = "24h",
    now_ns: int | None = None,
) -> Query:
    """Check the parameters of a request.

    Args:
        given: the parameters.
        allowed: those that mean something where they are sent; any other is refused.
        path: what the path names.
        body: the body of a change.
        default_since: where the range begins when nobody says.
        now_ns: the present (ns since 1970 UTC); the clock's where None.

    Raises:
        BadRequestError: a parameter is none of `allowed`, or its value is not one it can have.
    """
    now = time.time_ns() if now_ns is None else now_ns
    given = _known(given, allowed)
    now, since, until, ahead_to, at_moment = _range(given, default_since, now)
    filters = Filters(
        since_ns=since,
        until_ns=until,
        ahead_to_ns=ahead_to,
        outcomes=_outcomes(_several(given, "outcome")),
        codes=_several(given, "code"),
        flag=given.get("flag"),
        payload=given.get("payload"),
        inferred=_truth(given, "inferred"),
        recovered=_truth(given, "recovered"),
        **{name: given[name] for name in _PLAIN if name in given},
    )
    return Query(
        filters=filters,
        now_ns=now,
        at_moment=at_moment,
        limit=_limit(given),
        cursor=Cursor.parse(given["cursor"]) if "cursor" in given else Cursor(),
        flagged=bool(_truth(given, "flagged")),
        unrecovered=bool(_truth(given, "unrecovered")),
        state=given.get("state"),
        by=given.get("by"),
        around=given.get("around"),
        format=given.get("format", "json"),
        path=path or {},
        body=body or {},
    )


_Range = tuple[int, int | None, int | None, int | None, bool]


def _range(given: Mapping[str, str], default_since: str, now: int) -> _Range:
    """The moment that the answer is of, where its range begins and ends, how far calls that are dated ahead are in it,
    and whether the moment was asked for.

    One rule for all answers: `all` holds every stored call, also those that are dated ahead; a range that begins
    somewhere and has no end is open to the end of the next hour, for clocks run ahead a little (and a whole hour comes
    cheap from the rollup).
    """
    as_of = _time(given, "as_of", "all", now)
    now = now if as_of is None else min(as_of, now)
    since = _time(given, "since", default_since, now)
    until = _time(given, "until", "all", now)
    if until is not None and until < (since or 0):
        raise BadRequestError(
            f"until ({rfc3339(until)}) is before since ({rfc3339(since)}): no call can be between them"
        )
    if until is None and since is not None:
        until = (now // HOUR_NS + 2) * HOUR_NS
    if as_of is None or (until is not None and until <= now):
        return now, since, until, None, as_of is not None
    # Several questions about one moment agree with each other: of what starts later, only that is in their answers
    # which had been received by then.
    return now, since, now, MAX_NS if until is None else until, True


def _known(given: Mapping[str, str], allowed: Collection[str]) -> dict[str, str]:
    """The parameters that say something, after a look at their names, lengths and closed choices."""
    for name, value in given.items():
        if name not in allowed:
            wrong = "does nothing here" if name in PARAMETERS else "is no parameter"
            raise BadRequestError(f"{name[:40]!r} {wrong}; there are {', '.join(sorted(allowed))}")
        if len(value) > MAX_TEXT:
            raise BadRequestError(f"{name} is longer than {MAX_TEXT} characters")
    said = {name: value for name, value in given.items() if value != ""}
    for name, choices in _CHOICES.items():
        if name in said and said[name] not in choices:
            raise BadRequestError(f"{name} is {said[name]!r}; it can be {', '.join(choices)}")
    return said


def _time(given: Mapping[str, str], name: str, default: str, now_ns: int) -> int | None:
    try:
        return parse_time(given.get(name, default), now_ns)
    except ValueError as wrong:
        raise BadRequestError(f"{name} {wrong}") from None


def _several(given: Mapping[str, str], name: str) -> tuple[str, ...]:
    values = tuple(part.strip() for part in given.get(name, "").split(",") if part.strip())
    for value in values:
        if value not in _LISTS[name]:
            raise BadRequestError(f"{name} {value!r} is not known; there are {', '.join(_LISTS[name])}")
    return values


def _outcomes(values: tuple[str, ...]) -> tuple[str, ...]:
    spelt_out = [each for value in values for each in (FAILURES if value == "failed" else (value,))]
    return tuple(dict.fromkeys(spelt_out))


def _truth(given: Mapping[str, str], name: str) -> bool | None:
    if name not in given:
        return None
    if given[name].lower() in ("true", "1"):
        return True
    if given[name].lower() in ("false", "0"):
        return False
    raise BadRequestError(f"{name} is {given[name]!r}; it can be true or false")


def _limit(given: Mapping[str, str]) -> int:
    text = given.get("limit", str(DEFAULT_LIMIT))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MAX_LIMIT:
        raise BadRequestError(f"limit is {text!r}; it can be 1 to {MAX_LIMIT}")
    return int(text)
