"""Which project an export request writes to, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from collector.access.backoff import BackOff
from collector.access.rate import SenderRate
from collector.access.tokens import Role, TokenTable, bearer
from collector.errors import throttled, unauthenticated

log = structlog.get_logger("collector.access")

DEFAULT_PROJECT = "default"


@dataclass(slots=True, frozen=True)
class Sender:
    """Who sends: the project comes from the token, never from the payload; `name` is the token's id or the address."""

    project: str
    name: str


class IngestAccess:
    """Answers for both OTLP ports."""

    def __init__(self, tokens: TokenTable, rate: SenderRate | None = None) -> None:
        self._tokens = tokens
        self._rate = rate or SenderRate(None)
        self._backoff = BackOff()

    def admit(self, authorization: str | None, address: str) -> Sender:
        """The sender of a request.

        Raises:
            Refusal: no valid token where tokens are demanded, or too many wrong ones from this address.
        """
        secret = bearer(authorization)
        demanded = self._tokens.demanded((Role.INGEST,))
        if not demanded:
            return Sender(DEFAULT_PROJECT, address)
        token = self._tokens.find(secret, (Role.INGEST,)) if secret else None
        if token is None:
            if secret:
                wait = self._backoff.wait_s(address)
                if wait:
                    raise throttled("too many wrong tokens from this address", wait)
                self._backoff.failed(address)
                log.warning("token_refused", address=address, kind="ingest")
            raise unauthenticated()
        return Sender(token.project, f"token {token.id}")

    def spend(self, sender: Sender, count: int) -> None:
        """Account for the bytes of a request.

        Raises:
            Refusal: the sender pushes more than it may.
        """
        self._rate.take(sender.name, count)
