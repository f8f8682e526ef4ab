"""From what the legs brought to one ranked list with a relevance from 0 to 1, by words."""

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
        shares: dict[Key, float] = {}
        parts: dict[Key, int] = {}
        for (leg, space), brought in recalling.found.items():
            for candidate in brought:
                key = (space, candidate.id)
                shares[key] = max(shares.get(key, 0.0), self._share(asked, leg, candidate))
                if recalling.planned.asking:
                    parts[key] = asked.part(candidate)
        recalling = replace(recalling, part_of=parts)
        lists = []
        for space in recalling.question.spaces:
            fused = self._fused(recalling, space)
            heights = levels([shares[space, memory_id] for memory_id in fused])
            lists.append([((space, m), h) for m, h in zip(fused, heights, strict=True)])
        plan = recalling.planned
        words = plan.readings[0].words if plan.readings else ()
        return recalling.rank(
            [
                Scored(
                    key=key,
                    relevance=shares[key],
                    certainty=shares[key],
                    score=level * PLACE_WORTH**place,
                    scores={"words": shares[key]},
                )
                for place, (key, level) in enumerate(merge_by_level(lists))
            ],
            floor=keyword_floor(len(words)) if words or plan.terms.phrases else 0.0,
        )

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
