"""How fast the embedded store is on this machine. A benchmark, never a pass or fail."""

import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from pinyon.client import MemoryClient
from pinyon.domain.change import Put
from pinyon.domain.filter import Filter, all_of
from pinyon.domain.terms import Terms
from pinyon.evaluation.corpus import Corpus
from pinyon.evaluation.timing import Figures, Run, figures, timed
from pinyon.ports.store import Store
from pinyon.ranking.relevance import affordable
from pinyon.recall.legs.keyword import ROWS_SCORED_MAX
from pinyon.recall.planning import CANDIDATES_PER_LEG, standing
from pinyon.testing.makers import memory_of, put
from pinyon.text.tokens import question_terms

QUESTIONS = 200
WRITES = 200
BATCH = 1_000
FULL_SPACE = 100_000

Opened = tuple[Store, MemoryClient]
Open = Callable[[Path, str, bool], Opened]
"""Opens a home: the directory, a user, and whether writes wait for the disk."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceSpeed:
    """One space of a given size.

    Attributes:
        import_per_s: Memories a second and core, from drafts to durable.
        bytes_per_memory: On disk, with every index.
        keyword: The keyword leg of the store.
        recall: A whole recall, words only.
        stages_ms: Median wall time of each stage of a recall.
        write: A whole durable write.
        write_store: The store's part of it.
    """

    memories: int
    import_per_s: float
    bytes_per_memory: float
    keyword: Figures
    recall: Figures
    stages_ms: dict[str, float]
    write: Figures
    write_store: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeSpeed:
    """A space of a thousand memories in a home with so many others."""

    others: int
    keyword: Figures
    write: Figures


async def space_speed(open_home: Open, folder: Path, size: int, tell: Tell) -> SpaceSpeed:
    """Fill one space, then ask it and write to it."""
    async with _home(open_home, folder, "bench") as (store, client):
        tell(f"writing {size:,} memories")
        corpus = Corpus()
        texts, per_s = await _filled(client, corpus, size)
        taken = _bytes_in(folder)
        tell(f"asking {size:,} memories")
        questions = [corpus.question(texts[at]) for at in range(0, size, max(1, size // QUESTIONS))]
        keyword = await _keyword(store, client, questions)
        recall, stages = await _recalls(client, questions)
        tell(f"writing to {size:,} memories")
        return SpaceSpeed(
            memories=size,
            import_per_s=per_s,
            bytes_per_memory=taken / size,
            keyword=keyword,
            recall=recall,
            stages_ms=stages,
            write=await _writes(client, corpus, size),
            write_store=await _store_writes(store, client, corpus, size),
        )


async def home_speed(open_home: Open, folder: Path, others: int, tell: Tell) -> HomeSpeed:
    """Measure a space of a thousand among so many others."""
    corpus = Corpus()
    tell(f"making {others:,} other spaces")
    async with _home(open_home, folder, "bench", durable=False) as (_, client):
        for number in range(others):
            await client.acting_for(f"other-{number}").write(corpus.text(number))
        texts, _ = await _filled(client, corpus, 1_000)
    async with _home(open_home, folder, "bench") as (store, client):
        tell(f"asking among {others:,} other spaces")
        questions = [corpus.question(text) for text in texts[:QUESTIONS]]
        return HomeSpeed(
            others=others,
            keyword=await _keyword(store, client, questions),
            write=await _writes(client, corpus, 1_000),
        )


async def full_home_speed(open_home: Open, folder: Path, memories: int, tell: Tell) -> HomeSpeed:
    """Measure a space of a thousand in a full home: so many memories, 100,000 a space.

    `others` of the answer counts the other spaces.
    """
    corpus = Corpus()
    others = memories // FULL_SPACE
    async with _home(open_home, folder, "bench", durable=False) as (_, client):
        for number in range(others):
            tell(f"filling a home: {number * FULL_SPACE:,} of {memories:,}")
            await _filled(client.acting_for(f"full-{number}"), corpus, FULL_SPACE)
        texts, _ = await _filled(client, corpus, 1_000)
    async with _home(open_home, folder, "bench") as (store, client):
        questions = [corpus.question(text) for text in texts[:QUESTIONS]]
        return HomeSpeed(
            others=others,
            keyword=await _keyword(store, client, questions),
            write=await _writes(client, corpus, 1_000),
        )


def fsync_ms(folder: Path) -> Figures:
    """Measure what the disk takes to confirm 4 kB, which every durable write waits for once."""
    runs: list[Run] = []
    descriptor = os.open(folder / "fsync", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        for _ in range(WRITES):
            os.write(descriptor, b"\0" * 4096)
            cpu, wall = time.process_time(), time.perf_counter()
            os.fsync(descriptor)
            spent_cpu, spent_wall = time.process_time() - cpu, time.perf_counter() - wall
            runs.append(Run(spent_cpu * 1000, spent_wall * 1000))
    finally:
        os.close(descriptor)
    return figures(runs)


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@asynccontextmanager
async def _home(
    open_home: Open, folder: Path, user: str, *, durable: bool = True
) -> AsyncIterator[Opened]:
    store, client = open_home(folder, user, durable)
    try:
        yield store, client
    finally:
        await client.close()


async def _filled(client: MemoryClient, corpus: Corpus, size: int) -> tuple[list[str], float]:
    """Write so many memories; return their texts, and how many a second of CPU took in."""
    texts: list[str] = []
    spent = 0.0
    for start in range(0, size, BATCH):
        drafts = list(corpus.drafts(min(BATCH, size - start), first=start))
        texts.extend(draft.text for draft in drafts)
        cpu = time.process_time()
        await client.write_many(drafts)
        spent += time.process_time() - cpu
    return texts, size / spent


async def _keyword(store: Store, client: MemoryClient, questions: list[str]) -> Figures:
    space = client.principal.space("own")
    where = _where()
    runs = []
    for question in questions:
        words = question_terms(question).words
        stats = await store.search.term_stats(space, words)
        terms = Terms(tuple(affordable(words, stats.df, rows=ROWS_SCORED_MAX)))
        runs.append(
            await timed(
                partial(store.search.keyword, space, terms, where, limit=CANDIDATES_PER_LEG)
            )
        )
    return figures(runs)


async def _recalls(client: MemoryClient, questions: list[str]) -> tuple[Figures, dict[str, float]]:
    runs: list[Run] = []
    stages: dict[str, list[float]] = {}
    for question in questions:
        cpu, wall = time.process_time(), time.perf_counter()
        answer = await client.recall(question)
        spent_cpu, spent_wall = time.process_time() - cpu, time.perf_counter() - wall
        runs.append(Run(spent_cpu * 1000, spent_wall * 1000))
        for stage in answer.trace.stages:
            stages.setdefault(stage.stage, []).append(stage.wall_ms)
    return figures(runs), {name: median(spent) for name, spent in stages.items()}


async def _writes(client: MemoryClient, corpus: Corpus, first: int) -> Figures:
    runs = []
    for number in range(WRITES):
        text = corpus.text(first + number)
        runs.append(await timed(partial(client.write, text)))
    return figures(runs)


async def _store_writes(store: Store, client: MemoryClient, corpus: Corpus, first: int) -> Figures:
    space, by = client.principal.space("own"), client.principal.by("bench")
    puts: list[Put] = [
        put(memory_of(first + number, corpus.text(first + number), space=space))
        for number in range(WRITES)
    ]
    runs = []
    for one in puts:
        runs.append(await timed(partial(store.records.apply, space, [one], by=by)))
    return figures(runs)


def _where() -> Filter:
    now_us = time.time_ns() // 1000
    return all_of(*standing(now_us, None, include_superseded=False).values())
