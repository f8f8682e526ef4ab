"""The embedded store, put together."""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import apsw

from pinyon.domain.job import JobState
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.errors import NotEmpty, PinyonError, StoreReadOnly
from pinyon.ports.clock import Clock
from pinyon.ports.store import Finding, Health, Measures
from pinyon.stores.sqlite import lineage
from pinyon.stores.sqlite.budgets import SqliteBudgets
from pinyon.stores.sqlite.connection import connect, translated
from pinyon.stores.sqlite.conversing import SqliteFeedback, SqliteSessions
from pinyon.stores.sqlite.event_log import SqliteEventLog
from pinyon.stores.sqlite.home import SPACES_OPEN_MAX, Home
from pinyon.stores.sqlite.keys import SqliteKeys
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.queue import SqliteHints, SqliteJobs
from pinyon.stores.sqlite.reading import SqliteChanges, SqliteJournal, SqliteRegistry
from pinyon.stores.sqlite.receipts import SqliteReceipts
from pinyon.stores.sqlite.records import SqliteRecords
from pinyon.stores.sqlite.search import SqliteSearch
from pinyon.stores.sqlite.space_file import SpaceFile, make_private_folder, read_meta
from pinyon.stores.sqlite.threads import Threads
from pinyon.stores.sqlite.vectors import SqliteVectors
from pinyon.stores.sqlite.verify import Verifier
from pinyon.stores.sqlite.words_at_hand import WORDS_AFTER


