"""The journal: what was acknowledged, in the order of arrival, until the database holds it safely.

A folder of append-only segments beside the database file. One record is one Arrow record batch of redacted rows with a
checksum; `Journal.append` returns after `fdatasync`. A segment is deleted once the database has checkpointed past it.
"""

from collector.journal.journal import Journal, JournalError, Recovered
from collector.journal.record import Kind, Record

__all__ = ["Journal", "JournalError", "Kind", "Record", "Recovered"]
