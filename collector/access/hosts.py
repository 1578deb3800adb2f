"""The Host check: a page of a stranger whose name was re-bound to this address must not reach the service.

A browser sends the name that it was told; so only configured names, the loopback names, and the address that the
connection really reached are answered.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(
    r"(?:\[(?P<bracketed>[0-9a-f:.]{2,64}(?:%\w{1,20})?)\]|(?P<name>[^\s:@/?#\[\]]{1,255}))(?::\d{0,5})?"
)

_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - addresses to bind, never names to be called by


class HostCheck:
    """Knows the names of this service."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = (_LOOPBACK | {name.lower().rstrip(".").strip("[]") for name in names}) - _WILDCARDS

    def allows(self, headers: Sequence[str], server: tuple[str, int | None] | None) -> bool:
        """Whether a request may be answered.

        Args:
            headers: the values of its Host header; exactly one is needed.
            server: the address and port that the connection reached.
        """
        if len(headers) != 1:
            return False
        name = host_name(headers[0])
        if name in self._names:
            return True
        return server is not None and _same_address(name, server[0])


def host_name(value: str) -> str:
    """The host of a Host header without port and brackets, lower case; "" where the header is none (RFC 9110, 7.2)."""
    found = _HOST.fullmatch(value.strip().lower())
    return (found["bracketed"] or found["name"]).rstrip(".") if found is not None else ""


def is_loopback(host: str) -> bool:
    """Whether an address or name to bind stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _same_address(name: str, reached: str) -> bool:
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(reached)
    except ValueError:
        return False
