"""The event log of the reference store: every event is looked at."""

from collections.abc import Callable, Iterator, Sequence

from pinyon.domain.event import Event, Turn, is_summary, turn_of_event, turn_of_memory
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.event_log import ALL_EVENTS, EventCandidate, TurnPage, Within
from pinyon.ports.search import TermStats
from pinyon.ranking.bm25 import Fields, bm25, inverse_frequency, weighted_frequency
from pinyon.stores.cursors import cursor_of_turn, place_of_turn
from pinyon.stores.in_memory.batch import keyed_hash
from pinyon.stores.in_memory.space import SpaceState
from pinyon.text.event_words import event_words


class InMemoryEventLog:
    """See `pinyon.ports.event_log.EventLog`."""

    def __init__(self, state_of: Callable[[Space], SpaceState]) -> None:
        self._of = state_of

    async def find(
        self, space: Space, terms: Terms, within: Within = ALL_EVENTS, *, limit: int
    ) -> list[EventCandidate]:
        """See the port."""
        state = self._of(space)
        held = {event.id: Fields((), words.split(), ()) for event, words in _indexed(state)}
        # Tokens hold no blank, so a term's text names it.
        phrases = {" ".join(phrase): phrase for phrase in terms.phrases}
        asked = {word: (word,) for word in terms.words} | phrases
        words = {*terms.words, *(word for phrase in terms.phrases for word in phrase)}
        counts = {
            event_id: {
                name: frequency
                for name, term in asked.items()
                if (frequency := weighted_frequency(term, fields)) > 0
            }
            for event_id, fields in held.items()
        }
        idf = {
            name: inverse_frequency(sum(name in found for found in counts.values()), len(held))
            * (2 if name in phrases else 1)
            for name in asked
        }
        mean = sum(fields.length for fields in held.values()) / max(1, len(held))
        candidates = [
            EventCandidate(
                event=state.events[event_id],
                score=bm25(found, idf, held[event_id].length / mean if mean else 1.0),
                matched=frozenset(words & set(held[event_id].body)),
            )
            for event_id, found in counts.items()
            if found and phrases.keys() <= found.keys() and within.holds(state.events[event_id])
        ]
        places = state.event_places
        return sorted(candidates, key=lambda one: (-one.score, -places[one.event.id]))[:limit]

    async def newest(self, space: Space, within: Within = ALL_EVENTS, *, limit: int) -> list[Event]:
        """See the port."""
        found = [event for event, _ in _indexed(self._of(space)) if within.holds(event)]
        return sorted(found, key=lambda one: turn_of_event(one).place, reverse=True)[:limit]

    async def word_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """See the port."""
        held = [set(said.split()) for _, said in _indexed(self._of(space))]
        return TermStats(len(held), {word: sum(word in one for one in held) for word in words})

    async def replay(
        self,
        space: Space,
        *,
        session: str | None = None,
        types: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 100,
    ) -> TurnPage:
        """See the port."""
        after = None if cursor is None else place_of_turn(cursor)
        found = sorted(
            (
                turn
                for turn in _turns(self._of(space))
                if session in (None, turn.session)
                and (not types or turn.event_type in types)
                and (after is None or turn.place > after)
            ),
            key=lambda turn: turn.place,
        )
        page = tuple(found[:limit])
        return TurnPage(page, cursor_of_turn(page[-1].place) if len(found) > limit else None)

    async def latest(
        self,
        space: Space,
        session: str,
        *,
        before_us: int | None = None,
        also_ended: bool = False,
        limit: int,
    ) -> tuple[Turn, ...]:
        """See the port."""
        state = self._of(space)
        since_us = state.sessions_ended.get(keyed_hash(session))
        found = [
            turn
            for turn in _turns(state)
            if session
            and turn.session == session
            and (also_ended or since_us is None or turn.created_at_us > since_us)
            and (before_us is None or turn.occurred_at_us < before_us)
        ]
        return tuple(sorted(found, key=lambda turn: turn.place)[-limit:])

    async def of_task(self, space: Space, task: str, *, limit: int) -> tuple[Turn, ...]:
        """See the port."""
        found = [turn for turn in _turns(self._of(space)) if task and turn.task == task]
        return tuple(sorted(found, key=lambda turn: turn.place)[-limit:])

    async def turn_named(
        self, space: Space, session: str, message_id: str
    ) -> MemoryId | EventId | None:
        """See the port."""
        if not message_id:
            return None
        named = [
            turn
            for turn in _turns(self._of(space))
            if (turn.session, turn.message_id) == (session, message_id)
        ]
        return min(named, key=lambda turn: turn.place).id if named else None

    async def last_summary(self, space: Space, session: str | None = None) -> Memory | None:
        """See the port."""
        told = [
            one
            for one in self._of(space).memories.values()
            if is_summary(one) and session in (None, one.source.session)
        ]
        return max(told, key=lambda one: turn_of_memory(one).place, default=None)


def _indexed(state: SpaceState) -> Iterator[tuple[Event, str]]:
    for event in state.events.values():
        words = event_words(event)
        if words is not None:
            yield event, words


def _turns(state: SpaceState) -> Iterator[Turn]:
    for memory in state.memories.values():
        is_turn = memory.kind == "episodic" and memory.times.occurred_at_us is not None
        if is_turn and memory.shelf != "quarantined" and not is_summary(memory):
            yield turn_of_memory(memory)
    yield from map(turn_of_event, state.events.values())
