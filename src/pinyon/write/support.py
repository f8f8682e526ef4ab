"""What a new memory rests on: that it is there, and where in it its words stand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Memory, Span
from pinyon.domain.space import Space
from pinyon.errors import NotFound
from pinyon.ports.records import Records
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.text.quoting import span_of
from pinyon.write.form import line
from pinyon.write.gate import Admitted

_FAR_US = 1 << 60


async def supported(records: Records, space: Space, admitted: Sequence[Admitted]) -> list[Admitted]:
    """Return memories with what they rest on.

    A fact or procedure that names nothing rests on the last thing that was said in its session.
    Where the words of a memory stand in what it rests on, their place is kept.

    Raises:
        NotFound: A memory that one is said to rest on is not there.
    """
    turns: dict[str, tuple[MemoryId, ...]] = {}
    for one in admitted:
        session = one.memory.source.session
        if _lacks_support(one.memory) and session not in turns:
            turns[session] = await _open_turn(records, space, session)
    resting = [_resting_on(one, turns) for one in admitted]
    named = sorted({named for one in resting for named in one.memory.source.supporting})
    held = {memory.id: memory for memory in await records.get(space, named)} if named else {}
    for missing in named:
        if missing not in held:
            raise NotFound(missing)
    return [_placed(one, held) for one in resting]


def _lacks_support(memory: Memory) -> bool:
    source = memory.source
    says_nothing = not source.supporting and bool(source.session)
    return says_nothing and memory.kind in ("semantic", "procedural")


async def _open_turn(records: Records, space: Space, session: str) -> tuple[MemoryId, ...]:
    turn = await records.turn_before(space, session, _FAR_US, memories_only=True)
    return () if turn is None else (MemoryId(turn[0]),)


def _resting_on(one: Admitted, turns: Mapping[str, tuple[MemoryId, ...]]) -> Admitted:
    memory = one.memory
    if not _lacks_support(memory):
        return one
    source = replace(memory.source, supporting=turns[memory.source.session])
    return replace(one, memory=replace(memory, source=source))


def _placed(one: Admitted, held: Mapping[MemoryId, Memory]) -> Admitted:
    memory, quote = one.memory, line("quote", one.draft.quote, TEXT_CHARS_MAX)
    spans = []
    for named in memory.source.supporting:
        place = span_of(quote or memory.text, held[named].text)
        if place is not None:
            spans.append(Span(named, *place))
    if not spans:
        return one
    source = replace(memory.source, spans=tuple(spans))
    return replace(one, memory=replace(memory, source=source))
