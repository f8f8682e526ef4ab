"""What every part of the contract needs: a clock, a store, and a short way to change it."""

import pytest

from pinyon.domain.change import Applied, Change
from pinyon.domain.space import Space
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN
from pinyon.testing.store_contract.values import BY


class Promises:
    """A part of the contract; `StoreContract` is all of them."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def clock(self) -> FrozenClock:
        """Return the clock that the store is to be made with."""
        return FrozenClock()

    @pytest.fixture
    def store(self, clock: FrozenClock) -> Store:
        """Return a fresh, empty store."""
        raise NotImplementedError("return a fresh, empty store")

    async def apply(self, store: Store, *changes: Change, space: Space = ANN) -> Applied:
        return await store.records.apply(space, changes, by=BY)
