"""What is left of what was forgotten: that it was, and never what it said."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pinyon.domain.ids import EventId, MemoryId, ReceiptId


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that something was forgotten.

    Attributes:
        ids: What is gone: memories and events.
        masked: Memories of whose text a part was covered.
        counts: How many rows of what: `memories`, `events`, `masked`, `copies`.
        hashes: Keyed hashes of the texts; the key dies with the space.
        sessions: Conversations in which a model was given it, within the last 90 days.
        whole: Whether it was all that the space held.
        complete: Whether every copy, index and file has followed.
    """

    id: ReceiptId
    at_us: int
    ids: tuple[MemoryId | EventId, ...] = ()
    masked: tuple[MemoryId, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    hashes: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    whole: bool = False
    complete: bool = False
