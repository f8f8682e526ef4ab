"""The one door: a question goes in, an answer with its trace comes out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pinyon.domain.answers import Recall, WhyNot
from pinyon.domain.memory import Memory
from pinyon.domain.synonyms import Synonyms
from pinyon.errors import InvalidValue
from pinyon.ports.changes import Changes
from pinyon.ports.event_log import EventLog
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.records import Records
from pinyon.ports.search import Search
from pinyon.ports.sessions import Sessions
from pinyon.ranking.weights import FACTORS, Weights
from pinyon.recall.bus import Stage, fold
from pinyon.recall.caching import AnswerCache
from pinyon.recall.checking import Checking
from pinyon.recall.events import Events
from pinyon.recall.expanding import Expanding
from pinyon.recall.explaining import why_not
from pinyon.recall.judging import JudgementCache, Judging
from pinyon.recall.legs.dated import DatedLeg
from pinyon.recall.legs.keyword import KeywordLeg, WordStats
from pinyon.recall.legs.recent import RecentLeg
from pinyon.recall.legs.turns import TurnsLeg
from pinyon.recall.legs.vector import Encoding, VectorLeg
from pinyon.recall.meaning import MeaningScoring
from pinyon.recall.needing import Needing
from pinyon.recall.neighbours import Neighbours
from pinyon.recall.outdating import Outdating
from pinyon.recall.planning import Planning
from pinyon.recall.recalling import Question, Recalling
from pinyon.recall.reranking import RerankCache, Reranking
from pinyon.recall.scoring import WordScoring
from pinyon.recall.selecting import Selecting
from pinyon.recall.weighing import Weighing

STAGES_TO_SPARE = (
    "encode",
    "keyword",
    "turns",
    "dated",
    "expand",
    "rerank",
    "judge",
    "weigh",
    "outdate",
    "beside",
)
"""Stages without which a recall still answers: what each of them is worth can be measured."""

WORDS_TO_SPARE = ("spelling", "parts")
"""Parts of a stage that can be left out likewise."""

TO_SPARE = (*STAGES_TO_SPARE, *WORDS_TO_SPARE)


def left_out(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what of what is to be left out are parts of the bus, and what factors of weighing.

    Raises:
        InvalidValue: One is neither.
    """
    names = tuple(names)
    for name in names:
        if name not in (*TO_SPARE, *FACTORS):
            raise InvalidValue("without", name, "one of " + ", ".join((*TO_SPARE, *FACTORS)))
    return (
        tuple(name for name in names if name in TO_SPARE),
        tuple(name for name in names if name in FACTORS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How recall is set: what weighs how, what is called the same, and what is left out."""

    weights: Weights = field(default_factory=Weights)
    synonyms: Synonyms = field(default_factory=Synonyms)
    without: tuple[str, ...] = ()


USUALLY = Tuning()


class Recaller:
    """Holds the stages, in the order in which a question passes them."""

    def __init__(
        self,
        records: Records,
        search: Search,
        sessions: Sessions,
        models: Models = NO_MODELS,
        tuning: Tuning = USUALLY,
        *,
        changes: Changes | None = None,
        log: EventLog | None = None,
    ) -> None:
        """Take the stages, but for those that are to be left out.

        Args:
            records: What is remembered.
            search: Finds candidates.
            sessions: Tells which conversations are temporary, and answer nobody but themselves.
            models: Which of them there are.
            tuning: What weighs how, what is called the same, what is left out.
            changes: Tells when an answer no longer stands; without it none is kept.
            log: What happened; without it no event comes along.

        Raises:
            InvalidValue: One of those is none that can be spared.
        """
        for name in tuning.without:
            if name not in TO_SPARE:
                raise InvalidValue("without", name, "one of " + ", ".join(TO_SPARE))
        embedder = models.embedder
        stages: Sequence[Stage] = (
            Needing(),
            Planning(sessions, embedder),
            Encoding(embedder),
            WordStats(search, tuning.synonyms, respells="spelling" not in tuning.without),
            KeywordLeg(search),
            VectorLeg(search, embedder),
            TurnsLeg(search),
            DatedLeg(search, embedder),
            RecentLeg(records),
            MeaningScoring(search, embedder),
            WordScoring(),
            Expanding(records, search),
            Checking(records, tuning.weights),
            Reranking(records, models.reranker, RerankCache()),
            Judging(models.judge, JudgementCache()),
            Weighing(),
            Outdating(records),
            Selecting(takes_turns="parts" not in tuning.without),
            Neighbours(records),
            *(() if log is None else (Events(log),)),
        )
        self._stages = tuple(stage for stage in stages if stage.name not in tuning.without)
        self._cache = None if changes is None else AnswerCache(changes)

    async def recall(self, question: Question) -> Recall:
        """Return what answers a question; the same one, while nothing changes, at once."""
        if self._cache is None:
            return await self._found(question)
        return await self._cache.answer(question, self._found)

    def let_go(self) -> None:
        """Let go of the answers that are kept: something was forgotten, and they may hold it."""
        if self._cache is not None:
            self._cache.clear()

    async def _found(self, question: Question) -> Recall:
        _, answer = await fold(self._stages, Recalling(question=question))
        return answer

    async def why_not(self, question: Question, memory: Memory) -> WhyNot:
        """Return what becomes of a memory in a recall: the same stages, with it pinned in."""
        pinned = (memory.space, memory.id)
        recalling, _ = await fold(self._stages, Recalling(question=question, pinned=pinned))
        return why_not(recalling, memory)
