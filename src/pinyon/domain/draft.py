"""What somebody asks to have kept, before anybody has looked at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from pinyon.domain.memory import Kind, Trust

When = str | datetime | None


class Details(TypedDict, total=False):
    """What else may be said of a memory, by keyword; see `Draft` for what each means."""

    title: str
    keywords: Sequence[str]
    scenarios: Sequence[str]
    category: str
    project: str
    module: str
    tags: Sequence[str]
    metadata: Mapping[str, object]
    importance: float
    confidence: float
    trust: Trust
    pinned: bool
    occurred_at: When
    valid_from: When
    valid_until: When
    expires_at: When
    session: str
    task: str
    agent: str
    event_type: str
    role: str
    speaker: str
    parent_event: str
    message_id: str
    supporting: Sequence[str]
    trigger: str
    steps: Sequence[str]
    document: str


class Annotations(TypedDict, total=False):
    """What may be changed of a memory that is kept."""

    title: str
    keywords: Sequence[str]
    scenarios: Sequence[str]
    category: str
    project: str
    module: str
    tags: Sequence[str]
    metadata: Mapping[str, object]
    importance: float
    confidence: float
    pinned: bool
    expires_at: When


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as its writer gives it; the gate makes a `Memory` of it or refuses.

    Attributes:
        text: What to keep, in the writer's own words.
        kind: What sort of memory it is.
        occurred_at: When it happened: an aware datetime or RFC 3339 text; for an episode, now.
        valid_from: Since when it is true; by default since it happened, else since now.
        steps: For a procedure: what to do, in order.
        trigger: For a procedure: when to do it.
        supporting: Ids of the memories that it rests on.
    """

    text: str
    kind: Kind = "semantic"
    title: str = ""
    keywords: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    category: str = ""
    project: str = ""
    module: str = ""
    tags: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    importance: float = 0.5
    confidence: float = 1.0
    trust: Trust = "user"
    pinned: bool = False
    occurred_at: When = None
    valid_from: When = None
    valid_until: When = None
    expires_at: When = None
    session: str = ""
    task: str = ""
    agent: str = ""
    event_type: str = ""
    role: str = ""
    speaker: str = ""
    parent_event: str = ""
    message_id: str = ""
    supporting: Sequence[str] = ()
    trigger: str = ""
    steps: Sequence[str] = ()
    document: str = ""
