"""The small reading ports: the journal, what changed, which spaces there are."""

import apsw

from pinyon.domain.consent import Consent
from pinyon.domain.grant import Grant
from pinyon.domain.space import Space
from pinyon.errors import NotFound
from pinyon.ports.changes import ChangedSince
from pinyon.ports.journal import Entry
from pinyon.ports.registry import SpaceInfo
from pinyon.stores.sqlite.audit import chain_key, entry_of, mac_of
from pinyon.stores.sqlite.connection import Value, get_row, get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import memory_id_of
from pinyon.stores.sqlite.space_file import SpaceFile, read_meta
from pinyon.stores.sqlite.threads import Threads

_PAGE = 10_000


class SqliteJournal:
    """See `pinyon.ports.journal.Journal`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def entries(
        self, space: Space, *, target: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[Entry]:
        """See the port."""
        values: dict[str, Value] = {"after": after, "limit": limit}
        if target is not None:
            values["target"] = target[:1].encode() + bytes.fromhex(target[4:])
        name = "entries" if target is None else "entries_of"

        def act(connection: apsw.Connection) -> list[Entry]:
            return [entry_of(row) for row in connection.execute(query(name), values)]

        return await self._threads.read(space, act, [])

    async def broken_at(self, space: Space) -> int | None:
        """See the port."""

        def act(connection: apsw.Connection) -> int | None:
            head = self._threads.home.head(space)
            return broken_at(connection, chain_key(self._threads.secret(), space), head)

        return await self._threads.read(space, act, None)


class SqliteChanges:
    """See `pinyon.ports.changes.Changes`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def seq(self, space: Space) -> int:
        """See the port."""

        def act(connection: apsw.Connection) -> int:
            return int(get_row(connection, query("read_mark"))[0])

        return await self._threads.glance(space, act, 0)

    async def since(self, space: Space, seq: int) -> ChangedSince:
        """See the port."""

        def act(connection: apsw.Connection) -> ChangedSince:
            meta = read_meta(connection)
            known = seq - meta.created_at_us if seq else 0
            values = {"seq": known}
            changed = connection.execute(query("changed_since"), values)
            gone = connection.execute(query("gone_since"), values)
            return ChangedSince(
                get_row(connection, query("read_mark"))[0],
                frozenset(memory_id_of(raw) for (raw,) in changed),
                frozenset(memory_id_of(raw) for (raw,) in gone),
                meta.emptied_seq > known or known < 0,
            )

        return await self._threads.read(space, act, ChangedSince(0, frozenset(), frozenset()))


class SqliteRegistry:
    """See `pinyon.ports.registry.Registry`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def spaces(self, tenant: str | None = None) -> list[Space]:
        """See the port."""
        found = await self._threads.run(self._threads.home.spaces)
        return [space for space in found if tenant in (None, space.tenant)]

    async def info(self, space: Space) -> SpaceInfo | None:
        """See the port."""

        def act(file: SpaceFile) -> SpaceInfo | None:
            with file.reading() as connection:
                meta = read_meta(connection)
                memories, events = get_row(connection, query("count_rows"))
            if meta.erased_at_us is not None:
                return None
            sizes = (file.path.with_name(file.path.name + end) for end in ("", "-wal"))
            return SpaceInfo(
                space=space,
                memories=memories,
                events=events,
                bytes=sum(path.stat().st_size for path in sizes if path.exists()),
                seq=meta.seq,
                created_at_us=meta.created_at_us,
            )

        return await self._threads.over(space, act, None)

    async def grants(self, space: Space | None = None) -> list[Grant]:
        """See the port."""
        home = self._threads.home
        at_hand = None if space is None else home.glance_at_grants(space)
        if at_hand is not None:
            return at_hand
        return await self._threads.run(lambda: home.grants(space))

    async def grant(self, grant: Grant) -> None:
        """See the port."""
        await self._threads.run(lambda: self._threads.home.put_grant(grant))

    async def revoke(self, space: Space, user: str) -> None:
        """See the port."""
        if not await self._threads.run(lambda: self._threads.home.drop_grant(space, user)):
            raise NotFound(f"a grant of {user!r} in {space}")

    async def consent(self, space: Space) -> Consent:
        """See the port."""
        home = self._threads.home
        at_hand = home.glance_at_consent(space)
        if at_hand is not None:
            return at_hand
        return await self._threads.run(lambda: home.consent(space))

    async def put_consent(
        self, space: Space, *, paused: bool | None = None, never: tuple[str, ...] | None = None
    ) -> Consent:
        """See the port."""
        return await self._threads.run(lambda: self._threads.home.put_consent(space, paused, never))


def broken_at(
    connection: apsw.Connection, key: bytes, head: tuple[int, bytes] | None
) -> int | None:
    """Return the place of the first entry that does not fit the chain, or `None`."""
    before, place = b"", 0
    while True:
        page = get_rows(connection, query("entries"), after=place, limit=_PAGE)
        for row in page:
            entry = entry_of(row)
            if entry.n != place + 1 or entry.mac != mac_of(key, before, entry):
                return place + 1
            before, place = entry.mac, entry.n
            if head is not None and place == head[0] and before != head[1]:
                return place
        if len(page) < _PAGE:
            break
    return place + 1 if head is not None and head[0] > place else None
