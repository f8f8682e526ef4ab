"""The queue of a space. Jobs enter and end through `Records.apply`."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.ids import JobId
from pinyon.domain.job import Job, JobState
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

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """Return the jobs of a space, oldest first."""

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """Cancel a job that waits or runs; false when there is none."""
