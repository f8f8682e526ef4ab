"""Reading and changing the records of a space."""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import apsw

from pinyon.domain.change import (
    ONCE_KEPT_US,
    Applied,
    Change,
    DropFeedback,
    DropSession,
    Enqueue,
    Erase,
    Mask,
    Once,
)
from pinyon.domain.event import Event
from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Awaits, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import KeyReused, VersionConflict
from pinyon.ports.clock import Clock
from pinyon.ports.records import EventPage, Order, Page, Relation
from pinyon.stores.cursors import PLACE_MAX, cursor_of, place_of
from pinyon.stores.sqlite.audit import Pen, chain_key
from pinyon.stores.sqlite.batch import Batch
from pinyon.stores.sqlite.connection import Value, find_row, get_rows
from pinyon.stores.sqlite.filters import Compiled
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.queue import SqliteHints
from pinyon.stores.sqlite.receipts import SqliteReceipts
from pinyon.stores.sqlite.rows import (
    AWAITS_BITS,
    id_bytes,
    memory_id_of,
    selected,
    to_event,
    to_memory,
)
from pinyon.stores.sqlite.space_file import Meta, SpaceFile, read_meta
from pinyon.stores.sqlite.threads import Threads
from pinyon.stores.sqlite.verify import mending

_ERASING = (Erase, Mask, DropSession, DropFeedback)
"""Changes after which no file may keep what was there before."""


