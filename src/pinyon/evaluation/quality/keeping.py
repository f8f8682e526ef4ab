"""Keeping a corpus in a home: every tenant a user of its own, all of them side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from pinyon.client import MemoryClient
from pinyon.domain.ids import MemoryId
from pinyon.errors import InvalidFile, ModelUnavailable
from pinyon.evaluation.quality.corpus import SHARED, Corpus, Row, Tenant
from pinyon.text.normal import content_hash

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""

Clients = Mapping[str, MemoryClient]
"""By tenant, the client that speaks for it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows that a tenant may recall, once they are memories.

    Rows that say the same are one thing: one hit stands for all of them.

    Attributes:
        said_in: By row, what it says.
        said_by: By memory, the same.
        row_of: By what is said, the first row that says it.
        kind_of: By row, its kind.
    """

    said_in: Mapping[str, str]
    said_by: Mapping[MemoryId, str]
    row_of: Mapping[str, str]
    kind_of: Mapping[str, str]

    def evidence(self, rows: Sequence[str]) -> list[str]:
        """Return what the rows say that answer a question."""
        return [self.said_in[row] for row in rows]


class Keeping:
    """Writes rows, one after the other, and remembers which memory each became."""

    def __init__(self) -> None:
        self._said_in: dict[str, dict[str, str]] = {}
        self._said_by: dict[str, dict[MemoryId, str]] = {}
        self._kind_of: dict[str, dict[str, str]] = {}
        self._memory_of: dict[tuple[str, str], MemoryId] = {}

    async def keep(self, client: MemoryClient, owner: str, row: Row) -> None:
        """Write one row of a tenant, or one that is everybody's.

        Raises:
            InvalidFile: It supersedes what is no earlier row of its tenant.
            ModelUnavailable: The model failed, or was too slow for it.
        """
        earlier = [self._memory_of.get((owner, one)) for one in row.draft.supersedes]
        if None in earlier:
            raise InvalidFile(row.id, "it supersedes what is no earlier row of its tenant")
        supersedes = [one for one in earlier if one is not None]
        draft = replace(row.draft, supersedes=supersedes)
        (written,) = await client.write_many([draft], scope="shared" if owner == SHARED else "own")
        if written.degraded:
            # What lacks vectors cannot be found by them, and a figure would not show it.
            raise ModelUnavailable("of this recall", f"it failed, or was too slow for {row.id}")
        memory = MemoryId(written.id)
        said = content_hash(row.draft.text)
        self._memory_of[owner, row.id] = memory
        self._said_in.setdefault(owner, {})[row.id] = said
        self._said_by.setdefault(owner, {})[memory] = said
        self._kind_of.setdefault(owner, {})[row.id] = row.draft.kind

    def of(self, owner: str) -> Kept:
        """Return what a tenant may recall: its own rows and the shared ones."""
        said_in = {**self._said_in.get(SHARED, {}), **self._said_in.get(owner, {})}
        row_of: dict[str, str] = {}
        for row, said in said_in.items():
            row_of.setdefault(said, row)
        return Kept(
            said_in,
            {**self._said_by.get(SHARED, {}), **self._said_by.get(owner, {})},
            row_of,
            {**self._kind_of.get(SHARED, {}), **self._kind_of.get(owner, {})},
        )


async def keep_corpus(
    client: MemoryClient, corpus: Corpus, progress: Progress | None = None
) -> tuple[Clients, Mapping[str, Kept]]:
    """Write a whole corpus, its tenants interleaved: the first row of each, then the second.

    Returns:
        Clients and what was kept, by tenant.
    """
    clients = {tenant.name: client.acting_for(tenant.name) for tenant in corpus.tenants}
    keeping = Keeping()
    total = sum(1 for _ in corpus.rows)
    writer = client if not clients else next(iter(clients.values()))
    done = 0
    for row in corpus.shared:
        await keeping.keep(writer, SHARED, row)
        done += 1
    for name, row in _interleaved(corpus.tenants):
        await keeping.keep(clients[name], name, row)
        done += 1
        if progress is not None:
            progress(done, total)
    return clients, {name: keeping.of(name) for name in clients}


def _interleaved(tenants: Sequence[Tenant]) -> Iterator[tuple[str, Row]]:
    names = [tenant.name for tenant in tenants]
    for rows in zip_longest(*(tenant.rows for tenant in tenants)):
        yield from ((name, row) for name, row in zip(names, rows, strict=True) if row is not None)
