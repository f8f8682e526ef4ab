"""Measuring one call many times: CPU of the whole process beside the clock on the wall."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self

from pinyon.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a number of runs took, in milliseconds."""

    runs: int
    cpu_p50: float
    cpu_p95: float
    wall_p50: float
    wall_p95: float
    wall_p99: float


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took, in milliseconds."""

    cpu_ms: float
    wall_ms: float


class Stopwatch:
    """Measures what is done inside its `with`. CPU is that of every thread of this process.

    Attributes:
        run: What it took; known when it is done.
    """

    def __init__(self) -> None:
        self.run = Run(0.0, 0.0)

    def __enter__(self) -> Self:
        self._cpu_s, self._wall_s = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *exc: object) -> None:
        cpu_s, wall_s = time.process_time() - self._cpu_s, time.perf_counter() - self._wall_s
        self.run = Run(cpu_s * 1000, wall_s * 1000)


async def timed(act: Callable[[], Awaitable[object]]) -> Run:
    """Run something once, and return what it took."""
    with Stopwatch() as watch:
        await act()
    return watch.run


def figures(runs: Sequence[Run]) -> Figures:
    """Return medians and the slow end of a number of runs.

    Raises:
        InvalidValue: There are none.
    """
    if not runs:
        raise InvalidValue("runs", 0, "at least 1")
    return Figures(
        runs=len(runs),
        cpu_p50=median(run.cpu_ms for run in runs),
        cpu_p95=quantile([run.cpu_ms for run in runs], 0.95),
        wall_p50=median(run.wall_ms for run in runs),
        wall_p95=quantile([run.wall_ms for run in runs], 0.95),
        wall_p99=quantile([run.wall_ms for run in runs], 0.99),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share (0-1) of the others lies: one of them, not a mean."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
