"""Giving memories their vectors on the way in; a slow or failing model keeps nobody waiting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio

from pinyon.domain.change import Change, Enqueue, PutTurnVectors, PutVectors, Settle
from pinyon.domain.ids import EventId, JobId, MemoryId, NewUuid
from pinyon.domain.job import Job
from pinyon.domain.memory import Memory
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedded, Embedder
from pinyon.text.orders import gives_orders
from pinyon.text.reading import as_read

EMBED = "embed"
"""The task of the job that makes up for a model that was away."""

EMBED_WITHIN_S = 2.0
"""How long the write of one memory waits for the model."""

MORE_S_PER_TEXT = 0.25
"""How much longer several wait: somebody who writes many at once expects to."""

TURN_CHARS = 400
TURN_TOKENS = 64
"""Of a message that is no memory so many token vectors are kept, for the memory that follows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectorised:
    """The vectors of some memories.

    Attributes:
        memories: By memory; one whose script the model does not know has none, and awaits none.
        unknown: Those that the model does not know.
        turns: Of the messages before them that are no memories.
        degraded: `vectors` where the model failed or was too slow.
    """

    memories: Mapping[MemoryId, PutVectors]
    unknown: frozenset[MemoryId]
    turns: tuple[PutTurnVectors, ...]
    degraded: tuple[str, ...] = ()

    def settling(self) -> list[Change]:
        """Return the changes that give memories that are kept already what they awaited."""
        settled = (Settle(memory_id, "vectors") for memory_id in (*self.memories, *self.unknown))
        return [*self.memories.values(), *self.turns, *settled]


def owed(new_uuid: NewUuid, now_us: int) -> Enqueue:
    """Return the job that gives memories of a space the vectors that they are kept without."""
    job = Job(id=JobId("job_" + new_uuid()), task=EMBED, dedupe_key=EMBED, run_at_us=now_us)
    return Enqueue(job)


NOTHING = Vectorised(memories={}, unknown=frozenset(), turns=())


async def vectors_of(
    embedder: Embedder | None,
    memories: Sequence[Memory],
    turns: Mapping[EventId, str] | None = None,
) -> Vectorised:
    """Return the vectors of memories, and what is degraded about that.

    Without a model there are none and nothing is degraded: that is how the home was set up.

    Args:
        embedder: The model.
        memories: What is to be found by meaning.
        turns: Messages that are no memories and come before some of them, as they are encoded.
    """
    if embedder is None:
        return NOTHING
    memories = [memory for memory in memories if memory.shelf != "quarantined"]
    known = [memory for memory in memories if embedder.knows(memory.text)]
    unknown = frozenset(memory.id for memory in memories) - {memory.id for memory in known}
    told = {}
    if embedder.token_dim:
        # A turn that gives orders is in no index either.
        told = {
            turn: text
            for turn, text in (turns or {}).items()
            if embedder.knows(text) and not gives_orders(text[:TURN_CHARS])
        }
    is_many = len(memories) != 1
    texts = [as_read(memory, at) for memory in known for at in range(len(memory.passages))]
    texts += [text[:TURN_CHARS] for text in told.values()]
    try:
        with anyio.fail_after(EMBED_WITHIN_S + (MORE_S_PER_TEXT * len(texts) if is_many else 0)):
            embedded = iter(await embedder.embed(texts) if texts else [])
    except (ModelUnavailable, TimeoutError):
        return Vectorised(memories={}, unknown=unknown, turns=(), degraded=("vectors",))
    return Vectorised(
        memories={
            memory.id: _of_memory(embedder, memory, [next(embedded) for _ in memory.passages])
            for memory in known
        },
        unknown=unknown,
        turns=tuple(_of_turn(embedder, turn, next(embedded)) for turn in told),
    )


def _of_memory(embedder: Embedder, memory: Memory, embedded: Sequence[Embedded]) -> PutVectors:
    places = [passage.position for passage in memory.passages]
    tokens = {at: one.tokens for at, one in zip(places, embedded, strict=True) if one.tokens}
    return PutVectors(
        memory.id,
        embedder.fingerprint,
        {at: one.dense for at, one in zip(places, embedded, strict=True)},
        embedder.dim,
        tokens,
        embedder.token_dim,
    )


def _of_turn(embedder: Embedder, turn: EventId, embedded: Embedded) -> PutTurnVectors:
    first = embedded.tokens[: TURN_TOKENS * embedder.token_dim]
    return PutTurnVectors(turn, embedder.fingerprint, first, embedder.dim, embedder.token_dim)
