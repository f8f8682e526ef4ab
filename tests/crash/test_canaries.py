"""A canary in every column of every table; after forgetting, no file of the home holds one."""

from dataclasses import replace

import apsw
import numpy as np
import pytest

from pinyon.client import MemoryClient
from pinyon.domain.change import (
    Enqueue,
    Expose,
    FinishJob,
    Once,
    Patch,
    PutEvent,
    PutFeedback,
    PutSession,
    PutTurnVectors,
    PutVectors,
)
from pinyon.domain.event import Event
from pinyon.domain.feedback import Feedback
from pinyon.domain.ids import EventId, JobId
from pinyon.domain.job import Job
from pinyon.domain.memory import (
    CatalogEntry,
    Facets,
    Links,
    Procedure,
    Source,
    Step,
    Summary,
)
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.question import RecallContext
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.ranking.packing import packed
from pinyon.stores.sqlite import SqliteStore
from pinyon.stores.sqlite.migrate import migrations
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock, new_uuid

pytestmark = pytest.mark.anyio

USER = "wqz31canaryuser"
SPACE = Space.of_user("default", USER)
BY = Actor("default/user/sarah", "test")

VECTOR = np.random.default_rng(7).normal(size=64).astype(np.float32)
TOKENS = bytes(range(101, 165))
TURN_TOKENS = bytes(range(165, 229))

# Columns that hold no word of anybody's, and why.
WORDLESS = {
    "*.id": "an id", "*.target": "an id", "*.previous": "an id", "*.event": "an id",
    "*.superseded_by": "an id", "*.outdated_by": "an id", "*.content_hash": "a hash",
    "*.keyed_hash": "a keyed hash", "*.hash": "a keyed hash", "*.mac": "a MAC",
    "*.kind": "one of a few words", "*.status": "one of a few words",
    "*.shelf": "one of a few words", "*.trust": "one of a few words",
    "*.language": "one of a few words", "link.relation": "one of a few words",
    "job.state": "one of a few words", "job.task": "one of a few words",
    "job.last_error": "an error's code", "journal.action": "one of a few words",
    "once.key": "a hash", "once.request": "a hash", "once.answer": "ids",
    "exposure.surface": "one of a few words", "actor.surface": "one of a few words",
    "actor.name": "who acted; goes with the space", "model.fingerprint": "a model's name",
    "meta.space": "whose it is; goes with the file", "meta.hash_key": "the key",
    "receipt.ids": "ids", "receipt.masked": "ids", "receipt.counts": "numbers",
    "receipt.hashes": "keyed hashes",
    "receipt.sessions": "where it was given, which its owner needs to know",
    "exposure.session": "the same",
    "feedback.outcome": "one of a few words", "session.mode": "one of a few words",
}  # fmt: skip


def canary(column):
    """Return a word that stands for a column, that no tokeniser takes apart and no other begins."""
    scrambled = column.replace(".", "").replace("_", "")[::-1]
    return f"{abs(hash_of(column)):010d}"[:10].translate(LETTERS) + scrambled[:3] + "canary"


LETTERS = str.maketrans("0123456789", "bcdfghjklm")


def hash_of(text):
    return sum(
        ord(character) * 1_000_003 ** (place % 3 + 1) for place, character in enumerate(text)
    )


def memory_with_canaries(event):
    """Return a memory that has a canary wherever anybody can put a word."""
    word = canary
    return replace(
        memory_of(1, f"The Safe {word('memory.text')}Z opens. " + "It is in the hall. " * 30),
        space=SPACE,
        kind="procedural",
        title=word("memory.title"),
        keywords=(word("memory.keywords"),),
        scenarios=(word("memory.rest"),),
        category=word("memory.category"),
        project=word("memory.project"),
        module=word("memory.module"),
        tags=(word("memory.tags"),),
        metadata=(("m", word("memory.metadata")),),
        source=Source(
            session=word("memory.session"),
            task=word("memory.task"),
            agent=word("memory.agent"),
            event_type=word("memory.event_type"),
            role=word("memory.role"),
            speaker=word("memory.speaker"),
            message_id=word("memory.message_id"),
            parent_event=word("memory.rest"),
        ),
        links=Links(previous=event.id),
        procedure=Procedure(trigger=word("memory.rest"), steps=(Step(word("memory.rest")),)),
        catalog=CatalogEntry(document=word("memory.document")),
        summary=Summary(word("memory.rest"), "rule"),
        facets=Facets(task_type=word("memory.task_type"), entities=(word("memory.entities"),)),
    )


