"""What a server promised outlives a kill, a full disk, and a file that somebody holds."""

import json
import resource
import threading
import time
from contextlib import contextmanager
from uuid import uuid4

import anyio
import apsw
import httpx2
import pytest

from pinyon.stores.sqlite import connection
from server.conftest import serving

WRITERS = 4
KILLS = 3
WRITTEN_BETWEEN = 25
ENDS_WITHIN_S = 15


# ── killed ───────────────────────────────────────────────────────────────────────────────────


class Writer(threading.Thread):
    """Writes one note after another, each under a key of its own, until it is acknowledged."""

    def __init__(self, place, number):
        super().__init__(daemon=True)
        self.place, self.number = place, number
        self.acknowledged, self.repeated, self.is_done = {}, 0, False

    def run(self):
        with httpx2.Client(trust_env=False, timeout=5) as http:
            while not self.is_done:
                self.write(http, f"Note {len(self.acknowledged)} of writer {self.number}")

    def write(self, http, text):
        headers = {"Idempotency-Key": str(uuid4()), "Authorization": f"Bearer {self.place.key}"}
        while not self.is_done:
            try:
                answer = http.post(
                    f"{self.place.url}/v1/memory", json={"text": text}, headers=headers
                )
            except httpx2.TransportError:
                self.repeated += 1
                time.sleep(0.02)
                continue
            assert answer.status_code == 201, answer.text
            self.acknowledged[text] = answer.json()["id"]
            return


class Place:
    """Where the server is now; it moves when it is started anew."""

    url = key = ""


@pytest.mark.promise(
    "server",
    "What was acknowledged is there after any number of kills, and a retry doubles nothing.",
)
def test_what_was_acknowledged_is_there_once_after_kills_under_load(tmp_path):
    place, home = Place(), tmp_path / "home"
    writers = [Writer(place, number) for number in range(WRITERS)]
    ends_at = time.monotonic() + ENDS_WITHIN_S
    for kill in range(KILLS + 1):
        with serving(home, PINYON_RATE_LIMIT="0") as server:
            place.url, place.key = server.url, server.key or place.key
            begun = written(writers)
            if not kill:
                for one in writers:
                    one.start()
            while written(writers) < begun + WRITTEN_BETWEEN and time.monotonic() < ends_at + 30:
                time.sleep(0.01)
            if kill < KILLS:
                server.process.kill()
                server.process.wait()
                continue
            for one in writers:
                one.is_done = True
                one.join()
            server.key = place.key
            held = rows_of(server)
    acknowledged = {text: at for one in writers for text, at in one.acknowledged.items()}

    assert {text: held.get(text, [])[:1] for text in acknowledged} == {
        text: [at] for text, at in acknowledged.items()
    }
    assert [text for text, ids in held.items() if len(ids) > 1] == []
    assert len(held) <= len(acknowledged) + WRITERS  # what was under way at the end
    assert sum(one.repeated for one in writers) >= KILLS


def written(writers):
    return sum(len(one.acknowledged) for one in writers)


def rows_of(server):
    held = {}
    for line in server.ask("GET", "/v1/memory/export").text.splitlines()[1:]:
        memory = json.loads(line)["memory"]
        held.setdefault(memory["text"], []).append(memory["id"])
    return held


# ── a full disk ──────────────────────────────────────────────────────────────────────────────


