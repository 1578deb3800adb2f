"""The words, glyphs and units of the pages: one look per outcome, numbers with units, times in UTC with an age.

Everything here is the project's own text, or is made of numbers; nothing of a span passes through.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from telltale.vocabulary import Outcome, Payload


class Look(NamedTuple):
    """How an outcome shows: a shape besides the colour, Streamlit's colour name, and the words for it."""

    glyph: str
    color: str
    label: str
    meaning: str


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        Outcome.OK: Look("✓", "green", "ok", "did what was asked"),
        Outcome.STRUCTURED_ERROR: Look("▲", "orange", "structured error", "failed and said so in a compliant envelope"),
        Outcome.UNSTRUCTURED_ERROR: Look("✕", "red", "unstructured error", "failed visibly, but not in an envelope"),
        Outcome.SILENT_FAILURE: Look(
            "◆", "violet", "silent failure", "failed although it claimed success or said nothing"
        ),
    }
)
"""The look of each outcome, in order of rising harm."""

NOT_MEASURED = Look(
    "○", "gray", "not measured", "bore no mark of a failure, and its result, which could tell more, was not captured"
)
"""The look of an `ok` that nothing could contradict: what the tool returned never came."""

UNKNOWN_LOOK = Look("○", "gray", "not known", "not judged")
FAILED = "failed"
"""The API's name for the three failures together (`outcome=failed`)."""

_DASH = "–"


def look(outcome: object) -> Look:
    """The look of an outcome; a neutral one for a word that is not in the closed list."""
    return LOOKS.get(str(outcome), UNKNOWN_LOOK)


def look_of(call: Mapping[str, Any]) -> Look:
    """The look of a call's outcome; of an `ok` whose result was not captured that it was not measured."""
    if call.get("outcome") == Outcome.OK and call.get("payload") == Payload.ABSENT:
        return NOT_MEASURED
    return look(call.get("outcome"))


def outcome_text(outcome: object) -> str:
    """Shape and words, for a cell in a table."""
    return _sign(look(outcome))


def call_text(call: Mapping[str, Any]) -> str:
    """Shape and words of a call's outcome, for a cell in a table."""
    return _sign(look_of(call))


def _sign(chosen: Look) -> str:
    return f"{chosen.glyph} {chosen.label}"


def step_kind(kind: object) -> str:
    """The kind of a replay's step, from the closed list."""
    return str(kind) if kind in _KINDS else "other"


_KINDS = frozenset({"user", "model", "tool", "upstream", "agent", "other"})


def severity(value: object) -> str:
    """Whether an incident wakes somebody (`page`) or waits for the morning (`ticket`), from the closed list."""
    return str(value) if value in ("page", "ticket") else "unknown"


