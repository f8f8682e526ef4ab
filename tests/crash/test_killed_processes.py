"""A process that is killed takes nothing with it that it had promised."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9")

ROUNDS = 6
SPACE = Space.of_user("default", "sarah")


@dataclass
class Aftermath:
    kept: set = field(default_factory=set)
    asked_to_go: set = field(default_factory=set)
    gone: set = field(default_factory=set)
    held: set = field(default_factory=set)
    findings: list = field(default_factory=list)

    def hear(self, line):
        sign, memory_id = line.split()
        {"+": self.kept, "?": self.asked_to_go, "-": self.gone}[sign].add(memory_id)


async def look(home, after):
    store = SqliteStore(home, clock=SystemClock())
    after.held.clear()
    cursor = ""
    while cursor is not None:
        page = await store.records.scan(SPACE, cursor=cursor or None, limit=1000)
        after.held.update(memory.id for memory in page.memories)
        cursor = page.next_cursor
    after.findings.extend(await store.verify(SPACE))
    await store.close()


@pytest.fixture(scope="module")
def aftermath(start, tmp_path_factory):
    home = Path(tmp_path_factory.mktemp("killed")) / "home"
    after = Aftermath()
    for number in range(ROUNDS):
        process = start("writer.py", home, number)
        # Another moment in each round: the kill falls into whatever the threads do just then.
        for _ in range(23 + 17 * number):
            after.hear(process.stdout.readline())
        process.kill()
        # Not `communicate`: it loses what was read ahead.
        for line in process.stdout:
            after.hear(line)
        process.wait()
        anyio.run(look, home, after)
    return after


@pytest.mark.promise(
    "soundness",
    "What was acknowledged before a process was killed is there after it.",
)
def test_what_was_acknowledged_before_a_kill_is_there_after_it(aftermath):
    lost = aftermath.kept - aftermath.asked_to_go - aftermath.held

    assert not lost


@pytest.mark.promise(
    "files",
    "What was erased is not back after a kill; and after a crash the next use of the home "
    "leaves nothing of it.",
)
def test_what_was_erased_before_a_kill_is_not_back_after_it(aftermath):
    back = aftermath.gone & aftermath.held

    assert not back


def test_indexes_equal_the_records_after_every_kill(aftermath):
    assert aftermath.findings == []


def test_the_kills_fell_into_work(aftermath):
    assert len(aftermath.kept) > 20 * ROUNDS
    assert len(aftermath.gone) > ROUNDS
