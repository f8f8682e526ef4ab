"""Changing whether a memory holds, and whether recall looks at it; and taking that back."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from pinyon.domain.change import Await, Change, Index, Link
from pinyon.domain.draft import When
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue, NotFound, NothingToUndo, Superseded, VersionConflict
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.journal import Entry, Journal
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.write.anew import planned_anew
from pinyon.write.form import instant
from pinyon.write.succession import outdated_by_loss
from pinyon.write.vectors import vectors_of

UNDOABLE: frozenset[str] = frozenset({"superseded", "retract", "end", "hide"})
_MOVES_NO_VERSION = frozenset({"put", "mask", "erase"})
_ENTRIES_MAX = 100_000

Plan = Callable[[Memory], Awaitable[tuple[list[Change], dict[MemoryId, int]]]]


class Standing:
    """Acts on single memories of one store; each act is one transaction, and in the journal."""

    def __init__(
        self,
        records: Records,
        journal: Journal,
        *,
        clock: Clock,
        embedder: Embedder | None = None,
        also: Callable[[Memory], Sequence[Change]] = lambda _memory: (),
    ) -> None:
        self._records, self._journal = records, journal
        self._clock, self._embedder, self._also = clock, embedder, also

    async def retract(
        self, space: Space, memory_id: MemoryId, *, by: Actor, version: int | None = None
    ) -> Memory:
        """Say that a memory was never true.

        Raises:
            NotFound: The space holds no such memory.
            Superseded: Another one has replaced it already.
        """

        async def plan(memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
            if memory.status == "retracted":
                return [], {}
            _check_current(memory)
            return await planned_retraction(self._records, memory)

        return await self._act(space, memory_id, plan, by=by, version=version)

    async def end(
        self,
        space: Space,
        memory_id: MemoryId,
        at: When = None,
        *,
        by: Actor,
        version: int | None = None,
    ) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor.

        Raises:
            InvalidValue: It would have ended before it began.
            NotFound: The space holds no such memory.
            Superseded: Another one has replaced it already.
        """
        given_us = instant("at", at)

        async def plan(memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
            _check_current(memory)
            until_us = self._clock.now_us() if given_us is None else given_us
            since_us = memory.times.valid_from_us
            if given_us is not None and since_us is not None and until_us < since_us:
                raise InvalidValue("at", at, "after it became true")
            return [Link(id=memory.id, valid_until_us=until_us, act="end")], {}

        return await self._act(space, memory_id, plan, by=by, version=version)

    async def hide(
        self, space: Space, memory_id: MemoryId, *, by: Actor, version: int | None = None
    ) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""

        async def plan(memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
            if memory.shelf == "quarantined":
                raise InvalidValue("shelf", memory.shelf, "another one: recall does not see it")
            is_hidden = memory.shelf == "hidden"
            return ([] if is_hidden else [Link(id=memory.id, shelf="hidden", act="hide")]), {}

        return await self._act(space, memory_id, plan, by=by, version=version)

    async def release(
        self, space: Space, memory_id: MemoryId, *, by: Actor, version: int | None = None
    ) -> Memory:
        """Put a memory back where recall looks: a hidden, an archived, a quarantined one."""

        async def plan(memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
            if memory.shelf == "open":
                return [], {}
            changes: list[Change] = [Link(id=memory.id, shelf="open", act="release")]
            if memory.shelf == "quarantined":
                changes += await self._indexed(replace(memory, shelf="open"))
            return changes, {}

        return await self._act(space, memory_id, plan, by=by, version=version)

    async def undo(
        self, space: Space, memory_id: MemoryId, *, by: Actor, version: int | None = None
    ) -> Memory:
        """Take back the last act on a memory: a supersession, by either end, or what it was.

        What a supersession wrote stays as history, retracted; what it replaced holds again.

        Raises:
            NothingToUndo: There is no such act, or a later one stands in its way.
        """
        memory = await self._get(space, memory_id, version)
        last = await self._last_act(memory)
        if last is not None and last[0] != "superseded":
            return await self._act(space, memory_id, self._taking_back, by=by, version=version)
        successor = memory.links.superseded_by if last is not None else memory.id
        if successor is None:
            raise NothingToUndo(memory_id, "what replaced it was forgotten; write it again")
        await self._act(space, successor, self._unseating, by=by)
        return await self._get(space, memory_id)

    # ── how it is done ───────────────────────────────────────────────────────────────────────

    async def _act(
        self,
        space: Space,
        memory_id: MemoryId,
        plan: Plan,
        *,
        by: Actor,
        version: int | None = None,
    ) -> Memory:
        async def attempt() -> None:
            memory = await self._get(space, memory_id, version)
            changes, expect = await plan(memory)
            if changes:
                changes += self._also(memory)
                expect = {**expect, memory.id: memory.version}
                await self._records.apply(space, changes, by=by, expect=expect)

        await planned_anew(attempt)
        return await self._get(space, memory_id)

    async def _get(self, space: Space, memory_id: MemoryId, version: int | None = None) -> Memory:
        """Return a memory, which must be at a version where one is named."""
        found = await self._records.get(space, [memory_id])
        if not found:
            raise NotFound(memory_id)
        if version is not None and found[0].version != version:
            raise VersionConflict(memory_id, expected=version, actual=found[0].version)
        return found[0]

    async def _indexed(self, memory: Memory) -> list[Change]:
        """Return what puts a memory that was in no index into all of them."""
        previous = memory.links.previous
        context = ""
        if previous is not None:
            context = await self._records.turn_text(memory.space, previous) or ""
        changes: list[Change] = [Index(memory.id, index_rows(memory, context))]
        vectors = await vectors_of(self._embedder, [memory])
        changes += vectors.memories.values()
        if not vectors.memories and memory.id not in vectors.unknown:
            changes.append(Await(memory.id, "vectors"))
        if memory.kind == "episodic":
            changes.append(Await(memory.id, "consolidation"))
        return changes

    async def _taking_back(self, memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
        last = await self._last_act(memory)
        if last is None:
            raise NothingToUndo(memory.id, "somebody else has just taken it back")
        act, before = last
        if act == "hide":
            return [Link(id=memory.id, shelf=before.shelf, act="undo")], {}
        if act == "end":
            until_us = before.times.valid_until_us
            return [Link(id=memory.id, valid_until_us=until_us, act="undo")], {}
        changes: list[Change] = [Link(id=memory.id, status=before.status, act="undo")]
        return [*changes, *await self._dated_again(memory.space, memory.id)], {}

    async def _unseating(self, memory: Memory) -> tuple[list[Change], dict[MemoryId, int]]:
        """Return what makes a successor give its place back to those that it replaced."""
        if memory.links.superseded_by is not None:
            why = f"it was itself superseded by {memory.links.superseded_by}; undo that first"
            raise NothingToUndo(memory.id, why)
        old = await self._records.get(memory.space, memory.links.supersedes)
        replaced = [one for one in old if one.links.superseded_by == memory.id]
        if not replaced:
            why = "it superseded nothing; `pinyon retract`, `end` or `hide` take it out of recall"
            raise NothingToUndo(memory.id, why)
        changes: list[Change] = [
            Link(id=memory.id, status="retracted", supersedes=(), contradiction=None, act="undo")
        ]
        expect: dict[MemoryId, int] = {}
        for one in replaced:
            before = await self._before(one, "superseded")
            changes.append(
                Link(
                    id=one.id,
                    status=before.status,
                    valid_until_us=before.times.valid_until_us,
                    superseded_by=None,
                    superseded_at_us=None,
                    act="undo",
                )
            )
            changes += self._also(one)
            expect[one.id] = one.version
        return [*changes, *await self._dated_again(memory.space, memory.id)], expect

    async def _dated_again(self, space: Space, memory_id: MemoryId) -> list[Change]:
        """Return what takes the mark off the episodes that a memory outdated."""
        related = await self._records.dependants(space, memory_id)
        return [
            Link(id=found, outdated_by=None)
            for relation, found in related
            if relation == "outdated"
        ]

    async def _before(self, memory: Memory, act: str) -> Memory:
        """Return a memory as it was before the last time that something was done to it."""
        versions = {
            one.version: one for one in await self._records.versions(memory.space, memory.id)
        }
        for name, version in reversed(await self._acts(memory)):
            if name == act and version - 1 in versions:
                return versions[version - 1]
        return replace(memory, status="active", times=replace(memory.times, valid_until_us=None))

    async def _last_act(self, memory: Memory) -> tuple[str, Memory] | None:
        """Return the last act that was not taken back, and the memory before it."""
        standing: list[str] = []
        for name, _ in await self._acts(memory):
            if name in UNDOABLE:
                standing.append(name)
            elif name == "undo" and standing:
                standing.pop()
            elif name == "release" and "hide" in standing:
                # It took back the last time that it was hidden, as an undo would have.
                standing.reverse()
                standing.remove("hide")
                standing.reverse()
        if not standing:
            return None
        act = standing[-1]
        return act, await self._before(memory, act)

    async def _acts(self, memory: Memory) -> list[tuple[str, int]]:
        """Return what the journal says was done to a memory, each with the version it made."""
        entries: list[Entry] = await self._journal.entries(
            memory.space, target=memory.id, limit=_ENTRIES_MAX
        )
        made: list[tuple[str, int]] = []
        version = memory.version
        for entry in reversed(entries):
            made.append((entry.action, version))
            if entry.action not in _MOVES_NO_VERSION:
                version -= 1
        return made[::-1]


async def planned_retraction(
    records: Records, memory: Memory
) -> tuple[list[Change], dict[MemoryId, int]]:
    """Return what says that a memory was never true, and marks the episodes that said only that."""
    changes: list[Change] = [Link(id=memory.id, status="retracted", act="retract")]
    expect: dict[MemoryId, int] = {}
    for episode in await outdated_by_loss(records, memory.space, [memory], {memory.id}):
        if episode.links.outdated_by is None:
            changes.append(Link(id=episode.id, outdated_by=memory.id, act="outdate"))
            expect[episode.id] = episode.version
    return changes, expect


def _check_current(memory: Memory) -> None:
    if memory.links.superseded_by is not None:
        raise Superseded(memory.id, by=memory.links.superseded_by)
