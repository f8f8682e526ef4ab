"""The event log of a space: FTS5 over our tokens, and turns in the order in which they happened."""

import json
from collections.abc import Mapping, Sequence

import apsw

from pinyon.domain.event import Event, Turn, turn_of_event, turn_of_memory
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.ports.event_log import ALL_EVENTS, EventCandidate, TurnPage, Within
from pinyon.ports.search import TermStats
from pinyon.stores.cursors import cursor_of_turn, place_of_turn
from pinyon.stores.sqlite.connection import Value, get_row, get_rows
from pinyon.stores.sqlite.conversing import session_ended_at_us
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import selected, to_event, to_memory, turn_id_of
from pinyon.stores.sqlite.search import match_expression
from pinyon.stores.sqlite.space_file import SpaceFile
from pinyon.stores.sqlite.threads import Threads
from pinyon.stores.sqlite.verify import mending

_FIRST_US, _LAST_US = -(1 << 62), 1 << 62
_BEGINNING = (-(1 << 62), 0, "", "")


class SqliteEventLog:
    """See `pinyon.ports.event_log.EventLog`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def find(
        self, space: Space, terms: Terms, within: Within = ALL_EVENTS, *, limit: int
    ) -> list[EventCandidate]:
        """See the port."""
        if not terms:
            return []
        values = {**_bound(within), "match": match_expression(terms), "limit": limit}
        asked = {*terms.words, *(word for phrase in terms.phrases for word in phrase)}
        # Tokens are set apart by blanks, so a word between two of them is a token.
        spaced = [(word, f" {word} ") for word in asked]

        def act(file: SpaceFile) -> list[EventCandidate]:
            with file.reading() as connection:
                rows = get_rows(connection, query("find_events"), **values)
            ranked = sorted(rows, key=lambda row: (row[-2], -row[-3]))
            return [
                EventCandidate(
                    event=to_event(row),
                    score=-row[-2],
                    matched=frozenset([word for word, shape in spaced if shape in row[-1]]),
                )
                for row in ranked
            ]

        return await self._threads.over(space, lambda file: mending(file, act), [], leaves=True)

    async def newest(self, space: Space, within: Within = ALL_EVENTS, *, limit: int) -> list[Event]:
        """See the port."""
        values = {**_bound(within), "limit": limit}

        def act(connection: apsw.Connection) -> list[Event]:
            return [to_event(row) for row in get_rows(connection, query("newest_events"), **values)]

        return await self._threads.read(space, act, [])

    async def word_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """See the port."""

        def act(file: SpaceFile) -> TermStats:
            with file.reading() as connection:
                (events,) = get_row(connection, query("count_event_words"))
                rows = get_rows(connection, query("event_term_df"), words=json.dumps(list(words)))
            found = {word: df for word, df in rows}
            return TermStats(events, {word: found.get(word, 0) for word in words})

        nothing = TermStats(0, dict.fromkeys(words, 0))
        return await self._threads.over(
            space, lambda file: mending(file, act), nothing, leaves=True
        )

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
        after = _BEGINNING if cursor is None else place_of_turn(cursor)
        values: dict[str, Value] = {
            "session": session,
            "types": json.dumps(list(types)) if types else None,
            "occurred_at_us": after[0],
            "created_at_us": after[1],
            "id": bytes.fromhex(after[2]),
            "kind": after[3],
            "limit": limit + 1,
        }
        where = "1" if session is None else "session = :session"
        if session:
            where += " AND session <> ''"  # else SQLite does not go by the session's index

        def act(connection: apsw.Connection) -> list[Turn]:
            return _turns(connection, space, "replay", values, where=where)

        nothing: list[Turn] = []
        found = await self._threads.read(space, act, nothing)
        page = tuple(sorted(found, key=lambda turn: turn.place)[:limit])
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

        def act(connection: apsw.Connection) -> list[Turn]:
            values: dict[str, Value] = {
                "session": session,
                "since_us": _FIRST_US if also_ended else session_ended_at_us(connection, session),
                "before_us": _LAST_US if before_us is None else before_us,
                "limit": limit,
            }
            return _turns(connection, space, "latest", values)

        nothing: list[Turn] = []
        found = await self._threads.read(space, act, nothing) if session else nothing
        return tuple(sorted(found, key=lambda turn: turn.place)[-limit:])

    async def of_task(self, space: Space, task: str, *, limit: int) -> tuple[Turn, ...]:
        """See the port."""
        values: dict[str, Value] = {"task": task, "limit": limit}

        def act(connection: apsw.Connection) -> list[Turn]:
            return _turns(connection, space, "task", values)

        nothing: list[Turn] = []
        found = await self._threads.read(space, act, nothing) if task else nothing
        return tuple(sorted(found, key=lambda turn: turn.place)[-limit:])

    async def turn_named(
        self, space: Space, session: str, message_id: str
    ) -> MemoryId | EventId | None:
        """See the port."""
        values = {"session": session, "message_id": message_id}

        def act(connection: apsw.Connection) -> MemoryId | EventId | None:
            named = get_rows(connection, query("turns_named"), **values)
            if not named:
                return None
            *_, raw_id, kind = min(named)
            return turn_id_of(kind + raw_id)

        return await self._threads.read(space, act, None)

    async def last_summary(self, space: Space, session: str | None = None) -> Memory | None:
        """See the port."""

        def act(connection: apsw.Connection) -> Memory | None:
            told = query("last_summary", columns=selected())
            rows = get_rows(connection, told, session=session)
            return to_memory(rows[0], space) if rows else None

        return await self._threads.read(space, act, None)


def _bound(within: Within) -> Mapping[str, Value]:
    return {
        "session": within.session,
        "types": json.dumps(list(within.types)) if within.types else None,
        "speaker": within.speaker,
        "since_us": within.since_us,
        "until_us": within.until_us,
    }


def _turns(
    connection: apsw.Connection, space: Space, of: str, values: Mapping[str, Value], **parts: str
) -> list[Turn]:
    """Return the events and the episodes that two queries find, as turns."""
    said = query(f"{of}_events", **parts)
    kept = query(f"{of}_memories", columns=selected(), **parts)
    events = get_rows(connection, said, **values)
    memories = get_rows(connection, kept, **values)
    return [
        *(turn_of_event(to_event(row)) for row in events),
        *(turn_of_memory(to_memory(row, space)) for row in memories),
    ]
