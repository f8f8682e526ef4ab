"""Quality `best`: a cross-encoder reads the question beside the best candidates."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.errors import ModelUnavailable
from pinyon.ports.records import Records
from pinyon.ports.reranker import Reranker
from pinyon.recall.recalling import Key, Recalling, Scored
from pinyon.recall.side_by_side import side_by_side
from pinyon.text.orders import gives_orders
from pinyon.text.reading import as_read

RERANKED = 40
"""Candidates that are read: about 10 ms of CPU each and reading.

Source: five long chats, nDCG@10 69.7 with 20, 69.8 with 30, 69.9 with 40; evidence in 1,000 tokens
89.4 with 20, 90.3 with 40.
"""

RERANK_WEIGHT = 0.6
BETTER_WEIGHT = 0.8
"""What the model's own relevance counts beside that of the first stage; and of a turn that is read
alone and after the turn before it, the better of the two readings.

Source: three of five long chats, on which they were chosen, and two on which they were not: nDCG@10
68.9 and 68.9 at 0.6 and 0.5, 70.1 and 69.7 at 0.6 and 0.8.
"""

CACHED_MAX = 10_000
TURN_CHARS = 600
"""Of the turn before, so that the text itself keeps its place."""

Pair = tuple[str, MemoryId, int, int]


class RerankCache:
    """Remembers scores within the process: a hash of the question, ids and versions, no text."""

    def __init__(self) -> None:
        self._scores: OrderedDict[Pair, float] = OrderedDict()

    def get(self, pair: Pair) -> float | None:
        """Return a pair's score, if it is known."""
        if pair in self._scores:
            self._scores.move_to_end(pair)
        return self._scores.get(pair)

    def put(self, pair: Pair, score: float) -> None:
        """Keep a pair's score; the one that was asked for longest ago makes room."""
        self._scores[pair] = score
        if len(self._scores) > CACHED_MAX:
            self._scores.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Read:
    """A candidate as it is read: alone, and after the turn before it ("" where there is none)."""

    one: Scored
    pair: Pair
    alone: str
    after_turn: str


class Reranking:
    """Reads the best candidates again, one by one."""

    name = "rerank"

    def __init__(self, records: Records, reranker: Reranker | None, cache: RerankCache) -> None:
        self._records, self._reranker, self._cache = records, reranker, cache

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether it is asked for, and there is anything to read."""
        return recalling.planned.reranks and bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Order the best candidates by what the model says; the others stay behind them."""
        if self._reranker is None:
            return recalling.without("reranker", "there is no cross-encoder: pinyon models install")
        if not self._reranker.knows(recalling.question.text):
            return replace(recalling, note="the model does not know this script")
        first, rest = recalling.ranked[:RERANKED], recalling.ranked[RERANKED:]
        known = [one for one in first if self._reranker.knows(recalling.memories[one.key].text)]
        reads = await self._reads(recalling, known)
        try:
            scores = await self._scores(recalling.question.text, reads)
        except ModelUnavailable as error:
            return recalling.without("reranker", str(error))
        read = {one.one.key: self._reranked(one.one, scores[one.pair]) for one in reads}
        ranked = sorted((read.get(one.key, one) for one in first), key=lambda one: -one.score)
        lowest = ranked[-1].score
        behind = [replace(one, score=min(one.score, lowest)) for one in rest]
        # It orders what was found; whether anything was, the first stage tells better.
        return recalling.rank((*ranked, *behind), floor=recalling.floor)

    def _reranked(self, one: Scored, score: float) -> Scored:
        assert self._reranker is not None  # noqa: S101 - asked only where there is one
        read = self._reranker.calibration.relevance(score)
        relevance = RERANK_WEIGHT * read + (1 - RERANK_WEIGHT) * one.relevance
        # What is meant to the letter speaks here too.
        relevance = max(relevance, one.scores.get("literal", 0.0))
        scores = {**one.scores, "rerank": score}
        return replace(one, relevance=relevance, score=relevance, scores=scores)

    async def _scores(self, question: str, reads: Sequence[_Read]) -> Mapping[Pair, float]:
        assert self._reranker is not None  # noqa: S101
        known = {read.pair: self._cache.get(read.pair) for read in reads}
        new = [read for read in reads if known[read.pair] is None]
        texts = [text for read in new for text in (read.alone, read.after_turn) if text]
        scored = iter(await self._reranker.score(question, texts))
        for read in new:
            score = next(scored)
            if read.after_turn:
                other = next(scored)
                better, worse = max(score, other), min(score, other)
                score = BETTER_WEIGHT * better + (1 - BETTER_WEIGHT) * worse
            self._cache.put(read.pair, score)
            known[read.pair] = score
        return {pair: score for pair, score in known.items() if score is not None}

    async def _reads(self, recalling: Recalling, first: Sequence[Scored]) -> list[_Read]:
        assert self._reranker is not None  # noqa: S101
        turns = await self._turns([recalling.memories[one.key] for one in first])
        asked = f"{self._reranker.fingerprint}\n{recalling.question.text}".encode()
        digest = blake2b(asked, digest_size=16).hexdigest()
        reads = []
        for one in first:
            memory = recalling.memories[one.key]
            at = recalling.passage_of.get(one.key, 0)
            alone, turn = _in_its_text(memory, at), turns.get(one.key, "")
            after = f"{turn[-TURN_CHARS:]}\n{alone}" if turn else ""
            reads.append(_Read(one, (digest, memory.id, memory.version, at), alone, after))
        return reads

    async def _turns(self, memories: Sequence[Memory]) -> Mapping[Key, str]:
        """Return the turn before each memory that has one, as a model reads it."""
        texts = await side_by_side([self._turn_before(memory) for memory in memories])
        return {
            (memory.space, memory.id): text
            for memory, text in zip(memories, texts, strict=True)
            if text and not gives_orders(text)  # whoever said it: it is nobody's context
        }

    async def _turn_before(self, memory: Memory) -> str:
        turn = memory.links.previous
        if turn is None:
            return ""
        if turn.startswith("mem_"):
            held = await self._records.get(memory.space, [MemoryId(turn)])
            if not held or held[0].shelf == "quarantined":
                return ""
            return as_read(held[0], len(held[0].passages) - 1)
        return await self._records.turn_text(memory.space, turn) or ""


def _in_its_text(memory: Memory, position: int) -> str:
    """Return a passage as a model reads it, of a long text behind what that says in short.

    A passage from the middle of a long text does not say what it is about.

    Source: memories of the bundled corpus, 14, 20 and 30 joined into one text; 148 questions, mean
    reciprocal rank of the text that answers, by the model alone: 0.759, 0.761, 0.793, and 0.727,
    0.761, 0.786 without the summary. In whole recalls the difference is within chance.
    """
    passage = as_read(memory, position)
    return passage if memory.summary is None else f"{memory.summary.text}\n{passage}"
