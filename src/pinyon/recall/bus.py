"""The bus: a fold of stages over one frozen value, timed; the trace is read off the differences."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from pinyon.domain.answers import Recall, StageTrace, Trace
from pinyon.recall.empty import empty_because
from pinyon.recall.recalling import Recalling
from pinyon.text.counting import estimated_tokens


class Stage(Protocol):
    """One step of a recall."""

    @property
    def name(self) -> str:
        """The stage's name in the trace."""

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the stage has anything to do."""

    async def run(self, recalling: Recalling) -> Recalling:
        """Return what the stage makes of it."""


async def fold(stages: Sequence[Stage], start: Recalling) -> tuple[Recalling, Recall]:
    """Run the stages that are wanted, and return where it ended and the answer.

    An error of a stage ends the recall: what is broken never looks like an empty memory.
    """
    recalling = start
    traces: list[StageTrace] = []
    for stage in stages:
        if not stage.wanted(recalling):
            continue
        started = time.perf_counter()
        recalling = await stage.run(replace(recalling, note=""))
        traces.append(
            StageTrace(
                stage=stage.name,
                wall_ms=(time.perf_counter() - started) * 1000,
                candidates=recalling.candidates(),
                note=recalling.note,
            )
        )
    return recalling, _answer(recalling, tuple(traces))


def _answer(recalling: Recalling, stages: tuple[StageTrace, ...]) -> Recall:
    plan = recalling.planned
    trace = Trace(
        stages=stages,
        terms=recalling.asked,
        unknown_terms=recalling.unknown,
        dropped_terms=tuple(
            word
            for word in plan.terms.words
            if word not in recalling.asked and word not in recalling.unknown
        ),
        spaces=recalling.question.spaces,
        floor=recalling.floor,
        best=recalling.best,
        tokens=sum(
            estimated_tokens(memory.text)
            for hit in recalling.hits
            for memory in (hit.memory, *hit.neighbours)
        ),
    )
    return Recall(
        hits=recalling.hits,
        trace=trace,
        empty_because=empty_because(recalling),
        degraded=recalling.degraded,
        degraded_because=recalling.degraded_because,
    )
