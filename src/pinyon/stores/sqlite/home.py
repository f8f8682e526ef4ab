"""The home directory: a secret, a registry that can be rebuilt, and the spaces' files."""

import json
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import apsw

from pinyon.domain.consent import Consent
from pinyon.domain.grant import Grant
from pinyon.domain.ids import ReceiptId
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.errors import (
    InvalidName,
    PinyonError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreReadOnly,
)
from pinyon.stores.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    Row,
    Value,
    connect,
    get_rows,
    inode_of,
    transaction,
    translated,
)
from pinyon.stores.sqlite.migrate import migrations
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.space_file import SpaceFile, create, make_private_folder, read_meta

SPACES_OPEN_MAX = 128
GLIMPSE_CACHE_KIB = 64
_BEGINNING_PATIENCE_S = 10.0
_BEGINNING_PAUSE_S = 0.05

T = TypeVar("T")
_Opened = TypeVar("_Opened", SpaceFile, SpaceFile | None)


class Home:
    """Finds, opens and closes the files of spaces. Nothing is made before the first write."""

    def __init__(
        self,
        path: Path,
        *,
        now_us: Callable[[], int],
        durable: bool = True,
        scripts: Mapping[int, str] | None = None,
        spaces_open_max: int = SPACES_OPEN_MAX,
    ) -> None:
        self.path = path
        self._now_us = now_us
        self._durable = durable
        self._scripts = migrations() if scripts is None else scripts
        self._open_max = spaces_open_max
        self._lock = threading.RLock()
        self._open: OrderedDict[Space, SpaceFile] = OrderedDict()
        self._registry: apsw.Connection | None = None
        self._registry_inode: int | None = None
        self._secret: bytes | None = None
        self._process = os.getpid()
        self._closed = False

    # ── spaces ───────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def space(self, space: Space) -> Iterator[SpaceFile | None]:
        """Give the file of a space, or `None` where nothing was ever written."""
        file = self._take(space, self._found)
        try:
            yield file
        finally:
            self._give_back(file)

    @contextmanager
    def space_to_write(self, space: Space) -> Iterator[SpaceFile]:
        """Give the file of a space, made if need be."""
        file = self._take(space, self._found_or_made)
        try:
            yield file
        finally:
            self._give_back(file)

    def glance(self, space: Space, act: Callable[[SpaceFile, apsw.Connection], T]) -> T | None:
        """Read a few rows of a space that is open, unless one would have to wait.

        No lock is taken: a thread may hold it, and not run because whoever glances does. So the
        order of the open files stays as it is; that this one was used is noted in the file.

        Returns:
            What `act` returns, which is never `None`; `None` where it was not run.
        """
        file = self.opened(space)
        if file is None or not file.is_there():
            return None
        file.was_glanced_at = True
        return file.glance(partial(act, file))

    def opened(self, space: Space) -> SpaceFile | None:
        """Return the file of a space if it is open. It may be closed at any moment."""
        if self._closed:
            raise StoreClosed
        return self._open.get(space) if os.getpid() == self._process else None

    @contextmanager
    def open_files(self) -> Iterator[list[SpaceFile]]:
        """Give the files that are open; none is opened for it, and none is closed meanwhile."""
        with self._lock:
            self._check_open()
            files = list(self._open.values())
            for file in files:
                file.users += 1
        try:
            yield files
        finally:
            for file in files:
                self._give_back(file)

    @contextmanager
    def glimpse(self, space: Space) -> Iterator[apsw.Connection | None]:
        """Give a reading connection to a space, or `None` where nothing was ever written.

        A space that is closed is not kept open, nor migrated: a walk over all of them must not
        push out those that are in use.
        """
        with self._lock:
            self._check_open()
            file = self._standing(space)
            if file is not None:
                file.users += 1
        if file is not None:
            try:
                with file.reading() as connection:
                    yield connection
            finally:
                self._give_back(file)
            return
        path = self.file_path(space)
        if path is None or not path.exists():
            yield None
            return
        with (
            closing(connect(path, cache_kib=GLIMPSE_CACHE_KIB)) as connection,
            translated(path),
        ):
            yield connection

    def spaces(self) -> list[Space]:
        """Return every space that the registry names."""
        with self._lock:
            self._check_open()
            self.check_secret()
            if not self._registry_path.exists() and not self.files():
                return []
            return [Space.parse(name) for (name,) in self._in_registry("list_spaces")]

    def file_path(self, space: Space) -> Path | None:
        """Return where a space's file lies or would lie; `None` in a home without a secret."""
        secret = self.secret(make=False)
        if secret is None:
            self.check_secret()
            return None
        name = keyed_name(space, secret).hex()
        return self.path / "spaces" / name[:2] / f"{name}.db"

    # ── the registry ─────────────────────────────────────────────────────────────────────────

    def head(self, space: Space) -> tuple[int, bytes] | None:
        """Return the mirrored head of a space's journal: its last place, and that entry's MAC."""
        if not self._registry_path.exists():
            return None
        rows = self._in_registry("find_head", name=str(space))
        return (rows[0][0], rows[0][1]) if rows else None

    def mirror_heads(self) -> None:
        """Mirror the heads of all open files that have moved."""
        with self._lock:
            for space, file in self._open.items():
                self._mirror(space, file)

    def erasures(self, space: Space) -> list[Receipt]:
        """Return the receipts of a space's own erasures."""
        name = self._keyed_name(space)
        if name is None or not self._registry_path.exists():
            return []
        return [_erasure(row) for row in self._in_registry("list_erasures", space=name)]

    def put_erasure(self, space: Space, receipt: Receipt) -> None:
        """Keep the receipt of a space's erasure, so that not even a power cut takes it."""
        values: dict[str, Value] = {
            "id": bytes.fromhex(receipt.id[4:]),
            "space": self._keyed_name(space),
            "at_us": receipt.at_us,
            "counts": json.dumps(dict(receipt.counts)),
        }
        self._in_registry("put_erasure", durably=True, **values)

    def complete_erasures(self, space: Space) -> None:
        """Say of a space's erasures that no file holds anything of it."""
        self._in_registry("complete_erasures", space=self._keyed_name(space))

    def grants(self, space: Space | None) -> list[Grant]:
        """Return what is granted in a space, or in all."""
        if not self._registry_path.exists():
            return []
        name = None if space is None else str(space)
        return _grants(self._in_registry("list_grants", space=name))

    def glance_at_grants(self, space: Space) -> list[Grant] | None:
        """Return what is granted in a space; `None` where one would have to wait for it."""
        rows = self._glance_at_registry("list_grants", space=str(space))
        return None if rows is None else _grants(rows)

    def put_grant(self, grant: Grant) -> None:
        """Keep a grant, so that not even a power cut takes it."""
        values = {"space": str(grant.space), "holder": grant.user}
        self._in_registry("put_grant", durably=True, **values, permission=grant.permission)

    def drop_grant(self, space: Space, user: str) -> bool:
        """Take a grant back; return whether there was one."""
        if not self._registry_path.exists():
            return False
        values = {"space": str(space), "holder": user}
        return bool(self._in_registry("drop_grant", durably=True, **values))

    def ask_registry(self, query_name: str, **values: Value) -> list[Row]:
        """Return the rows that a query gives; none where there is no registry yet.

        What it changes a power cut may take back: nobody waits for the disk.
        """
        with self._lock:
            self._check_open()
            if not self._registry_path.exists():
                return []
            return self._in_registry(query_name, durably=False, **values)

    def change_registry(self, query_name: str, **values: Value) -> list[Row]:
        """Change the registry, made if need be, so that not even a power cut takes it back."""
        with self._lock:
            self._check_open()
            return self._in_registry(query_name, durably=True, **values)

    def consent(self, space: Space) -> Consent:
        """Return what the user of a space lets memory keep."""
        name = self._keyed_name(space)
        if name is None or not self._registry_path.exists():
            return Consent()
        rows = self._in_registry("find_consent", space=name)
        return _consent(rows[0]) if rows else Consent()

    def glance_at_consent(self, space: Space) -> Consent | None:
        """Return what a user lets memory keep; `None` where one would have to wait for it."""
        name = self._keyed_name(space)
        rows = [] if name is None else self._glance_at_registry("find_consent", space=name)
        if rows is None:
            return None
        return _consent(rows[0]) if rows else Consent()

    def put_consent(
        self, space: Space, paused: bool | None, never: tuple[str, ...] | None
    ) -> Consent:
        """Keep what a user lets memory keep; of what was said before no file holds a byte."""
        self._make()
        self.secret(make=True)
        values: dict[str, Value] = {
            "space": self._keyed_name(space),
            "paused": None if paused is None else int(paused),
            "never": None if never is None else json.dumps(never),
        }
        (row,) = self._in_registry("put_consent", durably=True, **values)
        self._drop_broken()
        self._in_registry("fold_registry")
        return _consent(row)

    def _drop_broken(self) -> None:
        for broken in self.path.glob(f"{self._registry_path.name}*.broken"):
            broken.unlink(missing_ok=True)

    def forget(self, space: Space) -> None:
        """Drop a space that was emptied, and what may still hold its name."""
        self._drop_broken()
        path = self.file_path(space)
        if path is not None:
            # Of a process that was killed while it made the file, which is there by now.
            for draft in path.parent.glob(f".{path.name}.*"):
                draft.unlink(missing_ok=True)
        self._in_registry("drop_head", name=str(space))
        self._in_registry("drop_work", name=str(space))
        self._in_registry("drop_space", name=str(space))

    def copy_registry(self, target: Path) -> None:
        """Copy grants, keys, receipts and heads into another file, in one state."""
        with self._lock:
            connection = self._registry or self._open_registry()
            copy = connect(target, create=True)
            try:
                with translated(target), copy.backup("main", connection, "main") as backup:
                    backup.step()
            finally:
                copy.close()
        target.chmod(0o600)

    def rebuild_registry(self) -> int:
        """Make the registry anew from what the files say of themselves; return how many spaces."""
        with self._lock:
            if self._registry is not None:
                self._registry.close()
                self._registry = None
            saved = _saved(self._registry_path)
            for end in ("", "-wal", "-shm"):
                broken = self._registry_path.with_name(self._registry_path.name + end)
                if broken.exists():
                    broken.replace(broken.with_name(broken.name + ".broken"))
            connection = self._open_registry()
            for name, rows in saved.items():
                connection.executemany(query(name), rows)
            return len(self.spaces())

    # ── secret, opening, closing ─────────────────────────────────────────────────────────────

    def secret(self, *, make: bool) -> bytes | None:
        """Return the secret under which files are named and journals are chained."""
        if self._secret is None:
            path = self.path / "secret.key"
            if make and not path.exists():
                self._make_secret(path)
            try:
                self._secret = bytes.fromhex(path.read_text("ascii").strip())
            except FileNotFoundError:
                return None
            except (ValueError, OSError) as error:
                raise StoreCorrupt(str(path), str(error)) from error
        return self._secret

    def begin(self) -> bytes:
        """Return the secret, in a home that is made if need be."""
        self._make()
        secret = self.secret(make=True)
        if secret is None:
            raise StoreCorrupt(str(self.path / "secret.key"), "it is gone")
        return secret

    def check_secret(self) -> None:
        """See that a home with spaces has the secret that they are named by.

        Raises:
            StoreCorrupt: It is lost; without it no space can be told from an empty one.
        """
        if self.path.exists() and not self.path.is_dir():
            raise StoreReadOnly(str(self.path), "it is no folder")
        path = self.path / "secret.key"
        if not path.exists() and self.files():
            raise StoreCorrupt(str(path), "the home has spaces but has lost its secret")

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            for space, file in self._open.items():
                self._mirror(space, file)
                file.close()
            self._open.clear()
            if self._registry is not None:
                self._registry.close()
                self._registry = None
            self._closed = True

    def may_hold(self, space: Space) -> bool:
        """Return whether a space has a file, without opening it; quick enough for an event loop."""
        if self._closed or space in self._open:
            return True
        path = self.file_path(space)
        return path is not None and path.exists()

    def files(self) -> list[Path]:
        """Return the files of all spaces that lie in the home."""
        return sorted((self.path / "spaces").glob("??/*.db"))

    @property
    def _registry_path(self) -> Path:
        return self.path / "registry.db"

    def _keyed_name(self, space: Space) -> bytes | None:
        secret = self.secret(make=False)
        return None if secret is None else keyed_name(space, secret)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed
        if os.getpid() != self._process:
            # Locks of a file do not survive a fork, so neither may its connections.
            self._open.clear()
            self._registry = None
            self._process = os.getpid()

    def _take(self, space: Space, opened: Callable[[Space], _Opened]) -> _Opened:
        with self._lock:
            self._check_open()
            file = self._standing(space) or opened(space)
            if file is not None:
                self._open[space] = file
                self._open.move_to_end(space)
                file.users += 1
                self._close_some()
            return file

    def _standing(self, space: Space) -> SpaceFile | None:
        """Return the open file of a space; one whose name is gone is let go."""
        file = self._open.get(space)
        if file is not None and file.users == 0 and not file.is_there():
            del self._open[space]
            file.close()
            return None
        return file

    def _give_back(self, file: SpaceFile | None) -> None:
        if file is not None:
            with self._lock:
                file.users -= 1

    def _found(self, space: Space) -> SpaceFile | None:
        path = self.file_path(space)
        return self._prepared(path, space) if path is not None and path.exists() else None

    def _found_or_made(self, space: Space) -> SpaceFile:
        self.begin()
        path = self.file_path(space)
        if path is None:
            raise StoreCorrupt(str(self.path / "secret.key"), "it is gone")
        if not path.exists():
            try:
                create(path, space, self._scripts, self._now_us())
            except OSError as error:
                raise StoreReadOnly(str(path), str(error)) from error
        return self._prepared(path, space)

    def _prepared(self, path: Path, space: Space) -> SpaceFile:
        file = SpaceFile(path, space, self._scripts, self._durable)
        meta = file.prepare()
        if meta.erased_at_us is None:
            self.register(space, meta.created_at_us)
        return file

    def register(self, space: Space, created_at_us: int) -> None:
        """Put a space on the list of those that there are."""
        self._in_registry("put_space", name=str(space), created_at_us=created_at_us)

    def _close_some(self) -> None:
        if len(self._open) <= self._open_max:
            return
        for space in [*self._open, *self._open]:
            if len(self._open) <= self._open_max:
                return
            file = self._open.get(space)
            if file is None or file.users:
                continue
            if file.was_glanced_at:
                file.was_glanced_at = False
                self._open.move_to_end(space)
                continue
            del self._open[space]
            self._mirror(space, file)
            file.close()

    def _mirror(self, space: Space, file: SpaceFile) -> None:
        """Remember how far a journal has come."""
        head = file.take_head()
        if head is not None:
            self._in_registry("put_head", name=str(space), n=head[0], mac=head[1])

    def _make(self) -> None:
        try:
            make_private_folder(self.path)
            if self.path.stat().st_mode & 0o077:
                self.path.chmod(0o700)
        except OSError as error:
            raise StoreReadOnly(str(self.path), str(error)) from error

    def _make_secret(self, path: Path) -> None:
        self.check_secret()
        draft = path.with_name(f".secret.{os.getpid()}-{secrets.token_hex(6)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(32) + "\n")
                file.flush()
                os.fsync(file.fileno())
            # Linked, not renamed: of two processes that begin a home at once, the first wins.
            with suppress(FileExistsError):
                os.link(draft, path)
        except OSError as error:
            raise StoreReadOnly(str(path), str(error)) from error
        finally:
            draft.unlink(missing_ok=True)

    def _glance_at_registry(self, query_name: str, **values: Value) -> list[Row] | None:
        """Return a few rows of the open registry, unless one would have to wait for them."""
        if not self._registry_path.exists():
            return []
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self._check_open()
            registry = self._registry
            if registry is None or inode_of(self._registry_path) != self._registry_inode:
                return None
            registry.set_busy_timeout(0)
            try:
                return get_rows(registry, query(query_name), **values)
            finally:
                registry.set_busy_timeout(BUSY_TIMEOUT_MS)
        except apsw.Error:
            return None  # who reads it in a thread waits, or makes it anew
        finally:
            self._lock.release()

    def _in_registry(self, query_name: str, *, durably: bool = False, **values: Value) -> list[Row]:
        with self._lock:
            try:
                if durably:
                    connection = self._standing_registry() or self._open_registry()
                    connection.pragma("synchronous", "FULL" if self._durable else "NORMAL")
                return self._asked_patiently(query(query_name), values)
            except StoreCorrupt:
                # All that it holds stands in the files; only heads are lost, which `verify` says.
                self.rebuild_registry()
                return self._asked_patiently(query(query_name), values)
            finally:
                if durably and self._registry is not None:
                    self._registry.pragma("synchronous", "NORMAL")

    def _asked_patiently(self, sql: str, values: Mapping[str, Value]) -> list[Row]:
        """Ask again while others begin the registry: their switch to WAL makes nobody wait.

        Not for long: every request of this process waits meanwhile.
        """
        until = time.monotonic() + _BEGINNING_PATIENCE_S
        while True:
            try:
                return self._asked(sql, values)
            except StoreBusy:
                if time.monotonic() > until:
                    raise
                time.sleep(_BEGINNING_PAUSE_S)

    def _asked(self, sql: str, values: Mapping[str, Value]) -> list[Row]:
        connection = self._standing_registry() or self._open_registry()
        with translated(self._registry_path):
            return get_rows(connection, sql, **values)

    def _standing_registry(self) -> apsw.Connection | None:
        """Return the open registry; one that another process made anew meanwhile is let go."""
        if self._registry is not None and inode_of(self._registry_path) != self._registry_inode:
            self._registry.close()
            self._registry = None
        return self._registry

    def _open_registry(self) -> apsw.Connection:
        self._make()
        path = self._registry_path
        fresh = not path.exists() or path.stat().st_size == 0
        # Not durable to the last commit: whatever a power cut takes can be read off the files.
        connection = connect(path, create=True, durable=False)
        with translated(path), transaction(connection):
            connection.execute(query("create_registry"))
            if fresh:
                for space, created_at_us in self._said_by_files():
                    values = {"name": str(space), "created_at_us": created_at_us}
                    connection.execute(query("put_space"), values)
        path.chmod(0o600)
        self._registry, self._registry_inode = connection, inode_of(path)
        return connection

    def _said_by_files(self) -> Iterator[tuple[Space, int]]:
        for path in self.files():
            try:
                connection = connect(path)
            except PinyonError:
                continue  # `doctor` names the file that cannot be read
            try:
                with translated(path):
                    meta = read_meta(connection)
                if meta.erased_at_us is None:
                    yield meta.space, meta.created_at_us
            except (StoreCorrupt, InvalidName):
                continue
            finally:
                connection.close()


_RESCUED = {
    "put_grant": "list_grants",
    "save_erasure": "all_erasures",
    "save_consent": "all_consents",
    "save_key": "all_keys",
}
"""What of a registry no file says again: the query that keeps it, and the one that reads it."""


def _saved(registry: Path) -> dict[str, list[Row]]:
    """Return what of a broken registry no file says again, as far as it can be read."""
    saved: dict[str, list[Row]] = {name: [] for name in _RESCUED}
    try:
        connection = connect(registry)
    except PinyonError:
        return saved
    for name, wanted in _RESCUED.items():
        with suppress(apsw.Error):
            saved[name] = get_rows(connection, query(wanted), space=None)
    connection.close()
    return saved


def keyed_name(space: Space, secret: bytes) -> bytes:
    """Return what stands for a space's name where the name itself must not stand."""
    return blake2b(str(space).encode(), key=secret, digest_size=16).digest()


def _erasure(row: Row) -> Receipt:
    identifier, at_us, counts, complete = row
    return Receipt(
        id=ReceiptId("rcp_" + identifier.hex()),
        at_us=at_us,
        counts=json.loads(counts),
        whole=True,
        complete=bool(complete),
    )


def _grants(rows: Sequence[Row]) -> list[Grant]:
    return [Grant(Space.parse(held), user, may) for held, user, may in rows]


def _consent(row: Row) -> Consent:
    paused, never = row
    return Consent(paused=bool(paused), never=tuple(json.loads(never)))
