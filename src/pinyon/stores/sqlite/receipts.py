"""Receipts of what was forgotten, and seeing to it that no file keeps a byte of it."""

from collections.abc import Mapping, Sequence

import apsw

from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.stores.sqlite.audit import keyed_hash
from pinyon.stores.sqlite.connection import find_row, get_row, get_rows
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.rows import to_receipt
from pinyon.stores.sqlite.space_file import SpaceFile, read_meta
from pinyon.stores.sqlite.threads import Threads

HASHES_AT_A_GLANCE = 8
"""So many are looked up at once; those of an import are looked up by a thread."""


class SqliteReceipts:
    """See `pinyon.ports.receipts.Receipts`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def of_space(self, space: Space) -> Sequence[Receipt]:
        """See the port."""

        def act(connection: apsw.Connection) -> list[Receipt]:
            return [to_receipt(row) for row in get_rows(connection, query("list_receipts"))]

        none: list[Receipt] = []
        kept = await self._threads.read(space, act, none)
        return [*kept, *await self._threads.run(lambda: self._threads.home.erasures(space))]

    async def forgotten(self, space: Space, content_hashes: Sequence[str]) -> Mapping[str, int]:
        """See the port."""

        def act(connection: apsw.Connection) -> Mapping[str, int]:
            key = read_meta(connection).hash_key
            found = {
                one: find_row(connection, query("find_forgotten"), hash=keyed_hash(one, key))
                for one in content_hashes
            }
            return {one: int(row[0]) for one, row in found.items() if row is not None}

        is_one_write = len(content_hashes) <= HASHES_AT_A_GLANCE
        look = self._threads.glance if is_one_write else self._threads.read
        return await look(space, act, {})

    async def settle(self, space: Space) -> bool:
        """See the port."""
        return await self._threads.over(space, self.settled, True, writes=True) and all(
            one.complete for one in await self.of_space(space)
        )

    def settled(self, file: SpaceFile) -> bool:
        """Cut the log of a file to nothing and complete its receipts; false while it is read."""
        if not file.leave_nothing_behind():
            return False
        with file.reading() as connection:
            is_erased = read_meta(connection).erased_at_us is not None
            (waiting,) = get_row(connection, query("open_receipts"))
        if waiting:
            with file.writing() as connection:
                connection.execute(query("complete_receipts"))
        if is_erased:
            self._threads.home.complete_erasures(file.space)
        return True
