"""A store: where spaces live, as a bundle of the narrow ports."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from pinyon.domain.job import JobState
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.ports.budgets import Budgets
from pinyon.ports.changes import Changes
from pinyon.ports.event_log import EventLog
from pinyon.ports.exposures import Exposures
from pinyon.ports.feedback import FeedbackLog
from pinyon.ports.jobs import Hints, Jobs
from pinyon.ports.journal import Journal
from pinyon.ports.keys import Keys
from pinyon.ports.receipts import Receipts
from pinyon.ports.records import Records
from pinyon.ports.registry import Registry
from pinyon.ports.search import Search
from pinyon.ports.sessions import Sessions
from pinyon.ports.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that `verify` found wrong, and whether it was mended."""

    space: str
    what: str
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the store works, and what is not as it should be."""

    ok: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What a store in use holds, in numbers.

    Attributes:
        spaces_open: How many spaces are kept open.
        jobs: How many jobs those have, by state; a state that no job is in is left out.
        due_since_us: Since when the job that waits longest might have been done; `None` where none
            waits. It may lie in the future.
    """

    spaces_open: int
    jobs: Mapping[JobState, int]
    due_since_us: int | None


class Store(Protocol):
    """Opens and closes; its parts do the work."""

    @property
    def records(self) -> Records:
        """The truth, and the door through which it changes."""

    @property
    def search(self) -> Search:
        """The legs."""

    @property
    def event_log(self) -> EventLog:
        """What happened, found and read again."""

    @property
    def vectors(self) -> Vectors:
        """Which model serves, and what lacks its vectors."""

    @property
    def exposures(self) -> Exposures:
        """To whom memories were given."""

    @property
    def receipts(self) -> Receipts:
        """What was forgotten."""

    @property
    def sessions(self) -> Sessions:
        """Which conversations are not simply normal."""

    @property
    def feedback(self) -> FeedbackLog:
        """How it went with what was recalled."""

    @property
    def journal(self) -> Journal:
        """The audit."""

    @property
    def jobs(self) -> Jobs:
        """The queue."""

    @property
    def hints(self) -> Hints:
        """Which spaces have work."""

    @property
    def budgets(self) -> Budgets:
        """What was spent on models."""

    @property
    def changes(self) -> Changes:
        """What changed since."""

    @property
    def registry(self) -> Registry:
        """Which spaces there are."""

    @property
    def keys(self) -> Keys:
        """Which API keys were given out."""

    async def erase(self, space: Space, receipt: Receipt | None = None) -> None:
        """Empty a space of everything; readers in every process see it empty from now on.

        Its files go when nobody has them open. The receipt stays, outside the space, under a keyed
        hash of the space's name; see `Receipts.settle` for when it is complete. With a user's own
        space go the user's keys that were revoked or have expired, since they name the user.
        """

    async def health(self) -> Health:
        """Return whether the store works."""

    async def close(self) -> None:
        """Let go of every file and thread; every later call raises `StoreClosed`."""


@runtime_checkable
class Verifies(Protocol):
    """An optional ability: to compare what is derived with the records, and to mend it."""

    async def verify(self, space: Space, *, fix: bool = False) -> list[Finding]:
        """Return what is wrong in a space; with `fix`, rebuild what is derived."""


@runtime_checkable
class BacksUp(Protocol):
    """An optional ability: to copy itself while it is in use."""

    async def backup(self, target: Path, *, progress: Callable[[int, int], None]) -> list[str]:
        """Copy every space to a folder that does not exist yet; return the names of its files.

        `progress` is called with spaces done and spaces in all.
        """


@runtime_checkable
class Measured(Protocol):
    """An optional ability: to say what is open and how much there is, and open nothing for it."""

    async def open_spaces(self) -> list[Space]:
        """Return the spaces that are open now, in the order of their text form."""

    async def measures(self) -> Measures:
        """Return what the spaces that are open now hold; what cannot be read is left out."""
