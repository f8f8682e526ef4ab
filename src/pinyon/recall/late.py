"""Scoring the union of the legs by late interaction: meaning, token by token."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.embedder import Embedder
from pinyon.ports.records import Records
from pinyon.ports.search import Search
from pinyon.ranking.maxsim import best_matches, with_context
from pinyon.ranking.relevance import matched_share
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.text.tokens import is_literal

WORDS_WEIGHT = 0.25
"""What matched words count beside meaning.

Source: five long chats, recall@10: 81.6 at 0, 82.4 at 0.15 and at 0.3, 81.0 at 0.45.
"""


class LateInteraction:
    """Orders the candidates of all spaces by relevance; those without vectors by matched share."""

    name = "late"

    def __init__(self, records: Records, search: Search, embedder: Embedder | None) -> None:
        self._records, self._search, self._embedder = records, search, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the question has vectors and any leg brought anything."""
        return recalling.vectors is not None and bool(recalling.found)

    async def run(self, recalling: Recalling) -> Recalling:
        """Score every candidate by its best passage, and sort."""
        scored: list[Scored] = []
        passages: dict[Key, int] = {}
        for space in recalling.question.spaces:
            ids = self._candidates(recalling, space)
            memories = await self._records.get(
                space, ids, known_at_us=recalling.question.known_at_us
            )
            similar = await self._similar(recalling, space, memories)
            shares = self._shares(recalling, space)
            for memory in memories:
                key = (space, memory.id)
                cosine, passages[key] = similar.get(memory.id, (0.0, 0))
                share, literal = shares.get(memory.id, (0.0, 0.0))
                relevance = share
                if memory.id in similar:
                    meant = self._relevance(cosine)
                    relevance = (1 - WORDS_WEIGHT) * meant + WORDS_WEIGHT * share
                relevance = max(relevance, literal)
                scored.append(Scored(key=key, relevance=relevance, score=relevance))
        # The spaces come in the order own first, and sorting keeps it where two are equal.
        scored.sort(key=lambda one: -one.score)
        far = {one.key: "it is far from what is asked" for one in scored if one.relevance <= 0}
        return replace(recalling.rank(scored), passage_of=passages).drop(self.name, far)

    @staticmethod
    def _candidates(recalling: Recalling, space: Space) -> list[MemoryId]:
        return list(
            dict.fromkeys(
                candidate.id
                for (_, of), brought in recalling.found.items()
                if of == space
                for candidate in brought
            )
        )

    async def _similar(
        self, recalling: Recalling, space: Space, memories: Sequence[Memory]
    ) -> Mapping[MemoryId, tuple[float, int]]:
        """Return for each memory with vectors its score and the passage that has it."""
        vectors = recalling.vectors
        assert vectors is not None  # noqa: S101 - wanted only with them
        assert self._embedder is not None  # noqa: S101
        wanted = [(memory.id, p.position) for memory in memories for p in memory.passages]
        before = {
            memory.id: MemoryId(memory.links.previous)
            for memory in memories
            if memory.links.previous is not None and memory.links.previous.startswith("mem_")
        }
        asked = [*wanted, *((previous, 0) for previous in before.values())]
        held = await self._search.token_vectors(space, self._embedder.fingerprint, asked)
        if not held:
            return {}
        question = np.frombuffer(vectors.tokens, np.float32).reshape(-1, self._embedder.token_dim)
        places = {passage: place for place, passage in enumerate(held)}
        matches = best_matches(question, list(held.values()))
        nothing = np.full((1, len(question)), -1, np.float32)
        matches = np.concatenate([matches, nothing])
        scored = [passage for passage in wanted if passage in places]
        own = [places[passage] for passage in scored]
        previous = [places.get((before.get(m, m), 0), -1) if m in before else -1 for m, _ in scored]
        best: dict[MemoryId, tuple[float, int]] = {}
        scores = with_context(matches[own], matches[previous])
        for (memory_id, position), score in zip(scored, scores.tolist(), strict=True):
            if memory_id not in best or score > best[memory_id][0]:
                best[memory_id] = (score, position)
        return best

    @staticmethod
    def _shares(recalling: Recalling, space: Space) -> Mapping[MemoryId, tuple[float, float]]:
        """Return by candidate the share of the question that its words match, and the literal part.

        What is meant to the letter, a version or an error code, never loses to a vague neighbour.
        """
        weights = recalling.weights
        return {
            candidate.id: (
                matched_share(weights, candidate.matched, candidate.context_matched),
                matched_share(weights, [word for word in candidate.matched if is_literal(word)]),
            )
            for candidate in recalling.found.get(("keyword", space), ())
        }

    def _relevance(self, cosine: float) -> float:
        assert self._embedder is not None  # noqa: S101 - wanted only with it
        return self._embedder.calibration.relevance(cosine)
