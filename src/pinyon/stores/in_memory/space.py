"""What one space holds, in dictionaries."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.change import Applied, IndexRow
from pinyon.domain.event import Event
from pinyon.domain.feedback import Feedback
from pinyon.domain.ids import EventId, JobId, MemoryId, ReceiptId
from pinyon.domain.job import Job
from pinyon.domain.memory import Memory
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import Session
from pinyon.errors import NotFound
from pinyon.ports.exposures import Exposure
from pinyon.ports.journal import Entry

Vector = NDArray[np.float32]


@dataclass(slots=True)
class Vectors:
    """A memory's vectors under one model, by position of the passage."""

    dense: dict[int, Vector]
    tokens: dict[int, bytes]


@dataclass(slots=True)
class SpaceState:
    """All that one space holds. Memories keep the order in which they were first put."""

    created_at_us: int
    seq: int = 0
    memories: dict[MemoryId, Memory] = field(default_factory=dict)
    places: dict[MemoryId, int] = field(default_factory=dict)
    rows: dict[MemoryId, tuple[IndexRow, ...]] = field(default_factory=dict)
    versions: dict[MemoryId, list[Memory]] = field(default_factory=dict)
    vectors: dict[tuple[MemoryId, str], Vectors] = field(default_factory=dict)
    turn_vectors: dict[tuple[EventId, str], bytes] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    serving: str | None = None
    exposures: dict[MemoryId, list[Exposure]] = field(default_factory=dict)
    events: dict[EventId, Event] = field(default_factory=dict)
    event_places: dict[EventId, int] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    receipts: dict[ReceiptId, Receipt] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    sessions_over: dict[str, int] = field(default_factory=dict)
    sessions_ended: dict[str, int] = field(default_factory=dict)
    feedback: dict[int, Feedback] = field(default_factory=dict)
    fed_back: int = 0
    once: dict[tuple[str, str], tuple[str, Applied, int]] = field(default_factory=dict)
    changed_at: dict[MemoryId, int] = field(default_factory=dict)
    gone_at: dict[MemoryId, int] = field(default_factory=dict)
    journal: list[Entry] = field(default_factory=list)
    placed: int = 0
    is_erased: bool = False
    emptied_seq: int = 0

    @property
    def mark(self) -> int:
        """Return the number as others are told it: it goes on from when the space was made."""
        return self.created_at_us + self.seq if self.seq else 0

    def copy(self) -> "SpaceState":
        """Return a copy that can be changed without touching this one; values are frozen."""
        twin = replace(self, is_erased=False)
        for name in (
            "memories",
            "places",
            "rows",
            "vectors",
            "turn_vectors",
            "dims",
            "events",
            "event_places",
            "jobs",
            "receipts",
            "forgotten",
            "sessions",
            "sessions_over",
            "sessions_ended",
            "feedback",
            "once",
        ):
            setattr(twin, name, dict(getattr(self, name)))
        twin.versions = {key: list(kept) for key, kept in self.versions.items()}
        twin.exposures = {key: list(kept) for key, kept in self.exposures.items()}
        twin.changed_at, twin.gone_at = dict(self.changed_at), dict(self.gone_at)
        twin.journal = list(self.journal)
        return twin

    def get(self, memory_id: MemoryId) -> Memory:
        """Return a memory that must be there."""
        if memory_id not in self.memories:
            raise NotFound(memory_id)
        return self.memories[memory_id]

    def known(self, memory_id: MemoryId, at_us: int | None) -> Memory | None:
        """Return a memory as it was known at an instant; `None` if it was not."""
        memory = self.memories.get(memory_id)
        if memory is None or at_us is None:
            return memory
        states = [*self.versions.get(memory_id, []), memory]
        known = [state for state in states if state.times.updated_at_us <= at_us]
        if not known:
            return None
        return replace(known[-1], counts=memory.counts, awaits=memory.awaits)
