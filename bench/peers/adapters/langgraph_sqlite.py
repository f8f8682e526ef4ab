"""LangGraph's store in SQLite.

Its vectors need an SQLite that loads extensions. Many builds of Python have none, so the connection
comes from pysqlite3, which is the same module over an SQLite of its own, built as SQLite is by
default; `SqliteStore` takes any connection.
"""

from pathlib import Path

from langgraph.store.sqlite import SqliteStore
from pysqlite3 import dbapi2 as sqlite3
from stores import Store

from adapters.langgraph import LangGraph, index_of

PACKAGES = ("langgraph-checkpoint-sqlite",)
NOTE = (
    "SqliteStore, a namespace a user; it embeds a question as if it were a text; over the SQLite "
    f"{sqlite3.sqlite_version} of pysqlite3, which leaves what is deleted in the file until it is "
    "written over, as SQLite does unless it is built with SECURE_DELETE"
)


class LangGraphSqlite(LangGraph):
    """The same, in one file."""

    on_disk = True

    def __init__(self, home: Path, weights: Path) -> None:
        self._connection = sqlite3.connect(
            str(home / "store.db"), check_same_thread=False, isolation_level=None
        )
        # It reads `text_fields` where its documentation and the other stores say `fields`; without
        # it, what is embedded is the whole value as JSON.
        index = {**index_of(weights), "text_fields": ["text"]}
        store = SqliteStore(self._connection, index=index)
        store.setup()
        super().__init__(store)

    def close(self) -> None:
        self._connection.close()


def open_store(home: Path, *, weights: Path) -> Store:
    """Return an empty store."""
    return LangGraphSqlite(home, weights)
