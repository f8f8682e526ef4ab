"""How it feels to begin: the first recall of a process, and a loop beside a model that loads."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import anyio

from pinyon.evaluation.embedders import recycled
from pinyon.evaluation.speed.babble import Babble
from pinyon.evaluation.speed.homes import Open, Tell, filled, opened
from pinyon.ports.embedder import Embedder
from pinyon.ports.models import Models

MEMORIES = 1_000
PROCESSES = 5
TEXTS = 200
QUESTION = "which plans did we make for the garden last summer?"
_TICK_S = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """What a new process takes, over `processes` of them.

    Attributes:
        first_recall_s: Wall time from starting a process to its end, with one recall in between;
            the median, and the longest.
        loop_blocked_ms: The longest time that an event loop stood still while the model was loaded
            and encoded 200 texts; the median over processes, and the longest.
    """

    processes: int
    first_recall_s: float
    first_recall_s_max: float
    loop_blocked_ms: float
    loop_blocked_ms_max: float


async def starting(
    open_home: Open,
    folder: Path,
    models: Models,
    *,
    babble: Babble,
    command: Sequence[str],
    tell: Tell,
) -> Starting:
    """Measure processes that begin.

    Args:
        open_home: Opens the home.
        folder: The home; it is filled here.
        models: What fills it.
        babble: With what.
        command: Starts a process; it is given `first-recall` or `blocked`, and the home.
        tell: Says what is going on.
    """
    tell(f"starting {PROCESSES} processes that recall")
    async with opened(open_home, folder, durable=False, models=recycled(models)) as (_, client):
        await filled(client, list(babble.turns(MEMORIES)))
    recalled_s = []
    for _ in range(PROCESSES):
        started = time.perf_counter()
        await _said([*command, "first-recall", str(folder), "0"])
        recalled_s.append(time.perf_counter() - started)
    tell(f"starting {PROCESSES} processes that load the model")
    blocked_ms = [
        float(await _said([*command, "blocked", str(folder), "0"])) for _ in range(PROCESSES)
    ]
    return Starting(
        processes=PROCESSES,
        first_recall_s=median(recalled_s),
        first_recall_s_max=max(recalled_s),
        loop_blocked_ms=median(blocked_ms),
        loop_blocked_ms_max=max(blocked_ms),
    )


async def recall_first(open_home: Open, folder: Path, models: Models) -> None:
    """Recall once, as a process that has just begun."""
    async with opened(open_home, folder, models=models) as (_, client):
        answer = await client.recall(QUESTION)
    sys.stdout.write(f"{len(answer.hits)}\n")


async def say_blocked(embedder: Embedder) -> None:
    """Load a model, encode texts, and say how long the loop stood still at most, in ms."""
    babble = Babble()
    texts = [babble.text(number) for number in range(TEXTS)]
    longest_s = 0.0

    async def tick() -> None:
        nonlocal longest_s
        while True:
            slept = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            longest_s = max(longest_s, time.perf_counter() - slept - _TICK_S)

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        await embedder.embed(texts)
        group.cancel_scope.cancel()
    sys.stdout.write(f"{longest_s * 1000}\n")


async def _said(command: Sequence[str]) -> str:
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return said.decode()
