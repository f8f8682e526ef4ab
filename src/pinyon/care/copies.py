"""Keeping published copies like the memories that they were made from, across spaces."""

from dataclasses import replace

import anyio

from pinyon.domain.change import Act, Change, FinishJob, Link, Put
from pinyon.domain.ids import MemoryId, NewUuid
from pinyon.domain.job import Job, JobState
from pinyon.domain.memory import Copy, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import (
    AlreadyThere,
    CopiesBehind,
    InvalidValue,
    NotFound,
    PublishedCopy,
    Unavailable,
    VersionConflict,
)
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.text.index_rows import index_rows
from pinyon.write.copies import FOLLOW, copied, copy_id, following, may_follow
from pinyon.write.eraser import Eraser
from pinyon.write.vectors import vectors_of

LEASE_S = 60.0
RETRY_AFTER_US = 60 * US_PER_S

OTHERS_WITHIN_S = 2.0
"""How long whoever asked waits for a copy that a worker has in hand."""
OTHERS_ASKED_EVERY_S = 0.02
FOLLOWER = Actor("pinyon", "follow")


class Copies:
    """Publishes and withdraws, and runs the jobs that make copies follow."""

    def __init__(
        self, store: Store, *, clock: Clock, new_uuid: NewUuid, embedder: Embedder | None = None
    ) -> None:
        self._store, self._clock = store, clock
        self._new_uuid, self._embedder = new_uuid, embedder
        self.eraser = Eraser(
            store.records, store.exposures, clock=clock, new_uuid=new_uuid, embedder=embedder
        )

    def following(self, memory: Memory) -> list[Change]:
        """Return the jobs that a change of a memory has to enqueue for its copies."""
        return following(memory, now_us=self._clock.now_us(), new_uuid=self._new_uuid)

    async def publish(self, memory: Memory, target: Space, *, by: Actor) -> Copy:
        """Put a copy of a memory into another space, with whose it is; twice is once.

        Raises:
            InvalidValue: It is of that space, is itself a copy, or is in quarantine.
        """
        if memory.space == target:
            raise InvalidValue("scope", str(target), "another space than the memory's own")
        if memory.links.copy_of is not None:
            raise InvalidValue("memory", memory.id, "no copy; publish what it was made from")
        if memory.shelf == "quarantined":
            raise InvalidValue("memory", memory.id, "out of quarantine; `release` it first")
        copy = Copy(target, copy_id(memory.id, target))
        if copy not in memory.links.copies:
            copies = (*memory.links.copies, copy)
            await self._link(memory, copies, "publish", by)
        return copy

    async def withdraw(self, memory: Memory, target: Space | None, *, by: Actor) -> list[Copy]:
        """Take copies of a memory back: that in one space, or all of them."""
        withdrawn = [copy for copy in memory.links.copies if target in (None, copy.space)]
        if withdrawn:
            kept = tuple(copy for copy in memory.links.copies if copy not in withdrawn)
            await self._link(memory, kept, "withdraw", by)
        return withdrawn

    async def check_is_own(self, memory: Memory) -> None:
        """See that a memory is not the copy of one that goes on.

        Raises:
            PublishedCopy: It is; what is done to it would be taken back.
        """
        origin = memory.links.copy_of
        if origin is None:
            return
        held = await self._store.records.get(origin.space, [origin.id])
        if held and Copy(memory.space, memory.id) in held[0].links.copies:
            raise PublishedCopy(memory.id)

    async def run(self, space: Space) -> bool:
        """Do what waits in a space; return whether every copy has followed."""
        if not await self.behind(space):
            return True
        await self._run(space)
        with anyio.move_on_after(OTHERS_WITHIN_S):
            while await self._is_held(space):  # noqa: ASYNC110 - it may be another process
                await anyio.sleep(OTHERS_ASKED_EVERY_S)
        return not await self.behind(space)

    async def _run(self, space: Space) -> None:
        while job := await self._store.jobs.lease(space, lease_s=LEASE_S, tasks=[FOLLOW]):
            done = FinishJob(id=job.id, attempt=job.attempts)
            try:
                await self.follow(space, job)
            except (Unavailable, AlreadyThere) as error:
                # Never given up: while the memory says that it is published there, it is owed.
                retry_at_us = self._clock.now_us() + RETRY_AFTER_US
                done = replace(done, error=error.code, retry_at_us=retry_at_us)
            try:
                await self._store.records.apply(space, [done], by=FOLLOWER)
            except NotFound:
                continue  # cancelled, erased with what it names, or leased by another

    async def _is_held(self, space: Space) -> bool:
        """Return whether another does some of it at this moment."""
        now_us = self._clock.now_us()
        return any((job.lease_until_us or 0) > now_us for job in await self.behind(space))

    async def behind(self, space: Space) -> list[Job]:
        """Return the jobs of copies that have not followed yet."""
        states: tuple[JobState, ...] = ("waiting", "leased")
        listed = [await self._store.jobs.list_jobs(space, state=state) for state in states]
        return [job for jobs in listed for job in jobs if job.task == FOLLOW]

    async def take_back(self, memory: Memory, *, by: Actor) -> None:
        """Withdraw every copy of a memory, and see that none is left.

        Raises:
            CopiesBehind: One is; it will follow later.
        """
        withdrawn = await self.withdraw(memory, None, by=by)
        await self.run(memory.space)
        for copy in withdrawn:
            held = await self._store.records.get(copy.space, [copy.id])
            if held and held[0].links.copy_of == Copy(memory.space, memory.id):
                raise CopiesBehind(str(copy.space))

    async def _link(self, memory: Memory, copies: tuple[Copy, ...], act: Act, by: Actor) -> None:
        link = Link(id=memory.id, copies=copies, act=act)
        every = tuple(dict.fromkeys((*memory.links.copies, *copies)))
        touched = replace(memory, links=replace(memory.links, copies=every))
        changes: list[Change] = [link, *self.following(touched)]
        await self._store.records.apply(
            memory.space, changes, by=by, expect={memory.id: memory.version}
        )

    async def follow(self, space: Space, job: Job) -> None:
        """Make one copy what its memory is now: the same, withdrawn, or gone.

        Raises:
            Unavailable: The other space cannot be written now.
            AlreadyThere: Another memory holds the copy's place.
        """
        payload = {name: str(value) for name, value in job.payload}
        target, copy = Space.parse(payload["space"]), MemoryId(payload["copy"])
        origins = await self._store.records.get(space, [MemoryId(payload["memory"])])
        held = await self._store.records.get(target, [copy])
        origin = Copy(space, MemoryId(payload["memory"]))
        if not may_follow(origin, target, copy):
            return  # none of ours, whatever the memory says of it
        is_others = any(one.links.copy_of != origin for one in held)
        is_published = bool(origins) and Copy(target, copy) in origins[0].links.copies
        if is_others:
            if is_published:
                # Somebody put it there who is not its owner: it is not ours to replace.
                raise AlreadyThere(copy)
            return
        if is_published:
            await self._put(copied(origins[0], target, held[0] if held else None), held)
        elif held:
            try:
                await self.eraser.forget(target, [copy], by=FOLLOWER)
            except NotFound:
                return

    async def _put(self, copy: Memory, held: list[Memory]) -> None:
        if held and held[0] == copy:
            return
        vectors = await vectors_of(self._embedder, [copy])
        given = vectors.memories.get(copy.id)
        is_settled = given is not None or copy.id in vectors.unknown
        quiet = copy.shelf == "quarantined"
        copy = replace(
            copy,
            version=held[0].version + 1 if held else 1,
            awaits=() if is_settled or quiet else ("vectors",),
        )
        changes: list[Change] = [Put(copy, index_rows(copy, ""), vectors=given)]
        expect = {held[0].id: held[0].version} if held else None
        try:
            await self._store.records.apply(copy.space, changes, by=FOLLOWER, expect=expect)
        except VersionConflict:
            await self._put(copy, await self._store.records.get(copy.space, [copy.id]))
