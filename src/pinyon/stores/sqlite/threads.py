"""Where the blocking work happens: worker threads, so that no event loop waits for a disk.

A few rows of a file that is open are read at once; see `Threads.glance`.
"""

import asyncio
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import anyio
import apsw

from pinyon.domain.space import Space
from pinyon.errors import PinyonError, StoreCorrupt
from pinyon.stores.sqlite.home import Home
from pinyon.stores.sqlite.space_file import SpaceFile

log = logging.getLogger("pinyon.store")

T = TypeVar("T")

READING_MAX = 4
"""Threads that only read: they compute more than they wait, and one computes at a time. More of
them would only get in each other's way."""

WAITING_MAX = 16
"""Threads that write, or open the registry: mostly they wait for the disk."""

HEADS_MIRRORED_EVERY = 64


class Threads:
    """Runs functions over a space's file in worker threads.

    Those that write to one space run one after another, as they must anyway, and take one thread
    together: a space that another process holds keeps no thread from the others.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        self._pools: _Pools | None = None
        self._process = os.getpid()
        self._unmirrored = 0
        self._left: set[Future[Any]] = set()
        self._queues = _Queues()

    async def read(self, space: Space, act: Callable[[apsw.Connection], T], empty: T) -> T:
        """Run a function over a reading connection; `empty` for a space never written to."""

        def run(file: SpaceFile) -> T:
            with file.reading() as connection:
                return act(connection)

        return await self.over(space, run, empty, leaves=True)

    async def glance(self, space: Space, act: Callable[[apsw.Connection], T], empty: T) -> T:
        """Run a function that reads a few rows, at once where nothing is in its way.

        To hand it to a thread and back costs more than it does; where it would wait, for a file to
        be opened or for another process, that is what is done.
        """
        if not self.home.may_hold(space):
            return empty
        found = self.home.glance(space, lambda _file, connection: act(connection))
        return await self.read(space, act, empty) if found is None else found

    def later(self, space: Space, act: Callable[[SpaceFile], None]) -> None:
        """Run a function over an open file beside everything else; nobody waits for it.

        It must be of no consequence: where the file cannot be used now, it is passed over, and
        whoever needs the file is told so. A bug is logged.
        """

        def run() -> None:
            with suppress(PinyonError), self.home.space(space) as file:
                if file is not None:
                    act(file)

        def ended(running: Future[None]) -> None:
            self._left.discard(running)
            if not running.cancelled() and (bug := running.exception()) is not None:
                log.error("put off: a bug", exc_info=bug)

        running = self._running().later.submit(run)
        self._left.add(running)
        running.add_done_callback(ended)

    async def over(
        self,
        space: Space,
        act: Callable[[SpaceFile], T],
        empty: T,
        *,
        leaves: bool = False,
        writes: bool = False,
    ) -> T:
        """Run a function over an open file; `empty` for a space never written to. See `run`."""

        def run() -> T:
            with self.home.space(space) as file:
                return empty if file is None else act(file)

        # Most people have no agent's, project's or shared space: not worth a thread.
        if not self.home.may_hold(space):
            return empty
        return await self.run(run, leaves=leaves, behind=space if writes else None)

    async def write(self, space: Space, act: Callable[[SpaceFile], T]) -> T:
        """Run a function over a file that is made if need be, and mirror its head now and then."""

        def run() -> T:
            with self.home.space_to_write(space) as file:
                done = act(file)
                self._unmirrored += 1
                if self._unmirrored >= HEADS_MIRRORED_EVERY:
                    self._unmirrored = 0
                    self.home.mirror_heads()
                return done

        return await self.run(run, behind=space)

    async def run(
        self, act: Callable[[], T], *, leaves: bool = False, behind: Space | None = None
    ) -> T:
        """Run a function in a worker thread.

        A caller that is cancelled waits until it has ended, for nobody would know whether a write
        happened; one that only reads `leaves`, and the thread ends by itself.

        Args:
            act: What to run.
            leaves: It only reads.
            behind: It runs when all that was given before for this space has ended.
        """
        pools = self._running()
        if behind is not None:
            running = self._queues.submit(pools.waiting, behind, act)
        else:
            running = (pools.reading if leaves else pools.waiting).submit(act)
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            if not running.cancel():
                if leaves:
                    self._left.add(running)
                    running.add_done_callback(self._left.discard)
                else:
                    # Whoever cancels may do so again at each wait.
                    with anyio.CancelScope(shield=True):
                        await asyncio.wait([asyncio.wrap_future(running)])
            raise

    async def close(self) -> None:
        """Close the home, and let the threads go; those that somebody left end first."""
        for one in tuple(self._left):
            one.cancel()  # what has not begun, and nobody waits for
        if self._left:
            await asyncio.wait([asyncio.wrap_future(one) for one in tuple(self._left)])
        await self.run(self.home.close)
        if self._pools is not None:
            self._pools.shutdown()
            self._pools = None

    def _running(self) -> "_Pools":
        if self._pools is None or self._process != os.getpid():
            # Threads do not survive a fork.
            self._process = os.getpid()
            self._pools = _Pools()
            self._queues = _Queues()
        return self._pools

    def secret(self) -> bytes:
        """Return the home's secret, which is there once anything was written.

        Raises:
            StoreCorrupt: It is gone.
        """
        secret = self.home.secret(make=False)
        if secret is None:
            raise StoreCorrupt(str(self.home.path / "secret.key"), "it is gone")
        return secret


class _Pools:
    """The threads of a home, apart: who reads does not queue behind those that wait for a disk."""

    def __init__(self) -> None:
        self.reading = ThreadPoolExecutor(READING_MAX, thread_name_prefix="pinyon-read")
        self.waiting = ThreadPoolExecutor(WAITING_MAX, thread_name_prefix="pinyon-store")
        self.later = ThreadPoolExecutor(1, thread_name_prefix="pinyon-later")

    def shutdown(self) -> None:
        """Let the threads go, those that run when they have ended."""
        for pool in (self.reading, self.waiting, self.later):
            pool.shutdown(wait=False)


class _Queues:
    """What waits to write to a space, for each space that somebody writes to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Space, deque[Callable[[], None]]] = {}

    def submit(self, pool: ThreadPoolExecutor, space: Space, act: Callable[[], T]) -> Future[T]:
        """Let a function run when those before it have; a thread is taken if none has it yet."""
        promised: Future[T] = Future()

        def run() -> None:
            if not promised.set_running_or_notify_cancel():
                return
            try:
                done = act()
            except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
                promised.set_exception(error)
            else:
                promised.set_result(done)

        with self._lock:
            is_first = space not in self._waiting
            self._waiting.setdefault(space, deque()).append(run)
        if is_first:
            pool.submit(self._work_off, space)
        return promised

    def _work_off(self, space: Space) -> None:
        while True:
            with self._lock:
                waiting = self._waiting[space]
                if not waiting:
                    del self._waiting[space]
                    return
                run = waiting.popleft()
            run()
