"""What opening the store found and did: said loudly, shown by the service, never only logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Recovery:
    """The account of one opening.

    `wal_cut_at` is the byte where a damaged write-ahead log was cut, `quarantined` the damaged files as they were
    found, `rebuilt` that the database file was given up and made anew, `salvaged_tables` and `lost_tables` what could
    and could not be copied out of it. `journal_rows` were acknowledged but not yet in the database. `torn_bytes` are
    the end of a write that a kill interrupted before it was acknowledged. `journal_short` says that the journal ends
    before what the database had taken out of it: something cut it from outside.
    """

    unclean: bool = False
    wal_cut_at: int | None = None
    wal_given_up: bool = False
    rebuilt: bool = False
    quarantined: list[Path] = field(default_factory=list)
    salvaged_tables: list[str] = field(default_factory=list)
    lost_tables: list[str] = field(default_factory=list)
    migrated_from: int | None = None
    migration_backup: Path | None = None
    journal_rows: int = 0
    journal_damaged_bytes: int = 0
    torn_bytes: int = 0
    journal_short: bool = False
    seconds: float = 0.0

    @property
    def damaged(self) -> bool:
        """Whether an operator must be told: something was set aside or could not be read."""
        return bool(self.quarantined or self.rebuilt or self.journal_damaged_bytes or self.journal_short)

    def sentences(self) -> list[str]:
        """The account in words, one thing a sentence; empty after a clean stop."""
        said = []
        if self.migrated_from is not None:
            said.append(
                f"The file was of shape {self.migrated_from} and was migrated; before that: {self.migration_backup}."
            )
        if self.wal_cut_at is not None:
            said.append(f"The write-ahead log was damaged and was cut at byte {self.wal_cut_at}.")
        if self.wal_given_up:
            said.append("The write-ahead log was damaged beyond use and was set aside.")
        if self.rebuilt:
            said.append(
                "The database file was damaged and was made anew; `telltale restore` puts a backup in its place."
            )
        if self.salvaged_tables:
            said.append(f"{len(self.salvaged_tables)} tables were copied from the damaged file.")
        if self.lost_tables:
            said.append(f"Not readable any more: {', '.join(self.lost_tables)}.")
        if self.journal_damaged_bytes:
            said.append(f"{self.journal_damaged_bytes} bytes of the journal are damaged; the rest was used.")
        if self.journal_short:
            said.append("The journal ends before what the database holds of it: acknowledged rows may be lost.")
        if self.quarantined:
            said.append(f"Damaged files are kept as found: {', '.join(path.name for path in self.quarantined)}.")
        if self.journal_rows:
            said.append(f"{self.journal_rows} acknowledged rows came from the journal.")
        return said
