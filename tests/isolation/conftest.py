"""A home full of canaries, made once a worker and copied for each test."""

import shutil
from random import Random

import anyio
import pytest

from isolation.canaries import fill, open_home
from isolation.over_http import Served
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder


@pytest.fixture(scope="session")
def models():
    return Models(embedder=HashEmbedder())


@pytest.fixture(scope="session")
def filled(tmp_path_factory, models):
    home = tmp_path_factory.mktemp("isolation") / "home"
    return home, anyio.run(fill, home, models)


@pytest.fixture
def world(filled):
    return filled[1]


@pytest.fixture
def home(filled, tmp_path):
    return shutil.copytree(filled[0], tmp_path / "home")


@pytest.fixture
async def served(tmp_path):
    """Serve a home in which nothing is kept yet."""
    store = open_home(tmp_path / "served")
    server = Served(store)
    yield server
    await server.close()
    await store.close()


@pytest.fixture
def random():
    return Random(1)  # noqa: S311 - the same each time
