"""Giving a space the vectors of another model, while the old ones answer; it may stop anywhere."""

from collections.abc import Callable, Mapping, Sequence

from pinyon.domain.change import Change, ServeVectors
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import ModelUnavailable, NotFound, VersionConflict
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.write.vectors import Vectorised, vectors_of

PAGE = 32

Report = Callable[[int], None]


class Reembedding:
    """Makes the vectors that a model lacks, and lets it serve the space once it has them all.

    What is there already is not made again, so it is taken up where it was broken off.
    """

    def __init__(self, store: Store, embedder: Embedder, *, by: Actor) -> None:
        self._store, self._embedder, self._by = store, embedder, by

    async def run(self, space: Space, report: Report) -> int:
        """Give every memory its vectors; return how many were made.

        Args:
            space: Where.
            report: Told how many memories were looked at.

        Raises:
            ModelUnavailable: The model cannot be loaded, or fails.
        """
        # Before anything else: the fingerprint of some models is known only when they were asked.
        await self._embedder.embed_question("which model is this?")
        made = await self._fill(space, report)
        serving = await self._store.vectors.serving(space)
        if serving is not None and serving != self._embedder.fingerprint:
            await self._serve(space)
        # What was written meanwhile, by a process that has the old model still.
        return made + await self._fill(space, lambda _seen: None)

    async def fill(self, space: Space) -> int:
        """Give memories the vectors that they lack, unless another model serves the space.

        Returns:
            How many were made.

        Raises:
            ModelUnavailable: The model cannot be loaded, or fails.
        """
        await self._embedder.embed_question("which model is this?")
        if await self._store.vectors.serving(space) not in (None, self._embedder.fingerprint):
            return 0
        return await self._fill(space, lambda _seen: None)

    async def _serve(self, space: Space) -> None:
        try:
            await self._apply(space, [ServeVectors(self._embedder.fingerprint)])
        except NotFound:
            return  # it holds nothing that the model knows

    async def _fill(self, space: Space, report: Report) -> int:
        model, cursor, seen, made = self._embedder.fingerprint, None, 0, 0
        while True:
            page = await self._store.vectors.lacking(space, model, cursor=cursor, limit=PAGE)
            made += await self._give(space, page.memories)
            seen += len(page.memories)
            report(seen)
            cursor = page.next_cursor
            if cursor is None:
                break
        await self._give_turns(space)
        return made

    async def _give(self, space: Space, memories: Sequence[Memory]) -> int:
        vectors = await self._vectors_of(memories)
        changes = vectors.settling()
        if not changes:
            return 0
        versions = {memory.id: memory.version for memory in memories}
        try:
            await self._apply(space, changes, versions)
        except (NotFound, VersionConflict):
            # One of them was erased or renamed meanwhile: each for itself, then.
            return await self._one_by_one(space, memories)
        return len(vectors.memories)

    async def _one_by_one(self, space: Space, memories: Sequence[Memory]) -> int:
        made = 0
        for memory in await self._store.records.get(space, [memory.id for memory in memories]):
            vectors = await self._vectors_of([memory])
            try:
                await self._apply(space, vectors.settling(), {memory.id: memory.version})
            except (NotFound, VersionConflict):
                continue
            made += len(vectors.memories)
        return made

    async def _give_turns(self, space: Space) -> None:
        given: set[str] = set()
        while self._embedder.token_dim:
            lacking = await self._store.vectors.turns_lacking(
                space, self._embedder.fingerprint, limit=PAGE
            )
            turns = [event for event in lacking if event.id not in given]
            if not turns:
                return
            given |= {event.id for event in turns}
            told = {event.id: event.text for event in turns}
            await self._apply(space, (await self._vectors_of([], told)).turns)

    async def _vectors_of(
        self, memories: Sequence[Memory], turns: Mapping[EventId, str] | None = None
    ) -> Vectorised:
        """Return vectors; a space must not be switched to a model that failed for some of it."""
        vectors = await vectors_of(self._embedder, memories, turns)
        if vectors.degraded:
            raise ModelUnavailable(self._embedder.fingerprint, "it failed or was too slow")
        return vectors

    async def _apply(
        self, space: Space, changes: Sequence[Change], expect: dict[MemoryId, int] | None = None
    ) -> None:
        if changes:
            await self._store.records.apply(space, changes, by=self._by, expect=expect)
