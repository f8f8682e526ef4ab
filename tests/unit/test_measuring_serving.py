"""What measures a server: a load by the clock, texts without end, and spaces that hold the same."""

import asyncio
import json
from contextlib import asynccontextmanager
from itertools import repeat

import anyio
import pytest

from pinyon.domain.space import Space
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.speed.babble import Babble
from pinyon.evaluation.speed.homes import filled, opened
from pinyon.evaluation.speed.load import (
    CONNECTIONS_MAX,
    Connection,
    Sample,
    Target,
    at_full_rate,
    at_rate,
    kept_open,
    latency,
)
from pinyon.evaluation.speed.serving import Load, Parts, serving_of
from pinyon.stores.sqlite.alike import make_alike
from pinyon.wiring import open_parts

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def answering(status=200, *, stands_still_at=None, for_s=0.0):
    """A server that answers everything alike; once, it stands still before it does."""
    asked, ended = 0, []

    async def answer(reader, writer):
        nonlocal asked
        ended.append(asyncio.Event())
        end = ended[-1]
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                asked += 1
                if asked == stands_still_at:
                    await asyncio.sleep(for_s)
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok".encode())
        except asyncio.IncompleteReadError:
            writer.close()
        end.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield Target(*server.sockets[0].getsockname())
        for end in ended:
            await end.wait()


# ── a load ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com:80",
        "http://192.0.2.1:7469",
        "http://localhost.example.com:80",
        "https://127.0.0.1:443",
        "http://127.0.0.1",
        "http://0.0.0.0:80",
    ],
)
def test_no_load_is_put_on_another_machine(url):
    with pytest.raises(InvalidValue):
        Target.at(url)


async def test_connections_are_spread_over_the_servers_of_a_home():
    async with answering() as one, answering() as two:
        both = Target(one.host, one.port, (two.port,))
        async with kept_open(both, both.request("GET", "/"), 4) as answered:
            assert answered == 4

    assert both.each == (one, two)


@pytest.mark.parametrize("url", ["http://127.0.0.1:7469", "http://[::1]:7469"])
def test_this_machine_is_reached_by_its_addresses(url):
    assert Target.at(url).port == 7469


async def test_one_connection_carries_one_request_after_another():
    async with answering() as target, Connection.to(target) as connection:
        request = target.request("POST", "/a", headers={"X": "y"})
        answers = [await connection.ask(request) for _ in range(3)]

    assert answers == [(200, b"ok")] * 3


async def test_full_rate_ends_with_the_requests_or_with_the_time():
    async with answering() as target:
        request = target.request("GET", "/")
        few = await at_full_rate(target, iter([request] * 7), connections=3, seconds=60)
        many = await at_full_rate(target, repeat(request), connections=3, seconds=0.05)

    assert len(few) == 7
    assert len(many) > 7


async def test_all_that_was_due_while_a_server_stood_still_is_late():
    async with answering(stands_still_at=10, for_s=0.5) as target:
        samples = await at_rate(
            target, repeat(target.request("GET", "/")), per_s=100, connections=1, seconds=1
        )

    assert len(samples) == 100
    # The one that it stood still for, and of the fifty that came meanwhile all but the last few.
    assert sum(sample.took_ms > 100 for sample in samples) > 30


async def test_an_answer_with_an_error_has_failed():
    async with answering(503) as target:
        request = target.request("GET", "/")
        samples = await at_full_rate(target, iter([request] * 4), connections=1, seconds=60)
        async with kept_open(target, request, 3) as answered:
            pass

    assert latency(samples).failed == 4
    assert answered == 0


@pytest.mark.parametrize("connections", [0, CONNECTIONS_MAX + 1])
async def test_connections_are_bounded(connections):
    with pytest.raises(InvalidValue):
        await at_full_rate(Target("127.0.0.1", 9), iter(()), connections=connections, seconds=1)


def test_latency_tells_the_middle_and_the_slow_end():
    found = latency([Sample(took_ms=n, is_good=n != 3) for n in range(100)])

    assert (found.requests, found.failed) == (100, 1)
    assert (found.p50_ms, found.p95_ms, found.p99_ms, found.max_ms) == (50, 95, 99, 99)


def test_no_request_has_no_latency():
    with pytest.raises(InvalidValue):
        latency([])


# ── a home ───────────────────────────────────────────────────────────────────────────────────


async def test_spaces_made_alike_hold_the_same_and_go_ways_of_their_own(tmp_path):
    async with opened(open_parts, tmp_path) as (_, client):
        texts, _ = await filled(client.acting_for("ann"), list(Babble().drafts(20)))
    made = []
    ann, *others = (Space.of_user("bench", name) for name in ("ann", "ben", "eve"))
    await anyio.to_thread.run_sync(lambda: make_alike(tmp_path, ann, others, made=made.append))

    async with opened(open_parts, tmp_path) as (store, client):
        await client.acting_for("ben").write("Ben alone keeps bees")
        listed = {
            name: {one.text for one in (await client.acting_for(name).list()).memories}
            for name in ("ann", "ben", "eve")
        }
        spaces = await store.registry.spaces()

    assert made == others
    assert listed["ann"] == listed["eve"] == set(texts)
    assert listed["ben"] == {*texts, "Ben alone keeps bees"}
    assert {ann, others[0]} <= set(spaces)


@pytest.mark.parametrize("note", [None, {"users": 3, "memories": 200, "model": ""}])
async def test_a_folder_that_holds_something_else_is_left_alone(tmp_path, note):
    (tmp_path / "letter.txt").write_text("dear")
    if note is not None:
        (tmp_path / "filled.json").write_text(json.dumps(note))
    parts = Parts(open_home=open_parts, new_key=None, command=[], environment=dict)

    with pytest.raises(InvalidFile):
        await serving_of(
            parts, tmp_path, users=2, memories=100, load=Load(), tell=lambda _what: None
        )

    assert (tmp_path / "letter.txt").read_text() == "dear"
