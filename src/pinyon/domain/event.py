"""What happened in a session without becoming a memory."""

from dataclasses import dataclass

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A reply, a thought, a tool call or its result: kept in the session's log, not recalled."""

    id: EventId
    text: str
    role: str
    session: str = ""
    event_type: str = "message"
    speaker: str = ""
    message_id: str = ""
    parent: str = ""
    previous: MemoryId | EventId | None = None
    occurred_at_us: int
    offset_min: int = 0
    created_at_us: int
    content_hash: str = ""
    metadata: Metadata = ()
