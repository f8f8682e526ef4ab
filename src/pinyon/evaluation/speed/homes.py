"""Homes to measure: opened, filled and weighed."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from pinyon.client import MemoryClient
from pinyon.domain.draft import Draft
from pinyon.evaluation.timing import Stopwatch
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.store import Store

BATCH = 1_000

Opened = tuple[Store, MemoryClient]
Tell = Callable[[str], None]


class Open(Protocol):
    """Opens a home; `durable` says whether writes wait for the disk."""

    def __call__(self, home: Path, *, durable: bool = True, models: Models = NO_MODELS) -> Opened:
        """Return a client, and the store below it."""


@asynccontextmanager
async def opened(
    open_home: Open, folder: Path, *, durable: bool = True, models: Models = NO_MODELS
) -> AsyncIterator[Opened]:
    """Open a home, and close it."""
    store, client = open_home(folder, durable=durable, models=models)
    try:
        yield store, client
    finally:
        await client.close()


async def filled(client: MemoryClient, drafts: Sequence[Draft]) -> tuple[list[str], float]:
    """Write memories; return their texts, and how many a second of CPU took in."""
    spent_ms = 0.0
    for start in range(0, len(drafts), BATCH):
        with Stopwatch() as watch:
            await client.write_many(drafts[start : start + BATCH])
        spent_ms += watch.run.cpu_ms
    return [draft.text for draft in drafts], len(drafts) * 1000 / spent_ms


def bytes_in(folder: Path) -> int:
    """Return how much a home takes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
