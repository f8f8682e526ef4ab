"""What a store promises of exposures: to whom a memory was given."""

from pinyon.domain.change import EXPOSURE_KEPT_US, Erase, Expose
from pinyon.domain.times import US_PER_S
from pinyon.ports.exposures import Exposure
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BY


class ExposurePromises(Promises):
    """A memory given to a model counts as used, and moves nothing else."""

    async def test_an_exposure_counts_and_is_kept(self, store: Store, clock: FrozenClock) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory))
        seq, now_us = await store.changes.seq(ANN), clock.now_us()

        await self.apply(store, Expose(id=memory.id, at_us=now_us, session="s1"))
        await self.apply(store, Expose(id=memory.id, at_us=now_us + 5))

        (held,) = await store.records.get(ANN, [memory.id])
        assert (held.counts.uses, held.counts.last_used_at_us) == (2, now_us + 5)
        assert (held.version, await store.changes.seq(ANN)) == (memory.version, seq)
        assert list(await store.exposures.given(ANN, memory.id)) == [
            Exposure(at_us=now_us, session="s1", surface=BY.surface),
            Exposure(at_us=now_us + 5, session="", surface=BY.surface),
        ]

    async def test_what_is_gone_by_then_is_passed_over(
        self, store: Store, clock: FrozenClock
    ) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory))

        await self.apply(
            store,
            Expose(id=memory_of(9).id, at_us=clock.now_us()),
            Expose(id=memory.id, at_us=clock.now_us()),
        )

        (held,) = await store.records.get(ANN, [memory.id])
        assert held.counts.uses == 1

    async def test_exposures_go_with_their_memory(self, store: Store, clock: FrozenClock) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory), Expose(id=memory.id, at_us=clock.now_us()))
        await self.apply(store, Erase(memory.id))
        await self.apply(store, put(memory))

        assert list(await store.exposures.given(ANN, memory.id)) == []

    async def test_an_old_exposure_goes_when_a_new_one_comes(
        self, store: Store, clock: FrozenClock
    ) -> None:
        one, two = memory_of(1), memory_of(2, "two")
        long_ago_us = clock.now_us()
        await self.apply(store, put(one), put(two), Expose(id=one.id, at_us=long_ago_us))
        clock.forward(EXPOSURE_KEPT_US / US_PER_S + 1)

        await self.apply(store, Expose(id=two.id, at_us=clock.now_us()))

        assert list(await store.exposures.given(ANN, one.id)) == []
