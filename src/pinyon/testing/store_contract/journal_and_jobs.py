"""What a store promises of what runs beside the records: journal, jobs, changes, registry."""

from dataclasses import replace

import pytest

from pinyon.domain.change import (
    Count,
    Enqueue,
    Erase,
    FinishJob,
    Patch,
    PutEvent,
)
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.space import Space
from pinyon.errors import (
    NotFound,
    StoreClosed,
)
from pinyon.ports.changes import ChangedSince
from pinyon.ports.store import Measured, Measures, Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import (
    BOB,
    BY,
    event_of,
)


class JournalAndJobPromises(Promises):
    """The journal, the queue, what changed, which spaces there are, and closing."""

    async def test_the_journal_says_who_did_what_without_a_word_of_it(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), PutEvent(event_of(2)))
        await self.apply(store, Patch(id=memory_of(1).id, pinned=True), Count(id=memory_of(1).id))
        await self.apply(store, Erase(memory_of(1).id))

        entries = await store.journal.entries(ANN)

        assert [(e.n, e.action, e.target) for e in entries] == [
            (1, "put", memory_of(1).id),
            (2, "put_event", event_of(2).id),
            (3, "patch", memory_of(1).id),
            (4, "erase", memory_of(1).id),
        ]
        assert {(e.actor, e.surface) for e in entries} == {(BY.name, BY.surface)}
        assert "ristol" not in repr(entries)
        assert entries[0].keyed_hash not in ("", memory_of(1).content_hash)
        assert await store.journal.broken_at(ANN) is None
        assert await store.journal.entries(ANN, target=event_of(2).id) == [entries[1]]
        assert await store.journal.entries(ANN, after=3) == entries[3:]

    async def test_jobs_are_leased_by_priority_and_one_at_a_time(
        self, store: Store, clock: FrozenClock
    ) -> None:
        now_us = clock.now_us()
        low = Job(id=JobId(f"job_{1:032x}"), task="t", priority="low", run_at_us=0)
        high = Job(id=JobId(f"job_{2:032x}"), task="t", priority="high", run_at_us=1)
        later = replace(high, id=JobId(f"job_{3:032x}"), run_at_us=now_us + 10**9)
        await self.apply(store, *(Enqueue(job) for job in (low, high, later)))

        first = await store.jobs.lease(ANN, lease_s=30)
        second = await store.jobs.lease(ANN, lease_s=30, tasks=["t"])
        third = await store.jobs.lease(ANN, lease_s=30)

        assert first is not None
        assert second is not None
        assert (first.id, second.id, third) == (high.id, low.id, None)
        assert (first.state, first.attempts) == ("leased", 1)

    async def test_a_lease_that_runs_out_is_given_on(
        self, store: Store, clock: FrozenClock
    ) -> None:
        job = Job(id=JobId(f"job_{1:032x}"), task="t", run_at_us=0, payload=(("n", 1),))
        await self.apply(store, Enqueue(job))
        first = await store.jobs.lease(ANN, lease_s=30)
        assert first is not None
        assert await store.jobs.renew(ANN, first, lease_s=60)
        clock.forward(61)

        second = await store.jobs.lease(ANN, lease_s=30)

        assert second is not None
        assert (second.attempts, second.payload) == (2, job.payload)
        assert not await store.jobs.renew(ANN, first, lease_s=60)
        with pytest.raises(NotFound):
            await self.apply(store, FinishJob(id=job.id, attempt=1))
        await self.apply(store, FinishJob(id=job.id, attempt=2))
        assert [j.state for j in await store.jobs.list_jobs(ANN)] == ["done"]

    async def test_a_failed_job_waits_or_dies(self, store: Store, clock: FrozenClock) -> None:
        job = Job(id=JobId(f"job_{1:032x}"), task="t", run_at_us=0)
        await self.apply(store, Enqueue(job))
        retry_at_us = clock.now_us() + 5_000_000

        await store.jobs.lease(ANN, lease_s=30)
        retry = FinishJob(id=job.id, attempt=1, error="model_down", retry_at_us=retry_at_us)
        await self.apply(store, retry)
        assert await store.jobs.lease(ANN, lease_s=30) is None
        clock.forward(6)
        await store.jobs.lease(ANN, lease_s=30)
        await self.apply(store, FinishJob(id=job.id, attempt=2, error="model_down"))

        (dead,) = await store.jobs.list_jobs(ANN, state="dead")
        assert (dead.last_error, dead.lease_until_us) == ("model_down", None)

    async def test_a_job_with_a_waiting_twin_is_not_added(self, store: Store) -> None:
        one, two = (
            Job(id=JobId(f"job_{n:032x}"), task="t", run_at_us=0, dedupe_key="k") for n in (1, 2)
        )
        await self.apply(store, Enqueue(one))

        applied = await self.apply(store, Enqueue(two))

        assert applied.equals == {two.id: one.id}
        assert await store.jobs.cancel(ANN, one.id)
        assert not await store.jobs.cancel(ANN, one.id)
        assert (await self.apply(store, Enqueue(two))).equals == {}

    async def test_changes_since_name_what_moved(self, store: Store) -> None:
        first = await self.apply(store, put(memory_of(1)), put(memory_of(2, "x")))
        second = await self.apply(store, Patch(id=memory_of(2).id, pinned=True))

        since = await store.changes.since(ANN, first.seq)

        assert second.seq == first.seq + 1 == await store.changes.seq(ANN)
        assert since == ChangedSince(second.seq, frozenset({memory_of(2).id}), frozenset())

    async def test_the_registry_names_every_space(self, store: Store) -> None:
        spaces = [Space.of_user("acme", "ü/%"), BOB, Space.shared("globex")]
        for space in spaces:
            await self.apply(store, put(memory_of(1, space=space)), space=space)

        info = await store.registry.info(BOB)

        assert set(await store.registry.spaces()) == set(spaces)
        assert await store.registry.spaces("globex") == [Space.shared("globex")]
        assert info is not None
        assert (info.memories, info.events) == (1, 0)

    async def test_a_store_that_is_measured_counts_what_its_open_spaces_hold(
        self, store: Store
    ) -> None:
        if not isinstance(store, Measured):
            pytest.skip("this store does not say how much there is")
        assert await store.measures() == Measures(spaces_open=0, jobs={}, due_since_us=None)
        assert await store.open_spaces() == []
        job = Job(id=JobId(f"job_{1:032x}"), task="t", run_at_us=30)
        urgent = replace(job, id=JobId(f"job_{2:032x}"), priority="high", run_at_us=10)
        later = replace(job, id=JobId(f"job_{3:032x}"), run_at_us=40)
        await self.apply(store, *(Enqueue(one) for one in (job, urgent, later)))
        await self.apply(store, put(memory_of(1, space=BOB)), space=BOB)
        await store.jobs.lease(ANN, lease_s=30)

        measures = await store.measures()

        assert measures == Measures(
            spaces_open=2, jobs={"leased": 1, "waiting": 2}, due_since_us=30
        )
        assert await store.open_spaces() == sorted((ANN, BOB), key=str)

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        assert (await store.health()).ok
        await store.close()

        with pytest.raises(StoreClosed):
            await store.records.get(ANN, [memory_of(1).id])
