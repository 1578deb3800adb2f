"""Tokens, kept as SHA-256 in a small file beside the database (`PATH.tokens.json`, mode 0600).

A file and not a table: the database belongs to one process, and a token must be revocable while the service runs. The
service looks at the file's stamp once a second. A revoked token stays in the list, so that revoking the last one never
opens the door: a kind of token is demanded as soon as the file has ever held one of it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

PREFIX = "tt_"
"""Marks our tokens, so that secret scanners (and our own redaction) can know them."""


class Role(StrEnum):
    """What a token may do. `ingest` only writes; the others only use the API, each with the rights of those before."""

    INGEST = "ingest"
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


API_ROLES = (Role.VIEWER, Role.OPERATOR, Role.ADMIN)
"""The roles of the query API, weakest first."""


@dataclass(slots=True, frozen=True)
class Token:
    """One token as kept: never the secret itself."""

    id: str
    role: Role
    project: str
    sha256: str
    created: str
    note: str = ""
    revoked: str | None = None


def token_path(database: Path) -> Path:
    """Where the tokens of a database live."""
    return database.with_name(database.name + ".tokens.json")


class TokenFile:
    """Reads and changes the token file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def tokens(self) -> list[Token]:
        """All tokens, revoked ones included; empty when there is no file.

        Raises:
            ValueError: the file is damaged; nothing may be allowed on its account.
        """
        try:
            text = self.path.read_text()
        except FileNotFoundError:
            return []
        try:
            rows = json.loads(text)["tokens"]
            return [Token(**{**row, "role": Role(row["role"])}) for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self.path} is not a token file") from error

    def create(self, role: Role, project: str, note: str = "") -> tuple[str, Token]:
        """A new token: the secret (shown once, kept nowhere) and its row."""
        secret = PREFIX + secrets.token_urlsafe(32)
        row = Token(secrets.token_hex(4), role, project, digest(secret), _now(), note)
        self._write([*self.tokens(), row])
        return secret, row

    def revoke(self, token_id: str) -> Token:
        """Mark a token as revoked.

        Raises:
            KeyError: there is no such id.
        """
        rows = self.tokens()
        for n, row in enumerate(rows):
            if row.id == token_id:
                rows[n] = Token(**{**asdict(row), "role": row.role, "revoked": row.revoked or _now()})
                self._write(rows)
                return rows[n]
        raise KeyError(token_id)

    def _write(self, rows: Sequence[Token]) -> None:
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
        with os.fdopen(handle, "w") as out:
            json.dump({"tokens": [asdict(row) for row in rows]}, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(self.path)


class TokenTable:
    """The tokens as the running service sees them; checks are constant in time."""

    def __init__(self, path: Path, *, check_every_s: float = 1.0) -> None:
        """Read the file at `path`, which need not exist yet.

        Raises:
            ValueError: the file is damaged.
        """
        self._file = TokenFile(path)
        self._check_every_s = check_every_s
        self._stamp: tuple[int, int] | None = None
        self._checked = 0.0
        self._rows: list[Token] = []
        self._load()

    def demanded(self, roles: Sequence[Role]) -> bool:
        """Whether any token of these roles was ever created."""
        self._refresh()
        return any(row.role in roles for row in self._rows)

    def find(self, secret: str, roles: Sequence[Role]) -> Token | None:
        """The valid token of one of `roles` with this secret. Compares with every row, whatever the outcome."""
        self._refresh()
        wanted = digest(secret)
        found = None
        for row in self._rows:
            if hmac.compare_digest(row.sha256, wanted) and row.revoked is None and row.role in roles:
                found = row
        return found

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._checked >= self._check_every_s:
            self._checked = now
            self._load()

    def _load(self) -> None:
        """Read the file when its stamp changed. A file that vanished leaves the last known tokens in force."""
        try:
            stat = self._file.path.stat()
        except FileNotFoundError:
            return
        stamp = (stat.st_mtime_ns, stat.st_ino)
        if stamp != self._stamp:
            self._rows = self._file.tokens()
            self._stamp = stamp


def digest(secret: str) -> str:
    """SHA-256 of a token; 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def bearer(authorization: str | None) -> str | None:
    """The token of an `Authorization: Bearer` value."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
