"""The legs of the reference store: every text and vector is looked at."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from pinyon.domain.filter import EVERYTHING, Filter, test_of
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import OtherModel
from pinyon.ports.search import PASSAGES_AROUND, Candidate, TermStats, TokenVectors
from pinyon.ranking.bm25 import Fields, bm25, inverse_frequency, weighted_frequency
from pinyon.stores.in_memory.space import SpaceState


class InMemorySearch:
    """See `pinyon.ports.search.Search`."""

    def __init__(self, state_of: Callable[[Space], SpaceState]) -> None:
        self._of = state_of

    async def keyword(
        self,
        space: Space,
        terms: Terms,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        index = {
            (memory_id, row.position): Fields(
                row.head.split(), row.body.split(), row.context.split()
            )
            for memory_id, rows in state.rows.items()
            for row in rows
        }
        # Tokens hold no blank, so a term's text names it.
        phrases = {" ".join(phrase): phrase for phrase in terms.phrases}
        asked = {word: (word,) for word in terms.words} | phrases
        if not index or not asked:
            return []
        mean = sum(fields.length for fields in index.values()) / len(index)
        counts = {
            key: {
                name: frequency
                for name, term in asked.items()
                if (frequency := weighted_frequency(term, fields)) > 0
            }
            for key, fields in index.items()
        }
        idf = {
            name: inverse_frequency(sum(name in found for found in counts.values()), len(index))
            * (2 if name in phrases else 1)
            for name in asked
        }
        passes = test_of(where)
        best: dict[MemoryId, Candidate] = {}
        for (memory_id, position), found in counts.items():
            memory = state.known(memory_id, known_at_us)
            whole = phrases.keys() <= found.keys()
            if not found or not whole or memory is None or not passes(memory):
                continue
            fields = index[memory_id, position]
            score = bm25(found, idf, fields.length / mean if mean else 1.0)
            if memory_id not in best or score > best[memory_id].score:
                best[memory_id] = _candidate(memory_id, score, position, terms, fields)
        return _ranked(state, best.values(), limit)

    async def dense(
        self,
        space: Space,
        vector: bytes,
        model: str,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        if state.serving is None:
            return []
        if state.serving != model:
            raise OtherModel(str(space), serving=state.serving, asked=model)
        query = np.frombuffer(vector, dtype=np.float32)
        passes = test_of(where)
        found: list[Candidate] = []
        for (memory_id, of), vectors in state.vectors.items():
            memory = state.known(memory_id, known_at_us)
            if of != model or memory is None or not passes(memory):
                continue
            scored = [
                (float(dense @ query), -position) for position, dense in vectors.dense.items()
            ]
            if scored:
                score, position = max(scored)
                found.append(Candidate(id=memory_id, score=score, passage=-position))
        return _ranked(state, found, limit)

    async def token_vectors(
        self, space: Space, model: str, around: Mapping[MemoryId, int]
    ) -> Mapping[MemoryId, TokenVectors]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        found: dict[MemoryId, TokenVectors] = {}
        for memory_id, near in around.items():
            vectors = state.vectors.get((memory_id, model))
            if vectors is None:
                continue
            passages = {
                at: tokens
                for at, tokens in vectors.tokens.items()
                if abs(at - near) <= PASSAGES_AROUND
            }
            before = state.memories[memory_id].links.previous or ""
            turn = state.vectors.get((MemoryId(before), model))
            tokens = turn.tokens.get(0, b"") if turn else b""
            tokens = tokens or state.turn_vectors.get((EventId(before), model), b"")
            if passages:
                found[memory_id] = TokenVectors(passages=passages, before=tokens)
        return found

    async def followers(
        self,
        space: Space,
        turns: Sequence[MemoryId],
        where: Filter = EVERYTHING,
        *,
        known_at_us: int | None = None,
    ) -> Mapping[MemoryId, MemoryId]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        passes = test_of(where)
        known = (state.known(memory_id, known_at_us) for memory_id in state.memories)
        return {
            memory.id: MemoryId(memory.links.previous)
            for memory in known
            if memory is not None
            and memory.links.previous is not None
            and memory.links.previous in turns
            and passes(memory)
        }

    async def term_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """See `pinyon.ports.search.Search`."""
        passages = [
            {*row.head.split(), *row.body.split(), *row.context.split()}
            for rows in self._of(space).rows.values()
            for row in rows
        ]
        return TermStats(len(passages), {w: sum(w in held for held in passages) for w in words})


def _ranked(state: SpaceState, found: Iterable[Candidate], limit: int) -> list[Candidate]:
    return sorted(found, key=lambda c: (-c.score, -state.places[c.id]))[:limit]


def _candidate(
    memory_id: MemoryId, score: float, position: int, terms: Terms, fields: Fields
) -> Candidate:
    asked = {*terms.words, *(word for phrase in terms.phrases for word in phrase)}
    own = asked & {*fields.head, *fields.body}
    return Candidate(
        id=memory_id,
        score=score,
        passage=position,
        matched=frozenset(own),
        context_matched=frozenset((asked - own) & set(fields.context)),
    )
