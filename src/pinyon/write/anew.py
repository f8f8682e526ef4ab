"""Planning anew where somebody else wrote between a plan and what was to become of it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pinyon.errors import AlreadyThere, VersionConflict

T = TypeVar("T")

TRIES = 4


async def planned_anew(attempt: Callable[[], Awaitable[T]]) -> T:
    """Return what an attempt gives: it reads, plans, and applies against what it read.

    Raises:
        AlreadyThere: Something was there each time that must not be.
        VersionConflict: Somebody else was first each time.
    """
    for _ in range(TRIES - 1):
        try:
            return await attempt()
        except (AlreadyThere, VersionConflict):
            continue
    return await attempt()
