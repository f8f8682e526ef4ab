"""A server in this process, and one that is a process; both are asked in plain HTTP."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2
import pytest

import pinyon
from pinyon.domain.credential import Holder
from pinyon.settings import read_settings
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.rest.limiting import Limiter
from pinyon.surfaces.server import serving_from
from pinyon.wiring import SystemClock, serve_home

SOURCES = str(Path(pinyon.__file__).parents[1])
PATIENCE_S = 60


@dataclass
class Desk:
    """A server in this process, and keys to it.

    `ask` sends a request with a key of a role, in Sarah's name where the role has a user.
    """

    http: httpx2.AsyncClient
    keys: dict[str, str]
    app: object
    served: object
    seen: list
    serving: object

    def limit(self, per_second):
        """Let each credential ask so often from now on."""
        object.__setattr__(self.serving, "limiter", Limiter(per_second, SystemClock()))

    async def ask(self, method, path, body=None, *, role="user", headers=None, **more):
        sent = dict(headers or {})
        if role is not None:
            sent.setdefault("Authorization", f"Bearer {self.keys[role]}")
        if body is not None:
            more["json"] = body
        return await self.http.request(method, path, headers=sent, **more)


@pytest.fixture
def settings(tmp_path):
    return read_settings(
        {}, home=tmp_path / "home", durable=False, models="off", tenant="acme", rate_limit=0
    )


@pytest.fixture
async def desk(settings):
    """Give a server with a key of each role; Sarah is the user."""
    served = serve_home(settings)
    keys = {}
    for role in ("admin", "service", "agent", "user", "auditor"):
        user = "sarah" if role in ("user", "agent") else None
        keys[role] = (await served.keyring.create(Holder.of(role, tenant="acme", user=user)))[1]
    seen = []
    shared = serving_from(served, settings)
    app = rest_app(shared, told=seen.append)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
        yield Desk(http, keys, app, served, seen, shared)
    await served.base.close()


@dataclass
class Server:
    """A process that serves."""

    url: str
    key: str | None
    process: subprocess.Popen
    home: Path

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        return self.process.returncode

    def ask(self, method, path, body=None, **more):
        headers = {"Authorization": f"Bearer {self.key}", **more.pop("headers", {})}
        if body is not None:
            more["json"] = body
        url = f"{self.url}{path}"
        return httpx2.request(method, url, headers=headers, trust_env=False, timeout=60, **more)


def environment(home, **given):
    kept = {name: value for name, value in os.environ.items() if name[:7] != "PINYON_"}
    return {
        **kept,
        "PYTHONPATH": SOURCES,
        "PYTHONWARNINGS": "error",
        "PINYON_HOME": str(home),
        "PINYON_USER": "sarah",
        "PINYON_MODELS": "off",
        **given,
    }


def command(*options, first=""):
    """Return how `pinyon serve` is run; lines of Python may run before it in its process."""
    served = ["serve", "--port", "0", *options]
    if not first:
        return [sys.executable, "-m", "pinyon", *served]
    script = f"{first}\nimport runpy\nrunpy.run_module('pinyon', run_name='__main__')"
    return [sys.executable, "-c", script, *served]


@contextmanager
def serving(home, *options, first="", **given):
    """Run `pinyon serve` until it is no longer needed."""
    with (home.parent / "log").open("ab") as log:
        process = subprocess.Popen(
            command("--json", *options, first=first),
            env=environment(home, **given),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        line = process.stdout.readline()
        if not line:
            raise AssertionError((home.parent / "log").read_text("utf-8"))
        started = json.loads(line)
        yield Server(started["url"], started["key"], process, home)
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        process.stdout.close()


@pytest.fixture
def server(tmp_path):
    """Give a process that serves a fresh home; its key is the first one, Sarah's."""
    with serving(tmp_path / "home") as one:
        yield one


@pytest.fixture
def first_of(settings):
    """Return a maker of keys on the settings' home, for a test that is not async."""

    def make(role="user", user="sarah", **more):
        async def act():
            served = serve_home(settings)
            made = await served.keyring.create(Holder.of(role, tenant="acme", user=user, **more))
            await served.base.close()
            return made

        return anyio.run(act)

    return make
