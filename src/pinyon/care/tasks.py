"""What a worker can do: the table of tasks, and what each handler is given."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pinyon.domain.change import Applied, Change, Enqueue, FinishJob, due_now
from pinyon.domain.ids import JobId, MemoryId, NewUuid
from pinyon.domain.job import ATTEMPTS_MAX, SCHEDULED, Job, Outlook, Priority
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import LeaseLost, NotFound
from pinyon.ports.store import Store

Then = Callable[[Job], Sequence[Change]]
"""What is added to a space when a job of it ends for good: the next job of its schedule."""


class Attempt:
    """One attempt at a job: what a handler works on, and the ways in which it ends.

    Attributes:
        by: Whom the journal names for what it does.
        is_ending: It is being ended; whoever keeps the lease need not look after it any more.
        is_over: It was ended by the handler.
        is_put_off: It was ended by `put_off`.
    """

    def __init__(
        self, store: Store, space: Space, job: Job, *, then: Then = lambda _job: ()
    ) -> None:
        self._store, self._then = store, then
        self.space, self.job = space, job
        self.by = Actor("pinyon", job.task)
        self.is_ending = self.is_over = self.is_put_off = False

    async def finish(
        self, changes: Sequence[Change] = (), *, expect: Mapping[MemoryId, int] | None = None
    ) -> Applied:
        """End the job together with what it brings about: both happen, or neither.

        A handler that returns without has ended it all the same, with no more changes. Where this
        raises, the job has not ended, and the handler may decide anew and call it again.

        Raises:
            LeaseLost: The job was cancelled or is another worker's by now.
            VersionConflict: A version in `expect` no longer holds.
            NotFound: A change names what is not there.
        """
        done = FinishJob(id=self.job.id, attempt=self.job.attempts)
        return await self._ended([done, *changes, *self._then(self.job)], expect)

    async def fail(self, error: str, *, retry_at_us: int | None) -> None:
        """End this attempt without success; the job waits until then, or is dead.

        Raises:
            LeaseLost: The job was cancelled or is another worker's by now.
        """
        failed = FinishJob(
            id=self.job.id, attempt=self.job.attempts, error=error, retry_at_us=retry_at_us
        )
        then = self._then(self.job) if retry_at_us is None else ()
        await self._ended([failed, *then], None)
        if retry_at_us is not None:
            await self._store.hints.put_hint(self.space, retry_at_us)

    async def put_off(self, until_us: int) -> None:
        """Let the job wait until an instant, as if this attempt had not been.

        For what cannot be done now, though nothing went wrong: the day's budget is spent.

        Raises:
            LeaseLost: The job was cancelled or is another worker's by now.
        """
        self.is_ending = True
        try:
            if not await self._store.jobs.give_back(self.space, self.job, run_at_us=until_us):
                raise LeaseLost(self.job.id)
            self.is_over = self.is_put_off = True
        finally:
            self.is_ending = self.is_over

    async def _ended(
        self, changes: Sequence[Change], expect: Mapping[MemoryId, int] | None
    ) -> Applied:
        self.is_ending = True
        try:
            applied = await self._store.records.apply(
                self.space, changes, by=self.by, expect=expect
            )
            self.is_over = True
        except NotFound as error:
            if error.what == self.job.id:
                raise LeaseLost(self.job.id) from error
            raise
        finally:
            self.is_ending = self.is_over
        return applied


Handler = Callable[[Attempt], Awaitable[None]]
"""Does a job. It may be cut off anywhere and called again for the same job, in another process too:
what it does before it ends the attempt must be the same done once or twice. It raises what keeps
it from its work, and is called again later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How the jobs of one name are done.

    Attributes:
        attempts_max: After so many attempts a job is dead; `None`: it is never given up.
    """

    handler: Handler
    attempts_max: int | None = ATTEMPTS_MAX


Tasks = Mapping[str, Task]


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """That a task is to be done again and again: in each space by itself.

    Where none of its jobs waits or runs, the next one is put into the queue; its dedupe key keeps
    two processes from putting two.

    Attributes:
        every_s: From the end of one job to the next.
        spaces: In `every` space, or only in `own`: those that hold what is known of a user.
        at_once_from: Of so many memories that await consolidation on it is done at once, however
            long the interval still is; 0: never.
    """

    task: str
    every_s: float
    spaces: Literal["own", "every"] = "every"
    priority: Priority = "low"
    at_once_from: int = 0

    @property
    def key(self) -> str:
        """Return the dedupe key of its jobs."""
        return SCHEDULED + self.task

    def is_for(self, space: Space) -> bool:
        """Return whether it is done in a space."""
        return self.spaces == "every" or space.is_own

    def job_now(self, outlook: Outlook, new_uuid: NewUuid, now_us: int) -> Sequence[Enqueue]:
        """Return what puts a job into the queue of a space that is due now, where much waits."""
        if not 0 < self.at_once_from <= outlook.awaited.get("consolidation", 0):
            return ()
        return (due_now(self.task, new_uuid, now_us, priority=self.priority),)

    def next_job(self, new_uuid: NewUuid, now_us: int, *, part: float = 1.0) -> Enqueue:
        """Return what puts its next job into the queue of a space.

        Args:
            new_uuid: Gives the id.
            now_us: The time.
            part: After which part of the interval, from 0 to 1.
        """
        return Enqueue(
            Job(
                id=JobId("job_" + new_uuid()),
                task=self.task,
                priority=self.priority,
                dedupe_key=self.key,
                run_at_us=now_us + int(self.every_s * part * US_PER_S),
            )
        )
