"""What can happen to a space: the closed union that `Records.apply` takes.

A later part of Pinyon may add a variant, with its contract tests; none is ever changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from pinyon.domain.event import Event
from pinyon.domain.feedback import Feedback
from pinyon.domain.filter import Filter
from pinyon.domain.ids import EventId, JobId, MemoryId, NewUuid
from pinyon.domain.job import Job, Priority
from pinyon.domain.memory import (
    Awaits,
    CatalogEntry,
    Contradiction,
    Copy,
    Memory,
    Metadata,
    Shelf,
    Span,
    Status,
    Step,
    Summary,
)
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import Session, SessionMode

Act = Literal[
    "link", "supersede", "superseded", "outdate", "retract", "end", "hide", "release", "undo",
    "publish", "withdraw", "loosen",
]  # fmt: skip
"""What the journal calls a change of how a memory stands; `loosen`: what it rested on is gone."""

ONCE_KEPT_US: Final = 24 * 3600 * 1_000_000
"""How long an idempotency key is remembered."""

EXPOSURE_KEPT_US: Final = 90 * 24 * 3600 * 1_000_000
"""How long it is kept to whom a memory was given."""


class Unset:
    """The type of `UNSET`: a field that a change leaves alone, where `None` would say something."""

    def __repr__(self) -> str:
        """Return how it reads in a signature."""
        return "UNSET"


UNSET: Final = Unset()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """The tokens by which one passage is found, set apart by spaces; made by `pinyon.text`.

    Attributes:
        position: Which passage, 0-63.
        head: Title and keywords; counts twice.
        body: The passage, and the memory's steps, trigger and scenarios; counts once.
        context: The turn before, capped; counts half.
        tokenizer: Which tokeniser made them.
    """

    position: int
    head: str
    body: str
    context: str
    tokenizer: int


@dataclass(frozen=True, slots=True)
class PutVectors:
    """Give passages of a memory their vectors under one model; those of other models stay.

    The first model whose vectors a space gets is the one that serves it; see `ServeVectors`.

    Attributes:
        model: Fingerprint of the model; vectors of two models never meet.
        dense: Per passage position: float32 (dim,), L2-normalised, as bytes.
        tokens: Per passage position: int8 (n, token_dim), row-major, as bytes; may be empty.
        dim: Length of a dense vector.
        token_dim: Length of a token vector; 0 where there are none.
    """

    id: MemoryId
    model: str
    dense: Mapping[int, bytes]
    dim: int
    tokens: Mapping[int, bytes] = field(default_factory=dict)
    token_dim: int = 0


@dataclass(frozen=True, slots=True)
class PutTurnVectors:
    """Give an event that a memory follows its token vectors; they go with the last that does.

    Attributes:
        tokens: int8 (n, token_dim), row-major, as bytes.
        dim: Length of the model's dense vectors.
    """

    id: EventId
    model: str
    tokens: bytes
    dim: int
    token_dim: int


@dataclass(frozen=True, slots=True)
class ServeVectors:
    """From now on this model's vectors answer for the space; those of every other one go."""

    model: str


