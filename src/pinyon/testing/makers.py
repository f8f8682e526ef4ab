"""Short ways to make values for tests."""

from collections.abc import Callable
from typing import Any

from pinyon.domain.change import IndexRow, Put
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Counts, Memory, Times
from pinyon.domain.space import Space
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.text.passages import passages_of

ANN = Space.of_user("acme", "ann")


def memory_of(number: int, text: str = "Sarah lives in Bristol", **fields: Any) -> Memory:
    """Return a memory whose id is a small number; its times are that many hours after the epoch."""
    at_us = number * 3_600_000_000
    times = fields.pop(
        "times", Times(occurred_at_us=at_us, created_at_us=at_us, updated_at_us=at_us)
    )
    return Memory(
        id=MemoryId(f"mem_{number:032x}"),
        space=fields.pop("space", ANN),
        kind=fields.pop("kind", "semantic"),
        text=text,
        times=times,
        content_hash=content_hash(text),
        passages=passages_of(text),
        counts=fields.pop("counts", Counts(last_used_at_us=at_us)),
        **fields,
    )


def rows_of(memory: Memory, context: str = "") -> tuple[IndexRow, ...]:
    """Return the index rows of a memory."""
    return index_rows(memory, context)


def put(memory: Memory, context: str = "", **fields: Any) -> Put:
    """Return the change that puts a memory with its rows."""
    return Put(memory, rows_of(memory, context), **fields)


def counting_ids(after: int = 0) -> Callable[[], str]:
    """Return a maker of ids that count up, so that a test's answers are the same each time.

    Args:
        after: The number before the first; two makers beside each other must not meet.
    """
    made = [after]

    def new_uuid() -> str:
        made[0] += 1
        return f"{made[0]:032x}"

    return new_uuid
