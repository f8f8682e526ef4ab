"""From what the legs brought to one ranked list with a relevance from 0 to 1, by words."""

from collections.abc import Mapping
from dataclasses import replace

from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.ports.search import Candidate
from pinyon.ranking.fusion import fuse_reciprocal_rank, levels, merge_by_level
from pinyon.recall.planning import keyword_floor
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.recall.shares import Shares

RECENT_RELEVANCE = 0.5
"""What the newest memories count for a question that holds no word to look for."""

PLACE_WORTH = 0.99
"""What a place in the order of words is worth: a weight must be clearer than that to change it."""


class WordScoring:
    """Orders each space's candidates by fused rank; spaces meet by matched share."""

    name = "score"

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether any leg brought anything, and no vectors say how near it is."""
        return bool(recalling.found) and not recalling.served

    async def run(self, recalling: Recalling) -> Recalling:
        """Fuse and merge."""
        asked = Shares(recalling)
        lists = []
        for space in recalling.question.spaces:
            shares = self._shares(recalling, asked, space)
            fused = self._fused(recalling, space)
            heights = levels([shares[memory_id] for memory_id in fused])
            found = [((space, memory_id), shares[memory_id]) for memory_id in fused]
            lists.append(list(zip(found, heights, strict=True)))
        plan = recalling.planned
        words = plan.readings[0].words if plan.readings else ()
        return replace(recalling, part_of=_parts(recalling, asked)).rank(
            [
                Scored(
                    key=key,
                    relevance=share,
                    certainty=share,
                    score=level * PLACE_WORTH**place,
                    scores={"words": share},
                )
                for place, ((key, share), level) in enumerate(merge_by_level(lists))
            ],
            floor=keyword_floor(len(words)) if words or plan.terms.phrases else 0.0,
        )

    def _shares(
        self, recalling: Recalling, asked: Shares, space: Space
    ) -> Mapping[MemoryId, float]:
        """Return the share of the question that each candidate of a space holds."""
        shares: dict[MemoryId, float] = {}
        for (leg, of), brought in recalling.found.items():
            if of == space:
                for one in brought:
                    share = self._share(asked, leg, one)
                    shares[one.id] = max(shares.get(one.id, 0.0), share)
        return shares

    @staticmethod
    def _share(asked: Shares, leg: str, candidate: Candidate) -> float:
        if leg == "recent":
            return RECENT_RELEVANCE
        return asked.of(candidate)

    @staticmethod
    def _fused(recalling: Recalling, space: Space) -> list[MemoryId]:
        legs = [
            [candidate.id for candidate in brought]
            for (_, of), brought in recalling.found.items()
            if of == space
        ]
        return list(fuse_reciprocal_rank(legs))


def _parts(recalling: Recalling, asked: Shares) -> dict[Key, int]:
    """Return which of several things that are asked for each candidate answers best."""
    if not recalling.planned.asking:
        return {}
    return {
        (space, one.id): asked.part(one)
        for (_, space), brought in recalling.found.items()
        for one in brought
    }
