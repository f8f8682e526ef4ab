"""A keeper for one user, with all that a store has for it."""

from collections.abc import Collection

from pinyon.domain.event import REMEMBERED
from pinyon.domain.ids import NewUuid
from pinyon.domain.space import Space
from pinyon.ports.clock import Clock
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.store import Store
from pinyon.write.allowing import Allowing
from pinyon.write.gate import USUAL, Gate
from pinyon.write.keeper import Keeper


def keeper_of(
    store: Store,
    own: Space,
    *,
    clock: Clock,
    new_uuid: NewUuid,
    models: Models = NO_MODELS,
    gate: Gate = USUAL,
    remembered: Collection[str] = REMEMBERED,
) -> Keeper:
    """Return what writes for a user, as far as the user lets it; `own` is the user's own space."""
    return Keeper(
        store.records,
        clock=clock,
        new_uuid=new_uuid,
        embedder=models.embedder,
        search=store.search,
        receipts=store.receipts,
        gate=gate,
        log=store.event_log,
        remembered=remembered,
        allowing=Allowing(
            own, registry=store.registry, sessions=store.sessions, synonyms=gate.synonyms
        ),
    )
