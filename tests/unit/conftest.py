"""What unit tests share: a clock that stands still, a store in memory, and clients on it."""

import anyio
import pytest
from hypothesis import settings

from pinyon.client import MemoryClient
from pinyon.domain.principal import Actor, Principal
from pinyon.ports.models import NO_MODELS
from pinyon.recall.recaller import USUALLY, Recaller
from pinyon.stores.in_memory import InMemoryStore
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids

# A slow machine is no counterexample.
settings.register_profile("unit", deadline=None)
settings.load_profile("unit")

STORY = (
    "Sarah's bulbs show only white since last week",
    "Sarah has a Lumio Hub v2 and iOS 17.4",
    "Sarah's dog chews sensor cables",
    "Sarah moved from Bristol to Edinburgh",
    "The Victorian flat's thick walls weaken Zigbee",
    "Resetting the hub in March did not help",
    "The deploy of the billing service failed with exit code 2",
    "Config is validated with Zod before it is read",
    "The field createdByAgent marks notes of an agent",
    "Connection limits live in db-config.json",
    "Windows update stops with 0x80070057",
    "Firmware v2.3.1 fixed the pairing bug",
)
"""A smart-home customer and her support team; what the tests search through."""


@pytest.fixture
def clock():
    return FrozenClock()


STORES = {
    "in memory": lambda clock, folder: InMemoryStore(clock=clock),
    "sqlite": lambda clock, folder: SqliteStore(folder / "home", clock=clock, durable=False),
}


def pytest_generate_tests(metafunc):
    """Run a module that says `ON_EVERY_STORE` on each of them: where acts and stores meet."""
    if getattr(metafunc.module, "ON_EVERY_STORE", False) and "store" in metafunc.fixturenames:
        metafunc.parametrize("store", STORES, indirect=True)


@pytest.fixture
def store(request, clock, tmp_path):
    opened = STORES[getattr(request, "param", "in memory")](clock, tmp_path)
    yield opened
    # In a loop of its own: tests that are not async have a store too.
    anyio.run(opened.close)


@pytest.fixture
def by():
    """Return whom the journal names where a test writes to the store itself."""
    return Actor("acme/user/ann", "test")


@pytest.fixture
def client_of(store, clock):
    """Return a maker of clients, all of them on one store."""
    new_uuid = counting_ids()

    def make(user="ann", *, tenant="acme", agent=None, project=None, tuning=USUALLY, **parts):
        principal = Principal.of_home(tenant=tenant, user=user, agent=agent, project=project)
        models = parts.get("models", NO_MODELS)
        recaller = Recaller(
            store.records, store.search, store.sessions, models, tuning, changes=store.changes
        )
        parts = {"recaller": recaller, **parts}
        return MemoryClient(store, principal, clock=clock, new_uuid=new_uuid, **parts)

    return make


@pytest.fixture
def client(client_of):
    """Return the client of Ann, whose space is `pinyon.testing.makers.ANN`."""
    return client_of()


@pytest.fixture
def ask(client):
    """Return a function that asks Ann's memory and returns the texts of the hits, best first."""

    async def texts(question, **narrowing):
        answer = await client.recall(question, **narrowing)
        return [hit.memory.text for hit in answer.hits]

    return texts


@pytest.fixture
async def story(client):
    """Tell Ann's memory the story, and return its ids by text."""
    written = [await client.write(text) for text in STORY]
    return {text: one.id for text, one in zip(STORY, written, strict=True)}
