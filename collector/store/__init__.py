"""The store on DuckDB: one process owns the file, one writer, rows durable before they are acknowledged."""

from collector.store.store import DuckDBStore

__all__ = ["DuckDBStore"]
