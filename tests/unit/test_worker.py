"""The worker: what it does with a job, whatever happens meanwhile."""

from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
import pytest

from pinyon.care.tasks import Every, Task
from pinyon.care.worker import WORKER_LOST, Pace, Worker
from pinyon.domain.change import Count, Enqueue, Patch, PutEvent
from pinyon.domain.ids import JobId
from pinyon.domain.job import ATTEMPTS_MAX, Job
from pinyon.domain.space import Space
from pinyon.errors import ModelUnavailable, StoreBusy, VersionConflict
from pinyon.testing.makers import ANN, counting_ids, memory_of, put
from pinyon.testing.store_contract import event_of

pytestmark = pytest.mark.anyio

ON_EVERY_STORE = True

BOB = Space.of_user("acme", "bob")
SHARED = Space.shared("acme")
QUICK = Pace(
    renewed_every_s=0.01, polled_every_s=0.005, swept_every_s=0.05, grace_s=0.05, at_once=2
)
SOON_US = 10**16


def job_of(number, **fields):
    return replace(Job(id=JobId(f"job_{number:032x}"), task="t", run_at_us=0), **fields)


class Desk:
    """A store, a worker over it, and what it told."""

    def __init__(self, store, clock, by):
        self.store, self.clock, self._by = store, clock, by
        self.told, self._ids = [], counting_ids(1 << 40)

    def worker(self, handler, *, attempts_max=ATTEMPTS_MAX, schedules=(), chance=lambda: 1.0):
        return Worker(
            self.store,
            {"t": Task(handler=handler, attempts_max=attempts_max)},
            schedules=schedules,
            clock=self.clock,
            new_uuid=self._ids,
            chance=chance,
            told=self.told.append,
            pace=QUICK,
        )

    async def apply(self, *changes, space=ANN):
        return await self.store.records.apply(space, changes, by=self._by)

    async def enqueue(self, *jobs, space=ANN):
        await self.apply(*(Enqueue(job) for job in jobs), space=space)

    async def states(self, space=ANN):
        return [job.state for job in await self.store.jobs.list_jobs(space)]

    @property
    def outcomes(self):
        return [one.outcome for one in self.told]


@pytest.fixture
def desk(store, clock, by):
    return Desk(store, clock, by)


@asynccontextmanager
async def at_work(worker):
    """Let a worker run beside a test."""
    stop = anyio.Event()
    async with anyio.create_task_group() as beside:
        beside.start_soon(worker.run, stop)
        yield stop
        stop.set()


async def until(holds):
    with anyio.fail_after(10):
        while not await holds():  # noqa: ASYNC110 - it looks at the store
            await anyio.sleep(0.005)


async def nothing(_attempt):
    return


def failing(error):
    async def fail(_attempt):
        raise error

    return fail


# ── doing ────────────────────────────────────────────────────────────────────────────────────


async def test_jobs_of_every_space_are_done_the_urgent_ones_first(desk):
    done = []

    async def note(attempt):
        done.append((str(attempt.space), attempt.job.priority))

    for space in (ANN, BOB):
        jobs = (job_of(n, priority=p) for n, p in enumerate(("low", "high", "normal"), start=1))
        await desk.enqueue(*jobs, space=space)
    await desk.worker(note).run_once()

    assert [p for space, p in done if space == str(ANN)] == ["high", "normal", "low"]
    assert len(done) == 6
    assert desk.outcomes == ["done"] * 6
    assert await desk.store.hints.hinted(before_us=SOON_US) == []


async def test_an_effect_and_the_end_of_its_job_are_one(desk):
    await desk.apply(put(memory_of(1)), Enqueue(job_of(1)))

    async def count(attempt):
        await attempt.finish([Count(id=memory_of(1).id, uses=1)], expect={memory_of(1).id: 1})

    await desk.worker(count).run_once()

    (memory,) = await desk.store.records.get(ANN, [memory_of(1).id])
    assert (memory.counts.uses, await desk.states()) == (1, ["done"])


async def test_an_effect_that_cannot_be_had_ends_no_job_and_may_be_decided_anew(desk):
    await desk.apply(put(memory_of(1)), Enqueue(job_of(1)))
    seen = []

    async def count(attempt):
        effect = [PutEvent(event_of(1))]
        with pytest.raises(VersionConflict):
            await attempt.finish(effect, expect={memory_of(1).id: 7})
        seen.append((await desk.states(), await desk.store.records.events(ANN)))
        await attempt.finish(effect, expect={memory_of(1).id: 1})

    await desk.worker(count).run_once()

    assert seen[0][0] == ["leased"]
    assert seen[0][1].events == ()
    assert len((await desk.store.records.events(ANN)).events) == 1
    assert await desk.states() == ["done"]


