"""Giving memories their vectors on the way in; a slow or failing model keeps nobody waiting."""

from collections.abc import Sequence

import anyio

from pinyon.domain.change import PutVectors
from pinyon.domain.memory import Memory
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedder

EMBED_WITHIN_S = 2.0
EMBED_MANY_WITHIN_S = 120.0
MANY = 8


async def vectors_of(
    embedder: Embedder | None, memories: Sequence[Memory]
) -> tuple[list[PutVectors], tuple[str, ...]]:
    """Return the vectors of memories, and what is degraded about that.

    A memory in a script that the model does not know gets none, and that is no fault. Without a
    model there are none either, and nothing is degraded: that is how the home was set up.
    """
    if embedder is None:
        return [], ()
    known = [memory for memory in memories if embedder.knows(memory.text)]
    texts = [text for memory in known for text in _texts(memory)]
    try:
        with anyio.fail_after(EMBED_WITHIN_S if len(texts) <= MANY else EMBED_MANY_WITHIN_S):
            embedded = iter(await embedder.embed(texts))
    except (ModelUnavailable, TimeoutError):
        return [], ("vectors",)
    changes: list[PutVectors] = []
    for memory in known:
        pairs = {passage.position: next(embedded) for passage in memory.passages}
        changes.append(
            PutVectors(
                memory.id,
                embedder.fingerprint,
                {at: one.dense for at, one in pairs.items()},
                embedder.dim,
                {at: one.tokens for at, one in pairs.items()},
                embedder.token_dim,
            )
        )
    return changes, ()


def _texts(memory: Memory) -> list[str]:
    """Return what is encoded of each passage: who spoke, the title, the words, a trigger."""
    head = f"{memory.source.speaker}: " if memory.source.speaker else ""
    title = f"{memory.title}. " if memory.title else ""
    trigger = memory.procedure.trigger if memory.procedure else ""
    lead = f"{head}{title}{trigger + ': ' if trigger else ''}"
    return [lead + memory.text[passage.start : passage.end] for passage in memory.passages]
