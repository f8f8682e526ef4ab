"""Pinyon as one of the rows: measured as `pinyon eval` does, and through the same cases."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio
from stores import Hit, Store

from pinyon.blocking import BlockingMemoryClient
from pinyon.domain.principal import Principal
from pinyon.errors import NotFound
from pinyon.evaluation.quality.asking import Outcome
from pinyon.evaluation.quality.corpus import Corpus
from pinyon.evaluation.quality.keeping import keep_corpus
from pinyon.evaluation.quality.measuring import Asking, measure
from pinyon.settings import Settings, read_settings
from pinyon.testing.clocks import FrozenClock
from pinyon.wiring import models_of, open_client, open_to_evaluate

NAMES = {"pinyon-words": "off", "pinyon": None}
"""Pinyon's rows, and what each sets as its models: none, or those that the environment sets."""


class Own(Store):
    """A home, and a client on it for each user."""

    def __init__(self, home: Path, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"home": home})
        self._exit = ExitStack()
        self._clients: dict[str, BlockingMemoryClient] = {}

    def add(self, user: str, text: str) -> str:
        return str(self._of(user).write(text).id)

    def search(self, user: str, question: str, k: int) -> list[Hit]:
        hits = self._of(user).recall(question, k=k).hits
        return [Hit(str(hit.memory.id), hit.memory.text, hit.score) for hit in hits]

    def update(self, user: str, memory: str, text: str) -> None:
        self._of(user).write(text, supersedes=[memory])

    def get(self, user: str, memory: str) -> str | None:
        try:
            return self._of(user).show(memory).text
        except NotFound:
            return None

    def delete(self, user: str, memory: str) -> None:
        try:
            self._of(user).forget(memory)
        except NotFound:
            return

    def close(self) -> None:
        self._exit.close()

    def _of(self, user: str) -> BlockingMemoryClient:
        if user not in self._clients:
            principal = Principal.of_home(tenant="default", user=user)
            opening = open_client(self._settings, principal)
            self._clients[user] = self._exit.enter_context(opening)
        return self._clients[user]


def settings_of(name: str) -> Settings:
    """Return the settings of one of Pinyon's rows."""
    return read_settings(models=NAMES[name])


def opener_of(settings: Settings) -> Callable[[Path], Store]:
    """Return what opens a store for a case."""
    return partial(Own, settings=settings)


def measured(corpus: Corpus, settings: Settings, home: Path) -> tuple[list[Outcome], float]:
    """Return what became of each question, and the seconds that keeping all rows took.

    A measurement writes without waiting for the disk. The others wait, so all rows are kept once
    more as users keep them; that home lies in `home / "durable"` afterwards.
    """
    open_home, models = partial(open_to_evaluate, settings), models_of(settings)
    outcomes = anyio.run(measure, open_home, home, corpus, models, Asking(), _silent)
    return outcomes, anyio.run(_kept_durably, corpus, settings, home / "durable")


async def _kept_durably(corpus: Corpus, settings: Settings, home: Path) -> float:
    settings = settings.model_copy(update={"home": home, "durable": True})
    nobody = Principal.of_home(tenant="evaluation", user="nobody")
    clock = FrozenClock()
    clock.at_us = corpus.asked_at_us
    async with open_client(settings, nobody, clock=clock) as client:
        started_s = time.perf_counter()
        await keep_corpus(client, corpus)
        return time.perf_counter() - started_s


def _silent(what: str, done: int, of: int) -> None:
    """Tell nobody how far it is."""
