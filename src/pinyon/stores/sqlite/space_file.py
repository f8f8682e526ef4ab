"""One space's file: made atomically, one writer at a time, a few readers beside it."""

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import apsw

from pinyon.domain.space import Space
from pinyon.errors import StoreCorrupt
from pinyon.stores.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    READING_CACHE_KIB,
    connect,
    find_row,
    get_row,
    snapshot,
    transaction,
    translated,
)
from pinyon.stores.sqlite.matrix import Matrix
from pinyon.stores.sqlite.migrate import create_schema, drop_copies, migrate
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.words import WordIndex

READERS_KEPT = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meta:
    """What a file says of itself.

    Attributes:
        serving: Number of the model whose vectors answer.
    """

    space: Space
    seq: int
    hash_key: bytes
    created_at_us: int
    erased_at_us: int | None
    emptied_seq: int
    serving: int | None


@dataclass(slots=True)
class SpaceFile:
    """An open file. Connections are made when needed and handed to one thread at a time.

    Attributes:
        users: Calls that hold it at the moment; it is closed only when there are none.
        head: The journal's end after this process's last write, until it is mirrored.
        matrices: The vectors of each model, guarded by `matrix_lock`.
        words: The words, once they are asked for often enough, guarded by `words_lock`.
        asked: How often they were asked for before.
        was_glanced_at: It was used since somebody looked what may be closed.
    """

    path: Path
    space: Space
    scripts: Mapping[int, str]
    durable: bool = True
    users: int = 0
    head: tuple[int, bytes] | None = None
    matrices: dict[str, Matrix] = field(default_factory=dict)
    matrix_lock: threading.Lock = field(default_factory=threading.Lock)
    words: WordIndex | None = None
    words_lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0
    was_glanced_at: bool = False
    _inode: int = 0
    _is_closed: bool = False
    _write_lock: threading.Lock = field(default_factory=threading.Lock)
    _writer: apsw.Connection | None = None
    _readers: list[apsw.Connection] = field(default_factory=list)

    def prepare(self) -> Meta:
        """Bring the schema up to date and make sure that the file is this space's.

        Returns:
            What the file says of itself.

        Raises:
            StoreCorrupt: It is another space's, or cannot be read.
        """
        with self._write_lock, translated(self.path):
            connection = self._open_writer()
            self._inode = self.path.stat().st_ino
            migrate(connection, self.path, self.scripts)
            meta = read_meta(connection)
            if meta.space != self.space:
                raise StoreCorrupt(str(self.path), "it belongs to another space")
            return meta

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """Give the connection that may write, inside a transaction."""
        with self._write_lock, translated(self.path):
            connection = self._open_writer()
            with transaction(connection):
                yield connection

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Give a connection that sees one state throughout; readers wait for nobody."""
        with translated(self.path):
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = connect(self.path, durable=self.durable, cache_kib=READING_CACHE_KIB)
            is_sound = False
            try:
                with snapshot(connection):
                    yield connection
                is_sound = True
            finally:
                # What failed may hold a statement half read, or see a file that is broken.
                if is_sound and len(self._readers) < READERS_KEPT:
                    self._readers.append(connection)
                else:
                    connection.close()

    def glance(self, act: Callable[[apsw.Connection], T]) -> T | None:
        """Run a function that reads a few rows, unless it would have to wait.

        Returns:
            What it returns, which is never `None`; `None` where no connection is at hand, or
            another process holds the file. `reading` waits for those, and tells what is wrong.
        """
        try:
            connection = self._readers.pop()
        except IndexError:
            return None
        try:
            connection.set_busy_timeout(0)
            with snapshot(connection):
                found = act(connection)
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        except apsw.Error:
            connection.close()
            return None
        self._readers.append(connection)
        if self._is_closed:
            self._close_readers()
        return found

    def is_there(self) -> bool:
        """Return whether the file that is open still lies in its place."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    def leave_nothing_behind(self) -> bool:
        """Remove what would outlive an erasure: the log, and copies from before a migration.

        Returns:
            False where a reader elsewhere still needs the log.
        """
        drop_copies(self.path)
        return self.fold_log()

    def take_head(self) -> tuple[int, bytes] | None:
        """Take the journal's end as this process last wrote it, if that still stands.

        Another process may have emptied the space since. While somebody writes it stays for the
        next time: one who waits for another process may wait long, and whoever asks holds the home.
        """
        if self.head is None or not self._write_lock.acquire(blocking=False):
            return None
        try:
            head, self.head = self.head, None
            with translated(self.path):
                n, mac = head
                stands = find_row(self._open_writer(), query("has_entry"), n=n, mac=mac)
        finally:
            self._write_lock.release()
        return None if stands is None else head

    def fold_log(self) -> bool:
        """Write the log back and cut it to nothing, so that no old page is left in it.

        Returns:
            False where a reader elsewhere still needs it; the next one to close will do it.
        """
        with self._write_lock, translated(self.path):
            busy, *_ = get_row(self._open_writer(), "PRAGMA wal_checkpoint(TRUNCATE)")
            return not busy

    def close(self) -> None:
        """Close every connection; the last one folds the log into the file."""
        with self._write_lock:
            self._is_closed = True
            self._close_readers()
            if self._writer is not None:
                try:
                    _remove_if_last(self._writer, self.path)
                finally:
                    self._writer.close()
                    self._writer = None

    def _close_readers(self) -> None:
        while self._readers:
            with suppress(IndexError):  # whoever glances may take one meanwhile
                self._readers.pop().close()

    def _open_writer(self) -> apsw.Connection:
        if self._writer is None:
            self._writer = connect(self.path, durable=self.durable)
        return self._writer


