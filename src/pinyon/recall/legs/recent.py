"""The recent leg: what was kept last, for a question that asks for nothing in particular."""

from dataclasses import replace

from pinyon.domain.filter import Eq, Not
from pinyon.ports.records import Records
from pinyon.ports.search import Candidate
from pinyon.recall.planning import RECENT_MAX, whole
from pinyon.recall.recalling import Recalling
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
        where = whole((*question.where.values(), Not(Eq("kind", "catalog"))))
        pages = await side_by_side(
            [
                self._records.scan(space, where, limit=RECENT_MAX, known_at_us=question.known_at_us)
                for space in question.spaces
            ]
        )
        found = {
            ("recent", space): tuple(
                Candidate(id=memory.id, score=1 / place, passage=0)
                for place, memory in enumerate(page.memories, start=1)
            )
            for space, page in zip(question.spaces, pages, strict=True)
            if page.memories
        }
        held = {
            space: len(page.memories) for space, page in zip(question.spaces, pages, strict=True)
        }
        return replace(
            recalling,
            found={**recalling.found, **found},
            passages={**held, **recalling.passages},
            note="no word to look for; the newest come first",
        )
