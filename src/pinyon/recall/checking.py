"""Fetching the records of the best candidates, and holding each against what was asked."""

from dataclasses import replace

from pinyon.domain.filter import matches
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.records import Records
from pinyon.recall.recalling import FILTERED, Key, Question, Recalling
from pinyon.recall.side_by_side import side_by_side

SPARE = 3
"""Candidates fetched for each hit that is wanted: equal texts collapse, and some may be gone."""


class Checking:
    """Reads records; a memory of another space ends the recall, whatever brought it."""

    name = "check"

    def __init__(self, records: Records) -> None:
        self._records = records

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether there is anything to fetch."""
        return bool(recalling.ranked)

    async def run(self, recalling: Recalling) -> Recalling:
        """Fetch what may still become a hit."""
        question = recalling.question
        wanted = [scored.key for scored in recalling.ranked[: max(30, question.k * SPARE)]]
        if recalling.pinned is not None and recalling.pinned not in wanted:
            wanted += [s.key for s in recalling.ranked if s.key == recalling.pinned]
        asked = frozenset(wanted)
        by_space: dict[Space, list[MemoryId]] = {}
        for space, memory_id in wanted:
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
        places = {scored.key: place for place, scored in enumerate(recalling.ranked, start=1)}
        beyond = {
            key: _unread(question, place, len(places), is_wanted=key in asked)
            for key, place in places.items()
            if key not in memories
        }
        checked = replace(recalling, memories=memories).drop(self.name, beyond)
        kept_out = {key: why for key, m in memories.items() if (why := kept_out_by(recalling, m))}
        return checked.drop(FILTERED, kept_out)


def _unread(question: Question, place: int, of: int, *, is_wanted: bool) -> str:
    if not is_wanted:
        return f"place {place} of {of}, too far behind to be looked at"
    return "it is gone" if question.known_at_us is None else "it was not known then"


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
        case "over":
            return "it was true and no longer is"
        case "expired":
            return "it has expired"
        case "filter":
            return "the filter keeps it out"
        case _:
            return name
