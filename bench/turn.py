"""What a turn costs beside the write and the recall that it is, and what composing costs.

    python bench/turn.py [--memories 2000] [--rounds 200]

Processor time, medians; by words alone, on a home in a temporary folder, in one run.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from pinyon.client import MemoryClient
from pinyon.domain.answers import Hit
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Principal
from pinyon.evaluation.speed.babble import Babble
from pinyon.settings import read_settings
from pinyon.text.counting import estimated_tokens
from pinyon.text.passages import passages_of
from pinyon.turn.composing import Found, composed
from pinyon.turn.conversation import read_history
from pinyon.wiring import open_client

CANDIDATES = 200
BATCH = 500


async def main() -> None:
    """Fill a home, and print what each costs."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--memories", type=int, default=2_000)
    asked.add_argument("--rounds", type=int, default=200)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings({}, home=Path(folder), models="off", durable=False)
        principal = Principal.of_home(tenant="bench", user="ann")
        async with open_client(settings, principal) as client:
            await _measured(client, given.memories, given.rounds)


async def _measured(client: MemoryClient, memories: int, rounds: int) -> None:
    babble = Babble(7)
    for number in range(memories):
        await client.remember(babble.text(number), session=f"s{number // 50}")
    messages = [babble.question(babble.text(number)) for number in range(2 * rounds)]
    history = [
        {"role": role, "content": babble.text(number)}
        for number in range(20)
        for role in ("user", "assistant")
    ]

    def written(number: int) -> Awaitable[object]:
        return client.remember(messages[number], session="written")

    def recalled(number: int) -> Awaitable[object]:
        return client.recall(messages[rounds + number], k=8, given=True)

    def turned(number: int) -> Awaitable[object]:
        message = messages[rounds + number]  # the same question, which is a message now
        return client.turn(message, session="turned", history=history, if_needed=False)

    costs = await _side_by_side({"remember": written, "recall": recalled, "turn": turned}, rounds)
    for name, cost in costs.items():
        print(f"{name:28} {cost:6.2f} ms")
    added = costs["turn"] - costs["remember"] - costs["recall"]
    print(f"{'what a turn adds to both':28} {added:6.2f} ms")
    found = await _found(client, babble)
    print(f"{f'composing of {CANDIDATES}':28} {_composing(found, 20_000, rounds):6.2f} ms")
    print(f"{'the same of long texts':28} {_composing(_lengthened(found), 2_000, rounds):6.2f} ms")


async def _side_by_side(
    acts: dict[str, Callable[[int], Awaitable[object]]], rounds: int
) -> dict[str, float]:
    """Return the median cost of each, in ms, taken in turns."""
    costs: dict[str, list[float]] = {name: [] for name in acts}
    for number in range(rounds):
        for name, act in acts.items():
            began = time.process_time()
            await act(number)
            costs[name].append((time.process_time() - began) * 1_000)
    return {name: median(taken) for name, taken in costs.items()}


async def _found(client: MemoryClient, babble: Babble) -> Found:
    """Return 200 hits, 24 core facts and 12 turns."""
    answer = await client.recall(babble.question(babble.text(1)), k=100)
    listed = (await client.list(limit=CANDIDATES)).memories
    hits = [Hit(memory, 0.5, answer.hits[0].why) for memory in listed]
    page = await client.events(session="s0", limit=12)
    return Found(
        own=client.principal.space("own"),
        core=listed[:24],
        turns=page.turns,
        recall=replace(answer, hits=tuple(hits)),
        shown=read_history([]),
        now_us=time.time_ns() // 1_000,
    )


def _lengthened(found: Found) -> Found:
    """Return the same with texts of 3,000 characters and results of tools of 12,000.

    As if none of it had been summarised when it was kept: what is shortened is summarised here.
    """
    core, hits = [], []
    for memory in found.core:
        core.append(_longer(memory, found.core))
    for hit in found.recall.hits:
        hits.append(replace(hit, memory=_longer(hit.memory, found.core)))
    said = "\n".join(turn.text for turn in found.turns)
    text = (said * (12_000 // len(said) + 1))[:12_000]
    turns = [replace(turn, text=text, event_type="tool_result") for turn in found.turns]
    return replace(found, core=core, turns=turns, recall=replace(found.recall, hits=tuple(hits)))


def _longer(memory: Memory, others: Sequence[Memory]) -> Memory:
    text = " ".join([memory.text, *(one.text for one in others)])[:3_000]
    return replace(memory, text=text, passages=passages_of(text), summary=None)


def _composing(found: Found, budget: int, rounds: int) -> float:
    """Return what it costs to compose a context of what was found, in ms."""
    costs = []
    for _ in range(rounds):
        began = time.process_time()
        composed(found, budget=budget, count=estimated_tokens)
        costs.append((time.process_time() - began) * 1_000)
    return median(costs)


if __name__ == "__main__":
    asyncio.run(main())
