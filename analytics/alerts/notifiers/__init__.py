"""Where notices go. A notifier is anything with a name and a `send`; the outbox does the waiting and trying again."""

from __future__ import annotations

from typing import Protocol

from analytics.alerts.notice import Notice


class DeliveryError(Exception):
    """A destination did not take a notice; the text says why, without secrets of the address."""


class Notifier(Protocol):
    """One destination.

    `name` identifies it over restarts, so it must not change with the order of the configuration. `reaches_people` is
    false for destinations that nobody is called by, such as the log.
    """

    name: str
    reaches_people: bool

    def send(self, notice: Notice) -> None:
        """Hand one notice over; returns only when the destination has it.

        Raises:
            DeliveryError: it does not have it; the same notice may be sent again.
        """


__all__ = ["DeliveryError", "Notifier"]
