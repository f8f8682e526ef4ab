"""Working off the queues of all spaces: leases jobs, keeps the leases, and ends what it began.

Any number of workers may share a home, in one process or several. A job is leased by one of them at
a time; one that dies loses its lease, and another takes the job over.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
from anyio.abc import TaskGroup

from pinyon.care.tasks import Attempt, Every, Tasks
from pinyon.domain.change import Change
from pinyon.domain.ids import NewUuid
from pinyon.domain.job import Attempted, Hint, Job, Outcome, retry_after_us
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import LeaseLost, PinyonError
from pinyon.ports.clock import Clock
from pinyon.ports.store import Store

WORKER_LOST = "worker_lost"
"""The error of a job that ended every worker that tried it, or outlived it."""

ENDED_ASKED_EVERY_S = 0.01
"""How often it looks whether what runs has ended, where that is all there is to wait for."""

BY = Actor("pinyon", "worker")

log = logging.getLogger("pinyon.worker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a worker goes.

    Attributes:
        at_once: Jobs that it does beside each other.
        lease_s: For how long a job is its own unless it renews the lease.
        renewed_every_s: How often it does: as late it hears that a job was cancelled.
        polled_every_s: How often it looks for hints where there was nothing to do.
        swept_every_s: How long after it has looked through all spaces, for hints that were lost, it
            begins anew.
        swept_pause_s: How long it leaves the machine to others after each of them.
        put_off_s: For how long it leaves a space alone whose queue cannot be read or written.
        grace_s: How long jobs that run may take to end when it is told to stop.
    """

    at_once: int = 2
    lease_s: float = 60.0
    renewed_every_s: float = 10.0
    polled_every_s: float = 1.0
    swept_every_s: float = 300.0
    swept_pause_s: float = 0.005
    put_off_s: float = 60.0
    grace_s: float = 10.0


USUAL_PACE = Pace()


