"""What Pinyon answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pinyon.domain.consent import NotKept
from pinyon.domain.event import Event, Turn
from pinyon.domain.feedback import Outcome
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Copy, Memory, Passage
from pinyon.domain.question import Intent
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space

EmptyBecause = Literal["empty_store", "below_floor", "filtered", "degraded", "not_needed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of something that was to be kept.

    Attributes:
        id: The memory's (or event's) id; of the one already there where an equal one was; "" where
            nothing was kept.
        created: Whether it is new.
        redacted: What the gate took out, by category.
        quarantined: It gives orders to a model, and recall does not see it until it is released.
        degraded: What could not be done now and will be later.
        possible_conflicts: Ids of memories that may say otherwise; none of them was touched.
        superseded: Ids of those that it took the place of.
        not_kept: Why nothing was kept, by the wish of the user; `None` where it was.
    """

    id: MemoryId | EventId
    created: bool
    redacted: tuple[str, ...] = ()
    quarantined: bool = False
    degraded: tuple[str, ...] = ()
    possible_conflicts: tuple[MemoryId, ...] = ()
    superseded: tuple[MemoryId, ...] = ()
    not_kept: NotKept | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What became of feedback.

    Attributes:
        ids: The memories that it is about.
        redacted: What the gate took out of the query, by category.
        repeated: It was noted before, under the same key.
        not_kept: Why nothing was noted, by the wish of the user; `None` where it was.
    """

    ids: tuple[MemoryId, ...]
    outcome: Outcome
    redacted: tuple[str, ...] = ()
    repeated: bool = False
    not_kept: NotKept | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FedBack:
    """What was asked, and how it went with a memory that was recalled for it."""

    query: str
    id: MemoryId
    text: str
    outcome: Outcome
    at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LegPlace:
    """Where a leg found a memory: its rank there, from 1, and the leg's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a memory came.

    Attributes:
        summary: One sentence for a person.
        space: Whose memory it is.
        legs: Which legs found it, and where.
        matched: The question's words that stand in it, as the question spells them, rarest first.
        context_matched: Those that stand only in the turn before it.
        relevance: 0-1: how well it answers, before it is weighed.
        scores: What it was scored by, as words and models gave it: `words` and `literal`, 0-1;
            `late` or `cosine`, about 0-1; `rerank`, any number; `judged`, 0-1.
        factors: What its relevance was multiplied by, by name; those that are 1 are left out.
        judged: What a model that was asked to judge it gave as its reason; "" where none was asked,
            or none is told. It is the model's word, as any text that a model makes.
        passage: The span of its text by which it was found.
        also_at_us: Other times at which the same was said.
        starts_later: It becomes true only in the future.
    """

    summary: str
    space: Space
    legs: Mapping[str, LegPlace]
    matched: tuple[str, ...]
    context_matched: tuple[str, ...]
    relevance: float
    passage: Passage
    scores: Mapping[str, float] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)
    judged: str = ""
    also_at_us: tuple[int, ...] = ()
    starts_later: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, how well, and why it came.

    Its score is relevance, 0-1, times factors: what much speaks for may lie above 1.

    Attributes:
        neighbours: Of a chunk of a document: those before and after it that are no hits themselves.
    """

    memory: Memory
    score: float
    why: Why
    neighbours: tuple[Memory, ...] = ()


STAGES = (
    "need",
    "plan",
    "encode",
    "words",
    "keyword",
    "vector",
    "turns",
    "dated",
    "recent",
    "score",
    "expand",
    "check",
    "rerank",
    "judge",
    "weigh",
    "outdate",
    "select",
    "beside",
    "cache",
)
"""What the stages of a recall are called, in their order; the last stands for all of them."""

