"""The bus: a fold of stages over one frozen value, timed; the trace is read off the differences."""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

import anyio
import anyio.lowlevel

from pinyon.domain.answers import Recall, StageTrace, Trace
from pinyon.recall.empty import empty_because
from pinyon.recall.recalling import EVENTS, Recalling
from pinyon.recall.rewording import read_as
from pinyon.text.counting import estimated_tokens

PART_OF: Mapping[str, str] = {
    "encode": "vectors",
    "words": "keyword",
    "keyword": "keyword",
    "vector": "vectors",
    "turns": "turns",
    "dated": "dated",
    "expand": "expansion",
    "score": "vectors",
    "rerank": "reranker",
    "judge": "judge",
    "beside": "neighbours",
    EVENTS: EVENTS,
}
"""Stages that an answer can do without, and what it then lacks: past the deadline they are cut."""

TO_THE_END = ("words", "keyword", "score")
FOR_THE_LAST = 0.3
"""Share of the time that no stage but those may use up: an answer by words is better than none."""


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
    # What is in memory is answered at once: who asks again and again would hold up everybody else.
    await anyio.lowlevel.checkpoint()
    recalling = start
    traces: list[StageTrace] = []
    deadline_ms = start.question.deadline_ms
    began = time.perf_counter()
    until = began + (deadline_ms / 1000 if deadline_ms else math.inf)
    for stage in stages:
        if recalling.is_over:
            break
        if not stage.wanted(recalling):
            continue
        started = time.perf_counter()
        part = _part_of(stage, recalling)
        if deadline_ms and part:
            kept_s = 0.0 if stage.name in TO_THE_END else deadline_ms / 1000 * FOR_THE_LAST
            recalling = await _within(until - kept_s - started, stage, part, recalling)
        else:
            recalling = await stage.run(recalling.begin())
        traces.append(
            StageTrace(
                stage=stage.name,
                wall_ms=(time.perf_counter() - started) * 1000,
                candidates=recalling.candidates(),
                note=recalling.note,
                began_ms=(started - began) * 1000,
            )
        )
    return recalling, _answer(recalling, tuple(traces), began)


def _part_of(stage: Stage, recalling: Recalling) -> str:
    """Return what an answer lacks without a stage; "" for one that there is no answer without."""
    if stage.name == "score" and not recalling.served:
        return ""  # by words, which takes no time and is all there is
    return PART_OF.get(stage.name, "")


async def _within(left_s: float, stage: Stage, part: str, recalling: Recalling) -> Recalling:
    """Run a stage that can be done without, for as long as there is time."""
    deadline_ms = recalling.question.deadline_ms
    if left_s <= 0:
        return recalling.without(part, f"the deadline of {deadline_ms} ms had passed")
    with anyio.move_on_after(left_s):
        return await stage.run(recalling.begin())
    return recalling.without(part, f"cut at the deadline of {deadline_ms} ms")


def _answer(recalling: Recalling, stages: tuple[StageTrace, ...], began_s: float) -> Recall:
    plan = recalling.plan
    words = plan.terms.words if plan is not None else ()
    otherwise = {word for one in recalling.alternatives for word in one.stand_for}
    told = {*recalling.asked, *recalling.unknown, *otherwise}
    trace = Trace(
        stages=stages,
        terms=recalling.asked,
        intent=plan.intent if plan is not None else recalling.question.intent or "general",
        read_as=read_as(recalling.alternatives),
        unknown_terms=recalling.unknown,
        dropped_terms=tuple(word for word in words if word not in told),
        spaces=recalling.question.spaces,
        floor=recalling.floor,
        best=recalling.best,
        tokens=sum(
            estimated_tokens(memory.text)
            for hit in recalling.hits
            for memory in (hit.memory, *hit.neighbours)
        ),
        began_s=began_s,
    )
    return Recall(
        hits=recalling.hits,
        trace=trace,
        empty_because=empty_because(recalling),
        degraded=recalling.degraded,
        degraded_because=recalling.degraded_because,
        events=recalling.events,
    )
