"""What happened in a session: what became no memory, and the turns of a conversation as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory, Metadata, Trust

EventType = Literal["message", "thought", "tool_call", "tool_result"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

SUMMARY = "summary"
"""The event type of a memory that tells a conversation in short. It is no turn: nobody said it."""

CALLS: tuple[EventType, ...] = ("tool_call", "tool_result")
"""What an agent did with a tool, and what came of it. Their `speaker` is the tool's name."""

REMEMBERED: frozenset[str] = frozenset({"user"})
"""Roles and event types that become memories, where nobody set others. An agent's replies go to the
event log: the conversation carries them, and they drown the short facts that a person states."""

_TYPE_OF_ROLE: Mapping[str, EventType] = {
    "thought": "thought",
    "tool": "tool_result",
    "function": "tool_result",
    "tool_call": "tool_call",
    "tool_result": "tool_result",
}

# A role that is not named here is some agent's.
_TRUST_OF_ROLE: Mapping[str, Trust] = {
    "": "user",
    "user": "user",
    "human": "user",
    "tool": "tool",
    "tool_call": "tool",
    "tool_result": "tool",
    "function": "tool",
    "document": "document",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A reply, a thought, a tool call or its result: kept in the session's log, no memory.

    Attributes:
        event_type: One of `EVENT_TYPES`.
        speaker: Who spoke, by name; of a call and its result the tool.
        parent: Id of the event or memory that it belongs to: of a tool's result, its call.
        task: What an agent was at.
        previous: The turn before.
    """

    id: EventId
    text: str
    role: str
    session: str = ""
    event_type: str = "message"
    speaker: str = ""
    message_id: str = ""
    parent: str = ""
    task: str = ""
    previous: MemoryId | EventId | None = None
    occurred_at_us: int
    offset_min: int = 0
    created_at_us: int
    content_hash: str = ""
    metadata: Metadata = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that was said or done, whether it became an event or a memory; see `Event`."""

    id: MemoryId | EventId
    text: str
    role: str
    session: str
    event_type: str
    speaker: str
    message_id: str
    parent: str
    occurred_at_us: int
    offset_min: int
    created_at_us: int
    metadata: Metadata
    task: str = ""

    @property
    def place(self) -> tuple[int, int, str, str]:
        """Return what turns are put in order by: when it happened, when it was kept, its id."""
        return self.occurred_at_us, self.created_at_us, self.id[4:], self.id[:1]


def event_type_of(role: str) -> EventType:
    """Return what something is, as far as the role of who brought it tells."""
    return _TYPE_OF_ROLE.get(role.lower(), "message")


def trust_of(role: str) -> Trust:
    """Return whose word something is, as far as the role of who brought it tells."""
    return _TRUST_OF_ROLE.get(role.lower(), "agent")


def is_summary(memory: Memory) -> bool:
    """Return whether a memory tells in short what others say, and so is no original."""
    return memory.source.event_type == SUMMARY


def turn_of_event(event: Event) -> Turn:
    """Return an event as a turn."""
    return Turn(
        id=event.id,
        text=event.text,
        role=event.role,
        session=event.session,
        event_type=event.event_type,
        speaker=event.speaker,
        message_id=event.message_id,
        parent=event.parent,
        task=event.task,
        occurred_at_us=event.occurred_at_us,
        offset_min=event.offset_min,
        created_at_us=event.created_at_us,
        metadata=event.metadata,
    )


def turn_of_memory(memory: Memory) -> Turn:
    """Return an episode as the turn that it was."""
    source, times = memory.source, memory.times
    at_us = times.occurred_at_us
    return Turn(
        id=memory.id,
        text=memory.text,
        role=source.role,
        session=source.session,
        event_type=source.event_type or "message",
        speaker=source.speaker,
        message_id=source.message_id,
        parent=source.parent_event,
        task=source.task,
        occurred_at_us=times.created_at_us if at_us is None else at_us,
        offset_min=times.offset_min,
        created_at_us=times.created_at_us,
        metadata=memory.metadata,
    )
