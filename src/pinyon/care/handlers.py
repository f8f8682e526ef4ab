"""What a worker does without a model that talks: copies that follow, vectors that are owed."""

import logging
from collections.abc import Callable
from typing import Protocol

import anyio

from pinyon.care.budget import Budget
from pinyon.care.consolidating import EPISODES_AT_ONCE
from pinyon.care.copies import Copies
from pinyon.care.model_summaries import ModelSummaries
from pinyon.care.reembedding import Reembedding
from pinyon.care.summarising import Summariser
from pinyon.care.tasks import Attempt, Handler, Task, Tasks
from pinyon.domain.budget import next_day_us
from pinyon.domain.consolidation import Consolidated
from pinyon.domain.ids import NewUuid
from pinyon.domain.space import Space
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.write.copies import FOLLOW
from pinyon.write.vectors import EMBED

log = logging.getLogger("pinyon.worker")

TOKENS_A_PART = 8_000
"""About what one part of what waits takes of a model, in and out."""


def usual_tasks(
    store: Store, *, clock: Clock, new_uuid: NewUuid, embedder: Embedder | None
) -> Tasks:
    """Return what every worker can do.

    Args:
        store: On which.
        clock: Tells the time.
        new_uuid: Gives ids.
        embedder: Makes vectors; without one, those that are owed wait for a worker that has one.
    """
    copies = Copies(store, clock=clock, new_uuid=new_uuid, embedder=embedder)

    async def follow(attempt: Attempt) -> None:
        await copies.follow(attempt.space, attempt.job)
        await attempt.finish()
        # Of what was forgotten and published, the receipt waited for this.
        await store.receipts.settle(attempt.space)

    # Never given up: while the memory says that it is published there, it is owed.
    tasks = {FOLLOW: Task(handler=follow, attempts_max=None)}
    if embedder is not None:
        tasks[EMBED] = Task(handler=_embedding(store, embedder))
    return tasks


class Consolidates(Protocol):
    """A client of one user, as far as a handler needs it."""

    async def consolidate(self, *, limit: int = ...) -> Consolidated:
        """Make facts and playbooks of what waits."""


def consolidating(
    client_of: Callable[[Space], Consolidates],
    budget: Budget | None,
    *,
    clock: Clock,
    rests: float = 0.0,
) -> Task:
    """Return how the episodes of a user are consolidated.

    Args:
        client_of: Gives the client of the user whose own space it is.
        budget: What may be spent on the model that is asked; `None` where none is.
        clock: Tells the time.
        rests: For how much longer than a part took it rests before the next one: where requests
            are answered by the same process, they go first.
    """

    async def consolidate(attempt: Attempt) -> None:
        client, space = client_of(attempt.space), attempt.space
        while True:
            if budget is not None and not await budget.take(space, tokens=TOKENS_A_PART):
                await attempt.put_off(next_day_us(clock.now_us()))
                return
            began_s = anyio.current_time()
            done = await client.consolidate(limit=EPISODES_AT_ONCE)
            if not done.left or not done.episodes:
                return
            await anyio.sleep((anyio.current_time() - began_s) * rests)

    return Task(handler=consolidate)


def summarising(
    summariser_of: Callable[[Space], Summariser],
    model_of: Callable[[Space], ModelSummaries] | None = None,
    *,
    clock: Clock,
) -> Task:
    """Return how the conversations of a user that nobody ended are told in short.

    Args:
        summariser_of: Gives what tells them, for the user whose own space it is.
        model_of: Gives what asks a chat model for better summaries of long texts, where one is set.
        clock: Tells the time.
    """

    async def summarise(attempt: Attempt) -> None:
        space = attempt.space
        await summariser_of(space).tell_quiet(space)
        if model_of is None:
            return
        done = await model_of(space).better(space)
        if done.refused:
            log.info("summaries that a model made were refused: %s", dict(done.refused))
        if done.is_spent:
            await attempt.put_off(next_day_us(clock.now_us()))

    return Task(handler=summarise)


def _embedding(store: Store, embedder: Embedder) -> Handler:
    async def embed(attempt: Attempt) -> None:
        await Reembedding(store, embedder, by=attempt.by).fill(attempt.space)

    return embed