@dataclass(frozen=True, slots=True)
class Put:
    """Insert a memory, or replace the one with its id, with the rows of its passages.

    Attributes:
        unless: If a memory of the space passes this filter, nothing is put, and `Applied.equals`
            names that memory. Decided inside the transaction, so that two writers agree.
        earlier: Its versions before this one, oldest first, where they are known (an import).
        vectors: Its vectors, where they are known; put only if the memory is.
        context_hash: Content hash of the turn before, as it was read for the rows. Where that turn
            was forgotten or covered since, the rows are put without it.
    """

    memory: Memory
    rows: tuple[IndexRow, ...]
    unless: Filter | None = None
    earlier: tuple[Memory, ...] = ()
    vectors: PutVectors | None = None
    context_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Change annotations: version + 1, the old values are kept.

    `refined_steps` are those that experience taught for a procedure; of other kinds they say
    nothing.

    `rows` replaces the index rows where a patched field is searched for.
    """

    id: MemoryId
    title: str | Unset = UNSET
    keywords: tuple[str, ...] | Unset = UNSET
    scenarios: tuple[str, ...] | Unset = UNSET
    category: str | Unset = UNSET
    project: str | Unset = UNSET
    module: str | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    metadata: Metadata | Unset = UNSET
    importance: float | Unset = UNSET
    confidence: float | Unset = UNSET
    pinned: bool | Unset = UNSET
    expires_at_us: int | None | Unset = UNSET
    summary: Summary | None | Unset = UNSET
    refined_steps: tuple[Step, ...] | Unset = UNSET
    rows: tuple[IndexRow, ...] | Unset = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Change how a memory stands, and to which others: version + 1, the old values are kept.

    `act` is what the journal calls it.
    """

    id: MemoryId
    status: Status | Unset = UNSET
    shelf: Shelf | Unset = UNSET
    valid_from_us: int | None | Unset = UNSET
    valid_until_us: int | None | Unset = UNSET
    supersedes: tuple[MemoryId, ...] | Unset = UNSET
    superseded_by: MemoryId | None | Unset = UNSET
    superseded_at_us: int | None | Unset = UNSET
    contradiction: Contradiction | None | Unset = UNSET
    conflicts_with: tuple[MemoryId, ...] | Unset = UNSET
    outdated_by: MemoryId | None | Unset = UNSET
    supporting: tuple[MemoryId, ...] | Unset = UNSET
    derived_from: tuple[MemoryId | EventId, ...] | Unset = UNSET
    spans: tuple[Span, ...] | Unset = UNSET
    copies: tuple[Copy, ...] | Unset = UNSET
    catalog: CatalogEntry | Unset = UNSET
    act: Act = "link"


@dataclass(frozen=True, slots=True)
class Absent:
    """Break the batch off if a memory passes a filter: `AlreadyThere` names it.

    For a decision that rests on something not being there.
    """

    where: Filter


@dataclass(frozen=True, slots=True)
class Mask:
    """Replace a memory whose text was masked: every row that was made from the old one goes.

    The only way in which a text changes in place. Its old versions go too. What tells a
    conversation in short, and is no original, is renewed by it.

    Attributes:
        memory: As it is now.
        rows: The rows of its passages.
        vectors: Its vectors, where they are known.
    """

    memory: Memory
    rows: tuple[IndexRow, ...]
    vectors: PutVectors | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """Make the index rows of a memory anew; nothing else of it changes, and no version moves."""

    id: MemoryId
    rows: tuple[IndexRow, ...]


@dataclass(frozen=True, slots=True)
class Await:
    """Say that background work owes a memory something; no version moves. See `Settle`."""

    id: MemoryId
    awaited: Awaits


