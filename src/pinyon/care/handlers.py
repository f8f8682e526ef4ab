"""What a worker does without a model that talks: copies that follow, vectors that are owed."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

import anyio

from pinyon.care.consolidating import EPISODES_AT_ONCE
from pinyon.care.copies import Copies
from pinyon.care.model_summaries import ModelSummaries
from pinyon.care.reembedding import Reembedding
from pinyon.care.summarising import Summariser
from pinyon.care.tasks import Attempt, Handler, Task, Tasks
from pinyon.domain.budget import next_day_us
from pinyon.domain.consolidation import Consolidated
from pinyon.domain.ids import NewUuid
from pinyon.domain.reflection import Ended, Reflected
from pinyon.domain.space import Space
from pinyon.errors import BudgetSpent, InvalidValue
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.write.copies import FOLLOW
from pinyon.write.vectors import EMBED

log = logging.getLogger("pinyon.worker")


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
    client_of: Callable[[Space], Consolidates], *, clock: Clock, rests: float = 0.0
) -> Task:
    """Return how the episodes of a user are consolidated.

    Args:
        client_of: Gives the client of the user whose own space it is.
        clock: Tells the time.
        rests: For how much longer than a part took it rests before the next one: where requests
            are answered by the same process, they go first.
    """

    async def consolidate(attempt: Attempt) -> None:
        client = client_of(attempt.space)
        while True:
            began_s = anyio.current_time()
            try:
                done = await client.consolidate(limit=EPISODES_AT_ONCE)
            except BudgetSpent:
                await attempt.put_off(next_day_us(clock.now_us()))
                return
            if not done.left or not done.episodes:
                return
            await anyio.sleep((anyio.current_time() - began_s) * rests)

    return Task(handler=consolidate)


class Reflects(Protocol):
    """A client of one user, as far as a handler needs it."""

    async def reflect(self, task: str, *, outcome: Ended) -> Reflected:
        """Learn from a task that is over."""


def reflecting(client_of: Callable[[Space], Reflects]) -> Task:
    """Return how it is learnt from a task of an agent's that is over.

    Args:
        client_of: Gives the client of the user whose own space it is.
    """

    async def reflect(attempt: Attempt) -> None:
        about = dict(attempt.job.payload)
        # Where nothing of it is there any more, nothing is to be learnt.
        with suppress(InvalidValue):
            await client_of(attempt.space).reflect(str(about["task"]), outcome=_ended(about))

    return Task(handler=reflect)


def _ended(about: Mapping[str, object]) -> Ended:
    return "worked" if about["outcome"] == "worked" else "failed"


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
