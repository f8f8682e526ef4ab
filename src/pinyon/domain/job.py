"""Work that may wait."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pinyon.domain.ids import JobId
from pinyon.domain.memory import Awaits, Metadata
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S

Priority = Literal["high", "normal", "low"]
JobState = Literal["waiting", "leased", "done", "dead", "cancelled"]
Outcome = Literal["done", "failed", "dead", "lost", "put_off", "given_back"]
"""How an attempt ended. `failed`: it will be tried again; `lost`: it was cancelled, went with what
it was about, or is another worker's; `put_off`: its handler wants it later; `given_back`: its
worker was told to stop."""

PRIORITIES: tuple[Priority, ...] = ("high", "normal", "low")

ATTEMPTS_MAX: Final = 8
"""Attempts after which a job is dead, unless its task says otherwise: some six minutes of them."""

RETRY_FIRST_S: Final = 5.0
RETRY_MAX_S: Final = 3600.0

ENDED_KEPT: Final = 1_000
"""Jobs that were done or cancelled of which a space keeps the last so many."""

AWAITED_COUNTED: Final = 100
"""Where more memories await something, it is not counted how many."""

SCHEDULED: Final = "every:"
"""What the dedupe key of a job begins with that a schedule put there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of background work, kept in the space it works on.

    Attributes:
        task: What to do; names a handler.
        payload: Its arguments, as sorted pairs.
        dedupe_key: While a job with this key waits or runs, another is not added; "" never meets.
        run_at_us: Not before.
        attempts: Leases taken so far; the last one tells an attempt from those before.
        forgiven: Those of them that do not count: a worker gave them back, or somebody has the job
            tried again.
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
    forgiven: int = 0
    lease_until_us: int | None = None
    last_error: str = ""

    @property
    def tries(self) -> int:
        """Return the attempts that count."""
        return self.attempts - self.forgiven


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """How an attempt at a job ended.

    Attributes:
        error: The code of what went wrong, "" for nothing.
        took_s: How long it took.
    """

    space: Space
    job: Job
    outcome: Outcome
    error: str = ""
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What the queue of a space holds.

    Attributes:
        due_at_us: When the next job may be leased, be it that a lease runs out then; `None` where
            none waits or runs.
        scheduled: The dedupe keys of the jobs that a schedule put there and that wait or run.
        awaited: Of how many memories each thing is awaited, counted up to `AWAITED_COUNTED`; what
            none awaits is left out.
    """

    due_at_us: int | None = None
    scheduled: frozenset[str] = field(default_factory=frozenset)
    awaited: Mapping[Awaits, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """That a space seems to have work; it may have none, or work without a hint.

    Attributes:
        due_at_us: When the first of it may be done.
        mark: Moves with each hint that is put, so that nobody settles one that was not seen.
    """

    space: Space
    due_at_us: int
    mark: int


def retry_after_us(tries: int, chance: float) -> int:
    """Return how long a job waits after an attempt that failed, in microseconds.

    It doubles with each attempt from 5 seconds on, up to an hour; of that between half and all, so
    that jobs that failed together do not come back together.

    Args:
        tries: Attempts so far, from 1.
        chance: From 0 to 1, by lot.
    """
    doubled = min(RETRY_FIRST_S * 2.0 ** min(tries - 1, 32), RETRY_MAX_S)
    return int(doubled * (0.5 + chance / 2) * US_PER_S)