def read_meta(connection: apsw.Connection) -> Meta:
    """Return what a file says of itself.

    Raises:
        StoreCorrupt: It says nothing.
    """
    try:
        row = find_row(connection, query("read_meta"))
    except apsw.SQLError as error:
        raise StoreCorrupt(connection.filename, "it holds no space") from error
    if row is None:
        raise StoreCorrupt(connection.filename, "it does not say whose it is")
    space, *rest = row
    return Meta(Space.parse(space), *rest)


def _remove_if_last(connection: apsw.Connection, path: Path) -> None:
    """Remove the file of a space that was erased, if nobody else has it open.

    Leaving WAL works for the last connection only, and the exclusive lock keeps others out while
    the name goes. Whoever waited for it finds a file that says it is erased and has no name, and
    opens another; see `is_there`.
    """
    try:
        if read_meta(connection).erased_at_us is None:
            return
        connection.set_busy_timeout(0)
        if connection.pragma("journal_mode", "DELETE") != "delete":
            return
        connection.execute("BEGIN EXCLUSIVE")
        if read_meta(connection).erased_at_us is not None:
            path.unlink(missing_ok=True)
        connection.execute("ROLLBACK")
    except (apsw.Error, OSError, StoreCorrupt):
        return  # it is empty; whoever closes it next removes it


def create(path: Path, space: Space, scripts: Mapping[int, str], now_us: int) -> None:
    """Make a space's file, whole or not at all; another process may be doing the same.

    It is built under another name and linked to its own: nobody ever sees it half made, and the
    switch to WAL, which cannot wait for others, happens while nobody else knows of it.
    """
    make_private_folder(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(6)}")
    try:
        connection = connect(draft, create=True)
        try:
            with translated(draft), transaction(connection):
                create_schema(connection, scripts)
                values = {
                    "space": str(space),
                    "hash_key": secrets.token_bytes(32),
                    "created_at_us": now_us,
                }
                connection.execute(query("put_meta"), values)
        finally:
            connection.close()
        draft.chmod(0o600)
        with suppress(FileExistsError):
            os.link(draft, path)
        _flush_folder(path.parent)
    finally:
        for end in ("", "-wal", "-shm"):
            draft.with_name(draft.name + end).unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for their owner alone."""
    missing = [folder, *folder.parents]
    for one in reversed(missing[: next(n for n, at in enumerate(missing) if at.exists())]):
        one.mkdir(mode=0o700, exist_ok=True)


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
