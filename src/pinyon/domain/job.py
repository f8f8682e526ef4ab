"""Work that may wait."""

from dataclasses import dataclass
from typing import Literal

from pinyon.domain.ids import JobId
from pinyon.domain.memory import Metadata

Priority = Literal["high", "normal", "low"]
JobState = Literal["waiting", "leased", "done", "dead", "cancelled"]

PRIORITIES: tuple[Priority, ...] = ("high", "normal", "low")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of background work, kept in the space it works on.

    Attributes:
        task: What to do; names a handler.
        payload: Its arguments, as sorted pairs.
        dedupe_key: While a job with this key waits or runs, another is not added; "" never meets.
        run_at_us: Not before.
        attempts: Leases taken so far.
        lease_until_us: Until when its worker holds it; `None` when nobody does.
        last_error: Code of the error that ended the last attempt.
    """

    id: JobId
    task: str
    payload: Metadata = ()
    priority: Priority = "normal"
    dedupe_key: str = ""
    run_at_us: int
    state: JobState = "waiting"
    attempts: int = 0
    lease_until_us: int | None = None
    last_error: str = ""