class Worker:
    """Does the jobs of a home."""

    def __init__(  # noqa: PLR0913 - all but the first two by keyword
        self,
        store: Store,
        tasks: Tasks,
        *,
        schedules: Sequence[Every] = (),
        clock: Clock,
        new_uuid: NewUuid,
        chance: Callable[[], float],
        told: Callable[[Attempted], None] = lambda _attempted: None,
        pace: Pace = USUAL_PACE,
    ) -> None:
        """Take what it works with.

        Args:
            store: Whose spaces.
            tasks: What it can do. Jobs of other names it leaves alone.
            schedules: What it does again and again.
            clock: Tells when a job is due.
            new_uuid: Gives ids.
            chance: A number from 0 to 1, by lot: jobs that failed together come back apart.
            told: Hears of each attempt that has ended.
            pace: How fast it goes.
        """
        self._store, self._tasks, self._names = store, tasks, tuple(tasks)
        self._schedules = tuple(one for one in schedules if one.task in tasks)
        self._clock, self._new_uuid, self._chance = clock, new_uuid, chance
        self._told, self._pace = told, pace
        self._slots = anyio.Semaphore(pace.at_once)

    # ── beginning and ending ─────────────────────────────────────────────────────────────────

    async def run(self, stop: anyio.Event) -> None:
        """Work until it is told to stop.

        Jobs that run then may end within `grace_s`; what has not ended is given back, and has lost
        no attempt. The same goes for whoever cancels it, but for the grace.
        """
        async with anyio.create_task_group() as beside:
            beside.start_soon(self._sweep_now_and_then)
            async with self._working(stop) as running:
                while True:
                    if not await self._start_due(running):
                        await anyio.sleep(self._pace.polled_every_s)
            beside.cancel_scope.cancel()

    async def run_once(self, stop: anyio.Event | None = None) -> None:
        """Do all that is due in any space, and what comes of it; end when nothing is left."""
        await self.sweep()
        async with self._working(stop or anyio.Event()) as running:
            while True:
                if await self._start_due(running):
                    continue
                if not self._is_busy:
                    break
                await anyio.sleep(ENDED_ASKED_EVERY_S)

    @asynccontextmanager
    async def _working(self, stop: anyio.Event) -> AsyncIterator[TaskGroup]:
        """Give a group for the jobs, and break off looking for more when told to stop."""
        async with anyio.create_task_group() as running:
            with anyio.CancelScope() as looking:
                async with anyio.create_task_group() as listening:
                    listening.start_soon(_cancel_when, stop, looking)
                    yield running
                    listening.cancel_scope.cancel()
            running.cancel_scope.deadline = anyio.current_time() + (
                self._pace.grace_s if stop.is_set() else float("inf")
            )

    @property
    def _is_busy(self) -> bool:
        return self._slots.value < self._pace.at_once

    # ── looking for work ─────────────────────────────────────────────────────────────────────

    async def sweep(self, *, pause_s: float = 0.0) -> None:
        """Look through all spaces: hint at work that has no hint, and put in what is scheduled.

        Args:
            pause_s: How long to leave the machine to others after each space.
        """
        for space in await self._store.registry.spaces():
            try:
                await self._look_at(space)
            except PinyonError as error:
                log.warning("a space was not looked at: %s", error.code)
            await anyio.sleep(pause_s)

    async def _sweep_now_and_then(self) -> None:
        while True:
            try:
                await self.sweep(pause_s=self._pace.swept_pause_s)
            except PinyonError as error:
                log.warning("put off: %s", error.code)
            await anyio.sleep(self._pace.swept_every_s)

    async def _look_at(self, space: Space) -> None:
        outlook = await self._store.jobs.outlook(space, tasks=self._names)
        if outlook.due_at_us is not None:
            await self._store.hints.put_hint(space, outlook.due_at_us)
        now_us = self._clock.now_us()
        # The first ones of a home's spaces come spread over the interval.
        missing = [
            every.next_job(self._new_uuid, now_us, part=self._chance())
            for every in self._schedules
            if every.is_for(space) and every.key not in outlook.scheduled
        ]
        for every in self._schedules:
            if every.is_for(space):
                missing += every.job_now(outlook, self._new_uuid, now_us)
        if missing:
            await self._store.records.apply(space, missing, by=BY)

    async def _start_due(self, running: TaskGroup) -> bool:
        """Start one job of each space that has some; return whether there was any."""
        try:
            hints = await self._store.hints.hinted(before_us=self._clock.now_us())
        except PinyonError as error:
            log.warning("put off: %s", error.code)
            return False
        started = [await self._start_one(hint, running) for hint in hints]
        return any(started)

    async def _start_one(self, hint: Hint, running: TaskGroup) -> bool:
        await self._slots.acquire()
        job: Job | None = None
        try:
            with anyio.CancelScope(shield=True):  # who leased a job must know that it did
                job = await self._leased(hint)
        finally:
            if job is None:
                self._slots.release()
        if job is not None:
            running.start_soon(self._attempt, hint.space, job)
        return job is not None

    async def _leased(self, hint: Hint) -> Job | None:
        """Lease a job of a space; where there is none, say when there may be."""
        space, jobs = hint.space, self._store.jobs
        try:
            job = await jobs.lease(space, lease_s=self._pace.lease_s, tasks=self._names)
            if job is None:
                outlook = await jobs.outlook(space, tasks=self._names)
                await self._store.hints.settle_hint(hint, outlook.due_at_us)
        except PinyonError as error:
            log.warning("a space was put off: %s", error.code)
            later_us = self._clock.now_us() + int(self._pace.put_off_s * US_PER_S)
            with suppress(PinyonError):
                await self._store.hints.settle_hint(hint, later_us)
            return None
        return job

    # ── one attempt ──────────────────────────────────────────────────────────────────────────

    async def _attempt(self, space: Space, job: Job) -> None:
        """Do a job; whatever becomes of it, the others go on."""
        began, error = time.perf_counter(), ""
        outcome: Outcome = "given_back"
        attempt = Attempt(self._store, space, job, then=self._next_of)
        try:
            outcome, error = await self._ended(attempt)
        except Exception:
            log.exception("a bug while %s was ended", job.id)
            outcome, error = "failed", PinyonError.code
        except anyio.get_cancelled_exc_class():
            outcome = "done" if attempt.is_over else "given_back"
            with anyio.CancelScope(shield=True), suppress(PinyonError):
                await self._store.jobs.give_back(space, job, run_at_us=self._clock.now_us())
            raise
        finally:
            self._slots.release()
            took_s = time.perf_counter() - began
            if outcome == "dead":
                log.error("%s (%s) has failed for good: %s", job.id, job.task, error)
            self._told(Attempted(space=space, job=job, outcome=outcome, error=error, took_s=took_s))

    async def _ended(self, attempt: Attempt) -> tuple[Outcome, str]:
        """Do a job and end the attempt; return how it ended, and why."""
        task = self._tasks[attempt.job.task]
        most = task.attempts_max
        try:
            if most is not None and attempt.job.tries > most:
                # No worker has lived to see the end of it; ours might not either.
                await attempt.fail(WORKER_LOST, retry_at_us=None)
                return "dead", WORKER_LOST
            failed = await self._handled(attempt)
            if attempt.is_over:
                return ("put_off" if attempt.is_put_off else "done"), ""
            is_dead = most is not None and attempt.job.tries >= most
            await attempt.fail(failed, retry_at_us=None if is_dead else self._retry_at_us(attempt))
        except LeaseLost as error:
            return "lost", error.code
        except PinyonError as error:
            # The lease runs out, and the job is tried again then.
            log.warning("%s could not be ended: %s", attempt.job.id, error.code)
            return "failed", error.code
        return ("dead" if is_dead else "failed"), failed

    async def _handled(self, attempt: Attempt) -> str:
        """Let the handler work for as long as the lease is ours; return what went wrong.

        Raises:
            LeaseLost: It is ours no longer.
        """
        failed, lost = "", False
        async with anyio.create_task_group() as beside:

            async def keep() -> None:
                nonlocal lost
                await self._keep_lease(attempt)
                lost = True
                beside.cancel_scope.cancel()

            beside.start_soon(keep)
            try:
                await self._tasks[attempt.job.task].handler(attempt)
                if not attempt.is_over:
                    await attempt.finish()
            except LeaseLost:
                lost = True
            except PinyonError as error:
                failed = error.code
            except Exception:
                log.exception("a bug in the task %r", attempt.job.task)
                failed = PinyonError.code
            beside.cancel_scope.cancel()
        if lost and not attempt.is_over:
            raise LeaseLost(attempt.job.id)
        return failed

    async def _keep_lease(self, attempt: Attempt) -> None:
        """Renew a lease again and again; return when it is lost."""
        while True:
            await anyio.sleep(self._pace.renewed_every_s)
            try:
                is_ours = await self._store.jobs.renew(
                    attempt.space, attempt.job, lease_s=self._pace.lease_s
                )
            except PinyonError as error:
                log.warning("%s: lease not renewed: %s", attempt.job.id, error.code)
                continue
            if not is_ours and not attempt.is_ending:
                return

    def _retry_at_us(self, attempt: Attempt) -> int:
        wait_us = retry_after_us(attempt.job.tries, self._chance())
        return self._clock.now_us() + wait_us

    def _next_of(self, job: Job) -> Sequence[Change]:
        """Return what puts the next job of a schedule into the queue, now that one has ended."""
        now_us = self._clock.now_us()
        return [
            every.next_job(self._new_uuid, now_us)
            for every in self._schedules
            if job.dedupe_key == every.key
        ]


async def _cancel_when(stop: anyio.Event, scope: anyio.CancelScope) -> None:
    await stop.wait()
    scope.cancel()
