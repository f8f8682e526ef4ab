"""What is erased is in no file of the home any more."""

from dataclasses import replace

import numpy as np
import pytest

import pinyon
from pinyon.domain.change import Enqueue, Erase, Once, Patch, PutEvent, PutVectors
from pinyon.domain.ids import EventId, JobId
from pinyon.domain.job import Job
from pinyon.domain.memory import Links, Source, Step
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.ranking.packing import packed
from pinyon.stores.sqlite import SqliteStore
from pinyon.stores.sqlite.migrate import migrations
from pinyon.testing.makers import memory_of, put
from pinyon.testing.store_contract.values import event_of, full_memory
from pinyon.wiring import SystemClock

pytestmark = pytest.mark.anyio

SARAH = Space.of_user("default", "sarah")
BY = Actor("default/user/sarah", "test")

# Each begins with other letters: an index stores what a word shares with the one before only once.
CANARIES = {
    "text": "bhk71x9canary",
    "title": "crj42w8canary",
    "keywords": "dsl53v7canary",
    "scenarios": "fmt64u6canary",
    "tags": "gnv75t5canary",
    "metadata": "hpw86s4canary",
    "category": "jqx97r3canary",
    "project": "krz18q2canary",
    "module": "lbc29p1canary",
    "session": "mdf31n9canary",
    "speaker": "ngh42m8canary",
    "task": "pjk53l7canary",
    "agent": "qlm64k6canary",
    "message_id": "rnp75j5canary",
    "trigger": "sqr86h4canary",
    "steps": "tvw97g3canary",
    "old title": "vxz18f2canary",
}
VECTOR = np.random.default_rng(7).normal(size=64).astype(np.float32)
TOKENS = bytes(range(101, 165))


def traces(home):
    """Return which canaries are in which file of the home."""
    needles = {name: word[2:].encode() for name, word in CANARIES.items()}
    needles["float32 vector"] = VECTOR.tobytes()[-64:]
    needles["packed vector"] = packed(VECTOR.tobytes())[-32:]
    needles["token vectors"] = TOKENS[-32:]
    found = set()
    for path in home.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        found |= {(name, path.name) for name, needle in needles.items() if needle in content}
    return found


def secret_memory():
    """Return a memory that has a canary wherever a writer can put a word."""
    word = CANARIES
    return replace(
        full_memory(),
        id=memory_of(1).id,
        space=SARAH,
        text=f"The safe opens with {word['text']}. " * 30,
        title=f"Safe {word['old title']}",
        keywords=(word["keywords"],),
        scenarios=(f"the {word['scenarios']} does not open",),
        tags=(word["tags"],),
        metadata=(("code", word["metadata"]),),
        category=word["category"],
        project=word["project"],
        module=word["module"],
        shelf="open",
        source=Source(
            session=word["session"],
            speaker=word["speaker"],
            task=word["task"],
            agent=word["agent"],
            message_id=word["message_id"],
        ),
        procedure=replace(
            full_memory().procedure, trigger=word["trigger"], steps=(Step(word["steps"]),)
        ),
    )


@pytest.fixture
async def store(home):
    store = SqliteStore(home, clock=SystemClock(), durable=False)
    yield store
    await store.close()


async def apply(store, *changes, **options):
    return await store.records.apply(SARAH, changes, by=BY, **options)


@pytest.fixture
async def secret(store):
    """A memory full of canaries among others, with vectors, an old version and a key."""
    memory = secret_memory()
    for number in range(10, 25):
        await apply(store, put(memory_of(number, f"Bulb {number} shows only white", space=SARAH)))
    await apply(store, put(memory), once=Once("key", f"request with {CANARIES['text']}"))
    await apply(store, PutVectors(memory.id, "test@1", {0: VECTOR.tobytes()}, 64, {0: TOKENS}, 64))
    renamed = replace(memory, title=f"Safe {CANARIES['title']}")
    await apply(store, Patch(id=memory.id, title=renamed.title, rows=put(renamed).rows))
    for number in range(40, 45):
        await apply(store, put(memory_of(number, f"Bulb {number} shows only white", space=SARAH)))
    return memory


async def test_the_canaries_are_there_before_they_are_erased(home, store, secret):
    await store.close()

    names = {name for name, _ in traces(home)}
    assert names == {*CANARIES, "packed vector", "token vectors"}


async def test_an_erased_memory_is_in_no_file(home, store, secret):
    await apply(store, Erase(secret.id))
    await store.close()

    assert traces(home) == set()


