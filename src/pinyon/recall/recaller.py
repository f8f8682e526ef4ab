"""The one door: a question goes in, an answer with its trace comes out."""

from collections.abc import Collection, Sequence

from pinyon.domain.answers import Recall, WhyNot
from pinyon.domain.memory import Memory
from pinyon.errors import InvalidValue
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

STAGES_TO_SPARE = ("encode", "keyword", "turns", "rerank", "weigh", "outdate", "beside")
"""Stages without which a recall still answers: what each of them is worth can be measured."""


class Recaller:
    """Holds the stages, in the order in which a question passes them."""

    def __init__(
        self,
        records: Records,
        search: Search,
        models: Models = NO_MODELS,
        weights: Weights | None = None,
        without: Collection[str] = (),
    ) -> None:
        """Take the stages, but for those that are to be left out.

        Raises:
            InvalidValue: One of those is none that can be spared.
        """
        for name in without:
            if name not in STAGES_TO_SPARE:
                raise InvalidValue("without", name, "one of " + ", ".join(STAGES_TO_SPARE))
        embedder = models.embedder
        stages: Sequence[Stage] = (
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
        self._stages = tuple(stage for stage in stages if stage.name not in without)

    async def recall(self, question: Question) -> Recall:
        """Return what answers a question."""
        _, answer = await fold(self._stages, Recalling(question=question))
        return answer

    async def why_not(self, question: Question, memory: Memory) -> WhyNot:
        """Return what becomes of a memory in a recall: the same stages, with it pinned in."""
        pinned = (memory.space, memory.id)
        recalling, _ = await fold(self._stages, Recalling(question=question, pinned=pinned))
        return why_not(recalling, memory)
