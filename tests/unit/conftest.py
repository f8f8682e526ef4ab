"""What unit tests share: a clock that stands still, a store in memory, and clients on it."""

from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import httpx2
import pytest
from hypothesis import settings

from pinyon.access.keys import Keyring
from pinyon.client import MemoryClient
from pinyon.domain.credential import Holder
from pinyon.domain.principal import Actor, Principal
from pinyon.ports.models import NO_MODELS
from pinyon.recall.recaller import USUALLY, Recaller
from pinyon.remote.client import RemoteMemoryClient
from pinyon.remote.speaking import Speaking
from pinyon.settings import read_settings
from pinyon.stores.in_memory import InMemoryStore
from pinyon.stores.sqlite import SqliteStore
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import serving_from
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids
from pinyon.wiring import Parts, serve_home

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
    """Run a module on every store, through every client, where it says so.

    `ON_EVERY_STORE` is for where acts and stores meet; `THROUGH_EVERY_CLIENT` for what a client
    promises, but for tests that look inside of the embedded one.
    """
    looks_inside = metafunc.definition.get_closest_marker("looks_inside") is not None
    module, wanted = metafunc.module, metafunc.fixturenames
    stores = getattr(module, "ON_EVERY_STORE", False) and "store" in wanted
    clients = getattr(module, "THROUGH_EVERY_CLIENT", False) and "through" in wanted
    if clients and not looks_inside:
        # Over HTTP on one of the stores: what reaches it is the embedded client.
        ways = [(store, "embedded") for store in (STORES if stores else ("in memory",))]
        ways.append(("in memory", "over http"))
        metafunc.parametrize(("store", "through"), ways, indirect=True)
    elif stores:
        metafunc.parametrize("store", STORES, indirect=True)


class Server:
    """A server of one store in this process, spoken to in HTTP by the client that users have."""

    def __init__(self, store, clock, folder):
        self._store, self._clock = store, clock
        self._settings = read_settings({}, home=folder / "home", tenant="acme")
        keyring = Keyring(store.keys, clock=clock, new_uuid=counting_ids(1 << 60))
        self._keys, self._new_uuid = {}, counting_ids()
        for tenant in TENANTS:
            holder = Holder.of("service", tenant=tenant)
            self._keys[tenant] = anyio.run(keyring.create, holder)[1]

    def client_of(
        self, user="ann", *, tenant="acme", agent=None, project=None, tuning=USUALLY, **parts
    ):
        given = Parts(
            store=self._store,
            models=parts.pop("models", NO_MODELS),
            tuning=tuning,
            new_uuid=self._new_uuid,
        )
        served = serve_home(self._settings, clock=self._clock, parts=given, **parts)
        app = rest_app(serving_from(served, self._settings))
        http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app))
        names = {"user": user, "agent": agent, "project": project}
        to = Speaking("http://localhost", self._keys[tenant], names=names, http=http)
        client = RemoteMemoryClient(to)
        # As the server says it once it is asked; tests that are not async cannot ask.
        client._principal = Principal.of_home(
            tenant=tenant, user=user, agent=agent, project=project
        )
        return client


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


TENANTS = ("acme", "globex")


@pytest.fixture
def through(request):
    """Say how clients reach the store: `embedded`, or `over http`; see `THROUGH_EVERY_CLIENT`."""
    return getattr(request, "param", "embedded")


@pytest.fixture
def client_of(store, clock, through, tmp_path):
    """Return a maker of clients, all of them on one store."""
    if through == "over http":
        return Server(store, clock, tmp_path).client_of
    new_uuid = counting_ids()

    def make(user="ann", *, tenant="acme", agent=None, project=None, tuning=USUALLY, **parts):
        principal = Principal.of_home(tenant=tenant, user=user, agent=agent, project=project)
        models = parts.get("models", NO_MODELS)
        recaller = Recaller(
            store.records,
            store.search,
            store.sessions,
            models,
            tuning,
            changes=store.changes,
            log=store.event_log,
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


@pytest.fixture
def turns_of_another():
    """Return what counts how often another task has its turn within a block."""

    @asynccontextmanager
    async def counted():
        turns = []

        async def take_turns():
            while True:
                turns.append(None)
                await anyio.lowlevel.checkpoint()

        async with anyio.create_task_group() as group:
            group.start_soon(take_turns)
            yield turns
            group.cancel_scope.cancel()

    return counted