@pytest.mark.promise(
    "files",
    "What was erased is not back after a kill; and after a crash the next use of the home "
    "leaves nothing of it.",
)
async def test_an_erased_memory_is_in_no_file_after_a_crash_and_the_next_use(home, store, secret):
    await apply(store, Erase(secret.id))
    # Not closed: the log is left as a killed process leaves it.
    crashed = home.with_name("crashed")
    crashed.mkdir(0o700)
    for path in sorted(home.rglob("*")):
        target = crashed / path.relative_to(home)
        if path.is_dir():
            target.mkdir(0o700)
        elif path.suffix != ".db-shm":
            target.write_bytes(path.read_bytes())
    async with pinyon.open(crashed, user="sarah") as memory:
        await memory.list()

    assert traces(crashed) == set()


async def test_an_erased_space_is_in_no_file(home, store, secret):
    about = (("about", CANARIES["text"]),)
    job = Job(id=JobId("job_" + "1" * 32), task="reflect", payload=about, run_at_us=1)
    await apply(store, Enqueue(job))
    await apply(store, PutEvent(event_of(1, f"Say {CANARIES['text']}"), None))
    await store.erase(SARAH)
    await store.close()

    assert traces(home) == set()


async def test_an_erased_space_is_in_no_file_before_the_home_is_closed(home, store, secret):
    await store.erase(SARAH)

    assert traces(home) == set()


async def test_an_erased_space_is_not_listed_although_somebody_asks_it(home, store, secret):
    await store.erase(SARAH)
    await store.close()
    async with pinyon.open(home, user="sarah") as memory:
        await memory.list()
    async with pinyon.operate(home) as operator:
        listed = await operator.spaces()

    assert listed == ()


async def test_an_erased_event_is_in_no_file(home, store):
    event = event_of(1, f"Say {CANARIES['text']}", session=CANARIES["session"])
    event = replace(event, speaker=CANARIES["speaker"], metadata=(("a", CANARIES["metadata"]),))
    await apply(store, PutEvent(event, None))
    await apply(store, Erase(event.id))
    await store.close()

    assert traces(home) == set()


async def test_the_turn_after_an_erased_one_keeps_no_word_of_it(home, store):
    before = memory_of(1, f"The safe opens with {CANARIES['text']}", space=SARAH)
    after = memory_of(2, "Thank you", space=SARAH, links=Links(previous=before.id))
    await apply(store, put(before), put(after, context=before.text))
    await apply(store, Erase(before.id))
    await store.close()

    assert traces(home) == set()


async def test_the_turn_after_an_erased_event_keeps_no_word_of_it(home, store):
    said = event_of(1, f"The safe opens with {CANARIES['text']}")
    after = memory_of(2, "Thank you", space=SARAH, links=Links(previous=EventId(said.id)))
    await apply(store, PutEvent(said, None), put(after, context=said.text))
    await apply(store, Erase(said.id))
    await store.close()

    assert traces(home) == set()


async def test_a_safety_copy_keeps_nothing_of_what_is_erased_after_a_migration(home, store, secret):
    await store.close()
    scripts = {**migrations(), max(migrations()) + 1: "CREATE TABLE mood (one INTEGER) STRICT"}
    newer = SqliteStore(home, clock=SystemClock(), scripts=scripts)
    await newer.records.apply(SARAH, [Erase(secret.id)], by=BY)
    await newer.close()

    assert traces(home) == set()


async def test_an_erased_memory_is_in_no_file_once_every_process_is_done(
    home, store, secret, servant
):
    other = servant()
    other.ask("open", home=str(home))
    other.ask("list")
    await apply(store, Erase(secret.id))
    await store.close()
    other.ask("close")

    assert traces(home) == set()


@pytest.mark.promise(
    "files",
    "Erasing breaks no journal: the space verifies clean.",
)
async def test_a_space_with_an_erased_memory_verifies_clean(store, secret):
    await apply(store, Erase(secret.id))

    assert await store.verify(SARAH) == []


@pytest.mark.promise(
    "files", "No file holds what was forgotten of a long text or a conversation in its summary."
)
async def test_what_a_summary_quoted_is_in_no_file_once_it_is_forgotten(home):
    word = CANARIES["text"]
    walk = " ".join(f"On day {day} we walked by a river and had bread." for day in range(40))
    async with pinyon.open(home, user="sarah") as memory:
        said = await memory.remember(f"The safe opens with {word}. {walk}", session="s1")
        reply = await memory.remember(f"Noted: {word}.", role="assistant", session="s1")
        for day in range(6):
            await memory.remember(f"On day {day} it rained.", session="s1")
        await memory.end_session("s1")
        (told,) = (await memory.list(shelf="archived")).memories
        assert word in (await memory.show(said.id)).summary.text
        assert word in told.text
        fact = await memory.write(f"The safe opens with {word}.", supporting=[said.id])

        await memory.forget([fact.id, reply.id])

        covered = await memory.show(said.id)
        assert "On day 1 we walked" in covered.summary.text
    assert traces(home) == set()
