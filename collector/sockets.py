"""Binding ports, with a sentence that names the port and the flag when one is taken."""

from __future__ import annotations

import errno
import socket


class PortTaken(Exception):
    """A port cannot be bound; the text names it and the flag that changes it."""


def bind(host: str, port: int, flag: str) -> socket.socket:
    """A bound TCP socket, not yet listening.

    Raises:
        PortTaken: the port is taken, or the address is not one of this machine.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind(address)
            sock.listen(1024)
        except OSError:
            sock.close()
            raise
    except OSError as error:
        raise taken(host, port, flag, error) from None
    return sock


def taken(host: str, port: int, flag: str, error: OSError) -> PortTaken:
    """The sentence for a port that cannot be bound."""
    if error.errno in (errno.EADDRINUSE, None):
        return PortTaken(f"port {port} on {host} is taken; choose another with {flag} (0 lets the system choose)")
    return PortTaken(f"port {port} on {host} cannot be bound ({error.strerror}); see --host and {flag}")


def url_host(host: str) -> str:
    """A bind address as it stands in a URL that reaches it from this machine."""
    if host in ("0.0.0.0", ""):  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    if host == "::":
        return "[::1]"
    return f"[{host}]" if ":" in host else host