class SqliteRecords:
    """See `pinyon.ports.records.Records`."""

    def __init__(self, threads: Threads, clock: Clock, hints: SqliteHints) -> None:
        self._threads, self._clock, self._hints = threads, clock, hints
        self._receipts = SqliteReceipts(threads)

    async def apply(
        self,
        space: Space,
        changes: Sequence[Change],
        *,
        by: Actor,
        expect: Mapping[MemoryId, int] | None = None,
        once: Once | None = None,
    ) -> Applied:
        """See the port."""
        due = [change.job.run_at_us for change in changes if isinstance(change, Enqueue)]

        def act(file: SpaceFile) -> Applied:
            with file.writing() as connection:
                meta = read_meta(connection)
                applied = self._applied(connection, file, meta, changes, by, expect or {}, once)
            if meta.erased_at_us is not None:
                self._threads.home.register(space, meta.created_at_us)
            if due:
                self._hints.put(space, min(due))
            return applied

        applied = await self._threads.write(space, lambda file: mending(file, act))
        if any(isinstance(change, _ERASING) for change in changes):
            await self._receipts.settle(space)
        return applied

    async def get(
        self, space: Space, ids: Sequence[MemoryId], *, known_at_us: int | None = None
    ) -> list[Memory]:
        """See the port."""
        known = known_at_us is not None
        sql = query(
            "get_memories_known" if known else "get_memories", columns=selected(known=known)
        )
        values = {"ids": json.dumps([found[4:] for found in ids]), "known_at_us": known_at_us}

        def act(connection: apsw.Connection) -> list[Memory]:
            return [to_memory(row, space) for row in connection.execute(sql, values)]

        return await self._threads.read(space, act, [])

    async def scan(
        self,
        space: Space,
        where: Filter = EVERYTHING,
        *,
        order: Order = "newest",
        cursor: str | None = None,
        limit: int = 100,
        known_at_us: int | None = None,
    ) -> Page:
        """See the port."""
        known = known_at_us is not None
        compiled = Compiled(where, known=known)
        name = f"scan_{order}_known" if known else f"scan_{order}"
        sql = query(name, columns=selected(known=known), where=compiled.sql)
        start = PLACE_MAX if order == "newest" else 0
        values = {
            **compiled.values,
            "after": start if cursor is None else place_of(cursor),
            "limit": limit + 1,
            "known_at_us": known_at_us,
        }

        def act(connection: apsw.Connection) -> Page:
            rows = get_rows(connection, sql, **values)
            page = rows[:limit]
            more = len(rows) > limit and page
            return Page(
                tuple(to_memory(row, space) for row in page),
                cursor_of(page[-1][-1]) if more else None,
            )

        return await self._threads.read(space, act, Page((), None))

    async def events(
        self,
        space: Space,
        *,
        session: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> EventPage:
        """See the port."""
        after = 0 if cursor is None else place_of(cursor)

        def act(connection: apsw.Connection) -> EventPage:
            sql = query("scan_events")
            rows = get_rows(connection, sql, session=session, after=after, limit=limit + 1)
            page = rows[:limit]
            events: tuple[Event, ...] = tuple(map(to_event, page))
            more = len(rows) > limit and page
            return EventPage(events, cursor_of(page[-1][-1]) if more else None)

        return await self._threads.read(space, act, EventPage((), None))

    async def turn_before(
        self, space: Space, session: str, at_us: int, *, memories_only: bool = False
    ) -> tuple[MemoryId | EventId, str] | None:
        """See the port."""

        def act(connection: apsw.Connection) -> tuple[MemoryId | EventId, str] | None:
            memory = find_row(connection, query("turn_before_memory"), session=session, at_us=at_us)
            event = None
            if not memories_only:
                sql = query("turn_before_event")
                event = find_row(connection, sql, session=session, at_us=at_us)
            if memory is not None and (event is None or memory[:3] >= event[:3]):
                return memory_id_of(memory[2]), memory[3]
            return None if event is None else (EventId("evt_" + event[2].hex()), event[3])

        return await self._threads.read(space, act, None)

    async def turn_text(self, space: Space, turn: MemoryId | EventId) -> str | None:
        """See the port."""

        def act(connection: apsw.Connection) -> str | None:
            row = find_row(connection, query("turn_text"), kind=turn[:1], id=id_bytes(turn))
            return None if row is None else str(row[0])

        return await self._threads.read(space, act, None)

    async def chain(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """See the port."""
        return await self._all(space, query("chain_of", columns=selected()), id=id_bytes(memory_id))

    async def versions(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """See the port."""
        sql = query("versions_of", columns=selected(old=True))
        earlier = await self._all(space, sql, id=id_bytes(memory_id))
        return [*earlier, *await self.get(space, [memory_id])]

    async def dependants(
        self, space: Space, memory_id: MemoryId
    ) -> list[tuple[Relation, MemoryId]]:
        """See the port."""
        raw = id_bytes(memory_id)

        def act(connection: apsw.Connection) -> list[tuple[Relation, MemoryId]]:
            found: dict[str, list[MemoryId]] = {}
            for relation, source in connection.execute(query("dependants_of"), {"id": raw}):
                found.setdefault(relation, []).append(memory_id_of(source))
            previous = {"previous": memory_id[:1].encode() + raw}
            found["follows"] = [
                memory_id_of(follower)
                for (follower,) in connection.execute(query("followers_of"), previous)
            ]
            order: tuple[Relation, ...] = (
                "derived",
                "supports",
                "follows",
                "conflicts",
                "outdated",
                "supersedes",
            )
            return [(name, follower) for name in order for follower in found.get(name, ())]

        return await self._threads.read(space, act, [])

    async def pending(self, space: Space, awaited: Awaits, *, limit: int = 100) -> list[Memory]:
        """See the port."""
        # The bit as a constant: that is what the partial indexes are on.
        sql = query("pending", columns=selected(), bit=str(AWAITS_BITS[awaited]))
        return await self._all(space, sql, limit=limit)

    async def _all(self, space: Space, sql: str, **values: Value) -> list[Memory]:
        def act(connection: apsw.Connection) -> list[Memory]:
            return [to_memory(row, space) for row in connection.execute(sql, values)]

        return await self._threads.read(space, act, [])

    def _applied(
        self,
        connection: apsw.Connection,
        file: SpaceFile,
        meta: Meta,
        changes: Sequence[Change],
        by: Actor,
        expect: Mapping[MemoryId, int],
        once: Once | None,
    ) -> Applied:
        now_us = self._clock.now_us()
        if meta.erased_at_us is not None:
            connection.execute(query("unmark_erased"))
        if once is not None and (first := _replayed(connection, once, by, now_us)) is not None:
            return first
        for memory_id, version in expect.items():
            row = find_row(connection, query("seq_of"), id=id_bytes(memory_id))
            if row is None or row[1] != version:
                actual = None if row is None else row[1]
                raise VersionConflict(memory_id, expected=version, actual=actual)
        key = chain_key(self._threads.secret(), file.space)
        pen = Pen(connection, key=key, by=by, now_us=now_us)
        batch = Batch(connection, file.space, pen=pen, hash_key=meta.hash_key, now_us=now_us)
        batch.apply(changes)
        applied = batch.applied()
        if once is not None:
            _remember_once(connection, once, by, applied, now_us)
        file.head = (pen.n, pen.mac)
        return applied


def _replayed(connection: apsw.Connection, once: Once, by: Actor, now_us: int) -> Applied | None:
    connection.execute(query("drop_old_once"), {"before_us": now_us - ONCE_KEPT_US})
    row = find_row(connection, query("once_answer"), key=_key_of(once, by))
    if row is None:
        return None
    if row[0] != _digest(once.request):
        raise KeyReused(once.key)
    answer = json.loads(row[1])
    return Applied(
        seq=answer["seq"],
        equals=answer["equals"],
        replayed=True,
        ids=tuple(answer["ids"]),
        created=tuple(answer["created"]),
    )


def _remember_once(
    connection: apsw.Connection, once: Once, by: Actor, applied: Applied, now_us: int
) -> None:
    answer = {
        "seq": applied.seq,
        "equals": dict(applied.equals),
        "ids": applied.ids,
        "created": applied.created,
    }
    values = {
        "key": _key_of(once, by),
        "request": _digest(once.request),
        "answer": json.dumps(answer),
        "at_us": now_us,
    }
    connection.execute(query("put_once"), values)


def _key_of(once: Once, by: Actor) -> bytes:
    """Return under what a key is kept: its writer's own, whoever else writes to the space."""
    return _digest(f"{by.name}\n{once.key}")


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()
