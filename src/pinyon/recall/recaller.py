"""The one door: a question goes in, an answer with its trace comes out."""

from collections.abc import Sequence

from pinyon.domain.answers import Recall, WhyNot
from pinyon.domain.memory import Memory
from pinyon.ports.embedder import Embedder
from pinyon.ports.records import Records
from pinyon.ports.search import Search
from pinyon.recall.bus import Stage, fold
from pinyon.recall.checking import Checking
from pinyon.recall.explaining import why_not
from pinyon.recall.late import LateInteraction
from pinyon.recall.legs.keyword import KeywordLeg, WordStats
from pinyon.recall.legs.recent import RecentLeg
from pinyon.recall.legs.vector import Encoding, VectorLeg
from pinyon.recall.planning import Planning
from pinyon.recall.recalling import Question, Recalling
from pinyon.recall.scoring import Scoring
from pinyon.recall.selecting import Selecting


class Recaller:
    """Holds the stages, in the order in which a question passes them."""

    def __init__(self, records: Records, search: Search, embedder: Embedder | None = None) -> None:
        self._stages: Sequence[Stage] = (
            Planning(embedder),
            Encoding(embedder),
            WordStats(search),
            KeywordLeg(search),
            VectorLeg(search, embedder),
            RecentLeg(records),
            LateInteraction(records, search, embedder),
            Scoring(),
            Checking(records),
            Selecting(),
        )

    async def recall(self, question: Question) -> Recall:
        """Return what answers a question."""
        _, answer = await fold(self._stages, Recalling(question=question))
        return answer

    async def why_not(self, question: Question, memory: Memory) -> WhyNot:
        """Return what becomes of a memory in a recall: the same stages, with it pinned in."""
        pinned = (memory.space, memory.id)
        recalling, _ = await fold(self._stages, Recalling(question=question, pinned=pinned))
        return why_not(recalling, memory)
