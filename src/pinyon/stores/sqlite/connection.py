"""One way to open a file, so that no connection lacks a pragma; and one way to read rows off it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from pinyon.errors import StoreBusy, StoreCorrupt, StoreReadOnly

BUSY_TIMEOUT_MS = 5_000
BUSY_GIVE_UP_S = 60.0
PAGE_BYTES = 8192
CACHE_KIB = 16_384
"""Of one that writes: a large batch is held whole until it is committed."""
READING_CACHE_KIB = 2_048
"""Of one that reads. There are up to four to each open space; what they read again lies with the
system, and a recall takes as long."""
_PRAGMAS = {
    "temp_store": "MEMORY",
    "mmap_size": 0,
    "trusted_schema": "OFF",
    "secure_delete": "ON",
}

Value = None | int | float | str | bytes
Row = tuple[Any, ...]
"""A row as the driver gives it. Tables are STRICT: who wrote the query knows what it holds."""


def connect(
    path: Path, *, create: bool = False, durable: bool = True, cache_kib: int = CACHE_KIB
) -> apsw.Connection:
    """Open a database file with every pragma that we rely on.

    Args:
        path: The file.
        create: Make it if it is not there.
        durable: Whether a commit waits until the disk has it.
        cache_kib: How much of the file it may hold in memory.

    Raises:
        StoreCorrupt: It is no database, or `secure_delete` cannot be had.
        StoreReadOnly: It cannot be opened for writing.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        connection = apsw.Connection(str(path), flags=flags)
        try:
            _set_pragmas(connection, path, create=create, durable=durable)
            connection.pragma("cache_size", -cache_kib)
        except BaseException:
            connection.close()
            raise
    return connection


def get_rows(connection: apsw.Connection, sql: str, /, **values: Value) -> list[Row]:
    """Return every row that a statement gives."""
    return connection.execute(sql, values).fetchall()


def find_row(connection: apsw.Connection, sql: str, /, **values: Value) -> Row | None:
    """Return the first row that a statement gives, or `None` where it gives none."""
    row: Row | None = connection.execute(sql, values).fetchone()
    return row


def get_row(connection: apsw.Connection, sql: str, /, **values: Value) -> Row:
    """Return the first row of a statement that gives one in every sound file.

    Raises:
        StoreCorrupt: It gives none.
    """
    row = find_row(connection, sql, **values)
    if row is None:
        raise StoreCorrupt(connection.filename, "a row that every file has is missing")
    return row


def inode_of(path: Path) -> int | None:
    """Return the number that tells a file from any other that bears its name; `None` if gone."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors into ours, at the edge."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(BUSY_TIMEOUT_MS / 1000) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreCorrupt(str(path), str(error)) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError, apsw.IOError) as error:
        raise StoreReadOnly(str(path), str(error)) from error


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Hold the write lock for a block: all of it is committed, or nothing.

    Always IMMEDIATE: a transaction that begins by reading and then wants to write is told "busy"
    at once, whatever the timeout.

    Raises:
        StoreBusy: Another process kept the lock for over `BUSY_GIVE_UP_S`.
    """
    started = time.monotonic()
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            break
        except apsw.BusyError:
            waited_s = time.monotonic() - started
            if waited_s > BUSY_GIVE_UP_S:
                raise StoreBusy(waited_s) from None
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: apsw.Connection) -> Iterator[None]:
    """Let several reads see one state."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _set_pragmas(connection: apsw.Connection, path: Path, *, create: bool, durable: bool) -> None:
    # The timeout first: the pragmas below may already have to wait for another process.
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if create:
        connection.pragma("page_size", PAGE_BYTES)
        connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL" if durable else "NORMAL")
    for name, value in _PRAGMAS.items():
        connection.pragma(name, value)
    # It belongs to the connection, not to the file: never take it for granted.
    if connection.pragma("secure_delete") != 1:
        raise StoreCorrupt(str(path), "secure_delete cannot be switched on")
