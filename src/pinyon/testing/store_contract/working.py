"""What a store promises of background work: second tries, hints, and what was spent."""

from dataclasses import replace
from typing import Any

from pinyon.domain.budget import Spent
from pinyon.domain.change import Enqueue, FinishJob, Settle
from pinyon.domain.ids import JobId
from pinyon.domain.job import AWAITED_COUNTED, ENDED_KEPT, Job, Outlook
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BOB

SOON_US = 10**15 * 4
"""Later than any clock of a test."""


def job_of(number: int, **fields: Any) -> Job:
    """Return a job whose id is a small number."""
    return replace(Job(id=JobId(f"job_{number:032x}"), task="t", run_at_us=0), **fields)


class WorkPromises(Promises):
    """Jobs that are tried again or given back, which spaces have work, and budgets."""

    async def test_a_dead_job_is_tried_again_with_all_its_attempts(
        self, store: Store, clock: FrozenClock
    ) -> None:
        await self.apply(store, Enqueue(job_of(1)))
        await store.jobs.lease(ANN, lease_s=30)
        await self.apply(store, FinishJob(id=job_of(1).id, attempt=1, error="store_busy"))

        assert await store.jobs.retry(ANN, job_of(1).id)

        again = await store.jobs.lease(ANN, lease_s=30)
        assert again is not None
        assert (again.id, again.attempts, again.tries) == (job_of(1).id, 2, 1)

    async def test_a_job_that_waits_for_later_is_tried_now(
        self, store: Store, clock: FrozenClock
    ) -> None:
        later = job_of(1, run_at_us=clock.now_us() + 10**9)
        await self.apply(store, Enqueue(later))

        assert await store.jobs.retry(ANN, later.id)

        assert await store.jobs.lease(ANN, lease_s=30) is not None

    async def test_what_runs_is_done_or_has_a_twin_is_not_tried_again(self, store: Store) -> None:
        twin = job_of(2, dedupe_key="k")
        await self.apply(store, Enqueue(job_of(1, dedupe_key="k")))
        await store.jobs.lease(ANN, lease_s=30)

        assert not await store.jobs.retry(ANN, job_of(1).id)
        await self.apply(store, FinishJob(id=job_of(1).id, attempt=1, error="x"), Enqueue(twin))
        assert not await store.jobs.retry(ANN, job_of(1).id)
        await store.jobs.lease(ANN, lease_s=30)
        await self.apply(store, FinishJob(id=twin.id, attempt=1))
        assert not await store.jobs.retry(ANN, twin.id)
        assert not await store.jobs.retry(BOB, twin.id)
        assert await store.jobs.retry(ANN, job_of(1).id)

    async def test_a_job_that_is_given_back_has_lost_no_attempt(
        self, store: Store, clock: FrozenClock
    ) -> None:
        await self.apply(store, Enqueue(job_of(1)))
        first = await store.jobs.lease(ANN, lease_s=30)
        assert first is not None

        assert await store.jobs.give_back(ANN, first, run_at_us=clock.now_us())

        assert not await store.jobs.give_back(ANN, first, run_at_us=clock.now_us())
        second = await store.jobs.lease(ANN, lease_s=30)
        assert second is not None
        assert (second.attempts, second.tries) == (2, 1)
        assert not await store.jobs.renew(ANN, first, lease_s=30)

    async def test_the_outlook_says_when_the_next_job_may_be_leased(
        self, store: Store, clock: FrozenClock
    ) -> None:
        now_us = clock.now_us()
        later = job_of(2, task="other", run_at_us=now_us + 10**9, dedupe_key="every:other")
        assert await store.jobs.outlook(ANN) == Outlook()
        await self.apply(store, Enqueue(job_of(1)), Enqueue(later))

        assert (await store.jobs.outlook(ANN)).due_at_us == 0
        await store.jobs.lease(ANN, lease_s=30)

        assert (await store.jobs.outlook(ANN)).due_at_us == now_us + 30 * 10**6
        other = await store.jobs.outlook(ANN, tasks=["other"])
        assert other == Outlook(due_at_us=later.run_at_us, scheduled=frozenset({"every:other"}))
        assert (await store.jobs.outlook(ANN, tasks=[])).due_at_us is None
        assert await store.jobs.cancel(ANN, later.id)
        assert (await store.jobs.outlook(ANN)).scheduled == frozenset()

    async def test_the_outlook_says_how_many_memories_await_something(self, store: Store) -> None:
        both = put(memory_of(1, awaits=("vectors", "consolidation")))
        more = (
            put(memory_of(n, f"x {n}", awaits=("consolidation",)))
            for n in range(2, AWAITED_COUNTED + 9)
        )
        await self.apply(store, put(memory_of(0, "settled")), both)
        assert (await store.jobs.outlook(ANN)).awaited == {"vectors": 1, "consolidation": 1}

        await self.apply(store, *more, Settle(memory_of(1).id, "vectors"))

        assert (await store.jobs.outlook(ANN)).awaited == {"consolidation": AWAITED_COUNTED}

    async def test_a_space_that_gets_a_job_is_hinted_at(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        assert await store.hints.hinted(before_us=SOON_US) == []

        await self.apply(store, Enqueue(job_of(1, run_at_us=70)), Enqueue(job_of(2, run_at_us=50)))
        await self.apply(store, Enqueue(job_of(3, run_at_us=20)), space=BOB)

        hints = await store.hints.hinted(before_us=SOON_US)
        assert [(hint.space, hint.due_at_us) for hint in hints] == [(BOB, 20), (ANN, 50)]
        assert [hint.space for hint in await store.hints.hinted(before_us=49)] == [BOB]
        assert len(await store.hints.hinted(before_us=SOON_US, limit=1)) == 1

    async def test_a_hint_that_was_put_meanwhile_is_not_settled(self, store: Store) -> None:
        await self.apply(store, Enqueue(job_of(1)))
        (seen,) = await store.hints.hinted(before_us=SOON_US)
        await self.apply(store, Enqueue(job_of(2)))

        assert not await store.hints.settle_hint(seen, None)

        (now,) = await store.hints.hinted(before_us=SOON_US)
        assert await store.hints.settle_hint(now, 90)
        assert [h.due_at_us for h in await store.hints.hinted(before_us=SOON_US)] == [90]
        assert await store.hints.settle_hint(now, None)
        assert await store.hints.hinted(before_us=SOON_US) == []
        await self.apply(store, Enqueue(job_of(3)))
        assert not await store.hints.settle_hint(now, None)

    async def test_a_space_that_is_erased_is_hinted_at_no_more(self, store: Store) -> None:
        await self.apply(store, Enqueue(job_of(1)))

        await store.erase(ANN)

        assert await store.hints.hinted(before_us=SOON_US) == []
        assert await store.jobs.outlook(ANN) == Outlook()

    async def test_a_job_that_is_tried_again_or_given_back_is_hinted_at(self, store: Store) -> None:
        await self.apply(store, Enqueue(job_of(1)))
        job = await store.jobs.lease(ANN, lease_s=30)
        assert job is not None
        (hint,) = await store.hints.hinted(before_us=SOON_US)
        await store.hints.settle_hint(hint, None)

        await store.jobs.give_back(ANN, job, run_at_us=5)

        (hint,) = await store.hints.hinted(before_us=SOON_US)
        await store.hints.settle_hint(hint, None)
        await store.jobs.retry(ANN, job.id)
        assert len(await store.hints.hinted(before_us=SOON_US)) == 1

    async def test_of_jobs_that_ended_the_last_are_kept(self, store: Store) -> None:
        more = ENDED_KEPT + 20
        await self.apply(store, Enqueue(job_of(0)))
        await store.jobs.lease(ANN, lease_s=30)
        await self.apply(store, FinishJob(id=job_of(0).id, attempt=1, error="x"))
        await self.apply(store, *(Enqueue(job_of(n)) for n in range(1, more)))
        for n in range(1, more - 1):
            await store.jobs.cancel(ANN, job_of(n).id)
        await store.jobs.lease(ANN, lease_s=30)

        await self.apply(store, FinishJob(id=job_of(more - 1).id, attempt=1))

        jobs = await store.jobs.list_jobs(ANN)
        assert [job.id for job in jobs if job.state == "dead"] == [job_of(0).id]
        assert jobs[-1].id == job_of(more - 1).id
        assert len(jobs) == ENDED_KEPT + 2

    async def test_what_is_spent_keeps_to_the_most_of_a_day(self, store: Store) -> None:
        most = Spent(calls=2, tokens=100)
        await self.apply(store, put(memory_of(1)))

        for space in (ANN, None):
            assert await store.budgets.spend(space, Spent(calls=1, tokens=60), day=7, most=most)
            assert not await store.budgets.spend(space, Spent(calls=1, tokens=41), day=7, most=most)
            assert await store.budgets.spend(space, Spent(calls=1, tokens=40), day=7, most=most)
            assert not await store.budgets.spend(space, Spent(calls=1), day=7, most=most)
            assert await store.budgets.spent(space, day=7) == most

    async def test_each_day_is_spent_anew_and_what_is_given_back_is_there(
        self, store: Store
    ) -> None:
        most, all_ = Spent(calls=1, tokens=100), Spent(calls=1, tokens=100)
        await self.apply(store, put(memory_of(1)))
        await store.budgets.spend(ANN, all_, day=7, most=most)

        assert await store.budgets.spend(ANN, Spent(tokens=-30), day=7, most=most)
        assert await store.budgets.spent(ANN, day=7) == Spent(calls=1, tokens=70)
        assert await store.budgets.spend(ANN, all_, day=8, most=most)
        assert await store.budgets.spent(ANN, day=7) == Spent()
        assert not await store.budgets.spend(ANN, Spent(calls=2), day=9, most=most)
        assert await store.budgets.spent(ANN, day=8) == all_

    async def test_where_nothing_was_ever_written_nothing_is_spent(self, store: Store) -> None:
        most = Spent(calls=1, tokens=1)
        assert not await store.budgets.spend(None, Spent(calls=1), day=7, most=most)
        assert not await store.budgets.spend(ANN, Spent(calls=1), day=7, most=most)
        assert await store.registry.spaces() == []
        assert await store.budgets.spent(None, day=7) == Spent()
        assert await store.budgets.spent(ANN, day=7) == Spent()

    async def test_what_was_spent_goes_with_the_space(self, store: Store) -> None:
        most = Spent(calls=1, tokens=1)
        await self.apply(store, put(memory_of(1)))
        await store.budgets.spend(ANN, most, day=7, most=most)

        await store.erase(ANN)

        assert await store.budgets.spent(ANN, day=7) == Spent()
