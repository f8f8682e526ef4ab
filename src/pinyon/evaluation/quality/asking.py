"""Asking one question of what was kept, through the library's front door."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Unpack

from pinyon.client import MemoryClient
from pinyon.domain.answers import EmptyBecause, Recall
from pinyon.domain.question import K_MAX, Narrowing
from pinyon.errors import ModelUnavailable
from pinyon.evaluation.quality.corpus import Abstain, Asked
from pinyon.evaluation.quality.keeping import Kept
from pinyon.evaluation.quality.marks import Marks, marks_of
from pinyon.evaluation.timing import Run, Stopwatch
from pinyon.text.counting import estimated_tokens

K = 10
"""Hits of a recall as its users ask for it; as deep as ranks are looked at, `K_MAX`."""
FOREIGN_ROW = "?"
"""Instead of a row, for a hit that is none of the tenant's: a leak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """A hit: the row that it is, what it scored, and the tokens that it takes."""

    row: str
    score: float
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one question.

    Attributes:
        kinds: Kinds of the memories that answer it.
        half: Whether its tenant is an odd or an even one, counted from 1.
        hits: At most `K_MAX`, best first.
        best: Relevance of the best candidate, and the floor that it must reach.
        tokens: About how many the first ten hits take.
        leaks: Hits that are nobody's but another tenant's.
        marks: Of a question that something answers; empty for others.
        starved: Whether fewer hits came than to the tenant alone; `None` where it was not tried.
        run: What a recall of ten hits took, and each of its stages in milliseconds.
    """

    tenant: str
    id: str
    question: str
    category: str
    kinds: tuple[str, ...]
    half: str
    abstain: Abstain | None
    evidence: tuple[str, ...]
    hits: tuple[Came, ...]
    best: float
    floor: float
    empty_because: EmptyBecause | None
    tokens: int
    leaks: int
    marks: Marks = field(default_factory=dict)
    starved: bool | None = None
    run: Run = field(default_factory=lambda: Run(0.0, 0.0))
    stages_ms: Mapping[str, float] = field(default_factory=dict)


async def ask(
    client: MemoryClient, question: str, *, k: int = K, **narrowing: Unpack[Narrowing]
) -> tuple[Recall, Run]:
    """Return the answer to a question, and what it took.

    Raises:
        ModelUnavailable: A model was not there to answer it, and a figure would not show it.
    """
    with Stopwatch() as watch:
        answer = await client.recall(question, k=k, **narrowing)
    if answer.degraded:
        raise ModelUnavailable(f"of this recall ({answer.degraded[0]})", answer.degraded_because)
    return answer, watch.run


async def outcome_of(
    client: MemoryClient,
    kept: Kept,
    asked: Asked,
    *,
    tenant: str,
    half: str,
    **narrowing: Unpack[Narrowing],
) -> Outcome:
    """Ask a question twice: as users do, which is timed, and deeper, for what would come next.

    The first hits are those that users get: a deeper recall reads more candidates, and may order
    its own first ones otherwise.
    """
    shallow, run = await ask(client, asked.text, **narrowing)
    deep, _ = await ask(client, asked.text, k=K_MAX, **narrowing)
    hits = hits_of(kept, shallow)
    first = {hit.memory.id for hit in shallow.hits}
    if shallow.hits:
        behind = tuple(hit for hit in deep.hits if hit.memory.id not in first)
        hits += hits_of(kept, replace(deep, hits=behind))
    came_of = {hit.memory.id for answer in (shallow, deep) for hit in answer.hits}
    marks: Marks = {}
    if asked.evidence:
        came = [kept.said_in.get(hit.row, FOREIGN_ROW) for hit in hits]
        core = [kept.said_by[one.id] for one in await client.core_facts() if one.id in kept.said_by]
        tokens = [hit.tokens for hit in hits]
        marks = marks_of(kept.evidence(asked.evidence), came, tokens, core)
    return Outcome(
        tenant=tenant,
        id=asked.id,
        question=asked.text,
        category=asked.category,
        kinds=tuple(sorted({kept.kind_of[row] for row in asked.evidence})),
        half=half,
        abstain=asked.abstain,
        evidence=asked.evidence,
        hits=hits,
        best=shallow.trace.best,
        floor=shallow.trace.floor,
        empty_because=shallow.empty_because,
        tokens=shallow.trace.tokens,
        leaks=len(came_of.difference(kept.said_by)),
        marks=marks,
        run=run,
        stages_ms={stage.stage: stage.wall_ms for stage in shallow.trace.stages},
    )


def hits_of(kept: Kept, answer: Recall) -> tuple[Came, ...]:
    """Return the hits of an answer as rows."""
    return tuple(
        Came(
            row=kept.row_of[kept.said_by[hit.memory.id]]
            if hit.memory.id in kept.said_by
            else FOREIGN_ROW,
            score=hit.score,
            tokens=estimated_tokens(hit.memory.text),
        )
        for hit in answer.hits
    )


def starved(outcome: Outcome, alone: Recall) -> Outcome:
    """Return an outcome with the answer beside it that the tenant gets when it is alone."""
    together = sum(hit.row != FOREIGN_ROW for hit in outcome.hits[:K])
    return replace(outcome, starved=together < len(alone.hits))
