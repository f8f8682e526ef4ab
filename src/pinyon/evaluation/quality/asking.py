"""Asking a set of data through the library's front door, as its users would."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

from pinyon.client import MemoryClient
from pinyon.domain.answers import Recall
from pinyon.domain.question import Narrowing
from pinyon.errors import ModelUnavailable
from pinyon.evaluation.quality.datasets import Tenant
from pinyon.evaluation.timing import Run, Stopwatch
from pinyon.text.normal import content_hash


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows of a tenant, once they are memories.

    Rows that say the same are one thing: one hit stands for all of them.

    Attributes:
        said_in: By row, what it says.
        said_by: By memory, the same.
    """

    said_in: Mapping[str, str]
    said_by: Mapping[str, str]

    def came(self, answer: Recall) -> list[str]:
        """Return what the hits of an answer say, best first."""
        return [self.said_by[hit.memory.id] for hit in answer.hits]

    def evidence(self, rows: tuple[str, ...]) -> list[str]:
        """Return what the rows say that answer a question."""
        return [self.said_in[row] for row in rows]


async def keep_rows(client: MemoryClient, tenant: Tenant) -> Kept:
    """Write all rows of a tenant, one after the other, as they were said.

    Raises:
        ModelUnavailable: The model failed, or was too slow for a row.
    """
    said_in: dict[str, str] = {}
    said_by: dict[str, str] = {}
    for row in tenant.rows:
        (written,) = await client.write_many([row.draft])
        if written.degraded:
            # What lacks vectors cannot be found by them, and a figure would not show it.
            raise ModelUnavailable("of this recall", f"it failed, or was too slow for {row.id}")
        said_in[row.id] = said_by[written.id] = content_hash(row.draft.text)
    return Kept(said_in, said_by)


async def ask(
    client: MemoryClient, question: str, *, k: int, **narrowing: Unpack[Narrowing]
) -> tuple[Recall, Run]:
    """Return the answer to a question, and what it took."""
    with Stopwatch() as watch:
        answer = await client.recall(question, k=k, **narrowing)
    return answer, watch.run
