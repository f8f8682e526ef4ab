"""The one door: a question goes in, an answer with its trace comes out."""

from collections.abc import Sequence

from pinyon.domain.answers import Recall, WhyNot
from pinyon.domain.memory import Memory
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.records import Records
from pinyon.ports.search import Search
from pinyon.ranking.weights import Weights
from pinyon.recall.bus import Stage, fold
from pinyon.recall.checking import Checking
from pinyon.recall.explaining import why_not
from pinyon.recall.legs.keyword import KeywordLeg, WordStats
from pinyon.recall.legs.recent import RecentLeg
from pinyon.recall.legs.turns import TurnsLeg
from pinyon.recall.legs.vector import Encoding, VectorLeg
from pinyon.recall.meaning import MeaningScoring
from pinyon.recall.neighbours import Neighbours
from pinyon.recall.outdating import Outdating
from pinyon.recall.planning import Planning
from pinyon.recall.recalling import Question, Recalling
from pinyon.recall.reranking import RerankCache, Reranking
from pinyon.recall.scoring import WordScoring
from pinyon.recall.selecting import Selecting
from pinyon.recall.weighing import Weighing


class Recaller:
    """Holds the stages, in the order in which a question passes them."""

    def __init__(
        self,
        records: Records,
        search: Search,
        models: Models = NO_MODELS,
        weights: Weights | None = None,
    ) -> None:
        embedder = models.embedder
        self._stages: Sequence[Stage] = (
            Planning(embedder),
            Encoding(embedder),
            WordStats(search),
            KeywordLeg(search),
            VectorLeg(search, embedder),
            TurnsLeg(search),
            RecentLeg(records),
            MeaningScoring(search, embedder),
            WordScoring(),
            Checking(records),
            Reranking(records, models.reranker, RerankCache()),
            Weighing(weights or Weights()),
            Outdating(records),
            Selecting(),
            Neighbours(records),
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
