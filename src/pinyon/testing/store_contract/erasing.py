"""What a store promises when something is erased: nothing of it is left."""

import pytest

from pinyon.domain.change import (
    Erase,
    Once,
    Patch,
    PutEvent,
    PutVectors,
)
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import (
    NotFound,
)
from pinyon.ports.store import Store
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BOB, BY, DIM, MODEL, event_of, unit


class ErasePromises(Promises):
    """Erasing a memory, an event, a space."""

    async def test_an_erased_memory_is_gone_from_everywhere(self, store: Store) -> None:
        memory = memory_of(1)
        vectors = PutVectors(memory.id, MODEL, {0: unit(1)}, DIM, {0: b"\1\2"}, 2)
        once = Once("key", "request")
        await store.records.apply(ANN, [put(memory), vectors], by=BY, once=once)
        await self.apply(store, Patch(id=memory.id, pinned=True), put(memory_of(2, "other")))
        before = await store.changes.seq(ANN)

        await self.apply(store, Erase(memory.id))

        assert await store.records.get(ANN, [memory.id]) == []
        assert await store.records.versions(ANN, memory.id) == []
        assert await store.search.keyword(ANN, Terms(("bristol",)), limit=9) == []
        assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 0
        assert await store.search.dense(ANN, unit(1), MODEL, limit=9) == []
        assert await store.search.token_vectors(ANN, MODEL, {memory.id: 0}) == {}
        assert memory.id in (await store.changes.since(ANN, before)).gone
        again = await store.records.apply(ANN, [put(memory_of(3))], by=BY, once=once)
        assert not again.replayed

    async def test_an_erased_event_is_gone(self, store: Store) -> None:
        await self.apply(store, PutEvent(event_of(1)))

        await self.apply(store, Erase(event_of(1).id))

        assert (await store.records.events(ANN)).events == ()
        with pytest.raises(NotFound):
            await self.apply(store, Erase(event_of(1).id))

    async def test_an_erased_space_is_empty_and_can_begin_anew(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), PutEvent(event_of(1)))
        await self.apply(store, put(memory_of(1, space=BOB)), space=BOB)

        await store.erase(ANN)
        await store.erase(Space.of_user("acme", "nobody"))

        assert (await store.records.scan(ANN)).memories == ()
        assert (await store.records.events(ANN)).events == ()
        assert await store.journal.entries(ANN) == []
        assert await store.search.keyword(ANN, Terms(("bristol",)), limit=9) == []
        assert await store.registry.spaces() == [BOB]
        assert await store.registry.info(ANN) is None
        await self.apply(store, put(memory_of(2)))
        assert [m.id for m in (await store.records.scan(ANN)).memories] == [memory_of(2).id]
        assert await store.journal.broken_at(ANN) is None
        assert await store.registry.info(ANN) is not None
        assert await store.registry.spaces() == [ANN, BOB]
