"""Which addresses a notice may be sent to: an address from the configuration must not become a way into the network.

The host is resolved once, every address it has is checked, and the connection goes to a checked one: a name cannot mean
something else a moment later. Numbers in any spelling, IPv4 inside IPv6 and punycode all end at the same check.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from analytics.alerts.notifiers import DeliveryError
from analytics.alerts.settings import Network

Address = IPv4Address | IPv6Address

_NAT64 = ip_network("64:ff9b::/96")


class ForbiddenDestinationError(DeliveryError):
    """The address is none that notices may go to."""


@dataclass(slots=True, frozen=True)
class Egress:
    """Addresses outside private, loopback, link-local and reserved ranges, and what `allow` adds."""

    allow: Sequence[Network] = ()

    def check(self, host: str, port: int) -> Address:
        """A checked address of this host.

        Raises:
            ForbiddenDestinationError: any address of the host lies in a range that is not allowed.
            DeliveryError: the name cannot be resolved.
        """
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DeliveryError(f"the host cannot be resolved: {type(error).__name__}") from error
        addresses = [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
        for address in addresses:
            if not self.allowed(address):
                raise ForbiddenDestinationError(f"{address} is a private or reserved address; see alerts.allow_private")
        return addresses[0]

    def allowed(self, address: Address) -> bool:
        """Whether notices may go to this address."""
        inner = _inner(address)
        listed = any(candidate in network for network in self.allow for candidate in {address, inner})
        return listed or (inner.is_global and not inner.is_multicast)


def _inner(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


class Poster:
    """Sends JSON by HTTP POST to one configured address, checked at each use; redirects are not followed."""

    def __init__(self, url: str, egress: Egress, timeout_s: float) -> None:
        """Read the address.

        Raises:
            ValueError: it is not an http or https address with a host.
        """
        self._url = httpx.URL(url)
        if self._url.scheme not in {"http", "https"} or not self._url.host:
            raise ValueError("a webhook needs an http:// or https:// address with a host")
        self._egress = egress
        self._timeout = timeout_s

    @property
    def place(self) -> str:
        """Scheme, host and port: what may be named in logs. Path and query may hold a secret."""
        return f"{self._url.scheme}://{self._url.host}{f':{self._url.port}' if self._url.port else ''}"

    def post(self, content: object, path: str = "", headers: dict[str, str] | None = None) -> None:
        """POST one JSON value; a connection that breaks is tried once more at once.

        Raises:
            DeliveryError: the address is forbidden, cannot be reached, or did not answer 2xx.
        """
        retrying = Retrying(
            retry=retry_if_exception_type((httpx.NetworkError, httpx.RemoteProtocolError)),
            stop=stop_after_attempt(2),
            wait=wait_random_exponential(max=0.5),
            reraise=True,
        )
        try:
            status = retrying(self._once, content, path, headers or {})
        except httpx.HTTPError as error:
            raise DeliveryError(f"{self.place}: {type(error).__name__}") from error
        if not 200 <= status < 300:
            raise DeliveryError(f"{self.place}: answered {status}")

    def _once(self, content: object, path: str, headers: dict[str, str]) -> int:
        url = self._url.copy_with(path=self._url.path.rstrip("/") + path) if path else self._url
        address = self._egress.check(url.host, url.port or (443 if url.scheme == "https" else 80))
        host = url.netloc.decode("ascii")
        with (
            httpx.Client(timeout=self._timeout, follow_redirects=False, trust_env=False) as client,
            client.stream(
                "POST",
                url.copy_with(host=str(address)),
                json=content,
                headers={"user-agent": "telltale", **headers, "host": host},
                extensions={"sni_hostname": url.host},
            ) as response,
        ):
            return response.status_code
