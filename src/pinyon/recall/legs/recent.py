"""The recent leg: what was kept last, for a question that asks for nothing in particular."""

from collections.abc import Mapping
from dataclasses import replace

from pinyon.domain.filter import Cmp, Eq, Filter, Not, all_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.ports.records import Records
from pinyon.ports.search import Candidate
from pinyon.ranking.weights import LATELY_US
from pinyon.recall.legs.dated import of_windows
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
        newest = await self._by_steps(recalling)
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
            passages={**await self._held(question, newest), **recalling.passages},
            pinned_came=any(
                (space, one) == recalling.pinned for space, ids in newest.items() for one in ids
            ),
            note="no word to look for; the newest come first",
        )

    async def _held(
        self, question: Question, newest: Mapping[Space, list[MemoryId]]
    ) -> dict[Space, int]:
        """Return whether the spaces hold anything, where nothing of a named time was found."""
        if not any(newest.values()):
            newest = await self._newest(question, question.conditions(), 1)
        return {space: len(ids) for space, ids in newest.items()}

    async def _by_steps(self, recalling: Recalling) -> dict[Space, list[MemoryId]]:
        """Return the newest of the time that is named, if any.

        Who asks what was said means this session; else the last half hour; else whatever there is.
        """
        question, plan = recalling.question, recalling.planned
        where = question.conditions()
        if plan.windows:
            where = all_of(where, of_windows(plan.windows))
        if plan.approach.by_turns:
            steps = [Cmp("occurred_at", "gte", question.now_us - LATELY_US)]
            session = question.context.session
            narrower: list[Filter] = [Eq("session", session)] if session else []
            for step in (*narrower, *steps):
                newest = await self._newest(question, all_of(where, step), RECENT_MAX)
                if any(newest.values()):
                    return newest
        return await self._newest(question, where, RECENT_MAX)

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
