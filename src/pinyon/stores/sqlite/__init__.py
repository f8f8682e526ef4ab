"""The embedded store: a home directory with one SQLite file for each space."""

from pinyon.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
