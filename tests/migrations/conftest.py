"""Homes whose files have the schema of today, and the scripts of a Pinyon to come."""

import anyio
import apsw
import pytest

from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.stores.sqlite.migrate import migrations
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock

ANN = Space.of_user("acme", "ann")
BY = Actor("acme/user/ann", "test")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def newest():
    """The number of the newest migration that we ship."""
    return max(migrations())


@pytest.fixture
def newer(newest):
    """The scripts of a Pinyon that has one migration more."""
    script = (
        "ALTER TABLE memory ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';"
        "CREATE TABLE mood (mood TEXT PRIMARY KEY) STRICT;"
        "INSERT INTO mood SELECT DISTINCT mood FROM memory;"
    )
    return {**migrations(), newest + 1: script}


@pytest.fixture
def using(home):
    """Do something with a store of some scripts, and close it."""

    def run(act, scripts=None):
        async def main():
            store = SqliteStore(home, clock=SystemClock(), scripts=scripts, durable=False)
            try:
                return await act(store)
            finally:
                await store.close()

        return anyio.run(main)

    return run


async def texts(store):
    """Return every text, by way of the records and by way of the keyword index."""
    page = await store.records.scan(ANN, order="oldest", limit=1000)
    return [memory.text for memory in page.memories]


@pytest.fixture
def read():
    return texts


@pytest.fixture
def write_one():
    async def write(store, number=99):
        memory = memory_of(number, f"Bulb {number} shows only white")
        await store.records.apply(ANN, [put(memory)], by=BY)

    return write


@pytest.fixture
def old(using, home):
    """The file of a space that was written with the schema of today."""

    async def write(store):
        for number in range(1, 31):
            memory = memory_of(number, f"Bulb {number} shows only white")
            await store.records.apply(ANN, [put(memory)], by=BY)

    using(write)
    return next(home.glob("spaces/??/*.db"))


@pytest.fixture
def content_of():
    """Return a file's schema number and every row of every table in it."""

    def read(path):
        file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        tables = [
            name
            for (name,) in file.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            )
        ]
        rows = {
            table: file.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - its own name
            for table in tables
            if not table.startswith("keyword")
        }
        schema = file.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        number = file.pragma("user_version")
        file.close()
        return number, schema, rows

    return read