@dataclass(frozen=True, slots=True)
class PutReceipt:
    """Keep what is left of what was forgotten, and the keyed hashes that keep it from coming back.

    Attributes:
        receipt: Without hashes: the store adds them, made under the space's key. One with its id
            is replaced, but for its hashes.
        content_hashes: Of the texts that were forgotten.
    """

    receipt: Receipt
    content_hashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Add to the counters of a memory: moves neither its version nor the sequence number."""

    id: MemoryId
    uses: int = 0
    support: int = 0
    successes: int = 0
    failures: int = 0
    used_at_us: int | None = None
    succeeded_at_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expose:
    """Note that a memory was given to a model: it counts as a use, and is kept for 90 days.

    It comes late, with others; a memory that is gone by then is passed over.

    Attributes:
        session: The conversation that it was given to, "" where none is known.
    """

    id: MemoryId
    at_us: int
    session: str = ""


@dataclass(frozen=True, slots=True)
class Settle:
    """Say that what a memory awaited is done; no version moves.

    Attributes:
        is_first: It must still await it: where somebody else was first, nothing of it happens.
    """

    id: MemoryId
    awaited: Awaits
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Erase:
    """Remove a memory, or an event, and every row that was made from it."""

    id: MemoryId | EventId


@dataclass(frozen=True, slots=True)
class PutEvent:
    """Add an event to its session's log; `unless` as in `Put`, over events."""

    event: Event
    unless_retry_within_us: int | None = None


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Add a job, unless one with its dedupe key waits or runs."""

    job: Job


def due_now(
    task: str,
    new_uuid: NewUuid,
    now_us: int,
    *,
    priority: Priority,
    about: Mapping[str, str] | None = None,
) -> Enqueue:
    """Return what adds a job that is due now, unless an equal one waits or runs already."""
    about = about or {}
    return Enqueue(
        Job(
            id=JobId("job_" + new_uuid()),
            task=task,
            payload=tuple(sorted(about.items())),
            priority=priority,
            dedupe_key="/".join((task, *about.values())),
            run_at_us=now_us,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishJob:
    """End an attempt: the job is done, waits for another try, or is dead.

    `attempt` must be the one that the worker leased, so that a worker whose lease ran out and was
    given to another cannot end that one's work.
    """

    id: JobId
    attempt: int
    error: str = ""
    retry_at_us: int | None = None


@dataclass(frozen=True, slots=True)
class PutSession:
    """Keep the record of a session, in the place of the one of its name; see `Session`."""

    session: Session


@dataclass(frozen=True, slots=True, kw_only=True)
class InSession:
    """Break the batch off unless a session goes on in a mode; it is when it had its last turn.

    For what is said in it: whoever ends the session meanwhile must not overlook it. Moves nothing
    that anybody reads.
    """

    name: str
    mode: SessionMode
    at_us: int


@dataclass(frozen=True, slots=True)
class DropSession:
    """Drop the record of a session, and its name wherever something was given in it.

    Of a temporary one a keyed hash of the name stays, by which a late turn is told; see
    `Sessions.sessions_over`. One without a record is passed over.
    """

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSession:
    """Say that a session ended: what was kept of it until then is no longer its working memory.

    Under a keyed hash of its name; see `EventLog.latest`. No reader of memories need know of it.
    """

    name: str
    at_us: int


@dataclass(frozen=True, slots=True)
class PutFeedback:
    """Keep how it went with a memory; of more than `FEEDBACK_KEPT` rows the oldest go."""

    feedback: Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFeedback:
    """Drop feedback whose query may tell of what is forgotten, or that is of a session.

    Attributes:
        said: Texts that are forgotten; see `pinyon.text.quoting.quotes`.
        session: A conversation, "" for none.
    """

    said: tuple[str, ...] = ()
    session: str = ""


MemoryChange = Put | Patch | Link | Mask | Index | Absent
TallyChange = Count | Expose | Settle | Await
VectorChange = PutVectors | PutTurnVectors | ServeVectors
LogChange = Erase | PutReceipt | PutEvent | Enqueue | FinishJob
SessionChange = PutSession | InSession | DropSession | EndSession
FeedbackChange = PutFeedback | DropFeedback
Change = MemoryChange | TallyChange | VectorChange | LogChange | SessionChange | FeedbackChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of a batch of changes.

    Attributes:
        seq: The space's sequence number after it.
        equals: Id that was to be put → id of the memory (or event) that is already there.
        replayed: The batch was applied before, under the same key; nothing was done now.
        ids: For each `Put` and `PutEvent`, in order, the id that holds it now: its own, or that
            of the equal one. When replayed, those of the first time.
        created: For each of them, whether it was new.
    """

    seq: int
    equals: Mapping[str, str] = field(default_factory=dict)
    replayed: bool = False
    ids: tuple[str, ...] = ()
    created: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Once:
    """A caller's idempotency key, and a fingerprint of the request that it belongs to."""

    key: str
    request: str
