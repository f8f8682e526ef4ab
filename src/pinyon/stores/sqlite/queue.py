"""The queue of a space, and the hints in the registry of which spaces have work."""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress

import apsw

from pinyon.domain.ids import JobId
from pinyon.domain.job import AWAITED_COUNTED, Hint, Job, JobState, Outlook
from pinyon.domain.memory import Awaits
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import InvalidName, Unavailable
from pinyon.ports.clock import Clock
from pinyon.stores.sqlite.connection import Row, Value, find_row, get_row
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import AWAITS_BITS, id_bytes, to_job
from pinyon.stores.sqlite.space_file import SpaceFile
from pinyon.stores.sqlite.threads import Threads

_MARK_BITS = 62


class SqliteJobs:
    """See `pinyon.ports.jobs.Jobs`."""

    def __init__(self, threads: Threads, clock: Clock, hints: "SqliteHints") -> None:
        self._threads, self._clock, self._hints = threads, clock, hints

    async def lease(
        self, space: Space, *, lease_s: float, tasks: Sequence[str] | None = None
    ) -> Job | None:
        """See the port."""
        now_us = self._clock.now_us()
        values: dict[str, Value] = {
            "now_us": now_us,
            "until_us": now_us + int(lease_s * US_PER_S),
            "tasks": _names(tasks),
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

    async def give_back(self, space: Space, job: Job, *, run_at_us: int) -> bool:
        """See the port."""
        values: dict[str, Value] = {"id": id_bytes(job.id), "attempts": job.attempts}
        return await self._waits(space, "give_back_job", {**values, "run_at_us": run_at_us})

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """See the port."""

        def act(connection: apsw.Connection) -> list[Job]:
            return [to_job(row) for row in connection.execute(query("list_jobs"), {"state": state})]

        return await self._threads.read(space, act, [])

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """See the port."""
        return await self._write(space, "cancel_job", {"id": id_bytes(job_id)}) is not None

    async def retry(self, space: Space, job_id: JobId) -> bool:
        """See the port."""
        values: dict[str, Value] = {"id": id_bytes(job_id), "now_us": self._clock.now_us()}
        return await self._waits(space, "retry_job", values)

    async def outlook(self, space: Space, *, tasks: Sequence[str] | None = None) -> Outlook:
        """See the port."""

        def act() -> Outlook:
            with self._threads.home.glimpse(space) as connection:
                if connection is None:
                    return Outlook()
                (due_at_us,) = get_row(connection, query("next_job"), tasks=_names(tasks))
                scheduled = connection.execute(query("scheduled_jobs"))
                return Outlook(
                    due_at_us=due_at_us,
                    scheduled=frozenset(key for (key,) in scheduled),
                    awaited=_awaited(connection),
                )

        return await self._threads.run(act, leaves=True)

    async def _waits(self, space: Space, name: str, values: dict[str, Value]) -> bool:
        """Let a job wait, and hint at it."""
        row = await self._write(space, name, values)
        if row is not None:
            await self._hints.put_hint(space, row[0])
        return row is not None

    async def _write(self, space: Space, name: str, values: dict[str, Value]) -> Row | None:
        def act(file: SpaceFile) -> Row | None:
            with file.writing() as connection:
                return find_row(connection, query(name), **values)

        return await self._threads.over(space, act, None, writes=True)


class SqliteHints:
    """See `pinyon.ports.jobs.Hints`: rows of the registry, committed without an fsync."""

    def __init__(self, threads: Threads) -> None:
        self._threads, self._home = threads, threads.home

    async def hinted(self, *, before_us: int, limit: int = 100) -> list[Hint]:
        """See the port."""

        def act() -> list[Hint]:
            rows = self._home.ask_registry("list_work", before_us=before_us, limit=limit)
            hints: list[Hint] = []
            for name, due_at_us, mark in rows:
                with suppress(InvalidName):
                    hints.append(Hint(space=Space.parse(name), due_at_us=due_at_us, mark=mark))
            return hints

        return await self._threads.run(act)

    async def put_hint(self, space: Space, due_at_us: int) -> None:
        """See the port."""
        await self._threads.run(lambda: self.put(space, due_at_us))

    def put(self, space: Space, due_at_us: int) -> None:
        """Put a hint from a thread that has just written; where that cannot be, put none."""
        mark = secrets.randbits(_MARK_BITS)
        with suppress(Unavailable):
            self._home.ask_registry("put_work", name=str(space), due_at_us=due_at_us, mark=mark)

    async def settle_hint(self, hint: Hint, due_at_us: int | None) -> bool:
        """See the port."""
        values: dict[str, Value] = {"name": str(hint.space), "mark": hint.mark}
        name = "end_work" if due_at_us is None else "settle_work"
        if due_at_us is not None:
            values["due_at_us"] = due_at_us
        return bool(await self._threads.run(lambda: self._home.ask_registry(name, **values)))


def _awaited(connection: apsw.Connection) -> Mapping[Awaits, int]:
    found: dict[Awaits, int] = {}
    for what, bit in AWAITS_BITS.items():
        (many,) = get_row(connection, query("count_awaited", bit=str(bit)), most=AWAITED_COUNTED)
        if many:
            found[what] = many
    return found


def _names(tasks: Sequence[str] | None) -> str | None:
    return None if tasks is None else json.dumps(list(tasks))
