"""What somebody asks to have kept, before anybody has looked at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from pinyon.domain.memory import Contradiction, Kind, Trust

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
    importance: float | None
    confidence: float
    trust: Trust | None
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
    derived_from: Sequence[str]
    quote: str
    supersedes: Sequence[str]
    contradiction: Contradiction
    trigger: str
    steps: Sequence[str]
    tools: Sequence[str]
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
        importance: 0-1; where nobody says, of a user's message its form tells: 0.9 for what is laid
            down for good, 0.8 and 0.7 for what failed and worked, 0.1 for a greeting; else 0.5.
        occurred_at: When it happened: an aware datetime or RFC 3339 text; for an episode, now.
        valid_from: Since when it is true; by default since it happened, else since now.
        steps: For a procedure: what to do, in order.
        tools: The tools that the steps take, in their order; "" for one that takes none.
        trigger: For a procedure: when to do it.
        event_type: What was said or done: `message`, `thought`, `tool_call` or `tool_result`; where
            nobody says, the role tells.
        speaker: Who spoke, by name; of a tool's call or result the tool.
        parent_event: What it belongs to, as a result to its call: the id of an event or memory of
            the space, or the message id of an earlier turn of its session.
        trust: Who said it; where nobody says, the role tells: a user's words are the user's, a
            reply the agent's, a result the tool's; what is imported as a document is a document.
        supporting: Ids of the memories that it rests on; by default the last turn of its session.
        derived_from: Ids of the memories and events that it was made of. It is forgotten with the
            last of them; a procedure, which has their words, with any.
        quote: The words in what it rests on that say it, where they are not its own; only where
            they stand is kept.
        supersedes: Ids of the memories that it takes the place of, in the same transaction.
        contradiction: `natural`: they were true until now; `harsh`: they never were.
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
    importance: float | None = None
    confidence: float = 1.0
    trust: Trust | None = None
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
    derived_from: Sequence[str] = ()
    quote: str = ""
    supersedes: Sequence[str] = ()
    contradiction: Contradiction = "natural"
    trigger: str = ""
    steps: Sequence[str] = ()
    tools: Sequence[str] = ()
    document: str = ""
