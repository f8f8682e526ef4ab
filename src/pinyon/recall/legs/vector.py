"""The vector leg: the question's vectors, and what lies near them."""

from dataclasses import replace

import anyio

from pinyon.domain.filter import Eq, Filter
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.errors import ModelUnavailable, OtherModel
from pinyon.ports.embedder import Embedder
from pinyon.ports.search import Candidate, Search
from pinyon.recall.recalling import Recalling
from pinyon.recall.side_by_side import side_by_side

EMBED_WITHIN_S = 2.0


class Encoding:
    """Encodes the question; a model that is slow or fails leaves the recall to its words."""

    name = "encode"

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the plan asks for meaning."""
        return "vector" in recalling.planned.legs

    async def run(self, recalling: Recalling) -> Recalling:
        """Return the recall with the question's vectors, or with what could not be asked."""
        assert self._embedder is not None  # noqa: S101 - the plan asks for it only where it is
        texts = [reading.text for reading in recalling.planned.readings]
        try:
            with anyio.fail_after(EMBED_WITHIN_S):
                vectors = await side_by_side([self._embedder.embed_question(t) for t in texts])
        except ModelUnavailable as error:
            return recalling.without("vectors", str(error))
        except TimeoutError:
            return recalling.without("vectors", "the model did not answer in time")
        return replace(recalling, vectors=tuple(vectors))


class VectorLeg:
    """Finds the memories whose dense vectors lie nearest to the question's."""

    name = "vector"

    def __init__(self, search: Search, embedder: Embedder | None) -> None:
        self._search, self._embedder = search, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the question has vectors."""
        return bool(recalling.vectors)

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask every space, side by side; one with another model's vectors goes by its words."""
        spaces = recalling.question.spaces
        answers = await side_by_side([self._asked(recalling, space) for space in spaces])
        found: dict[Space, list[Candidate]] = {}
        for space, answer in zip(spaces, answers, strict=True):
            if isinstance(answer, OtherModel):
                recalling = recalling.without("vectors", str(answer))
            else:
                found[space] = answer
        keys = {(space, one.id) for space, brought in found.items() for one in brought}
        came = recalling.pinned_came or recalling.pinned in keys
        if recalling.pinned is not None and not came and recalling.pinned[0] in found:
            space, memory_id = recalling.pinned
            found[space] += await self._dense(recalling, space, Eq("id", memory_id), limit=1)
        legs = {("vector", space): tuple(brought) for space, brought in found.items() if brought}
        return replace(
            recalling,
            found={**recalling.found, **legs},
            served=frozenset(space for _, space in legs),
            pinned_came=came,
        )

    async def _asked(self, recalling: Recalling, space: Space) -> list[Candidate] | OtherModel:
        where, limit = recalling.question.conditions(), recalling.planned.per_leg
        try:
            return await self._dense(recalling, space, where, limit=limit)
        except OtherModel as error:
            return error

    async def _dense(
        self, recalling: Recalling, space: Space, where: Filter, *, limit: int
    ) -> list[Candidate]:
        assert self._embedder is not None  # noqa: S101 - wanted only with vectors
        model, known_at_us = self._embedder.fingerprint, recalling.question.known_at_us
        answers = await side_by_side(
            [
                self._search.dense(
                    space, vectors.dense, model, where, limit=limit, known_at_us=known_at_us
                )
                for vectors in recalling.vectors
            ]
        )
        best: dict[MemoryId, Candidate] = {}
        for candidate in (one for answer in answers for one in answer):
            if candidate.id not in best or candidate.score > best[candidate.id].score:
                best[candidate.id] = candidate
        return sorted(best.values(), key=lambda one: -one.score)