def parse_time(value: object) -> datetime | None:
    """An RFC 3339 time as an aware UTC datetime; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def span_of_seconds(seconds: float) -> str:
    """A length of time in its two largest units: `4 s`, `3 min`, `2 h 05 min`, `5 d 3 h`."""
    whole = int(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def ago(value: object, now: datetime | None = None) -> str:
    """How long ago a time was, or a dash where there is none."""
    at = parse_time(value)
    if at is None:
        return _DASH
    seconds = ((now or datetime.now(UTC)) - at).total_seconds()
    return "now" if seconds < 1 else f"{span_of_seconds(seconds)} ago"


def utc(value: object, *, day: bool = True) -> str:
    """A time in UTC, to the second; without the day where the day goes without saying."""
    at = parse_time(value)
    if at is None:
        return _DASH
    return at.strftime("%Y-%m-%d %H:%M:%S" if day else "%H:%M:%S")


def utc_ago(value: object) -> str:
    """A time in UTC with its age: `2026-11-30 13:42:46 UTC (4 s ago)`."""
    return _DASH if parse_time(value) is None else f"{utc(value)} UTC ({ago(value)})"


def lately(value: object, now: datetime | None = None) -> str:
    """A time in UTC with its age, in as few signs as tell it: without the day where that is today's or last night's."""
    at, present = parse_time(value), now or datetime.now(UTC)
    if at is None:
        return _DASH
    told = utc(value, day=(present - at).total_seconds() > _SAME_NIGHT_S)
    return f"{told} UTC ({ago(value, present)})"


_SAME_NIGHT_S = 12 * 3600


def milliseconds(value: object) -> str:
    """A duration with its unit: `850 µs`, `12 ms`, `3.4 s`, `2 min`."""
    if not isinstance(value, int | float):
        return _DASH
    if value < 1:
        return f"{value * 1000:.0f} µs"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{value / 1000:.1f} s" if value < 60_000 else span_of_seconds(value / 1000)


def count(value: object) -> str:
    """A whole number with thousands apart; a dash where none is known (never a zero)."""
    return f"{int(value):,}".replace(",", " ") if isinstance(value, int | float) else _DASH


def plural(number: object, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 call`, `2 calls`."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def percent(value: object) -> str:
    """A share as a percentage, in the one style of all pages; a dash where it cannot be told. Little is not nothing."""
    if not isinstance(value, int | float):
        return _DASH
    if 0 < value < 0.0005:
        return "< 0.1 %"
    return f"{value * 100:.1f} %" if 0 < value < 0.1 or 0.995 <= value < 1 else f"{value * 100:.0f} %"


def share(numerator: object, denominator: object) -> str:
    """A share with what it is a share of: `9.1 % of 1 024`; a dash where there is nothing to take a share of."""
    if not isinstance(numerator, int | float) or not isinstance(denominator, int | float) or not denominator:
        return _DASH
    return f"{percent(numerator / denominator)} of {count(denominator)}"


def rate(of: Mapping[str, Any], none: str = "no failures") -> str:
    """A rate of the API with its denominator. What could not be measured is no 0 %, and nothing to measure neither."""
    if of.get("denominator"):
        return share(of.get("numerator"), of.get("denominator"))
    return "not measured" if of.get("not_measured") else none


def rate_whole(of: Mapping[str, Any], none: str = "no failures") -> str:
    """A rate with its denominator and 95 % interval, in one cell: `83 % of 12 (55–95 %)`. See `rate`."""
    told, low, high = rate(of, none), of.get("low"), of.get("high")
    if not of.get("denominator") or low is None or high is None:
        return told
    return f"{told} ({low * 100:.0f}–{high * 100:.0f} %)"


def rate_value(rate: Mapping[str, Any]) -> str:
    """The rate, or what stands in its place: no failures is neither 0 % nor 100 %."""
    return percent(rate.get("rate")) if rate.get("denominator") else "no failures yet"


def rate_basis(rate: Mapping[str, Any]) -> str:
    """What the rate rests on: numerator and denominator."""
    if not rate.get("denominator"):
        return "nothing to measure in this window"
    return f"{count(rate.get('numerator'))} of {plural(rate.get('denominator'), 'failure')}"


def rate_interval(rate: Mapping[str, Any]) -> str:
    """The rate's 95 % interval; "" where there is none."""
    low, high = rate.get("low"), rate.get("high")
    if not rate.get("denominator") or low is None or high is None:
        return ""
    return f"in an envelope; 95 % interval {percent(float(low))} – {percent(float(high))}"


def checked(rate: object) -> str:
    """A precision as far as people checked it."""
    if not isinstance(rate, Mapping) or not rate.get("denominator"):
        return "not checked yet"
    return f"{share(rate.get('numerator'), rate.get('denominator'))} checked"


REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "malformed": "requests that could not be decoded",
        "too_large": "requests beyond a limit on size",
        "bad_request": "requests with a wrong path, method or media type",
        "unauthenticated": "requests without a valid token",
        "forbidden": "requests whose token lacks the right",
        "throttled": "requests of senders beyond their rate",
        "overloaded": "requests while the service was busy",
        "store_unavailable": "requests while the store could not take data",
        "internal": "requests on which the service itself failed",
        "not kept": "metrics, which are not kept",
    }
)
"""What the reasons of a refusal mean; those that are not here are sentences themselves."""

_UNITS = (("requests", "request"), ("spans", "span"), ("log_records", "log record"), ("metrics", "metric"))


def refused(status: Mapping[str, Any]) -> str:
    """How many requests, spans, log records and metrics were refused, in their own units; "" where nothing was."""
    units = status.get("refused_units") or {}
    return ", ".join(plural(units[key], noun) for key, noun in _UNITS if units.get(key))
