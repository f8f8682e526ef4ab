"""How it went with memories that were recalled: counted, and kept beside them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from pinyon.domain.answers import FedBack, Noted
from pinyon.domain.change import Change, Count, Once, PutFeedback
from pinyon.domain.draft import Draft
from pinyon.domain.feedback import OUTCOMES, Feedback, Outcome
from pinyon.domain.ids import MemoryId, memory_id
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue, NotFound, NotWanted, TooLarge
from pinyon.ports.clock import Clock
from pinyon.ports.feedback import every_feedback
from pinyon.ports.store import Store
from pinyon.text.normal import keep
from pinyon.write.form import line, listed
from pinyon.write.keeper import KEY_CHARS_MAX, Keeper

QUERY_CHARS_MAX = 2_000
IDS_MAX = 100


@dataclass(frozen=True, slots=True)
class _Said:
    """What is reported, as it may be kept."""

    outcome: Outcome
    query: str
    session: str
    at_us: int
    redacted: tuple[str, ...] = ()
    going_on: Sequence[Change] = ()


class FeedbackKeeper:
    """Takes feedback, and gives it back for tuning."""

    def __init__(self, store: Store, keeper: Keeper, *, clock: Clock, by: Actor) -> None:
        self._store, self._keeper, self._clock, self._by = store, keeper, clock, by

    async def note(
        self,
        writes: Sequence[Space],
        ids: str | Sequence[str],
        outcome: Outcome,
        *,
        query: object,
        session: object,
        key: str | None,
    ) -> Noted:
        """Count how it went with memories, and keep what they were recalled for.

        Raises:
            NotFound: One of them is in none of the spaces.
        """
        if outcome not in OUTCOMES:
            raise InvalidValue("outcome", outcome, "one of " + ", ".join(OUTCOMES))
        given = listed("ids", [ids] if isinstance(ids, str) else ids, IDS_MAX)
        named = tuple(dict.fromkeys(memory_id(one) for one in given))
        if not named:
            raise InvalidValue("ids", [], "the id of a memory, or several")
        where = await self._located(writes, named)
        try:
            said = await self._screened(where, outcome, query, session)
        except NotWanted as refused:
            return Noted(ids=named, outcome=outcome, not_kept=refused.reason)
        once = None
        if key is not None:
            asked = repr((sorted(named), outcome, said.query, said.session))
            once = Once(line("idempotency key", key, KEY_CHARS_MAX), asked)
        repeated = True
        for space, held in where.items():
            changes = [change for one in held for change in _changes(space, one, said)]
            changes[:0] = said.going_on if space.owner == space else ()
            applied = await self._store.records.apply(space, changes, by=self._by, once=once)
            repeated = repeated and applied.replayed
        return Noted(ids=named, outcome=outcome, redacted=said.redacted, repeated=repeated)

    async def pairs(self, space: Space) -> AsyncIterator[FedBack]:
        """Yield what was asked and what became of it, oldest first."""
        async for one in every_feedback(self._store.feedback, space):
            found = await self._store.records.get(space, [one.memory])
            if one.query and found:
                yield FedBack(
                    query=one.query,
                    id=one.memory,
                    text=found[0].text,
                    outcome=one.outcome,
                    at_us=one.at_us,
                )

    async def _located(
        self, writes: Sequence[Space], named: Sequence[MemoryId]
    ) -> Mapping[Space, Sequence[MemoryId]]:
        found = {space: await self._store.records.get(space, named) for space in writes}
        where = {space: [memory.id for memory in held] for space, held in found.items() if held}
        missing = [one for one in named if not any(one in held for held in where.values())]
        if missing:
            raise NotFound(missing[0])
        return where

    async def _screened(
        self, where: Mapping[Space, object], outcome: Outcome, query: object, session: object
    ) -> _Said:
        """Return what is reported, without what may not be kept.

        Raises:
            NotWanted: It is about a memory of the user's, who does not want that kept.
        """
        if isinstance(query, str) and len(query) > QUERY_CHARS_MAX:
            raise TooLarge(
                "query",
                size=len(query),
                limit=QUERY_CHARS_MAX,
                unit="characters",
                hint="give what was asked, without what stood around it",
            )
        asked = keep(line("query", query, QUERY_CHARS_MAX))
        named, now_us = line("session", session), self._clock.now_us()
        own = next((space.owner for space in where if space.owner is not None), None)
        if own is None:
            return _Said(outcome, "", "", now_us)
        gate = await self._keeper.gate_for(own, (named,))
        screened = gate.screen(Draft(text=asked, session=named), own.tenant)
        session = screened.draft.session
        return _Said(
            outcome,
            query=screened.draft.text[:QUERY_CHARS_MAX],
            session=session,
            at_us=now_us,
            redacted=screened.redacted,
            going_on=gate.allowed.going_on(own, [session], now_us),
        )


def _changes(space: Space, memory: MemoryId, said: _Said) -> list[Change]:
    """Return what is counted and kept of one memory.

    What somebody asks is no business of others who write to the same space: there it only counts.
    """
    is_used = said.outcome == "used"
    is_worked = said.outcome == "worked"
    count = Count(
        id=memory,
        uses=int(is_used),
        successes=int(is_worked),
        failures=int(said.outcome == "failed"),
        used_at_us=said.at_us if is_used else None,
        succeeded_at_us=said.at_us if is_worked else None,
    )
    feedback = Feedback(
        memory=memory,
        outcome=said.outcome,
        query=said.query if space.is_personal else "",
        session=said.session if space.is_personal else "",
        at_us=said.at_us,
    )
    return [count, PutFeedback(feedback)]
