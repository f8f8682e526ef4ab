"""How fast the embedded store is on this machine. A benchmark, never a pass or fail."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from pinyon.client import MemoryClient
from pinyon.domain.change import Put
from pinyon.domain.filter import Filter, all_of
from pinyon.domain.question import Quality
from pinyon.domain.terms import Terms
from pinyon.evaluation.quality.asking import ask
from pinyon.evaluation.speed.babble import Babble
from pinyon.evaluation.speed.homes import Open, Tell, bytes_in, filled, opened
from pinyon.evaluation.timing import Figures, Run, Stopwatch, figures, timed
from pinyon.ports.store import Store
from pinyon.ranking.relevance import affordable
from pinyon.recall.legs.keyword import ROWS_SCORED_MAX
from pinyon.recall.planning import CANDIDATES_PER_LEG, standing
from pinyon.testing.makers import memory_of, put
from pinyon.text.tokens import question_terms

QUESTIONS = 200
HITS = 10
WRITES = 200
FULL_SPACE = 100_000
SMALL_SPACE = 1_000


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
    async with opened(open_home, folder) as (store, client):
        tell(f"writing {size:,} memories")
        babble = Babble()
        texts, per_s = await filled(client, list(babble.drafts(size)))
        taken = bytes_in(folder)
        tell(f"asking {size:,} memories")
        questions = questions_of(babble, texts)
        keyword = await _keyword(store, client, questions)
        recall, stages = await recalls(client, questions)
        tell(f"writing to {size:,} memories")
        return SpaceSpeed(
            memories=size,
            import_per_s=per_s,
            bytes_per_memory=taken / size,
            keyword=keyword,
            recall=recall,
            stages_ms=stages,
            write=await writes(client, babble, size),
            write_store=await _store_writes(store, client, babble, size),
        )


async def home_speed(open_home: Open, folder: Path, others: int, tell: Tell) -> HomeSpeed:
    """Measure a space of a thousand among so many others."""
    babble = Babble()
    tell(f"making {others:,} other spaces")
    async with opened(open_home, folder, durable=False) as (_, client):
        for number in range(others):
            await client.acting_for(f"other-{number}").write(babble.text(number))
        texts, _ = await filled(client, list(babble.drafts(SMALL_SPACE)))
    tell(f"asking among {others:,} other spaces")
    return await _among(open_home, folder, others, babble, texts)


async def full_home_speed(open_home: Open, folder: Path, memories: int, tell: Tell) -> HomeSpeed:
    """Measure a space of a thousand in a full home: so many memories, 100,000 a space.

    `others` of the answer counts the other spaces.
    """
    babble = Babble()
    others = memories // FULL_SPACE
    async with opened(open_home, folder, durable=False) as (_, client):
        for number in range(others):
            tell(f"filling a home: {number * FULL_SPACE:,} of {memories:,}")
            await filled(client.acting_for(f"full-{number}"), list(babble.drafts(FULL_SPACE)))
        texts, _ = await filled(client, list(babble.drafts(SMALL_SPACE)))
    tell(f"asking among {others:,} full spaces")
    return await _among(open_home, folder, others, babble, texts)


def fsync_ms(folder: Path) -> Figures:
    """Measure what the disk takes to confirm 4 kB, which every durable write waits for once."""
    runs: list[Run] = []
    descriptor = os.open(folder / "fsync", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        for _ in range(WRITES):
            os.write(descriptor, b"\0" * 4096)
            with Stopwatch() as watch:
                os.fsync(descriptor)
            runs.append(watch.run)
    finally:
        os.close(descriptor)
    return figures(runs)


def questions_of(babble: Babble, texts: Sequence[str]) -> list[str]:
    """Return about `QUESTIONS` questions, asked of texts evenly spread."""
    step = max(1, len(texts) // QUESTIONS)
    return [babble.question(text) for text in texts[::step]]


async def _among(
    open_home: Open, folder: Path, others: int, babble: Babble, texts: Sequence[str]
) -> HomeSpeed:
    """Ask and write to the space that holds the texts, in a home opened anew."""
    async with opened(open_home, folder) as (store, client):
        questions = [babble.question(text) for text in texts[:QUESTIONS]]
        return HomeSpeed(
            others=others,
            keyword=await _keyword(store, client, questions),
            write=await writes(client, babble, SMALL_SPACE),
        )


async def _keyword(store: Store, client: MemoryClient, questions: list[str]) -> Figures:
    space = client.principal.space("own")
    where = standing_now()
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


async def recalls(
    client: MemoryClient, questions: Sequence[str], *, quality: Quality = "default"
) -> tuple[Figures, dict[str, float]]:
    """Ask, and return what it took, and the median wall time of each stage."""
    runs: list[Run] = []
    stages: dict[str, list[float]] = {}
    for question in questions:
        answer, run = await ask(client, question, k=HITS, quality=quality)
        runs.append(run)
        for stage in answer.trace.stages:
            stages.setdefault(stage.stage, []).append(stage.wall_ms)
    return figures(runs), {name: median(spent) for name, spent in stages.items()}


async def writes(client: MemoryClient, babble: Babble, first: int) -> Figures:
    """Write `WRITES` memories one by one, the first under this number."""
    runs = []
    for number in range(WRITES):
        text = babble.text(first + number)
        runs.append(await timed(partial(client.write, text)))
    return figures(runs)


async def _store_writes(store: Store, client: MemoryClient, babble: Babble, first: int) -> Figures:
    space, by = client.principal.space("own"), client.principal.by("bench")
    puts: list[Put] = [
        put(memory_of(first + number, babble.text(first + number), space=space))
        for number in range(WRITES)
    ]
    runs = []
    for one in puts:
        runs.append(await timed(partial(store.records.apply, space, [one], by=by)))
    return figures(runs)


def standing_now() -> Filter:
    """Return what a memory must be to answer a plain question."""
    now_us = time.time_ns() // 1000
    return all_of(*standing(now_us, None, include_superseded=False).values())
