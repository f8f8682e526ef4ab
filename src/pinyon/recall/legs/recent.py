"""The recent leg: what was kept last, for a question that asks for nothing in particular."""

from dataclasses import replace

from pinyon.domain.filter import Eq, Filter, Not, all_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.ports.records import Records
from pinyon.ports.search import Candidate
from pinyon.recall.planning import RECENT_MAX
from pinyon.recall.recalling import Question, Recalling
from pinyon.recall.side_by_side import side_by_side


class RecentLeg:
    """Finds the newest memories of every space but its catalog."""

    name = "recent"

    def __init__(self, records: Records) -> None:
        self._records = records

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the plan asks this leg."""
        return "recent" in recalling.planned.legs

    async def run(self, recalling: Recalling) -> Recalling:
        """Ask every space, side by side."""
        question = recalling.question
        newest = await self._newest(question, question.conditions(), RECENT_MAX)
        if not any(newest.values()) and question.is_filtered:
            recalling = recalling.keep_out(await self._newest(question, question.unfiltered(), 1))
        found = {
            ("recent", space): tuple(
                Candidate(id=memory_id, score=1 / place, passage=0)
                for place, memory_id in enumerate(ids, start=1)
            )
            for space, ids in newest.items()
            if ids
        }
        return replace(
            recalling,
            found={**recalling.found, **found},
            passages={**{space: len(ids) for space, ids in newest.items()}, **recalling.passages},
            pinned_came=any(
                (space, one) == recalling.pinned for space, ids in newest.items() for one in ids
            ),
            note="no word to look for; the newest come first",
        )

    async def _newest(
        self, question: Question, where: Filter, limit: int
    ) -> dict[Space, list[MemoryId]]:
        wanted = all_of(where, Not(Eq("kind", "catalog")))
        pages = await side_by_side(
            [
                self._records.scan(space, wanted, limit=limit, known_at_us=question.known_at_us)
                for space in question.spaces
            ]
        )
        return {
            space: [memory.id for memory in page.memories]
            for space, page in zip(question.spaces, pages, strict=True)
        }
