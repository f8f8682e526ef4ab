"""What all tests share: one event loop, and no network."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"