def event_with_canaries():
    return Event(
        id=EventId(f"evt_{5:032x}"),
        text=f"Where is {canary('event.text')}Z?",
        role=canary("event.role"),
        session=canary("event.session"),
        event_type=canary("event.event_type"),
        speaker=canary("event.speaker"),
        message_id=canary("event.message_id"),
        parent=canary("event.parent"),
        task=canary("event.task"),
        occurred_at_us=1,
        created_at_us=1,
        content_hash="ab" * 16,
        metadata=(("m", canary("event.metadata")),),
    )


def job_with_canaries(memory):
    return Job(
        id=JobId(f"job_{1:032x}"),
        task="reflect",
        payload=(("about", canary("job.payload")), ("memory", memory.id)),
        dedupe_key=canary("job.dedupe_key"),
        run_at_us=0,
    )


def feedback_with_canaries(memory):
    return Feedback(
        memory=memory.id,
        outcome="used",
        query=f"Where is {canary('feedback.query')}?",
        session=canary("feedback.session"),
        at_us=1,
    )


def session_with_canaries():
    return Session(name=canary("session.name"), mode="off", started_at_us=1, last_turn_at_us=1)


@pytest.fixture
async def store(home):
    store = SqliteStore(home, clock=SystemClock(), durable=False)
    yield store
    await store.close()


@pytest.fixture
def client(store):
    principal = Principal.of_home(tenant="default", user=USER)
    return MemoryClient(store, principal, clock=SystemClock(), new_uuid=new_uuid)


async def apply(store, *changes, **options):
    return await store.records.apply(SPACE, changes, by=BY, **options)


@pytest.fixture
async def secret(store):
    """Fill every table: a memory after an event, with an old version, vectors, a job, a key."""
    event = event_with_canaries()
    memory = memory_with_canaries(event)
    for number in range(10, 25):
        await apply(store, put(memory_of(number, f"Bulb {number} shows white", space=SPACE)))
    await apply(store, PutEvent(event, None))
    await apply(store, put(memory, context=event.text), once=Once("key", "request"))
    follower = memory_of(30, "Thank you", space=SPACE, links=Links(previous=memory.id))
    await apply(store, put(follower, context=canary("memory.text")))
    await apply(
        store,
        PutVectors(memory.id, "test@1", {0: VECTOR.tobytes()}, 64, {0: TOKENS}, 64),
        PutTurnVectors(event.id, "test@1", TURN_TOKENS, 64, 64),
        Expose(id=memory.id, at_us=SystemClock().now_us(), session="tuesday"),
        Enqueue(job_with_canaries(memory)),
        PutFeedback(feedback_with_canaries(memory)),
    )
    leased = await store.jobs.lease(SPACE, lease_s=1)
    await apply(store, FinishJob(id=leased.id, attempt=1, error="busy", retry_at_us=1))
    changed = replace(memory, title="New", keywords=("new",), scenarios=("new",))
    patch = {name: canary(f"version.{name}") for name in ("category", "project", "module", "title")}
    await apply(
        store,
        Patch(
            id=memory.id,
            keywords=(canary("version.keywords"),),
            scenarios=(canary("version.rest"),),
            tags=(canary("version.tags"),),
            metadata=(("m", canary("version.metadata")),),
            rows=put(changed).rows,
            **patch,
        ),
    )
    rows = tuple(
        replace(row, head=canary("passage.head"), body=canary("passage.body"),
                context=canary("passage.context"))
        for row in put(memory).rows
    )  # fmt: skip
    await apply(store, Patch(id=memory.id, title=memory.title, keywords=memory.keywords, rows=rows))
    return memory, event


VECTORS = {
    "dense.vector": packed(VECTOR.tobytes())[-32:],
    "token.vectors": TOKENS[-32:],
    "turn_token.vectors": TURN_TOKENS[-32:],
}


def needles():
    """Return every canary, and the vectors as they are kept."""
    tables = ("memory", "version", "passage", "event", "job", "feedback")
    columns = {name for name in COLUMNS if name.split(".")[0] in tables}
    found = {name: canary(name)[1:].encode() for name in columns}
    return {**found, **VECTORS, "a float vector": VECTOR.tobytes()[-64:]}


def columns_of_the_schema():
    file = apsw.Connection(":memory:")
    for script in migrations().values():
        file.execute(script)
    names = file.execute(
        "SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c "
        "WHERE m.type = 'table' AND m.name NOT LIKE 'keyword%' AND m.name NOT LIKE 'sqlite%' "
        "AND c.type IN ('TEXT', 'BLOB')"
    ).fetchall()
    file.close()
    return {f"{table}.{column}" for table, column in names}


COLUMNS = columns_of_the_schema()


def traces(home, wanted):
    """Return which needles are in which file of the home, or in a file's name."""
    found = set()
    for path in home.rglob("*"):
        content = path.name.encode() + (path.read_bytes() if path.is_file() else b"")
        found |= {(name, path.name) for name, needle in wanted.items() if needle in content}
    return found


