"""The queue of a space."""

import json
from collections.abc import Sequence

import apsw

from pinyon.domain.ids import JobId
from pinyon.domain.job import Job, JobState
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.ports.clock import Clock
from pinyon.stores.sqlite.connection import Row, Value, find_row
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import id_bytes, to_job
from pinyon.stores.sqlite.space_file import SpaceFile
from pinyon.stores.sqlite.threads import Threads


class SqliteJobs:
    """See `pinyon.ports.jobs.Jobs`."""

    def __init__(self, threads: Threads, clock: Clock) -> None:
        self._threads, self._clock = threads, clock

    async def lease(
        self, space: Space, *, lease_s: float, tasks: Sequence[str] | None = None
    ) -> Job | None:
        """See the port."""
        now_us = self._clock.now_us()
        values: dict[str, Value] = {
            "now_us": now_us,
            "until_us": now_us + int(lease_s * US_PER_S),
            "tasks": None if tasks is None else json.dumps(list(tasks)),
        }
        row = await self._write(space, "lease_job", values)
        return None if row is None else to_job(row)

    async def renew(self, space: Space, job: Job, *, lease_s: float) -> bool:
        """See the port."""
        values: dict[str, Value] = {
            "id": id_bytes(job.id),
            "attempts": job.attempts,
            "until_us": self._clock.now_us() + int(lease_s * US_PER_S),
        }
        return await self._write(space, "renew_job", values) is not None

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """See the port."""

        def act(connection: apsw.Connection) -> list[Job]:
            return [to_job(row) for row in connection.execute(query("list_jobs"), {"state": state})]

        return await self._threads.read(space, act, [])

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """See the port."""
        return await self._write(space, "cancel_job", {"id": id_bytes(job_id)}) is not None

    async def _write(self, space: Space, name: str, values: dict[str, Value]) -> Row | None:
        def act(file: SpaceFile) -> Row | None:
            with file.writing() as connection:
                return find_row(connection, query(name), **values)

        return await self._threads.over(space, act, None, writes=True)
