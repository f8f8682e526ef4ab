"""Planning anew where somebody else wrote between a plan and what was to become of it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pinyon.errors import AlreadySettled, AlreadyThere, VersionConflict

T = TypeVar("T")

TRIES = 4


async def planned_anew(attempt: Callable[[], Awaitable[T]]) -> T:
    """Return what an attempt gives: it reads, plans, and applies against what it read.

    Raises:
        AlreadySettled: What was awaited was done by somebody else each time.
        AlreadyThere: Something was there each time that must not be.
        VersionConflict: Somebody else was first each time.
    """
    for _ in range(TRIES - 1):
        try:
            return await attempt()
        except (AlreadySettled, AlreadyThere, VersionConflict):
            continue
    return await attempt()