@contextmanager
def no_file_may_grow_over(server, size):
    """Let the server's process fill no file beyond a size: as on a disk that is full."""
    before = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, before[1]))
    yield
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="a limit for another process: Linux")
def test_a_full_disk_is_told_and_got_over(tmp_path):
    with serving(tmp_path / "home") as server:
        toms = server.ask("POST", "/v1/keys", {"user": "tom"}).json()["key"]
        tom = {"Authorization": f"Bearer {toms}"}
        server.ask("POST", "/v1/memory", {"text": "Tom has a cat"}, headers=tom)
        server.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
        long = {"memories": [{"text": f"Note {n}: " + "word " * 300} for n in range(400)]}
        filled = max(path.stat().st_size for path in server.home.glob("spaces/??/*-wal"))
        with no_file_may_grow_over(server, filled + 400_000):
            refused = server.ask("POST", "/v1/memory/batch", long)
            lives = server.ask("GET", "/healthz").status_code
            listed = server.ask("GET", "/v1/memory").json()["memories"]
            found = server.ask("POST", "/v1/memory/search", {"query": "dog"}).json()["hits"]
            others = server.ask("POST", "/v1/memory", {"text": "Tom has a hen"}, headers=tom)
        again = server.ask("POST", "/v1/memory/batch", long)
        total = len(server.ask("GET", "/v1/memory", params={"limit": 1_000}).json()["memories"])
        code = server.end()

    assert (refused.status_code, refused.json()["code"]) == (503, "store_read_only")
    assert str(tmp_path) not in refused.text
    assert (lives, others.status_code) == (200, 201)
    assert [one["text"] for one in listed] == ["Sarah has a dog"]
    assert [one["text"] for one in found] == ["Sarah has a dog"]
    assert (again.status_code, total, code) == (201, 401, 0)


# ── a file that somebody holds ───────────────────────────────────────────────────────────────


@contextmanager
def holding(path):
    """Hold the write lock of a file, as another process would."""
    held = apsw.Connection(str(path))
    held.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        held.execute("ROLLBACK")
        held.close()


@pytest.fixture
async def saras_file(desk, settings):
    """Give the file of Sarah's space."""
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    (path,) = settings.home.glob("spaces/??/*.db")
    return path


def as_tom(**more):
    return {"role": "service", "headers": {"Pinyon-User": "tom"}, **more}


@pytest.mark.anyio
@pytest.mark.promise(
    "server", "A space that another process holds keeps nobody but its user waiting."
)
async def test_a_space_that_is_held_keeps_no_other_waiting(desk, saras_file):
    order = []

    async def by_sarah(number):
        answer = await desk.ask("POST", "/v1/memory", {"text": f"Sarah's note {number}"})
        order.append(("sarah", answer.status_code))

    async def by_others():
        # More than the threads there are, and than after how many heads are mirrored.
        for number in range(80):
            body = {"text": f"Tom's note {number}"}
            order.append(
                ("tom", (await desk.ask("POST", "/v1/memory", body, **as_tom())).status_code)
            )
        order.append(("lives", (await desk.ask("GET", "/healthz", role=None)).status_code))
        order.append(("ready", (await desk.ask("GET", "/readyz", role=None)).status_code))
        read = await desk.ask("POST", "/v1/memory/search", {"query": "a dog"})
        order.append(("read", len(read.json()["hits"])))

    async with anyio.create_task_group() as tasks:
        with holding(saras_file):
            for number in range(40):
                tasks.start_soon(by_sarah, number)
            await by_others()

    assert order[:80] == [("tom", 201)] * 80
    assert order[80:83] == [("lives", 200), ("ready", 200), ("read", 1)]
    assert order[83:] == [("sarah", 201)] * 40


@pytest.fixture
def impatient(monkeypatch):
    """Let files that are opened from now on be waited for a moment only."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr(connection, "BUSY_GIVE_UP_S", 0.1)


@pytest.mark.anyio
async def test_whose_space_is_held_for_too_long_is_told_to_come_again(impatient, desk, saras_file):
    with holding(saras_file):
        refused = await desk.ask("POST", "/v1/memory", {"text": "Sarah has a hen"})
        lives = await desk.ask("GET", "/healthz", role=None)
        other = await desk.ask("POST", "/v1/memory", {"text": "Tom has a cat"}, **as_tom())
    again = await desk.ask("POST", "/v1/memory", {"text": "Sarah has a hen"})

    assert (refused.status_code, refused.json()["code"]) == (503, "store_busy")
    assert int(refused.headers["retry-after"]) >= 1
    assert (lives.status_code, other.status_code, again.status_code) == (200, 201, 201)
