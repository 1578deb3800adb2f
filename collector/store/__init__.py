"""The store on DuckDB: one process owns the file, one writer, rows durable before they are acknowledged."""

from collector.store.database import Limits
from collector.store.drain import Pace
from collector.store.opening import StoreHeld
from collector.store.recovery import Recovery
from collector.store.stats import StoreStats
from collector.store.store import DuckDBStore, Options

__all__ = ["DuckDBStore", "Limits", "Options", "Pace", "Recovery", "StoreHeld", "StoreStats"]
