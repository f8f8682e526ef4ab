"""The value that travels through the bus: the question, its plan, and what became of candidates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pinyon.domain.answers import EventHit, Hit
from pinyon.domain.filter import Filter, all_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.question import Intent, Quality, RecallContext
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.embedder import EmbeddedQuestion
from pinyon.ports.search import Candidate
from pinyon.recall.approaches import APPROACHES, Approach
from pinyon.text.dates import Window

Key = tuple[Space, MemoryId]

_ASKER = ("kind", "filter", "intent")
"""Conditions that the asker set; the others hold for every question."""

FILTERED = "filter"
"""The stage that drops what a filter keeps out."""

EVENTS = "events"
"""The stage that brings events along, and the part that an answer lacks without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, checked and complete.

    Attributes:
        spaces: Whose memories may answer, the asker's own first.
        where: What a memory must be to answer, by name of the condition.
        known_at_us: What we believed then is what counts; `None` is now.
        intent: What is wanted, where it was named.
        deadline_ms: How long it may take.
        if_needed: A message that memory cannot help with is left alone.
        include_events: What happened comes along; so it does for some intents that are named.
        k: How many hits at most.
        quality: `default`; `best`: slower, with a model that reads question and text together;
            `judged`: slower by far, with a chat model that judges the best few.
        now_us: When it is asked.
        key: Equal for two questions that ask the same of the same, whenever they do; "" where no
            answer is to be kept.
    """

    text: str
    spaces: tuple[Space, ...]
    where: Mapping[str, Filter]
    context: RecallContext
    known_at_us: int | None = None
    k: int = 10
    quality: Quality = "default"
    intent: Intent | None = None
    deadline_ms: int | None = None
    if_needed: bool = False
    include_events: bool = False
    now_us: int
    key: str = ""

    @property
    def is_filtered(self) -> bool:
        """Return whether the asker narrowed it down."""
        return not self.where.keys().isdisjoint(_ASKER)

    def conditions(self) -> Filter:
        """Return all that a memory must be, as one filter."""
        return all_of(*self.where.values())

    def unfiltered(self) -> Filter:
        """Return what a memory must be whatever the asker wants to see."""
        return all_of(*(part for name, part in self.where.items() if name not in _ASKER))


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a question.

    Attributes:
        words: What it then looks for.
        asks: It is one of several things that are asked for, each of which wants its answer.
    """

    text: str
    words: tuple[str, ...]
    asks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is going to be done.

    Attributes:
        terms: What the question looks for, in all its readings.
        intent: What it is after.
        is_named: The asker said so.
        readings: As it stands; each of the things that it asks for, where there are several;
            joined with what was said before, where it leans on that. The best one counts.
        legs: Which legs are asked.
        per_leg: How many candidates each may bring from each space.
        reranks: Whether a cross-encoder looks at the best of them.
        windows: Times that the question names; they weigh, and keep nothing out.
    """

    terms: Terms
    intent: Intent
    is_named: bool
    readings: tuple[Reading, ...]
    legs: tuple[str, ...]
    per_leg: int
    reranks: bool = False
    windows: tuple[Window, ...] = ()

    @property
    def asking(self) -> tuple[int, ...]:
        """Return which readings ask for something of their own, where there are several."""
        found = tuple(place for place, one in enumerate(self.readings) if one.asks)
        return found if len(found) > 1 else ()

    @property
    def approach(self) -> Approach:
        """Return what follows from the intent."""
        return APPROACHES[self.intent]

    @property
    def named_approach(self) -> Approach:
        """Return what follows where the intent was named; where it was inferred, nothing does."""
        return APPROACHES[self.intent if self.is_named else "general"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Words that stand for others of the question: a spelling, or what means the same.

    Attributes:
        words: All of which a memory must hold.
        stand_for: The question's words that it then counts as holding.
        worth: How much of each, 0-1.
        said: How the question has it.
        read: How it is read instead.
    """

    words: frozenset[str]
    stand_for: frozenset[str]
    worth: float
    said: str
    read: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Where a candidate was lost, and why."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with what is known of it.

    Attributes:
        relevance: 0-1: how well it answers, whatever else speaks for or against it.
        certainty: 0-1: how surely it answers at all; what the floor is held against.
        score: What it is ordered by.
        scores: What it was scored by, by name, as the models and words gave it.
        factors: What its score was multiplied by, by name.
        judged: Why it was judged as it was; "" where it was not, or no reason is told.
    """

    key: Key
    relevance: float
    certainty: float
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)
    judged: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalling:
    """Everything that a stage may look at; a stage returns another one.

    Attributes:
        pinned: A memory whose fate is asked for: it is looked at whatever the legs bring.
        pinned_came: A leg brought it by itself.
        asked: The words that are looked up; those left out are too common to be worth it.
        unknown: Words that no memory holds.
        alternatives: What may stand for words of the question.
        is_over: Nothing more is to be done: memory cannot help.
        vectors: The vectors of each reading, where a model gave them.
        served: Spaces whose vectors are of the same model.
        part_of: Which of several things that are asked for a candidate answers best: the place of
            that reading.
        passage_of: Which passage of a candidate scored, where vectors said so.
        weights: What each word of the question counts.
        passages: How many passages each space has.
        with_words: Spaces that hold a word of the question.
        found: What each leg brought, by leg and space, best first.
        ranked: The candidates, best first, once they are scored.
        memories: Their records, once they are checked.
        factors: What their scores are multiplied by, by name of the reason, likewise.
        same: Memories that say the same, under the one that stands for them.
        hits: The answer.
        events: What comes along from the event log.
        best: How surely the surest candidate answers.
        floor: Relevance that it must have.
        dropped: What was lost on the way.
        degraded: What could not be asked.
        degraded_because: Why, and what to do about it; "" where nothing is.
        note: What the last stage has to say in the trace.
    """

    question: Question
    pinned: Key | None = None
    pinned_came: bool = False
    plan: Plan | None = None
    asked: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    is_over: bool = False
    vectors: tuple[EmbeddedQuestion, ...] = ()
    served: frozenset[Space] = frozenset()
    part_of: Mapping[Key, int] = field(default_factory=dict)
    passage_of: Mapping[Key, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    passages: Mapping[Space, int] = field(default_factory=dict)
    with_words: tuple[Space, ...] = ()
    found: Mapping[tuple[str, Space], tuple[Candidate, ...]] = field(default_factory=dict)
    ranked: tuple[Scored, ...] = ()
    memories: Mapping[Key, Memory] = field(default_factory=dict)
    factors: Mapping[Key, Mapping[str, float]] = field(default_factory=dict)
    same: Mapping[Key, tuple[Memory, ...]] = field(default_factory=dict)
    hits: tuple[Hit, ...] = ()
    events: tuple[EventHit, ...] = ()
    best: float = 0.0
    floor: float = 0.0
    dropped: Mapping[Key, Drop] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    degraded_because: str = ""
    note: str = ""

    @property
    def planned(self) -> Plan:
        """Return the plan, which every stage after the first has."""
        assert self.plan is not None  # noqa: S101 - the first stage makes it
        return self.plan

    @property
    def found_in(self) -> tuple[Space, ...]:
        """Return the spaces that a leg brought anything from, the asker's own first."""
        found = {space for _, space in self.found}
        return tuple(space for space in self.question.spaces if space in found)

    def begin(self) -> "Recalling":
        """Return this as a stage begins with it: without what the one before had to say."""
        return replace(self, note="") if self.note else self

    def drop(self, stage: str, reasons: Mapping[Key, str]) -> "Recalling":
        """Return this, with candidates dropped; the first reason of each is the one that counts."""
        if not reasons:
            return self
        drops = {key: Drop(stage=stage, reason=reason) for key, reason in reasons.items()}
        return replace(
            self,
            ranked=tuple(scored for scored in self.ranked if scored.key not in drops),
            dropped={**drops, **self.dropped},
        )

    def rank(self, ranked: Sequence[Scored], *, floor: float) -> "Recalling":
        """Return this with its candidates in order.

        A pinned memory that no leg brought must not carry the others over the floor.
        """
        extra = None if self.pinned_came else self.pinned
        best = max((one.certainty for one in ranked if one.key != extra), default=0.0)
        return replace(self, ranked=tuple(ranked), best=best, floor=floor, note=f"best {best:.2f}")

    def without(self, part: str, because: str) -> "Recalling":
        """Return this as it goes on without a part that could not be asked.

        Without vectors it goes by words; a leg that still has some says so afterwards.
        """
        parts = self.degraded if part in self.degraded else (*self.degraded, part)
        served = frozenset[Space]() if part == "vectors" else self.served
        return replace(self, degraded=parts, degraded_because=because, note=because, served=served)

    def candidate_ids(self, space: Space) -> list[MemoryId]:
        """Return what the legs brought from a space, in the order of the legs."""
        brought = (found for (_, of), found in self.found.items() if of == space)
        return list(dict.fromkeys(candidate.id for found in brought for candidate in found))

    def keep_out(self, brought: Mapping[Space, Iterable[MemoryId]]) -> "Recalling":
        """Return this, with what would have come but for the asker's filter as dropped."""
        reasons = {
            (space, memory_id): "the filter keeps it out"
            for space, ids in brought.items()
            for memory_id in ids
        }
        return self.drop(FILTERED, reasons)

    def candidates(self) -> int:
        """Return how many candidates there are at this point."""
        if self.hits:
            return len(self.hits)
        if self.ranked:
            return len(self.ranked)
        if self.memories:
            return 0
        return sum(len(self.candidate_ids(space)) for space in self.found_in)
