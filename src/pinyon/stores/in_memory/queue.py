"""The queue, its hints, and what was spent, over dictionaries."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from pinyon.domain.budget import Spent
from pinyon.domain.change import Change, Enqueue
from pinyon.domain.ids import JobId
from pinyon.domain.job import AWAITED_COUNTED, PRIORITIES, SCHEDULED, Hint, Job, JobState, Outlook
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.ports.clock import Clock
from pinyon.stores.in_memory.space import SpaceState

_UNDONE = ("waiting", "leased")


class InMemoryJobs:
    """See `pinyon.ports.jobs.Jobs`."""

    def __init__(
        self, of: Callable[[Space], SpaceState], clock: Clock, hints: "InMemoryHints"
    ) -> None:
        self._of, self._clock, self._hints = of, clock, hints

    async def lease(
        self, space: Space, *, lease_s: float, tasks: Sequence[str] | None = None
    ) -> Job | None:
        """See the port."""
        state, now_us = self._of(space), self._clock.now_us()
        due = [
            job
            for job in state.jobs.values()
            if (tasks is None or job.task in tasks)
            and job.run_at_us <= now_us
            and (job.state == "waiting" or (job.state == "leased" and _next_us(job) <= now_us))
        ]
        if not due:
            return None
        job = min(due, key=lambda job: (PRIORITIES.index(job.priority), job.run_at_us, job.id))
        until_us = now_us + int(lease_s * US_PER_S)
        leased = replace(job, state="leased", attempts=job.attempts + 1, lease_until_us=until_us)
        state.jobs[job.id] = leased
        return leased

    async def renew(self, space: Space, job: Job, *, lease_s: float) -> bool:
        """See the port."""
        held = self._held(space, job)
        if held is None:
            return False
        until_us = self._clock.now_us() + int(lease_s * US_PER_S)
        self._of(space).jobs[job.id] = replace(held, lease_until_us=until_us)
        return True

    async def give_back(self, space: Space, job: Job, *, run_at_us: int) -> bool:
        """See the port."""
        held = self._held(space, job)
        if held is None:
            return False
        self._of(space).jobs[job.id] = replace(
            held,
            state="waiting",
            run_at_us=run_at_us,
            lease_until_us=None,
            forgiven=held.forgiven + 1,
        )
        await self._hints.put_hint(space, run_at_us)
        return True

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """See the port."""
        return [job for job in self._of(space).jobs.values() if state in (None, job.state)]

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """See the port."""
        jobs = self._of(space).jobs
        if job_id not in jobs or jobs[job_id].state not in _UNDONE:
            return False
        jobs[job_id] = replace(jobs[job_id], state="cancelled", lease_until_us=None)
        return True

    async def retry(self, space: Space, job_id: JobId) -> bool:
        """See the port."""
        jobs = self._of(space).jobs
        job = jobs.get(job_id)
        if job is None or job.state not in ("waiting", "dead", "cancelled"):
            return False
        keys = (one.dedupe_key for one in jobs.values() if one.state in _UNDONE)
        if job.state != "waiting" and job.dedupe_key and job.dedupe_key in keys:
            return False
        run_at_us = min(job.run_at_us, self._clock.now_us())
        jobs[job_id] = replace(job, state="waiting", run_at_us=run_at_us, forgiven=job.attempts)
        await self._hints.put_hint(space, run_at_us)
        return True

    async def outlook(self, space: Space, *, tasks: Sequence[str] | None = None) -> Outlook:
        """See the port."""
        memories = self._of(space).memories.values()
        awaited = Counter(what for memory in memories for what in memory.awaits)
        undone = [job for job in self._of(space).jobs.values() if job.state in _UNDONE]
        due = [_next_us(job) for job in undone if tasks is None or job.task in tasks]
        keys = (job.dedupe_key for job in undone)
        return Outlook(
            due_at_us=min(due, default=None),
            scheduled=frozenset(key for key in keys if key.startswith(SCHEDULED)),
            awaited={what: min(many, AWAITED_COUNTED) for what, many in awaited.items()},
        )

    def _held(self, space: Space, job: Job) -> Job | None:
        held = self._of(space).jobs.get(job.id)
        is_held = held is not None and held.state == "leased" and held.attempts == job.attempts
        return held if is_held else None


class InMemoryHints:
    """See `pinyon.ports.jobs.Hints`."""

    def __init__(self, check_open: Callable[[], None]) -> None:
        self._check_open = check_open
        self._of: dict[Space, Hint] = {}
        self._marks = count(1)

    async def hinted(self, *, before_us: int, limit: int = 100) -> list[Hint]:
        """See the port."""
        self._check_open()
        due = (hint for hint in self._of.values() if hint.due_at_us <= before_us)
        return sorted(due, key=lambda hint: (hint.due_at_us, str(hint.space)))[:limit]

    async def put_hint(self, space: Space, due_at_us: int) -> None:
        """See the port."""
        self._check_open()
        held = self._of.get(space)
        earliest_us = due_at_us if held is None else min(held.due_at_us, due_at_us)
        self._of[space] = Hint(space=space, due_at_us=earliest_us, mark=next(self._marks))

    async def put_for(self, space: Space, changes: Sequence[Change]) -> None:
        """Say that a space has the work that was just added to it."""
        for change in changes:
            if isinstance(change, Enqueue):
                await self.put_hint(space, change.job.run_at_us)

    async def settle_hint(self, hint: Hint, due_at_us: int | None) -> bool:
        """See the port."""
        self._check_open()
        held = self._of.get(hint.space)
        if held is None or held.mark != hint.mark:
            return False
        if due_at_us is None:
            del self._of[hint.space]
        else:
            self._of[hint.space] = replace(held, due_at_us=due_at_us)
        return True

    def forget(self, space: Space) -> None:
        """Drop the hint of a space that is erased."""
        self._of.pop(space, None)


class InMemoryBudgets:
    """See `pinyon.ports.budgets.Budgets`."""

    def __init__(self, exists: Callable[[Space | None], bool]) -> None:
        self._exists = exists
        self._of: dict[Space | None, tuple[int, Spent]] = {}

    async def spend(self, space: Space | None, more: Spent, *, day: int, most: Spent) -> bool:
        """See the port."""
        if not self._exists(space):
            return False
        last, spent = self._of.get(space, (day, Spent()))
        if last < day:
            last, spent = day, Spent()
        calls, tokens = spent.calls + more.calls, spent.tokens + more.tokens
        if calls > most.calls or tokens > most.tokens:
            return False
        self._of[space] = (last, Spent(calls=max(0, calls), tokens=max(0, tokens)))
        return True

    async def spent(self, space: Space | None, *, day: int) -> Spent:
        """See the port."""
        last, spent = self._of.get(space, (day, Spent()))
        return spent if last == day else Spent()

    def forget(self, space: Space) -> None:
        """Drop what was spent on a space that is erased."""
        self._of.pop(space, None)


def _next_us(job: Job) -> int:
    """Return when a job may be leased."""
    return max(job.run_at_us, job.lease_until_us or 0)
