"""What a store promises of its records: kept whole, changed all or nothing, read as known."""

from dataclasses import replace

import pytest

from pinyon.domain.change import (
    Count,
    Erase,
    Link,
    Once,
    Patch,
    PutEvent,
    PutVectors,
    Settle,
)
from pinyon.domain.filter import And, Cmp, Eq, Filter, matches
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import (
    Counts,
    Links,
    Source,
    Times,
)
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import (
    ForeignHit,
    InvalidCursor,
    KeyReused,
    NotFound,
    UnsupportedFilter,
    VersionConflict,
)
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import (
    BOB,
    BY,
    DIM,
    FILTERS,
    MODEL,
    STRANGERS,
    event_of,
    full_memory,
    unit,
)


class RecordPromises(Promises):
    """Putting, changing and reading memories."""

    async def test_a_memory_comes_back_as_it_was_put(self, store: Store) -> None:
        await self.apply(store, put(full_memory()))

        assert await store.records.get(ANN, [full_memory().id]) == [full_memory()]

    async def test_what_was_put_is_there_when_the_call_returns(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), put(memory_of(2, "Her dog chews cables")))

        found = await store.records.get(ANN, [memory_of(2).id, memory_of(9).id, memory_of(1).id])
        hits = await store.search.keyword(ANN, Terms(("bristol",)), limit=10)

        assert [m.text for m in found] == ["Her dog chews cables", "Sarah lives in Bristol"]
        assert [hit.id for hit in hits] == [memory_of(1).id]

    @pytest.mark.parametrize("stranger", STRANGERS, ids=str)
    async def test_no_space_sees_into_another(self, store: Store, stranger: Space) -> None:
        memory = replace(memory_of(1), source=Source(session="s1"), awaits=("vectors",))
        vectors = PutVectors(memory.id, MODEL, {0: unit(1)}, DIM, {0: b"\1\2"}, 2)
        await self.apply(store, put(memory), vectors, PutEvent(event_of(3)))
        await self.apply(store, put(memory_of(2, "quite another", space=stranger)), space=stranger)
        records, search = store.records, store.search
        far = 10**15

        assert await records.get(stranger, [memory.id]) == []
        assert memory.id not in {m.id for m in (await records.scan(stranger)).memories}
        assert await records.versions(stranger, memory.id) == []
        assert await records.chain(stranger, memory.id) == []
        assert await records.pending(stranger, "vectors") == []
        assert (await records.events(stranger)).events == ()
        assert await records.turn_before(stranger, "s1", far) is None
        assert await search.keyword(stranger, Terms(("bristol",)), limit=10) == []
        assert await search.dense(stranger, unit(1), MODEL, limit=10) == []
        assert await search.token_vectors(stranger, MODEL, {memory.id: 0}) == {}
        assert await search.followers(stranger, [memory.id]) == {}
        assert memory.id not in [
            one.id for one in (await store.vectors.lacking(stranger, MODEL)).memories
        ]
        assert await store.exposures.given(stranger, memory.id) == []
        assert (await search.term_stats(stranger, ["bristol"])).df == {"bristol": 0}
        assert len(await store.journal.entries(stranger)) == 1
        for change in (Erase(memory.id), Patch(id=memory.id, pinned=True), Count(id=memory.id)):
            with pytest.raises(NotFound):
                await self.apply(store, change, space=stranger)
        assert await records.get(ANN, [memory.id]) == [memory]

    async def test_a_space_never_written_to_is_empty_and_is_not_made(self, store: Store) -> None:
        assert (await store.records.scan(BOB)).memories == ()
        assert await store.search.keyword(BOB, Terms(("x",)), limit=5) == []
        assert (await store.search.term_stats(BOB, ["x"])).passages == 0
        assert await store.changes.seq(BOB) == 0
        assert await store.registry.info(BOB) is None
        assert await store.registry.spaces() == []

    async def test_a_memory_of_another_space_is_not_put(self, store: Store) -> None:
        with pytest.raises(ForeignHit):
            await self.apply(store, put(memory_of(1, space=BOB)))

        assert (await store.records.scan(ANN)).memories == ()

    async def test_a_failed_change_undoes_the_whole_batch(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        before = await store.changes.seq(ANN)

        with pytest.raises(NotFound):
            await self.apply(store, put(memory_of(2)), Patch(id=memory_of(9).id, pinned=True))

        assert await store.records.get(ANN, [memory_of(2).id]) == []
        assert await store.changes.seq(ANN) == before
        assert len(await store.journal.entries(ANN)) == 1

    async def test_a_lost_version_changes_nothing(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        await self.apply(store, Patch(id=memory_of(1).id, pinned=True))

        with pytest.raises(VersionConflict) as caught:
            await store.records.apply(
                ANN, [Erase(memory_of(1).id)], by=BY, expect={memory_of(1).id: 1}
            )

        assert (caught.value.expected, caught.value.actual) == (1, 2)
        assert len(await store.records.get(ANN, [memory_of(1).id])) == 1

    async def test_an_equal_memory_is_named_instead_of_put(self, store: Store) -> None:
        unless = And((Eq("content_hash", memory_of(1).content_hash), Eq("status", "active")))
        await self.apply(store, put(memory_of(1), unless=unless))

        applied = await self.apply(store, put(memory_of(2), unless=unless), put(memory_of(3, "x")))

        assert applied.equals == {memory_of(2).id: memory_of(1).id}
        assert applied.ids == (memory_of(1).id, memory_of(3).id)
        assert await store.records.get(ANN, [memory_of(2).id]) == []

    async def test_an_equal_memory_in_the_same_batch_is_seen(self, store: Store) -> None:
        unless = Eq("content_hash", memory_of(1).content_hash)

        applied = await self.apply(
            store, put(memory_of(1), unless=unless), put(memory_of(2), unless=unless)
        )

        assert applied.equals == {memory_of(2).id: memory_of(1).id}

    async def test_a_key_is_answered_once(self, store: Store, clock: FrozenClock) -> None:
        once = Once("key", "request")
        first = await store.records.apply(ANN, [put(memory_of(1))], by=BY, once=once)

        again = await store.records.apply(ANN, [put(memory_of(2))], by=BY, once=once)
        with pytest.raises(KeyReused):
            await store.records.apply(
                ANN, [put(memory_of(3))], by=BY, once=Once("key", "another request")
            )
        clock.forward(24 * 3600 + 1)
        later = await store.records.apply(ANN, [put(memory_of(4, "new"))], by=BY, once=once)

        assert again == replace(first, replayed=True)
        assert later.ids == (memory_of(4).id,)
        assert len((await store.records.scan(ANN)).memories) == 2

    async def test_a_key_is_its_writers_own(self, store: Store) -> None:
        once, other = Once("key", "request"), replace(BY, name="somebody else")
        await store.records.apply(ANN, [put(memory_of(1))], by=BY, once=once)

        again = await store.records.apply(
            ANN, [put(memory_of(2, "new"))], by=other, once=Once("key", "another request")
        )

        assert not again.replayed
        assert again.ids == (memory_of(2).id,)

    async def test_a_patch_keeps_the_old_version(self, store: Store, clock: FrozenClock) -> None:
        start_us = clock.now_us()
        times = Times(created_at_us=start_us, updated_at_us=start_us)
        memory = replace(memory_of(1), times=times)
        await self.apply(store, put(memory))
        later_us = clock.forward(60)
        await self.apply(store, Patch(id=memory.id, tags=("home",), importance=0.9))

        (now,) = await store.records.get(ANN, [memory.id])
        (then,) = await store.records.get(ANN, [memory.id], known_at_us=later_us - 1)
        versions = await store.records.versions(ANN, memory.id)

        assert (now.tags, now.importance, now.version) == (("home",), 0.9, 2)
        assert now.times.updated_at_us == later_us
        assert then == memory
        assert versions == [memory, now]
        assert await store.records.get(ANN, [memory.id], known_at_us=start_us - 1) == []

    async def test_what_was_known_is_what_is_filtered(
        self, store: Store, clock: FrozenClock
    ) -> None:
        start_us = clock.now_us()
        times = Times(created_at_us=start_us, updated_at_us=start_us)
        memory = replace(memory_of(1), times=times)
        await self.apply(store, put(memory))
        clock.forward(60)
        await self.apply(store, Link(id=memory.id, status="retracted"))
        active, terms = Eq("status", "active"), Terms(("bristol",))
        search = store.search

        assert await search.keyword(ANN, terms, active, limit=5) == []
        found = await search.keyword(ANN, terms, active, limit=5, known_at_us=start_us)
        assert [hit.id for hit in found] == [memory.id]
        assert await search.keyword(ANN, terms, active, limit=5, known_at_us=start_us - 1) == []
        page = await store.records.scan(ANN, active, known_at_us=start_us)
        assert page.memories == (memory,)

    async def test_versions_can_be_put_with_a_memory(self, store: Store) -> None:
        old = replace(memory_of(1), times=Times(created_at_us=10, updated_at_us=10))
        new = replace(old, version=2, tags=("x",), times=Times(created_at_us=10, updated_at_us=20))
        await self.apply(store, put(new, earlier=(old,)))

        assert await store.records.versions(ANN, new.id) == [old, new]
        assert await store.records.get(ANN, [new.id], known_at_us=15) == [old]

    async def test_a_link_can_clear_what_it_set(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        other = memory_of(2).id
        await self.apply(store, Link(id=memory_of(1).id, superseded_by=other, status="superseded"))
        await self.apply(store, Link(id=memory_of(1).id, superseded_by=None, status="active"))

        (memory,) = await store.records.get(ANN, [memory_of(1).id])

        assert (memory.links.superseded_by, memory.status, memory.version) == (None, "active", 3)

    async def test_counting_moves_no_version(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        before = await store.changes.seq(ANN)

        await self.apply(
            store,
            Count(id=memory_of(1).id, uses=2, used_at_us=10**13),
            Count(id=memory_of(1).id, uses=1, support=1, used_at_us=5, succeeded_at_us=7),
        )
        (memory,) = await store.records.get(ANN, [memory_of(1).id])

        assert memory.counts == Counts(
            uses=3, support=1, last_used_at_us=10**13, last_success_at_us=7
        )
        assert memory.version == 1
        assert await store.changes.seq(ANN) == before

    async def test_walking_the_cursors_gives_everything_once(self, store: Store) -> None:
        await self.apply(store, *(put(memory_of(n, f"memory {n}")) for n in range(1, 24)))

        for order in ("newest", "oldest"):
            seen: list[MemoryId] = []
            cursor: str | None = None
            while True:
                page = await store.records.scan(ANN, order=order, cursor=cursor, limit=5)
                seen.extend(memory.id for memory in page.memories)
                cursor = page.next_cursor
                if cursor is None:
                    break
            ids = [memory_of(n).id for n in range(1, 24)]
            assert seen == (ids if order == "oldest" else ids[::-1])

    @pytest.mark.parametrize("cursor", ["", "p", "p1'; DROP TABLE memory", "px", "p" + "9" * 40])
    async def test_a_foreign_cursor_is_refused(self, store: Store, cursor: str) -> None:
        await self.apply(store, put(memory_of(1)))

        with pytest.raises(InvalidCursor):
            await store.records.scan(ANN, cursor=cursor)

    @pytest.mark.parametrize("where", FILTERS, ids=repr)
    async def test_filters_mean_what_the_reference_means(self, store: Store, where: Filter) -> None:
        memories = [full_memory(), memory_of(1), memory_of(2, kind="episodic", pinned=True)]
        await self.apply(store, *map(put, memories))

        page = await store.records.scan(ANN, where, order="oldest")

        assert page.memories == tuple(m for m in memories if matches(where, m))

    async def test_what_has_no_order_cannot_be_compared(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))

        with pytest.raises(UnsupportedFilter):
            await store.records.scan(ANN, Cmp("tags", "lt", "x"))

    async def test_a_chain_is_read_from_any_member(self, store: Store) -> None:
        first, second, third = memory_of(1), memory_of(2), memory_of(3)
        await self.apply(store, put(first), put(second), put(third), put(memory_of(4)))
        await self.apply(
            store,
            Link(id=first.id, superseded_by=second.id),
            Link(id=second.id, supersedes=(first.id,), superseded_by=third.id),
            Link(id=third.id, supersedes=(second.id,)),
        )

        for member in (first, second, third):
            chain = await store.records.chain(ANN, member.id)
            assert [memory.id for memory in chain] == [first.id, second.id, third.id]

    async def test_dependants_are_found_from_the_other_side(self, store: Store) -> None:
        base = memory_of(1)
        derived = replace(memory_of(2), source=Source(derived_from=(base.id,)))
        supported = replace(memory_of(3), source=Source(supporting=(base.id,)))
        follower = replace(memory_of(4), links=Links(previous=base.id))
        rival = replace(memory_of(5), links=Links(conflicts_with=(base.id,)))
        await self.apply(store, *map(put, (base, derived, supported, follower, rival)))

        assert await store.records.dependants(ANN, base.id) == [
            ("derived", derived.id),
            ("supports", supported.id),
            ("follows", follower.id),
            ("conflicts", rival.id),
        ]

    async def test_what_is_awaited_is_listed_until_settled(self, store: Store) -> None:
        waiting = replace(memory_of(1), awaits=("vectors", "consolidation"))
        await self.apply(store, put(waiting), put(memory_of(2)))

        assert await store.records.pending(ANN, "vectors") == [waiting]
        await self.apply(store, Settle(waiting.id, "vectors"))
        assert await store.records.pending(ANN, "vectors") == []
        assert [m.id for m in await store.records.pending(ANN, "consolidation")] == [waiting.id]