async def test_a_job_of_a_task_that_it_does_not_know_is_left_to_others(desk):
    await desk.enqueue(job_of(1, task="other"), job_of(2))

    await desk.worker(nothing).run_once()

    assert await desk.states() == ["waiting", "done"]


async def test_no_more_jobs_run_at_once_than_it_may(desk):
    running, most = 0, []

    async def work(_attempt):
        nonlocal running
        running += 1
        most.append(running)
        await anyio.sleep(0.01)
        running -= 1

    await desk.enqueue(*(job_of(n) for n in range(1, 8)))
    await desk.worker(work).run_once()

    assert max(most) == QUICK.at_once
    assert len(most) == 7


async def test_two_workers_share_the_jobs_of_a_home(desk):
    done = []

    async def note(attempt):
        done.append(attempt.job.id)
        await anyio.sleep(0.002)

    await desk.enqueue(*(job_of(n) for n in range(1, 21)))
    async with anyio.create_task_group() as both:
        both.start_soon(desk.worker(note).run_once)
        both.start_soon(desk.worker(note).run_once)

    assert sorted(done) == [job_of(n).id for n in range(1, 21)]


# ── failing ──────────────────────────────────────────────────────────────────────────────────


async def test_a_job_that_fails_waits_longer_each_time_and_dies_in_the_end(desk):
    await desk.enqueue(job_of(1))
    worker = desk.worker(failing(ModelUnavailable("m", "it is away")), attempts_max=3)
    waits = []
    for _ in range(3):
        await worker.run_once()
        (job,) = await desk.store.jobs.list_jobs(ANN)
        waits.append(job.run_at_us - desk.clock.now_us())
        desk.clock.forward(max(0, waits[-1]) / 10**6)

    assert desk.outcomes == ["failed", "failed", "dead"]
    assert waits[:2] == [5_000_000, 10_000_000]
    assert (job.state, job.last_error) == ("dead", "model_unavailable")
    assert await worker.run_once() is None
    assert len(desk.told) == 3


async def test_a_bug_in_a_handler_fails_its_job_and_no_other(desk):
    async def work(attempt):
        if attempt.job.id == job_of(1).id:
            raise ZeroDivisionError

    await desk.enqueue(job_of(1), job_of(2))
    await desk.worker(work).run_once()

    first, second = await desk.store.jobs.list_jobs(ANN)
    assert (first.state, first.last_error, second.state) == ("waiting", "internal", "done")


async def test_a_job_that_ends_every_worker_is_buried_without_another_try(desk):
    await desk.enqueue(job_of(1))
    for _ in range(3):
        await desk.store.jobs.lease(ANN, lease_s=1)
        desk.clock.forward(2)

    await desk.worker(failing(AssertionError), attempts_max=3).run_once()

    (job,) = await desk.store.jobs.list_jobs(ANN)
    assert (job.state, job.last_error) == ("dead", WORKER_LOST)


async def test_a_task_that_is_never_given_up_is_tried_without_end(desk):
    await desk.enqueue(job_of(1))
    worker = desk.worker(failing(StoreBusy(1.0)), attempts_max=None)
    for _ in range(ATTEMPTS_MAX + 3):
        await worker.run_once()
        desk.clock.forward(3601)

    assert set(desk.outcomes) == {"failed"}
    assert len(desk.told) == ATTEMPTS_MAX + 3


async def test_what_is_put_off_is_done_later_and_has_lost_no_attempt(desk):
    later_us = desk.clock.now_us() + 10**7

    async def wait(attempt):
        if desk.clock.now_us() < later_us:
            await attempt.put_off(later_us)

    await desk.enqueue(job_of(1))
    worker = desk.worker(wait, attempts_max=1)
    await worker.run_once()
    assert await desk.states() == ["waiting"]
    desk.clock.forward(11)
    await worker.run_once()

    assert desk.outcomes == ["put_off", "done"]


# ── losing, stopping ─────────────────────────────────────────────────────────────────────────


async def test_a_lease_that_runs_out_is_taken_over(desk):
    await desk.enqueue(job_of(1))
    await desk.store.jobs.lease(ANN, lease_s=30)
    worker = desk.worker(nothing)

    await worker.run_once()
    assert await desk.states() == ["leased"]
    desk.clock.forward(31)
    await worker.run_once()

    assert await desk.states() == ["done"]


async def test_a_lease_is_kept_for_as_long_as_the_work_takes(desk):
    async def work(_attempt):
        desk.clock.forward(50)
        await anyio.sleep(0.05)
        desk.clock.forward(50)
        assert await desk.store.jobs.lease(ANN, lease_s=1) is None

    await desk.enqueue(job_of(1))
    await desk.worker(work).run_once()

    assert desk.outcomes == ["done"]


