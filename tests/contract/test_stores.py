"""Every store that we ship keeps the same promises."""

import pytest

from pinyon.stores.in_memory import InMemoryStore
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.store_contract import StoreContract


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self, clock):
        return InMemoryStore(clock=clock)


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, clock, tmp_path):
        return SqliteStore(tmp_path / "home", clock=clock, durable=False)
