"""Waiting for several answers at once."""

from collections.abc import Awaitable, Sequence
from typing import TypeVar

import anyio

T = TypeVar("T")


async def side_by_side(awaitables: Sequence[Awaitable[T]]) -> list[T]:
    """Return the results, in order; the first error stops the others and is raised."""
    if len(awaitables) == 1:
        return [await awaitables[0]]
    results: dict[int, T] = {}

    async def keep(place: int, awaitable: Awaitable[T]) -> None:
        results[place] = await awaitable

    try:
        async with anyio.create_task_group() as group:
            for place, awaitable in enumerate(awaitables):
                group.start_soon(keep, place, awaitable)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[place] for place in range(len(awaitables))]
