"""What the framework examples share: a tool that somebody else wrote, which raises, and a model that follows a script.

The tool knows nothing of Telltale. Its calendar is down for the first two bookings.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Callable
from typing import Any

import telltale

TURNS = ("Book next Tuesday at ten.", "Please try again.")


def make_tool(outages: int = 2) -> Callable[..., dict[str, Any]]:
    """A fresh `book_meeting`."""
    left = [outages]

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting.

        Args:
            date: ISO-8601 date, e.g. 2026-10-06.
            slot: 24h start time, e.g. 10:00.
        """
        try:
            datetime.date.fromisoformat(date)
        except ValueError:
            raise telltale.ToolError(
                "INVALID_ARGUMENT", "date must be an ISO-8601 calendar date such as 2026-10-06", field="date"
            ) from None
        if left[0] > 0:
            left[0] -= 1
            raise ConnectionRefusedError("calendar-7.internal:8443")
        return {"meetingId": "m-7781", "start": f"{date}T{slot}:00Z"}

    return book_meeting


def next_step(user: str, told: Any = None) -> dict[str, Any] | str:
    """The script: the arguments of the model's next call, or what it says to the user.

    Args:
        user: the user's last words.
        told: the last tool answer as the model got it, None at the beginning of a turn.
    """
    if told is None:
        return {"date": "2026-10-06" if "again" in user else "next Tuesday", "slot": "10:00"}
    print(f"  the model is told: {told if isinstance(told, str) else json.dumps(told)}")
    envelope = json.loads(told) if isinstance(told, str) else told
    if envelope["status"] == "ok":
        return f"Booked: {envelope['output']['meetingId']}."
    if envelope["error"]["action"] in ("fix_arguments", "retry_later"):
        return {"date": "2026-10-06", "slot": "10:00"}
    return "The calendar is not available right now, so nothing was booked."


def send_spans(service: str) -> None:
    """`--endpoint http://localhost:4318` sends the example's spans to a collector."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", help="OTLP collector, such as http://localhost:4318")
    endpoint = parser.parse_args().endpoint
    if endpoint:
        telltale.instrument(endpoint=endpoint, service=service)
