"""Token vectors, and what lacks vectors of a model."""

import json
from collections.abc import Mapping, Sequence

import apsw

from pinyon.domain.event import Event
from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space
from pinyon.ports.exposures import Exposure
from pinyon.ports.records import Page
from pinyon.ports.search import PASSAGES_AROUND, TokenVectors
from pinyon.stores.cursors import cursor_of, place_of
from pinyon.stores.sqlite.connection import Row, Value, find_row, get_row, get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import id_bytes, memory_id_of, selected, to_event, to_memory
from pinyon.stores.sqlite.space_file import read_meta
from pinyon.stores.sqlite.threads import Threads

_NO_MODEL = -1


class SqliteVectors:
    """See `pinyon.ports.vectors.Vectors` and `pinyon.ports.exposures.Exposures`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def serving(self, space: Space) -> str | None:
        """See the port."""

        def act(connection: apsw.Connection) -> str | None:
            number = read_meta(connection).serving
            if number is None:
                return None
            return str(get_row(connection, query("fingerprint_of"), model=number)[0])

        return await self._threads.read(space, act, None)

    async def lacking(
        self, space: Space, model: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page:
        """See the port."""
        after = 0 if cursor is None else place_of(cursor)
        sql = query("lacking", columns=selected())

        def act(connection: apsw.Connection) -> Page:
            number = _number(connection, model)
            rows = get_rows(connection, sql, after=after, model=number, limit=limit + 1)
            page = rows[:limit]
            more = len(rows) > limit and page
            return Page(
                tuple(to_memory(row, space) for row in page),
                cursor_of(page[-1][-1]) if more else None,
            )

        return await self._threads.read(space, act, Page((), None))

    async def turns_lacking(self, space: Space, model: str, *, limit: int = 100) -> Sequence[Event]:
        """See the port."""

        def act(connection: apsw.Connection) -> Sequence[Event]:
            number = _number(connection, model)
            rows = get_rows(connection, query("turns_lacking"), model=number, limit=limit)
            return [to_event(row) for row in rows]

        return await self._threads.read(space, act, [])

    async def given(self, space: Space, memory_id: MemoryId) -> Sequence[Exposure]:
        """See the port."""

        def act(connection: apsw.Connection) -> Sequence[Exposure]:
            rows = get_rows(connection, query("exposures_of"), id=id_bytes(memory_id))
            return [
                Exposure(at_us=at_us, session=session, surface=surface)
                for at_us, session, surface in rows
            ]

        return await self._threads.read(space, act, [])


def tokens_around(
    connection: apsw.Connection, model: int, around: Mapping[MemoryId, int]
) -> Mapping[MemoryId, TokenVectors]:
    """Return the token vectors of memories and of the turns before them, in three statements."""
    ids = json.dumps([memory_id[4:] for memory_id in around])
    turns = get_rows(connection, query("turns_of"), ids=ids)
    near = {seq: around[memory_id_of(raw)] for raw, seq, _, _ in turns}
    before = {before for _, _, before, _ in turns if before is not None} - near.keys()
    # Most turns before are candidates themselves, and short: their first passage is there already.
    before |= {seq for seq, at in near.items() if at > PASSAGES_AROUND}
    asked: dict[str, Value] = {
        "near": json.dumps([(seq << 6) + at for seq, at in near.items()]),
        "before": json.dumps([seq << 6 for seq in before]),
        "around": PASSAGES_AROUND,
        "model": model,
    }
    by_memory: dict[int, dict[int, bytes]] = {}
    for passage, vectors in connection.execute(query("token_vectors"), asked):
        passages = by_memory.setdefault(passage >> 6, {})
        passages[passage & 63] = passages.get(passage & 63, b"") + vectors
    events = _of_events(connection, model, turns)
    return {
        memory_id_of(raw): TokenVectors(
            passages=_around(by_memory[seq], near[seq]),
            before=by_memory.get(before, {}).get(0, b"") or events.get(event, b""),
        )
        for raw, seq, before, event in turns
        if seq in by_memory
    }


def _around(passages: dict[int, bytes], near: int) -> dict[int, bytes]:
    if len(passages) == 1:
        return passages
    return {at: tokens for at, tokens in passages.items() if abs(at - near) <= PASSAGES_AROUND}


def _of_events(
    connection: apsw.Connection, model: int, turns: Sequence[Row]
) -> Mapping[bytes, bytes]:
    events = json.dumps([event.hex() for _, _, _, event in turns if event is not None])
    if events == "[]":
        return {}
    rows = connection.execute(query("turn_vectors"), {"events": events, "model": model})
    return dict(rows)


def _number(connection: apsw.Connection, model: str) -> int:
    row = find_row(connection, query("find_model"), fingerprint=model)
    return _NO_MODEL if row is None else int(row[0])