async def test_a_job_that_is_cancelled_while_it_runs_is_cut_off(desk):
    began, cut_off = anyio.Event(), []

    async def work(_attempt):
        began.set()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            cut_off.append(True)
            raise

    await desk.enqueue(job_of(1))
    async with at_work(desk.worker(work)):
        await began.wait()
        assert await desk.store.jobs.cancel(ANN, job_of(1).id)

        async def told():
            return bool(desk.told)

        await until(told)

    assert (desk.outcomes, cut_off) == (["lost"], [True])
    assert await desk.states() == ["cancelled"]


async def test_the_effect_of_a_job_that_was_cancelled_does_not_happen(desk):
    await desk.apply(put(memory_of(1)), Enqueue(job_of(1)))

    async def work(attempt):
        await desk.store.jobs.cancel(ANN, attempt.job.id)
        await attempt.finish([Patch(id=memory_of(1).id, pinned=True)])

    await desk.worker(work).run_once()

    (memory,) = await desk.store.records.get(ANN, [memory_of(1).id])
    assert (memory.pinned, desk.outcomes) == (False, ["lost"])


async def test_a_job_that_was_cancelled_is_not_failed_either(desk):
    async def work(attempt):
        await desk.store.jobs.cancel(ANN, attempt.job.id)
        raise StoreBusy(1.0)

    await desk.enqueue(job_of(1))
    await desk.worker(work).run_once()

    assert (desk.outcomes, await desk.states()) == (["lost"], ["cancelled"])


async def test_what_can_end_within_the_grace_ends_when_the_worker_stops(desk):
    began = anyio.Event()

    async def work(_attempt):
        began.set()
        await anyio.sleep(0.01)

    await desk.enqueue(job_of(1))
    async with at_work(desk.worker(work)) as stop:
        await began.wait()
        stop.set()

    assert await desk.states() == ["done"]


async def test_what_cannot_is_given_back_and_has_lost_no_attempt(desk):
    began = anyio.Event()

    async def work(_attempt):
        began.set()
        await anyio.sleep_forever()

    await desk.enqueue(job_of(1))
    async with at_work(desk.worker(work)) as stop:
        await began.wait()
        stop.set()

    (job,) = await desk.store.jobs.list_jobs(ANN)
    assert (job.state, job.tries, desk.outcomes) == ("waiting", 0, ["given_back"])
    await desk.worker(nothing).run_once()
    assert await desk.states() == ["done"]


async def test_a_worker_that_is_told_to_stop_starts_nothing_more(desk):
    stop = anyio.Event()

    async def work(_attempt):
        stop.set()
        await anyio.sleep(0.02)

    await desk.enqueue(*(job_of(n) for n in range(1, 30)))
    await desk.worker(work).run_once(stop)

    assert (await desk.states()).count("done") <= QUICK.at_once


# ── a store that is busy ─────────────────────────────────────────────────────────────────────


def busy_at_first(part, name, monkeypatch):
    """Let a method of a store say once that it is busy."""
    real, asked = getattr(part, name), []

    async def refusing(*args, **options):
        asked.append(name)
        if len(asked) == 1:
            raise StoreBusy(1.0)
        return await real(*args, **options)

    monkeypatch.setattr(part, name, refusing)
    return asked


async def test_a_registry_that_is_busy_ends_no_worker(desk, monkeypatch):
    await desk.enqueue(job_of(1))
    hinted = busy_at_first(desk.store.hints, "hinted", monkeypatch)
    swept = busy_at_first(desk.store.registry, "spaces", monkeypatch)

    async with at_work(desk.worker(nothing)):

        async def is_done():
            return await desk.states() == ["done"] and len(swept) > 1

        await until(is_done)

    assert len(hinted) > 1


async def test_a_lease_that_cannot_be_renewed_at_once_is_renewed_later(desk, monkeypatch):
    renewed = busy_at_first(desk.store.jobs, "renew", monkeypatch)

    async def work(_attempt):
        async def is_renewed():
            return len(renewed) > 1

        await until(is_renewed)

    await desk.enqueue(job_of(1))
    await desk.worker(work).run_once()

    assert desk.outcomes == ["done"]


async def test_a_job_that_cannot_be_ended_is_tried_again_when_its_lease_has_run_out(
    desk, monkeypatch
):
    apply = desk.store.records.apply
    is_busy = [True]

    async def refusing(*args, **options):
        if is_busy:
            raise StoreBusy(1.0)
        return await apply(*args, **options)

    await desk.enqueue(job_of(1))
    monkeypatch.setattr(desk.store.records, "apply", refusing)
    worker = desk.worker(nothing)
    await worker.run_once()
    assert (desk.outcomes, await desk.states()) == (["failed"], ["leased"])
    is_busy.clear()
    desk.clock.forward(QUICK.lease_s + 1)
    await worker.run_once()

    assert await desk.states() == ["done"]


