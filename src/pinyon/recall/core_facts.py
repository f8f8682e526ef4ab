"""Core facts: what an agent should know whatever is asked, kept ready.

Standing orders, who the user is, what must never be, and what is pinned. No search would find "use
metric units" for a question about ovens; so they are not searched for, but put beside every turn.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from pinyon.domain.filter import Cmp, Eq, Exists, Filter, In, Not, Or, all_of, test_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.errors import ForeignHit
from pinyon.ports.changes import Changes
from pinyon.ports.records import Records, every_memory
from pinyon.ports.sessions import Sessions
from pinyon.recall.temporary import kept_apart

CORE_FACTS_MAX = 24
SPACES_HELD_MAX = 256
CHANGED_MAX = 1_000
"""What changed more than that is read anew."""
HELD_MAX = 500
"""Of one space, what is pinned first; who has said more is known by what was said last."""

CATEGORIES = ("instruction", "constraint", "identity")
"""In this order, after what is pinned: what an agent does wrong without them weighs most."""

_LASTING: Filter = all_of(
    Or((Eq("pinned", True), In("category", CATEGORIES))),
    In("kind", ("episodic", "semantic")),
    Eq("status", "active"),
    Eq("shelf", "open"),
    Not(Exists("outdated_by")),
)
_is_lasting = test_of(_LASTING)

Held = Mapping[MemoryId, Memory]


class CoreFacts:
    """Holds those of each space, and looks at what changed since, not at all of it again."""

    def __init__(self, records: Records, changes: Changes, sessions: Sessions) -> None:
        self._records, self._changes, self._sessions = records, changes, sessions
        self._held: OrderedDict[Space, tuple[int, Held]] = OrderedDict()

    async def of(self, spaces: Sequence[Space], now_us: int) -> tuple[Memory, ...]:
        """Return the core facts of spaces, at most `CORE_FACTS_MAX`, the weightiest first."""
        found = [
            memory
            for space in spaces
            for memory in (await self._of(space)).values()
            # In a space of several, "my name is Bob" is Bob's, and his orders are not hers.
            if space.is_personal or memory.pinned
        ]
        apart = await kept_apart(self._sessions, spaces, now_us=now_us)
        holds = test_of(all_of(_holds_at(now_us), apart))
        standing = [memory for memory in found if holds(memory)]
        said_once: dict[str, Memory] = {}
        for memory in sorted(standing, key=_weight):
            said_once.setdefault(memory.content_hash, memory)
        return tuple(said_once.values())[:CORE_FACTS_MAX]

    async def _of(self, space: Space) -> Held:
        seq, held = self._held.get(space, (0, {}))
        now = await self._changes.seq(space)
        if now != seq:
            # Read after its number: what is written meanwhile is looked at next time.
            since = await self._changes.since(space, seq) if seq and now else None
            is_cut = len(held) == HELD_MAX
            if since is None or since.was_emptied or is_cut or len(since.changed) > CHANGED_MAX:
                fresh = [one async for one in every_memory(self._records, space, _LASTING)]
            else:
                changed = await self._records.get(space, sorted(since.changed))
                kept = held.keys() - since.changed - since.gone
                fresh = [held[key] for key in kept]
                fresh += [one for one in changed if _is_lasting(one)]
            held = _checked(space, fresh)
        self._held[space] = now, held
        self._held.move_to_end(space)
        if len(self._held) > SPACES_HELD_MAX:
            self._held.popitem(last=False)
        return held


def _checked(space: Space, memories: Iterable[Memory]) -> Held:
    newest = sorted(memories, key=lambda one: (not one.pinned, -_since_us(one)))[:HELD_MAX]
    for memory in newest:
        if memory.space != space:
            raise ForeignHit(memory.id)
    return {memory.id: memory for memory in newest}


def _holds_at(now_us: int) -> Filter:
    return all_of(
        Not(Cmp("valid_until", "lte", now_us)),
        Not(Cmp("valid_from", "gt", now_us)),
        Not(Cmp("expires_at", "lte", now_us)),
    )


def _since_us(memory: Memory) -> int:
    times = memory.times
    return times.created_at_us if times.occurred_at_us is None else times.occurred_at_us


def _weight(memory: Memory) -> tuple[bool, int, int]:
    place = CATEGORIES.index(memory.category) if memory.category in CATEGORIES else len(CATEGORIES)
    return not memory.pinned, place, -_since_us(memory)
