"""Which project an export request writes to, or a refusal."""

from __future__ import annotations

import structlog

from collector.access.backoff import BackOff
from collector.access.tokens import Role, TokenTable, bearer
from collector.errors import throttled, unauthenticated

log = structlog.get_logger("collector.access")

DEFAULT_PROJECT = "default"


class IngestAccess:
    """Answers for both OTLP ports; the project comes from the token, never from the payload."""

    def __init__(self, tokens: TokenTable, backoff: BackOff | None = None) -> None:
        self._tokens = tokens
        self._backoff = backoff or BackOff()

    def project_of(self, authorization: str | None, address: str) -> str:
        """The project that this sender writes to.

        Raises:
            Refusal: no valid token where tokens are demanded, or too many wrong ones from this address.
        """
        secret = bearer(authorization)
        if secret is None and not self._tokens.demanded((Role.INGEST,)):
            return DEFAULT_PROJECT
        wait = self._backoff.wait_s(address)
        if wait:
            raise throttled("too many wrong tokens from this address", wait)
        token = self._tokens.find(secret, (Role.INGEST,)) if secret else None
        if token is not None:
            return token.project
        if not self._tokens.demanded((Role.INGEST,)):
            return DEFAULT_PROJECT
        if secret:
            self._backoff.failed(address)
            log.warning("token_refused", address=address, kind="ingest")
        raise unauthenticated()