def wordless(column):
    return column in WORDLESS or "*." + column.split(".")[1] in WORDLESS


# ── nothing is left out ──────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "files",
    "The tests of this put a word into every column of every table, or say why it can hold none.",
)
async def test_every_column_holds_a_canary_or_no_word(home, store, secret):
    """A new column must be filled here, or be said to hold nothing of anybody's."""
    await apply(store, PutSession(session_with_canaries()))
    (path,) = store.home.files()
    file = apsw.Connection(str(path))
    silent = []
    for column in sorted(COLUMNS):
        table, name = column.split(".")
        values = [row[0] for row in file.execute(f"SELECT {name} FROM {table}")]  # noqa: S608
        held = [v.encode() if isinstance(v, str) else v for v in values if v is not None]
        # A patch moved some of them into the version before: any canary will do.
        needle = VECTORS.get(column, b"canary")
        if not wordless(column) and not any(needle in value for value in held):
            silent.append(column)
    file.close()

    assert silent == []


async def test_the_canaries_are_in_the_home_before(home, store, secret):
    await store.close()

    there = {name for name, _ in traces(home, needles())}
    assert there == {name for name in needles() if name != "a float vector" and not wordless(name)}


async def blocks_with(store, needle):
    """Return how many blocks of the index over events hold a needle."""
    (path,) = store.home.files()
    file = apsw.Connection(str(path))
    blocks = [block for (block,) in file.execute("SELECT block FROM keyword_event_data")]
    file.close()
    return sum(needle in block for block in blocks)


@pytest.mark.promise(
    "files",
    "The index over events holds the words of none that is forgotten.",
)
async def test_the_index_over_events_lets_go_of_what_is_forgotten(store, client, secret):
    """Its words stand in the index before; afterwards in no block of it."""
    _, event = secret
    needle = canary("event.text")[1:].encode()
    assert await blocks_with(store, needle) == 1

    await client.forget([event.id])
    assert await blocks_with(store, needle) == 0


# ── forgotten ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "files",
    "When the answer comes, no file of the home holds a word or a vector of it.",
)
async def test_what_is_forgotten_is_in_no_file(home, store, client, secret):
    memory, event = secret
    receipt = (await client.forget([memory.id, event.id])).receipt

    assert receipt.complete
    assert receipt.sessions == ("tuesday",)
    assert traces(home, needles()) == set()
    await store.close()
    assert traces(home, needles()) == set()


@pytest.mark.promise(
    "files",
    "While another process reads an older state the answer says `complete: false`; once "
    "that has ended, `receipts` completes it and no file holds a word.",
)
async def test_with_a_second_process_and_a_long_reader_it_follows_when_they_end(
    home, store, client, secret, servant
):
    memory, event = secret
    other = servant()
    other.ask("open", home=str(home), user=USER)
    other.ask("list")
    assert other.ask("hold") > 0

    receipt = (await client.forget([memory.id, event.id])).receipt
    assert not receipt.complete
    assert (await client.receipts())[-1].complete is False
    assert (await client.recall("where is the safe?")).hits == ()
    assert memory.id not in {one["id"] for one in other.ask("list")}

    other.ask("let_go")
    (kept,) = await client.receipts()
    assert kept.complete
    assert traces(home, needles()) == set()


async def test_a_safety_copy_from_before_a_migration_goes_too(home, store, secret):
    memory, event = secret
    await store.close()
    scripts = {**migrations(), max(migrations()) + 1: "CREATE TABLE mood (one INTEGER) STRICT"}
    newer = SqliteStore(home, clock=SystemClock(), scripts=scripts)
    principal = Principal.of_home(tenant="default", user=USER)
    client = MemoryClient(newer, principal, clock=SystemClock(), new_uuid=new_uuid)
    receipt = (await client.forget([memory.id, event.id])).receipt
    await newer.close()

    assert receipt.complete
    assert traces(home, needles()) == set()


# ── a temporary session, a question, a topic ─────────────────────────────────────────────────


@pytest.mark.promise(
    "temporary",
    "When its end is answered no file of the home holds a word of it, nor its name.",
)
async def test_of_a_temporary_session_that_is_over_no_file_holds_a_byte(home, store, client):
    words = {name: canary(name) for name in ("session.name", "said", "replied", "asked", "noted")}
    session, found = words["session.name"], {name: w.encode() for name, w in words.items()}
    kept = (await client.write("The hub is a v2")).id
    await client.start_session(session, mode="temporary")
    await client.remember(f"The safe is {words['said']}", session=session)
    await client.remember(f"So {words['replied']}", role="assistant", session=session)
    await client.write(f"The code is {words['noted']}", session=session, key="k1")
    await client.recall("which hub?", given=True, context=RecallContext(session=session))
    await client.feedback(kept, "used", query=f"which {words['asked']}?", session=session)
    assert {name for name, _ in traces(home, found)} == set(words)

    assert (await client.end_session(session)).receipt.complete

    assert traces(home, found) == set()
    await client.remember("late", session=session)
    await store.close()
    assert traces(home, found) == set()


