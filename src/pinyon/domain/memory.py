"""The record: a small core that every kind shares, and a typed part for what only one kind has."""

from dataclasses import dataclass
from typing import Literal

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.space import Space

Kind = Literal["episodic", "semantic", "procedural", "catalog"]
Status = Literal["active", "superseded", "retracted"]
Shelf = Literal["open", "hidden", "archived", "quarantined"]
Trust = Literal["user", "agent", "tool", "document"]
Contradiction = Literal["natural", "harsh"]
Awaits = Literal["vectors", "consolidation"]

KINDS: tuple[Kind, ...] = ("episodic", "semantic", "procedural", "catalog")
STATUSES: tuple[Status, ...] = ("active", "superseded", "retracted")
SHELVES: tuple[Shelf, ...] = ("open", "hidden", "archived", "quarantined")
AWAITED: tuple[Awaits, ...] = ("vectors", "consolidation")
CONTRADICTIONS: tuple[Contradiction, ...] = ("natural", "harsh")
TRUSTS: tuple[Trust, ...] = ("user", "agent", "tool", "document")

MetadataValue = str | int | float | bool | None
Metadata = tuple[tuple[str, MetadataValue], ...]
"""Flat metadata as sorted pairs, so that a memory stays a hashable value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When it happened, when it is true, and since when we know.

    Attributes:
        occurred_at_us: When it happened or was said; `None` where nobody said.
        offset_min: The writer's offset from UTC, in minutes, in which instants are shown again.
        valid_from_us: Since when it is true in the world; `None` means always.
        valid_until_us: Until when, exclusive; `None` means that no end is known.
        created_at_us: Since when we know it.
        updated_at_us: When this version of it was written.
        expires_at_us: From when on recall passes it over.
    """

    occurred_at_us: int | None = None
    offset_min: int = 0
    valid_from_us: int | None = None
    valid_until_us: int | None = None
    created_at_us: int
    updated_at_us: int
    expires_at_us: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where in another memory's text something stands: characters `[start, end)`."""

    memory_id: MemoryId
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where it comes from: who said it in which session, and what it rests on."""

    session: str = ""
    task: str = ""
    agent: str = ""
    event_type: str = ""
    role: str = ""
    speaker: str = ""
    parent_event: str = ""
    message_id: str = ""
    spans: tuple[Span, ...] = ()
    supporting: tuple[MemoryId, ...] = ()
    derived_from: tuple[MemoryId | EventId, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """A memory in another space that says what this one says."""

    space: Space
    id: MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """How it stands to other memories.

    Attributes:
        previous: The turn before.
        contradiction: How it stands to those it supersedes: `natural` where they were true once,
            `harsh` where they never were.
        outdated_by: Of an episode: the memory that replaced what it says; where none did, the one
            that it supported and that holds no more.
        copies: Where it is published.
        copy_of: What it was published from, and so by whom.
    """

    previous: MemoryId | EventId | None = None
    supersedes: tuple[MemoryId, ...] = ()
    superseded_by: MemoryId | None = None
    superseded_at_us: int | None = None
    contradiction: Contradiction | None = None
    conflicts_with: tuple[MemoryId, ...] = ()
    outdated_by: MemoryId | None = None
    copies: tuple[Copy, ...] = ()
    copy_of: Copy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What is counted beside the version: added to atomically, moving nothing else.

    Attributes:
        uses: Times that it was given to a model, or reported as used.
        support: Independent statements of the same text beyond the first.
        successes: Times that a procedure worked.
        failures: Times that it did not.
        last_used_at_us: When it was last used; at write the time of the event, else of the write.
        last_success_at_us: When it last worked.
    """

    uses: int = 0
    support: int = 0
    successes: int = 0
    failures: int = 0
    last_used_at_us: int = 0
    last_success_at_us: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a procedure, and the tool it takes, if any."""

    instruction: str
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """What only a procedural memory has: when to do it, and what to do in which order."""

    trigger: str = ""
    steps: tuple[Step, ...] = ()
    refined_steps: tuple[Step, ...] = ()

    @property
    def current_steps(self) -> tuple[Step, ...]:
        """Return the steps to take now: those that experience refined, where it did."""
        return self.refined_steps or self.steps


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """What only a catalog memory has: its place in the document it was cut from."""

    document: str = ""
    position: int = 0
    before: MemoryId | None = None
    after: MemoryId | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A shorter text for a long one, and what made it (`rule`, or a model's label)."""

    text: str
    made_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Cheap tags that rules set at write."""

    language: str = ""
    has_code: bool = False
    has_error: bool = False
    task_type: str = ""
    stage: str = ""
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of the text, `[start, end)` in characters, by which the memory is matched."""

    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One self-contained, re-usable record; the truth from which every index is derived.

    Attributes:
        status: Whether it holds.
        shelf: Whether recall looks at it.
        importance: 0-1.
        confidence: 0-1.
        version: 1 at first; each change of an annotation or a link adds one.
        content_hash: Where equal texts meet; see `pinyon.text.normal.content_hash`.
        awaits: What background work still owes it.
    """

    id: MemoryId
    space: Space
    kind: Kind
    text: str
    title: str = ""
    keywords: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    category: str = ""
    project: str = ""
    module: str = ""
    tags: tuple[str, ...] = ()
    metadata: Metadata = ()
    importance: float = 0.5
    confidence: float = 1.0
    trust: Trust = "user"
    status: Status = "active"
    shelf: Shelf = "open"
    pinned: bool = False
    version: int = 1
    content_hash: str = ""
    times: Times
    source: Source = Source()
    links: Links = Links()
    counts: Counts = Counts()
    procedure: Procedure | None = None
    catalog: CatalogEntry | None = None
    summary: Summary | None = None
    facets: Facets = Facets()
    passages: tuple[Passage, ...] = ()
    awaits: tuple[Awaits, ...] = ()
