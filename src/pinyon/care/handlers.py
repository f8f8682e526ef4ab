"""What a worker does without a model that talks: copies that follow, vectors that are owed."""

from pinyon.care.copies import Copies
from pinyon.care.reembedding import Reembedding
from pinyon.care.tasks import Attempt, Handler, Task, Tasks
from pinyon.domain.ids import NewUuid
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.write.copies import FOLLOW
from pinyon.write.vectors import EMBED


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


def _embedding(store: Store, embedder: Embedder) -> Handler:
    async def embed(attempt: Attempt) -> None:
        await Reembedding(store, embedder, by=attempt.by).fill(attempt.space)

    return embed
