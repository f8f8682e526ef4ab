"""The queue of a space, and which spaces have work. Jobs enter and end by `Records.apply`."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.ids import JobId
from pinyon.domain.job import Hint, Job, JobState, Outlook
from pinyon.domain.space import Space


class Jobs(Protocol):
    """Leases jobs to workers; a lease that runs out gives the job to the next one."""

    async def lease(
        self, space: Space, *, lease_s: float, tasks: Sequence[str] | None = None
    ) -> Job | None:
        """Take the most urgent job that is due: by priority, then by `run_at_us`.

        The answer's `attempts` counts this lease in.
        """

    async def renew(self, space: Space, job: Job, *, lease_s: float) -> bool:
        """Prolong a lease; false when it was lost, cancelled or given to another worker."""

    async def give_back(self, space: Space, job: Job, *, run_at_us: int) -> bool:
        """Let a leased job wait again, as if this attempt had not been; false when it was lost."""

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """Return the jobs of a space, oldest first; of those done or cancelled, the last 1,000."""

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """Cancel a job that waits or runs; false when there is none."""

    async def retry(self, space: Space, job_id: JobId) -> bool:
        """Let a job that is dead, cancelled or waits be tried now, with all its attempts again.

        False when there is none, or when another one with its dedupe key waits or runs.
        """

    async def outlook(self, space: Space, *, tasks: Sequence[str] | None = None) -> Outlook:
        """Return what waits and runs, of these tasks or all, and what memories await.

        A space that is closed stays closed.

        For a walk over all spaces, which must not take the place of those that are in use.
        """


class Hints(Protocol):
    """Says which spaces have work, as far as is known; a hint costs no wait for the disk.

    `Records.apply` puts one for each job that it adds, `Jobs.retry` and `Jobs.give_back` for
    theirs. A power cut may take hints, and a busy store may put none: whoever works looks through
    all spaces now and then.
    """

    async def hinted(self, *, before_us: int, limit: int = 100) -> list[Hint]:
        """Return hints of work that was due before an instant, the earliest first."""

    async def put_hint(self, space: Space, due_at_us: int) -> None:
        """Say that a space has work; of several hints the earliest stands."""

    async def settle_hint(self, hint: Hint, due_at_us: int | None) -> bool:
        """Say when the next work of a space is due, or that it has none.

        False, and nothing changes, where another hint was put since: somebody added work that
        whoever settles may not have seen.
        """
