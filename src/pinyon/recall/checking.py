"""Fetching the records of the best candidates, and holding each against what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from pinyon.domain.filter import matches
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.records import Records
from pinyon.ranking.weights import Weights, factors_of
from pinyon.recall.moment import moment_of
from pinyon.recall.recalling import FILTERED, Key, Question, Recalling
from pinyon.recall.reranking import RERANKED
from pinyon.recall.side_by_side import side_by_side

FIRST_READ = 30
SPARE = 3
"""Candidates fetched for each hit that is wanted: equal texts collapse, and some may be gone."""

READ_ON = 40
"""Fetched at a time behind them, as long as one of these could be weighed up to a hit.

Source: ten long work chats, where most of the first thirty are replies that weigh less: recall@10
of ten hits 52.5 without reading on, 56.4 with it.
"""


class Checking:
    """Reads records; a memory of another space ends the recall, whatever brought it."""

    name = "check"

    def __init__(self, records: Records, weights: Weights) -> None:
        self._records, self._weights = records, weights

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there is anything to fetch."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Fetch what may still become a hit, on and on as long as weights could bring it there."""
        keys = [scored.key for scored in recalling.ranked]
        until = max(FIRST_READ, recalling.question.k * SPARE)
        if recalling.planned.reranks:
            until = max(until, RERANKED)
        memories = await self._fetched(recalling, keys[:until])
        kept_out = _kept_out(recalling, memories)
        while until < len(keys) and self._may_come(recalling, memories, kept_out, until):
            fetched = await self._fetched(recalling, keys[until : until + READ_ON])
            memories |= fetched
            kept_out |= _kept_out(recalling, fetched)
            until += READ_ON
        if recalling.pinned in keys[until:]:
            fetched = await self._fetched(recalling, [recalling.pinned])
            memories |= fetched
            kept_out |= _kept_out(recalling, fetched)
        beyond = {
            key: _unread(recalling.question, place, len(keys), is_wanted=place <= until)
            for place, key in enumerate(keys, start=1)
            if key not in memories
        }
        checked = replace(recalling, memories=memories).drop(self.name, beyond)
        return checked.drop(FILTERED, kept_out)

    def _may_come(
        self,
        recalling: Recalling,
        memories: Mapping[Key, Memory],
        kept_out: Mapping[Key, str],
        until: int,
    ) -> bool:
        """Return whether the next candidate may become a hit once all are weighed.

        It is thought to weigh no more than the weightiest of those that were read, or 1.
        """
        moment = moment_of(recalling)
        read = [
            (one.score, prod(factors_of(memories[one.key], moment, self._weights).values()))
            for one in recalling.ranked[:until]
            if one.key in memories and one.key not in kept_out
        ]
        k = recalling.question.k
        if len(read) < k:
            return True
        most = max(1.0, *(weight for _, weight in read))
        last = sorted(score * weight for score, weight in read)[-k]
        return recalling.ranked[until].score * most > last

    async def _fetched(self, recalling: Recalling, keys: Sequence[Key]) -> dict[Key, Memory]:
        question = recalling.question
        by_space: dict[Space, list[MemoryId]] = {}
        for space, memory_id in keys:
            by_space.setdefault(space, []).append(memory_id)
        answers = await side_by_side(
            [
                self._records.get(space, ids, known_at_us=question.known_at_us)
                for space, ids in by_space.items()
            ]
        )
        memories: dict[Key, Memory] = {}
        for space, fetched in zip(by_space, answers, strict=True):
            for memory in fetched:
                if memory.space != space or space not in question.spaces:
                    raise ForeignHit(memory.id)
                memories[space, memory.id] = memory
        return memories


def _unread(question: Question, place: int, of: int, *, is_wanted: bool) -> str:
    if not is_wanted:
        return f"place {place} of {of}, too far behind to be looked at"
    return "it is gone" if question.known_at_us is None else "it was not known then"


def _kept_out(recalling: Recalling, memories: Mapping[Key, Memory]) -> dict[Key, str]:
    return {key: why for key, one in memories.items() if (why := kept_out_by(recalling, one))}


def kept_out_by(recalling: Recalling, memory: Memory) -> str:
    """Return the condition that keeps a memory out, in words; "" where none does."""
    for name, condition in recalling.question.where.items():
        if not matches(condition, memory):
            return _in_words(name, memory)
    return ""


def _in_words(name: str, memory: Memory) -> str:
    match name:
        case "status":
            by = memory.links.superseded_by
            return f"it is {memory.status}" + (f" by {by}" if by else "")
        case "shelf":
            return f"it is on the {memory.shelf} shelf"
        case "kind":
            return f"its kind is {memory.kind}"
        case "intent":
            return f"what is wanted keeps it out: its kind is {memory.kind}"
        case "over":
            return "it was true and no longer is"
        case "expired":
            return "it has expired"
        case "filter":
            return "the filter keeps it out"
        case "temporary":
            return "it was said in a temporary session, and stays in it"
        case _:
            return name