PARTS = (
    "vectors",
    "keyword",
    "turns",
    "dated",
    "expansion",
    "reranker",
    "judge",
    "neighbours",
    "events",
)
"""What a recall can do without; a write can do without the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHit:
    """An event that a question finds in the log. It is no memory, and weighs against none.

    Attributes:
        space: Whose log it is in.
        score: 0-1: the share of the question's weight that its words hold; 0 where no word was
            looked for, and the newest came.
        matched: The question's words that stand in it, as the question spells them, rarest first.
    """

    event: Event
    space: Space
    score: float
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTrace:
    """What one stage of the bus did: how long it took, and how many candidates it left.

    Attributes:
        stage: Its name; `STAGES` are all that there are.
        began_ms: When it began, counted from the beginning of the recall.
    """

    stage: str
    wall_ms: float
    candidates: int
    note: str = ""
    began_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """How an answer came about.

    Attributes:
        stages: What each stage did, in order.
        terms: The words that were looked for.
        intent: What the question is after: as it was named, else as its words tell.
        read_as: How words that no memory holds were read: as the nearest spelling that one does
            hold, or as what the tenant calls the same.
        unknown_terms: Words that no memory holds.
        dropped_terms: Words so common in these memories that they were not looked for.
        spaces: Whose memories were looked at.
        floor: How surely at least one candidate must answer, 0-1.
        best: How surely the surest one does, 0-1: by meaning, what the question's content words
            find; else its relevance.
        tokens: About how many tokens the hits and their neighbours take in a prompt.
        began_s: When the first stage began, by the process's `time.perf_counter`.
    """

    stages: tuple[StageTrace, ...]
    terms: tuple[str, ...]
    intent: Intent
    read_as: Mapping[str, str]
    unknown_terms: tuple[str, ...]
    dropped_terms: tuple[str, ...]
    spaces: tuple[Space, ...]
    floor: float
    best: float
    tokens: int
    began_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What memory answers: hits, best first; or none, and why.

    Attributes:
        empty_because: Why there is no hit, whether or not events came; `None` where there is one.
        degraded: Parts that could not be asked, or were cut by the deadline: `vectors`, `reranker`,
            `keyword`, `events`, ...
        degraded_because: Why, and what to do about it; "" where nothing is.
        events: What happened, from the event log, best first, where it was asked for.
    """

    hits: tuple[Hit, ...]
    trace: Trace
    empty_because: EmptyBecause | None = None
    degraded: tuple[str, ...] = ()
    degraded_because: str = ""
    events: tuple[EventHit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """What is ready for the next question: how many memories, and how long each stage took."""

    memories: int
    stages: tuple[StageTrace, ...]
    degraded: tuple[str, ...] = ()
    degraded_because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """What became of one memory in a recall.

    Attributes:
        came: Whether it was among the hits.
        stage: Where it was lost; "" where it came.
        reason: One sentence for a person.
        hit: The hit, where it came.
    """

    id: MemoryId
    came: bool
    stage: str
    reason: str
    hit: Hit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten, or what would be.

    Attributes:
        receipt: What is left of it; `None` where nothing was forgotten.
        candidates: What was found by what it says, as long as nobody has confirmed which is meant.
        meant: The one of them that would be forgotten, confirmed; `None` where it is not clear.
        gone: In a preview: what would be erased.
        masked: In a preview: messages of which a part would be covered, as they would read.
        same: In a preview: other memories that say the same, which stay.
        events: In a preview: how many events would be erased.
        counts: Where all of it is meant: how many memories, events and spaces.
    """

    receipt: Receipt | None = None
    candidates: tuple[Hit, ...] = ()
    meant: MemoryId | None = None
    gone: tuple[Memory, ...] = ()
    masked: tuple[Memory, ...] = ()
    same: tuple[Memory, ...] = ()
    events: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def would_change(self) -> bool:
        """Whether a preview shows anything that would go."""
        return bool(self.gone or self.events or any(self.counts.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Where a memory is published, or was; `complete` once every copy has followed."""

    copies: tuple[Copy, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """A part of a list of memories, and where the next one begins."""

    memories: tuple[Memory, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class EventListing:
    """A part of what was said and done, and where the next one begins."""

    turns: tuple[Turn, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One line of a memory's journal."""

    at_us: int
    actor: str
    surface: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a memory was and became.

    Attributes:
        chain: Those it supersedes and those that supersede it, oldest first, itself among them.
        versions: The memory at each of its versions, oldest first.
        acts: Who did what to it.
    """

    chain: tuple[Memory, ...]
    versions: tuple[Memory, ...]
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One row of an export: a memory with its earlier versions, or an event."""

    memory: Memory | None = None
    earlier: tuple[Memory, ...] = ()
    event: Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the rows of an import.

    Attributes:
        created: Rows that are new.
        equal: Rows that were there already.
        forgotten: Rows that were left out, because they were forgotten since.
        not_wanted: Rows that were left out, because their user does not want them kept.
    """

    created: int
    equal: int
    forgotten: int = 0
    not_wanted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogImported:
    """What became of an import of documents.

    Attributes:
        documents: How many were read.
        created: Chunks that are new.
        kept: Chunks that were there already.
        removed: Chunks that are no longer in their documents, or whose documents are gone.
        skipped: Files that are no documents.
    """

    documents: int
    created: int
    kept: int
    removed: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogDocument:
    """A document of a catalog.

    Attributes:
        name: Its path in the folder that it was imported from.
        imported_as: The name of that import; "" of one that was written by hand.
        chunks: How many memories it is.
        updated_at_us: When one of them last changed.
    """

    name: str
    imported_as: str
    chunks: int
    updated_at_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a check of a space found; `mended` of it was set right. No space: the home itself."""

    space: Space | None
    findings: tuple[str, ...]
    mended: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What became of a space's vectors: of so many memories, so many were given new ones."""

    space: Space
    memories: int
    made: int
