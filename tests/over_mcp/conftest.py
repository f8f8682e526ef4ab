"""Clients of MCP: in this process, and of a process that is spoken to over its pipes."""

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from mcp.client.client import Client

import pinyon
from pinyon.domain.principal import Principal
from pinyon.ports.models import NO_MODELS
from pinyon.settings import read_settings
from pinyon.stores.in_memory import InMemoryStore
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.server import server_of
from pinyon.surfaces.mcp.tools import tools_of
from pinyon.testing import FrozenClock
from pinyon.wiring import Parts, new_uuid, serve_home

SOURCES = str(Path(pinyon.__file__).parents[1])
PATIENCE_S = 60
ERAS = ("auto", "legacy")
"""Of the protocol: that of 2026, without a handshake, and the one before it."""


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
async def memory(tmp_path, clock):
    """Give Sarah's memory, as the library has it."""
    settings = read_settings({}, home=tmp_path / "home", models="off")
    parts = Parts(store=InMemoryStore(clock=clock), models=NO_MODELS, new_uuid=new_uuid)
    served = serve_home(settings, clock=clock, parts=parts, surface="mcp")
    sarah = served.base.bound_to(Principal.of_home(tenant="default", user="sarah"))
    yield sarah
    await served.base.close()


@pytest.fixture
def connected(memory, clock):
    """Return what connects a client to a server of Sarah's memory."""

    @asynccontextmanager
    async def connect(era="legacy", *, choice="core", **asked):
        given = Asked(client=memory, **{"session": "a-session", "clock": clock, **asked})
        server = server_of(tools_of(choice), lambda _request: given)
        async with Client(server, mode=era) as client:
            yield client

    return connect


@pytest.fixture
async def tool(connected):
    """Return what calls a tool, by name."""
    async with connected() as client:

        async def call(name, **arguments):
            return await client.call_tool(name, arguments)

        yield call


def said(answer):
    """Return the text of an answer that is no error."""
    assert not answer.is_error, answer.content[0].text
    return answer.content[0].text


def refusal(answer):
    """Return the text of an answer that is an error."""
    assert answer.is_error, answer.content[0].text
    return answer.content[0].text


# ── a process ────────────────────────────────────────────────────────────────────────────────


def environment(home, **given):
    ours = ("PINYON_", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {
        **kept,
        "PYTHONPATH": SOURCES,
        "PYTHONWARNINGS": "error",
        "PINYON_HOME": str(home),
        "PINYON_MODELS": "off",
        **given,
    }


def command(*options):
    return [sys.executable, "-m", "pinyon", "mcp", *options]


@contextmanager
def speaking(home, *options, **given):
    """Run `pinyon mcp`, and give the process."""
    process = subprocess.Popen(
        command(*options),
        env=environment(home, **given),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def calling(number, name, **arguments):
    """Return a request that calls a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def tell(process, *messages):
    """Send messages, one a line."""
    for message in messages:
        line = message if isinstance(message, str) else json.dumps(message)
        process.stdin.write(line + "\n")
    process.stdin.flush()


def hear(process, count):
    """Return so many lines of the answer."""
    return [json.loads(process.stdout.readline()) for _ in range(count)]


def to_its_end(process, *messages):
    """Send messages, close the pipe, and return all that came: lines of stdout, and stderr."""
    sent = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in messages)
    out, err = process.communicate(sent, timeout=PATIENCE_S)
    return out.splitlines(), err
