"""The vector leg: the question's vectors, and what lies near them."""

from dataclasses import replace

import anyio

from pinyon.domain.filter import Eq
from pinyon.errors import ModelUnavailable
from pinyon.ports.embedder import Embedder
from pinyon.ports.search import Search
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
        try:
            with anyio.fail_after(EMBED_WITHIN_S):
                vectors = await self._embedder.embed_question(recalling.question.text)
        except (ModelUnavailable, TimeoutError) as error:
            why = "the model is slow" if isinstance(error, TimeoutError) else "the model failed"
            return replace(recalling, degraded=(*recalling.degraded, "vectors"), note=why)
        return replace(recalling, vectors=vectors)


class VectorLeg:
    """Finds the memories whose dense vectors lie nearest to the question's."""

    name = "vector"

    def __init__(self, search: Search, embedder: Embedder | None) -> None:
        self._search, self._embedder = search, embedder

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the question has vectors."""
        return recalling.vectors is not None

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask every space, side by side."""
        question, plan, vectors = recalling.question, recalling.planned, recalling.vectors
        assert vectors is not None  # noqa: S101 - wanted only with them
        assert self._embedder is not None  # noqa: S101
        model = self._embedder.fingerprint
        where = question.conditions()
        answers = await side_by_side(
            [
                self._search.dense(
                    space,
                    vectors.dense,
                    model,
                    where,
                    limit=plan.per_leg,
                    known_at_us=question.known_at_us,
                )
                for space in question.spaces
            ]
        )
        found = dict(zip(question.spaces, answers, strict=True))
        came = recalling.pinned_came
        if recalling.pinned is not None:
            space, memory_id = recalling.pinned
            if all(candidate.id != memory_id for candidate in found[space]):
                only = Eq("id", memory_id)
                found[space] += await self._search.dense(space, vectors.dense, model, only, limit=1)
            else:
                came = True
        legs = {("vector", space): tuple(brought) for space, brought in found.items() if brought}
        return replace(recalling, found={**recalling.found, **legs}, pinned_came=came)
