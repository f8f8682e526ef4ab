"""What was spent on models: a row in the space's own file, and one in the registry for the home."""

from pinyon.domain.budget import Spent
from pinyon.domain.space import Space
from pinyon.stores.sqlite.connection import Row, Value, find_row
from pinyon.stores.sqlite.queries import query
from pinyon.stores.sqlite.space_file import SpaceFile
from pinyon.stores.sqlite.threads import Threads


class SqliteBudgets:
    """See `pinyon.ports.budgets.Budgets`. The home's row goes with a registry that breaks."""

    def __init__(self, threads: Threads) -> None:
        self._threads, self._home = threads, threads.home

    async def spend(self, space: Space | None, more: Spent, *, day: int, most: Spent) -> bool:
        """See the port."""
        values: dict[str, Value] = {
            "day": day,
            "calls": more.calls,
            "tokens": more.tokens,
            "calls_max": most.calls,
            "tokens_max": most.tokens,
        }

        def act(file: SpaceFile) -> Row | None:
            with file.writing() as connection:
                return find_row(connection, query("spend"), **values)

        if space is not None:
            return await self._threads.over(space, act, None, writes=True) is not None
        return bool(await self._threads.run(lambda: self._home.ask_registry("spend", **values)))

    async def spent(self, space: Space | None, *, day: int) -> Spent:
        """See the port."""
        if space is None:
            rows = await self._threads.run(
                lambda: self._home.ask_registry("read_spent", day=day), leaves=True
            )
            row = rows[0] if rows else None
        else:
            row = await self._threads.read(
                space, lambda connection: find_row(connection, query("read_spent"), day=day), None
            )
        return Spent() if row is None else Spent(calls=row[0], tokens=row[1])
