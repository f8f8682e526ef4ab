"""Telling a conversation in short when it has ended: one memory, of what was said in it.

It consists of words of the conversation's own turns, and never of what tells another one in short.
It names the turns that it quotes, and goes with any of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pinyon.care.guards import MADE_BY
from pinyon.domain.change import Erase, Mask, Put
from pinyon.domain.draft import Draft
from pinyon.domain.event import SUMMARY, Turn, is_summary, trust_of
from pinyon.domain.filter import Eq
from pinyon.domain.ids import EventId, MemoryId, NewUuid
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S, show_instant
from pinyon.errors import BadInput, NotFound, Refused, VersionConflict
from pinyon.ports.clock import Clock
from pinyon.ports.records import every_memory
from pinyon.ports.store import Store
from pinyon.text.index_rows import index_rows
from pinyon.text.orders import gives_orders
from pinyon.text.summarising import RULES, pieces_of, quoted
from pinyon.write.anew import planned_anew
from pinyon.write.copies import following
from pinyon.write.gate import admit
from pinyon.write.keeper import Keeper

SUMMARISE = "summarise"
"""The task of the job that tells in short what nobody ended."""

TURNS_MIN = 6
"""Messages of a conversation below which there is nothing to tell in short."""

TURNS_MAX = 200
"""Messages of a long one that are looked at: the last ones."""

QUIET_AFTER_US = 6 * 3600 * US_PER_S
"""How long after its last message a conversation that nobody ends counts as ended."""

LOOKED_BACK_US = 7 * 24 * 3600 * US_PER_S
"""How long ago a conversation may have gone quiet to be looked for."""

NAME_CHARS = 40
CATEGORY = "session_summary"

_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Told:
    """A conversation in short, and the turns that it quotes, in their order."""

    text: str
    turns: tuple[Turn, ...]


def told(turns: Sequence[Turn]) -> Told:
    """Return a conversation in short: whole sentences of its turns, each turn with who said it."""
    text = _BETWEEN.join(turn.text for turn in turns)
    lines: list[str] = []
    quoting: list[Turn] = []
    pieces = pieces_of(text)
    begins = 0
    for turn in turns:
        ends = begins + len(turn.text)
        own = [(start, end) for start, end in pieces if begins <= start and end <= ends]
        if own:
            speaker = (turn.speaker or turn.role or "user")[:NAME_CHARS]
            lines.append(f"{speaker}: {quoted(text, own)}")
            quoting.append(turn)
        begins = ends + len(_BETWEEN)
    return Told("\n".join(lines), tuple(quoting))


class Summariser:
    """Tells conversations of users in short; it writes to the user's own space only."""

    def __init__(
        self, store: Store, keeper: Keeper, *, clock: Clock, new_uuid: NewUuid, by: Actor
    ) -> None:
        self._store, self._keeper, self._clock = store, keeper, clock
        self._new_uuid, self._by = new_uuid, by

    async def tell(self, own: Space, session: str) -> MemoryId | None:
        """Tell a conversation in short; told before and unchanged since, it stays as it is.

        Returns:
            What tells it now; `None` where nothing does: it is too short or temporary, or its user
            does not want it kept.
        """
        try:
            return await planned_anew(lambda: self._told(own, session))
        except (NotFound, VersionConflict):
            return None  # what it quotes is being forgotten: it is told the next time, without

    async def tell_quiet(self, own: Space) -> int:
        """Tell the conversations in short that nobody ended and that went quiet; return how many.

        One counts as ended `QUIET_AFTER_US` after its last message.
        """
        quiet_before_us = self._clock.now_us() - QUIET_AFTER_US
        last = await self._last_said(own, since_us=quiet_before_us - LOOKED_BACK_US)
        due = [session for session, at_us in last.items() if at_us <= quiet_before_us]
        return sum([await self.tell(own, session) is not None for session in due])

    async def _last_said(self, own: Space, *, since_us: int) -> Mapping[str, int]:
        """Return when something was last kept of each conversation, of those since an instant."""
        last: dict[str, int] = {}
        async for memory in every_memory(self._store.records, own, Eq("kind", "episodic")):
            # The newest come first, in the order in which they were kept.
            if memory.times.created_at_us < since_us:
                break
            if memory.source.session and not is_summary(memory):
                last.setdefault(memory.source.session, memory.times.created_at_us)
        return last

    async def _told(self, own: Space, session: str) -> MemoryId | None:
        turns, versions = await self._said(own, session)
        if len(turns) < TURNS_MIN:
            return None
        short = told(turns)
        known = await self._store.event_log.last_summary(own, session)
        quoting = tuple(turn.id for turn in short.turns)
        if known and (known.text, known.source.derived_from) == (short.text, quoting):
            return known.id
        new = await self._admitted(own, session, short)
        if new is None:
            return None
        source = replace(new.source, event_type=SUMMARY, derived_from=quoting)
        # Archived: what it says stands in the turns too, and those recall finds.
        memory = replace(new, shelf="archived", awaits=("vectors",), summary=None, source=source)
        if known is not None:
            memory = _renewed(known, memory)
        expect = {MemoryId(one): versions[one] for one in quoting if one in versions}
        await self._put(own, memory, known, expect)
        return await self._still_quoting(own, memory)

    async def _put(
        self, own: Space, memory: Memory, known: Memory | None, expect: dict[MemoryId, int]
    ) -> None:
        """Keep it, in the place of what told the same conversation before."""
        puts = [Put(memory, index_rows(memory, ""))]
        changes, _ = await self._keeper.with_vectors(own, puts, {})
        if known is not None:
            expect[known.id] = known.version
            changes = [
                Mask(one.memory, one.rows, one.vectors) if isinstance(one, Put) else one
                for one in changes
            ]
            changes += following(memory, now_us=self._clock.now_us(), new_uuid=self._new_uuid)
        await self._store.records.apply(own, changes, by=self._by, expect=expect)

    async def _said(
        self, own: Space, session: str
    ) -> tuple[Sequence[Turn], Mapping[MemoryId | EventId, int]]:
        """Return what was said in a conversation and may be told, and the versions of memories.

        What was hidden, retracted or replaced since, and what gives orders to a model, is left out.
        """
        latest = await self._store.event_log.latest(own, session, also_ended=True, limit=TURNS_MAX)
        said = [one for one in latest if one.event_type == "message" and _is_talk(one)]
        ids = [MemoryId(one.id) for one in said if one.id.startswith("mem_")]
        held = await self._store.records.get(own, ids)
        versions: dict[MemoryId | EventId, int] = {
            one.id: one.version for one in held if one.shelf == "open" and one.status == "active"
        }
        return [one for one in said if one.id in versions or one.id.startswith("evt_")], versions

    async def _admitted(self, own: Space, session: str, short: Told) -> Memory | None:
        """Return it as the gate lets it in, `None` where it does not, or where it was forgotten."""
        last = short.turns[-1]
        draft = Draft(
            text=short.text,
            kind="episodic",
            category=CATEGORY,
            trust="agent",
            session=session,
            occurred_at=show_instant(last.occurred_at_us, last.offset_min),
            metadata={MADE_BY: RULES},
        )
        gate = await self._keeper.gate_for(own, {session})
        if session in gate.allowed.temporary:
            return None
        now_us = self._clock.now_us()
        try:
            memory = admit(draft, own, now_us=now_us, new_uuid=self._new_uuid, gate=gate).memory
        except (BadInput, Refused):
            return None
        if await self._store.receipts.forgotten(own, [memory.content_hash]):
            return None
        return None if memory.shelf == "quarantined" else memory

    async def _still_quoting(self, own: Space, memory: Memory) -> MemoryId | None:
        """Return what was kept, unless an event that it quotes was forgotten meanwhile.

        Events have no versions that a write could be held against.
        """
        for turn in memory.source.derived_from:
            if await self._store.records.turn_text(own, turn) is None:
                await self._store.records.apply(own, [Erase(memory.id)], by=self._by)
                return None
        return memory.id


def _renewed(known: Memory, memory: Memory) -> Memory:
    """Return what told a conversation before as it tells it now; what its user made of it stays."""
    times = replace(
        known.times,
        occurred_at_us=memory.times.occurred_at_us,
        updated_at_us=memory.times.updated_at_us,
    )
    return replace(
        known,
        text=memory.text,
        version=known.version + 1,
        content_hash=memory.content_hash,
        times=times,
        source=memory.source,
        facets=memory.facets,
        passages=memory.passages,
        awaits=memory.awaits,
    )


def _is_talk(turn: Turn) -> bool:
    return trust_of(turn.role) in ("user", "agent") and not gives_orders(turn.text)