async def test_a_bug_of_a_store_ends_no_worker(desk, monkeypatch):
    async def broken(*_args, **_options):
        raise ZeroDivisionError

    await desk.enqueue(job_of(1))
    monkeypatch.setattr(desk.store.records, "apply", broken)
    await desk.worker(nothing).run_once()

    assert (desk.outcomes, desk.told[0].error) == (["failed"], "internal")


async def test_what_is_not_there_fails_a_job_and_does_not_end_it(desk):
    async def work(attempt):
        await attempt.finish([Count(id=memory_of(7).id, uses=1)])

    await desk.enqueue(job_of(1))
    await desk.worker(work).run_once()

    (job,) = await desk.store.jobs.list_jobs(ANN)
    assert (job.state, job.last_error) == ("waiting", "not_found")


async def test_a_job_that_was_cancelled_cannot_be_put_off(desk):
    async def work(attempt):
        await desk.store.jobs.cancel(ANN, attempt.job.id)
        await attempt.put_off(SOON_US)

    await desk.enqueue(job_of(1))
    await desk.worker(work).run_once()

    assert (desk.outcomes, await desk.states()) == (["lost"], ["cancelled"])


# ── hints and schedules ──────────────────────────────────────────────────────────────────────


async def test_a_job_that_comes_while_it_runs_is_done_soon(desk):
    async with at_work(desk.worker(nothing)):
        await anyio.sleep(0.02)
        await desk.enqueue(job_of(1))

        async def is_done():
            return await desk.states() == ["done"]

        await until(is_done)


async def test_a_hint_that_was_lost_is_healed_by_the_sweep(desk):
    await desk.enqueue(job_of(1))
    (hint,) = await desk.store.hints.hinted(before_us=SOON_US)
    assert await desk.store.hints.settle_hint(hint, None)

    async with at_work(desk.worker(nothing)):

        async def is_done():
            return await desk.states() == ["done"]

        await until(is_done)


async def test_a_hint_at_nothing_is_dropped(desk):
    await desk.apply(put(memory_of(1)))
    await desk.store.hints.put_hint(ANN, 5)

    await desk.worker(nothing).run_once()

    assert await desk.store.hints.hinted(before_us=SOON_US) == []


async def test_what_is_scheduled_is_done_again_and_again_in_each_space_that_it_is_for(desk):
    for space in (ANN, SHARED):
        await desk.apply(put(memory_of(1, space=space)), space=space)
    daily = Every(task="t", every_s=100, spaces="own")
    worker = desk.worker(nothing, schedules=[daily], chance=lambda: 0.5)
    await worker.run_once()
    assert desk.told == []
    for forward in (51, 101, 101):
        desk.clock.forward(forward)
        await worker.run_once()

    assert desk.outcomes == ["done"] * 3
    assert await desk.states() == ["done"] * 3 + ["waiting"]
    assert await desk.states(SHARED) == []


async def test_two_workers_schedule_a_job_once(desk):
    await desk.apply(put(memory_of(1)))
    daily = Every(task="t", every_s=100)
    for _ in range(2):
        for worker in (desk.worker(nothing, schedules=[daily]) for _ in range(2)):
            await worker.sweep()

    assert await desk.states() == ["waiting"]


async def test_a_scheduled_job_that_died_does_not_end_its_schedule(desk):
    await desk.apply(put(memory_of(1)))
    worker = desk.worker(
        failing(StoreBusy(1.0)), attempts_max=1, schedules=[Every(task="t", every_s=100)]
    )
    await worker.sweep()
    desk.clock.forward(101)
    await worker.run_once()

    assert await desk.states() == ["dead", "waiting"]


async def test_a_space_that_cannot_be_looked_at_keeps_no_other_from_its_work(desk, monkeypatch):
    await desk.enqueue(job_of(1))
    await desk.enqueue(job_of(1), space=BOB)
    lease, outlook = desk.store.jobs.lease, desk.store.jobs.outlook

    def refusing(real):
        async def asked(space, **options):
            if space == ANN:
                raise StoreBusy(1.0)
            return await real(space, **options)

        return asked

    monkeypatch.setattr(desk.store.jobs, "lease", refusing(lease))
    monkeypatch.setattr(desk.store.jobs, "outlook", refusing(outlook))
    await desk.worker(nothing).run_once()

    assert await desk.states(BOB) == ["done"]
    assert await desk.states() == ["waiting"]