class SqliteStore:
    """Spaces in a home directory, one SQLite file each. See `pinyon.ports.store.Store`.

    Also `Verifies`, `BacksUp` and `Measured`.
    """

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock,
        durable: bool = True,
        scripts: Mapping[int, str] | None = None,
        spaces_open_max: int = SPACES_OPEN_MAX,
        words_after: int = WORDS_AFTER,
    ) -> None:
        self._clock = clock
        self.home = Home(
            home,
            now_us=clock.now_us,
            durable=durable,
            scripts=scripts,
            spaces_open_max=spaces_open_max,
        )
        self._threads = Threads(self.home)
        self.hints = SqliteHints(self._threads)
        self.records = SqliteRecords(self._threads, clock, self.hints)
        self.search = SqliteSearch(self._threads, words_after=words_after)
        self.event_log = SqliteEventLog(self._threads)
        self.vectors = self.exposures = SqliteVectors(self._threads)
        self.receipts = SqliteReceipts(self._threads)
        self.sessions = SqliteSessions(self._threads)
        self.feedback = SqliteFeedback(self._threads)
        self.journal = SqliteJournal(self._threads)
        self.jobs = SqliteJobs(self._threads, clock, self.hints)
        self.budgets = SqliteBudgets(self._threads)
        self.changes = SqliteChanges(self._threads)
        self.registry = SqliteRegistry(self._threads)
        self.keys = SqliteKeys(self._threads)

    async def erase(self, space: Space, receipt: Receipt | None = None) -> None:
        """See the port. What other processes read is empty from the commit on."""

        def act(file: SpaceFile) -> None:
            if receipt is not None:
                # First: if the power goes now, a restore still knows what was asked for.
                self.home.put_erasure(space, receipt)
            with file.writing() as connection:
                lineage.empty(connection)
                values = {
                    "hash_key": secrets.token_bytes(32),
                    "erased_at_us": self._clock.now_us(),
                }
                connection.execute(query("mark_erased"), values)
            with file.matrix_lock:
                file.matrices.clear()
            with file.words_lock:
                file.words, file.asked = None, 0
            file.head = None
            self.home.forget(space)
            self.receipts.settled(file)

        await self._threads.over(space, act, None, writes=True)
        await self.keys.drop_closed(space, self._clock.now_us())

    async def verify(self, space: Space, *, fix: bool = False) -> list[Finding]:
        """See `pinyon.ports.store.Verifies`."""
        lost = "its file is gone; bring it back with `pinyon restore` from a backup"

        def act(file: SpaceFile) -> list[Finding]:
            head = self.home.head(space)
            return Verifier(file, secret=self._threads.secret(), head=head, fix=fix).run()

        if space in await self.registry.spaces() and not self.home.may_hold(space):
            return [Finding(str(space), lost)]
        return await self._threads.over(space, act, [])

    async def health(self) -> Health:
        """See the port: opens every file and asks SQLite whether it is whole."""
        return await self._threads.run(self._examined)

    async def backup(self, target: Path, *, progress: Callable[[int, int], None]) -> list[str]:
        """See `pinyon.ports.store.BacksUp`.

        Each space is copied in one state of its own; writers go on meanwhile.
        """
        spaces = await self.registry.spaces()

        def start() -> list[str]:
            if target.exists() and any(target.iterdir()):
                raise NotEmpty(str(target))
            try:
                make_private_folder(target)
                if not spaces and self.home.secret(make=False) is None:
                    return []
                secret = target / "secret.key"
                secret.write_text(self._threads.secret().hex() + "\n", "ascii")
                secret.chmod(0o600)
            except OSError as error:
                raise StoreReadOnly(str(target), str(error)) from error
            # Before the spaces: no head may be ahead of its copy.
            self.home.copy_registry(target / "registry.db")
            return ["secret.key", "registry.db"]

        names = await self._threads.run(start)
        for done, space in enumerate(spaces, start=1):
            name = await self._threads.over(space, lambda f: self._copied(f, target), "")
            names.extend([name] if name else [])
            progress(done, len(spaces))
        return names

    async def open_spaces(self) -> list[Space]:
        """See `pinyon.ports.store.Measured`."""

        def act() -> list[Space]:
            with self.home.open_files() as files:
                return sorted((file.space for file in files), key=str)

        return await self._threads.run(act, leaves=True)

    async def measures(self) -> Measures:
        """See `pinyon.ports.store.Measured`."""
        return await self._threads.run(self._measured, leaves=True)

    async def close(self) -> None:
        """See the port."""
        await self._threads.close()

    def _copied(self, file: SpaceFile, target: Path) -> str:
        name = str(file.path.relative_to(self.home.path))
        copy_path = target / name
        make_private_folder(copy_path.parent)
        copy = connect(copy_path, create=True)
        try:
            with (
                file.reading() as connection,
                translated(copy_path),
                copy.backup("main", connection, "main") as backup,
            ):
                backup.step()
        finally:
            copy.close()
        copy_path.chmod(0o600)
        return name

    def _measured(self) -> Measures:
        jobs: Counter[JobState] = Counter()
        due: list[int] = []
        with self.home.open_files() as files:
            for file in files:
                with suppress(PinyonError), file.reading() as connection:
                    for state, count, first_us in connection.execute(query("measure_jobs")):
                        jobs[state] += count
                        due += [first_us] if state == "waiting" else []
        return Measures(spaces_open=len(files), jobs=jobs, due_since_us=min(due, default=None))

    def _examined(self) -> Health:
        notes: list[str] = []
        if not self.home.path.exists():
            return Health(True, ("nothing was ever written here",))
        if self.home.path.stat().st_mode & 0o077:
            notes.append(f"{self.home.path} can be read by other users; chmod it to 700")
        try:
            spaces = self.home.spaces()
        except PinyonError as error:
            notes.append(str(error))
        else:
            notes += [f"the file of {s} is gone" for s in spaces if not self.home.may_hold(s)]
        for path in self.home.files():
            try:
                notes += _examined_file(path)
            except PinyonError as error:
                notes.append(str(error))
        return Health(not notes, tuple(notes))


def _examined_file(path: Path) -> list[str]:
    connection = connect(path)
    try:
        with translated(path):
            said = [str(line) for (line,) in connection.execute("PRAGMA quick_check(1)")]
            read_meta(connection)
    finally:
        connection.close()
    return [f"{path}: {line}" for line in said if line != "ok"]


def sqlite_version() -> str:
    """Return the version of the SQLite that the driver brings."""
    return apsw.sqlite_lib_version()
