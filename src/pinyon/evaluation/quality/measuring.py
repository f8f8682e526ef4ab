"""One evaluation: a corpus is kept in a home, and everything is asked of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Protocol

from pinyon.client import MemoryClient
from pinyon.domain.ids import NewUuid, uuid7_hex
from pinyon.domain.question import Narrowing, Quality
from pinyon.evaluation.embedders import Remembering
from pinyon.evaluation.quality.asking import Outcome, ask, outcome_of, starved
from pinyon.evaluation.quality.corpus import Asked, Corpus, Tenant
from pinyon.evaluation.quality.keeping import Clients, Kept, keep_corpus
from pinyon.ports.clock import Clock
from pinyon.ports.models import Models
from pinyon.testing.clocks import FrozenClock

ALONE_TENANTS = 20
ALONE_QUESTIONS = 200
"""How many tenants are kept once more by themselves, and how many of their questions are asked."""

Tell = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""


class Open(Protocol):
    """Opens a client on an empty home."""

    def __call__(
        self, home: Path, *, clock: Clock, new_uuid: NewUuid, models: Models
    ) -> MemoryClient:
        """Return a client for nobody, who can act for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a corpus is asked."""

    quality: Quality = "default"

    def narrowing(self) -> Narrowing:
        """Return it as `recall` takes it."""
        return Narrowing(quality=self.quality)


async def measure(
    open_home: Open, folder: Path, corpus: Corpus, models: Models, asking: Asking, tell: Tell
) -> list[Outcome]:
    """Keep a corpus, its tenants side by side, and ask every question.

    Some tenants are then kept once more, each in a home of its own: where fewer hits come beside
    others than alone, those others took the place.

    Args:
        open_home: Opens a home.
        folder: Where to.
        corpus: What is kept and asked.
        models: The models.
        asking: How it is asked.
        tell: Says how far it is.
    """
    if models.embedder is not None:
        models = replace(models, embedder=Remembering(models.embedder))
    clock = FrozenClock()
    clock.at_us = corpus.asked_at_us

    def opened(name: str) -> MemoryClient:
        return open_home(folder / name, clock=clock, new_uuid=counted_uuids(), models=models)

    client = opened("together")
    async with client:
        clients, kept = await keep_corpus(
            client, corpus, lambda done, of: tell("remembering", done, of)
        )
        outcomes = await _asked(clients, kept, corpus, asking, tell)
    alone = alone_of(corpus)
    for place, (tenant, questions) in enumerate(alone.items(), start=1):
        tell("one person alone", place, len(alone))
        part = replace(corpus, tenants=(tenant_named(corpus, tenant),))
        async with opened(f"alone-{place}") as home:
            clients, _ = await keep_corpus(home, part)
            for asked in questions:
                answer, _ = await ask(clients[tenant], asked.text, **asking.narrowing())
                outcomes[asked.id] = starved(outcomes[asked.id], answer)
    return list(outcomes.values())


async def _asked(
    clients: Clients, kept: Mapping[str, Kept], corpus: Corpus, asking: Asking, tell: Tell
) -> dict[str, Outcome]:
    total = sum(len(tenant.questions) for tenant in corpus.tenants)
    outcomes: dict[str, Outcome] = {}
    for place, tenant in enumerate(corpus.tenants, start=1):
        for asked in tenant.questions:
            outcomes[asked.id] = await outcome_of(
                clients[tenant.name],
                kept[tenant.name],
                asked,
                tenant=tenant.name,
                half="odd" if place % 2 else "even",
                **asking.narrowing(),
            )
            tell("asking", len(outcomes), total)
    return outcomes


def alone_of(corpus: Corpus) -> dict[str, Sequence[Asked]]:
    """Return the tenants that are kept alone as well, evenly picked, and what each is asked."""
    if len(corpus.tenants) < 2:
        return {}
    asked = [tenant for tenant in corpus.tenants if tenant.questions]
    step = max(1, len(asked) // ALONE_TENANTS)
    picked = asked[::step][:ALONE_TENANTS]
    each = max(1, ALONE_QUESTIONS // max(1, len(picked)))
    return {tenant.name: list(_spread(tenant.questions, each)) for tenant in picked}


def tenant_named(corpus: Corpus, name: str) -> Tenant:
    """Return a tenant of a corpus."""
    return next(tenant for tenant in corpus.tenants if tenant.name == name)


def counted_uuids() -> NewUuid:
    """Return a source of ids that gives the same ones each time, in order."""
    numbers = count(1)
    return lambda: uuid7_hex(0, next(numbers).to_bytes(8))


def _spread(questions: Sequence[Asked], most: int) -> Iterator[Asked]:
    yield from questions[:: max(1, -(-len(questions) // most))]