async def test_of_a_forgotten_query_no_file_holds_a_byte(home, store, client):
    word = {"query": canary("asked").encode()}
    kept = (await client.write("The hub is a v2")).id
    safe = (await client.write(f"The safe is {canary('asked')}")).id
    await client.feedback(kept, "used", query=f"Is {canary('asked')} a hub?")

    assert (await client.forget(safe)).receipt.complete

    assert traces(home, word) == set()


@pytest.mark.promise(
    "files",
    "When everything is forgotten no file holds a topic that the user never wanted kept, nor does "
    "one once another list of topics is in its place.",
)
@pytest.mark.parametrize("has_memories", [True, False])
async def test_of_topics_no_file_holds_a_byte_afterwards(home, store, client, has_memories):
    first, second = (canary(name).encode() for name in ("one topic", "another"))
    if has_memories:
        await client.write("The hub is a v2")
    await client.set_consent(paused=True, never=[first.decode()])
    assert traces(home, {"first": first}) != set()
    await client.set_consent(never=[second.decode()])
    assert traces(home, {"first": first}) == set()
    (home / "registry.db.broken").write_bytes(second)

    await client.forget(everything=True)

    assert traces(home, {"second": second}) == set()
    assert (await client.consent()).paused


async def test_consent_outlives_a_registry_that_broke_and_comes_along_with_a_backup(
    home, store, client, tmp_path
):
    consent = await client.set_consent(paused=True, never=["tea"])
    await client.forget(everything=True)
    await client.set_consent(never=["tea"])
    store.home.rebuild_registry()
    assert await client.consent() == consent
    await client.set_consent(paused=False)
    await client.write("The hub is a v2")
    await store.backup(tmp_path / "copy", progress=lambda done, of: None)
    copy = SqliteStore(tmp_path / "copy", clock=SystemClock())

    assert (await copy.registry.consent(SPACE)).never == ("tea",)
    await copy.close()


# ── all of it ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "everything",
    "Where the user has nothing but an own space, not even the user's name is left in a "
    "file or in a file's name.",
)
async def test_when_all_is_forgotten_not_even_the_name_is_left(home, store, client, secret):
    receipt = (await client.forget(everything=True)).receipt
    assert receipt.complete
    assert traces(home, needles()) == set()
    await store.close()

    assert traces(home, {**needles(), "name": USER.encode()}) == set()
    assert list((home / "spaces").glob("??/*.db")) == []


async def test_a_space_that_others_have_open_is_empty_at_once_and_goes_with_the_last(
    home, store, client, secret, servant
):
    other = servant()
    other.ask("open", home=str(home), user=USER)
    other.ask("list")
    assert (await client.forget(everything=True)).receipt.complete
    assert other.ask("list") == []
    await store.close()

    assert traces(home, needles()) == set()
    other.ask("close")
    assert traces(home, {"name": USER.encode()}) == set()


async def test_who_writes_into_an_erased_space_begins_anew(home, store, client, secret, servant):
    """One process erases and closes; another, that had the file open, goes on writing."""
    other = servant()
    other.ask("open", home=str(home), user=USER)
    other.ask("list")
    await client.forget(everything=True)
    await store.close()
    written = other.ask("write", text="A new beginning")
    other.ask("close")

    again = SqliteStore(home, clock=SystemClock())
    (held,) = (await again.records.scan(SPACE)).memories
    assert held.id == written["id"]
    assert traces(home, needles()) == set()
    await again.close()


async def test_a_space_that_was_erased_can_begin_anew(home, store, client, secret):
    await client.forget(everything=True)
    await store.close()
    again = SqliteStore(home, clock=SystemClock())
    await again.records.apply(SPACE, [put(memory_of(1, "anew", space=SPACE))], by=BY)

    assert [m.text for m in (await again.records.scan(SPACE)).memories] == ["anew"]
    assert [one.whole for one in await again.receipts.of_space(SPACE)] == [True]
    assert await again.verify(SPACE) == []
    await again.close()


async def test_what_crashes_left_lying_goes_with_the_space(home, store, client, secret):
    """A registry that was broken once, and a file that was being made when its process died."""
    (path,) = store.home.files()
    store.home.rebuild_registry()
    path.with_name(f".{path.name}.1-abc").write_bytes(USER.encode())
    path.with_name(f".{path.name}.1-abc-wal").write_bytes(USER.encode())
    assert list(home.glob("*.broken"))
    await client.forget(everything=True)
    await store.close()

    assert traces(home, {**needles(), "name": USER.encode()}) == set()
