"""What somebody changes in a file behind Pinyon's back is found by `verify`."""

import pytest

import pinyon
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock

pytestmark = pytest.mark.anyio

SARAH = Space.of_user("default", "sarah")


@pytest.fixture
async def kept(home):
    """A home whose one space holds memories, an event, an edit and a link; ids by their text."""
    async with pinyon.open(home, user="sarah") as memory:
        bulbs = await memory.remember("The bulbs show only white", session="s1")
        await memory.remember("Try a reset", session="s1", role="assistant")
        hub = await memory.write("The hub stands in the hall", supporting=[bulbs.id])
        dog = await memory.write("The dog chews sensor cables")
        await memory.edit(dog.id, title="Wiring")
    return {"bulbs": bulbs.id, "hub": hub.id, "dog": dog.id}


@pytest.fixture
def verify(home):
    async def run(*, fix=False):
        store = SqliteStore(home, clock=SystemClock())
        findings = await store.verify(SARAH, fix=fix)
        await store.close()
        return findings

    return run


@pytest.fixture
def tamper(kept, behind_its_back):
    def change(sql, **values):
        with behind_its_back(str(SARAH)) as file:
            file.execute(sql, values)
            assert file.total_changes()

    return change


async def test_a_space_that_nobody_touched_verifies_clean(kept, verify):
    assert await verify() == []


DERIVED = {
    "a passage is gone": "DELETE FROM passage WHERE passage = (SELECT max(passage) FROM passage)",
    "a passage has other words": "UPDATE passage SET body = 'lamp' WHERE body LIKE '%hub%'",
    "a passage belongs to nothing": "INSERT INTO passage SELECT passage + 64000, tokenizer, head, "
    "body, context FROM passage LIMIT 1",
    "the links are gone": "DELETE FROM link",
    "a link belongs to nothing": "INSERT INTO link SELECT target, relation, seq + 1000 FROM link",
    "a vector belongs to nothing": "INSERT INTO dense VALUES (640000, 1, zeroblob(8))",
    "an old version belongs to nothing": "UPDATE version SET seq = seq + 1000",
    "an event's words are gone": "DELETE FROM event_words",
    "an event has other words": "UPDATE event_words SET body = 'lamp'",
    "words belong to no event": "INSERT INTO event_words SELECT event + 1000, tokenizer, body "
    "FROM event_words",
    "the index of events has other words": "INSERT INTO keyword_event (keyword_event, rowid, body) "
    "VALUES ('delete', 1, 'reset')",
    "the index has other words": "INSERT INTO keyword (keyword, rowid, head, body, context) "
    "VALUES ('delete', 64, '', 'hub', '')",
}


@pytest.mark.parametrize("sql", DERIVED.values(), ids=DERIVED)
async def test_what_is_derived_is_found_wrong_and_mended(tamper, verify, sql):
    tamper(sql)
    found, mended, again = await verify(), await verify(fix=True), await verify()

    assert [finding.mended for finding in found] == [False] * len(found) != []
    assert all(finding.mended for finding in mended)
    assert again == []


async def test_a_mended_space_is_recalled_from(tamper, verify, home):
    tamper("UPDATE passage SET body = 'lamp', head = ''")
    await verify(fix=True)

    async with pinyon.open(home, user="sarah") as memory:
        answer = await memory.recall("where is the hub?")
        assert answer.hits[0].memory.text == "The hub stands in the hall"


@pytest.mark.promise(
    "soundness",
    "`verify` names a memory whose text was changed, with a fitting hash or without, and "
    "one that was taken out with all its traces.",
)
async def test_a_changed_text_is_named(kept, tamper, verify):
    tamper("UPDATE memory SET text = 'The hub stands in the attic' WHERE text LIKE '%hub%'")

    assert any(kept["hub"] in finding.what for finding in await verify())


@pytest.mark.promise(
    "soundness",
    "`verify` names a memory whose text was changed, with a fitting hash or without, and "
    "one that was taken out with all its traces.",
)
async def test_a_changed_text_with_a_fitting_hash_is_named(kept, tamper, verify):
    tamper(
        "UPDATE memory SET text = other.text, content_hash = other.content_hash "
        "FROM (SELECT text, content_hash FROM memory WHERE text LIKE '%dog%') AS other "
        "WHERE memory.text LIKE '%hub%'"
    )

    assert any(kept["hub"] in finding.what for finding in await verify())


async def test_a_changed_text_is_not_taken_for_mended(tamper, verify):
    tamper("UPDATE memory SET text = 'The hub stands in the attic' WHERE text LIKE '%hub%'")
    await verify(fix=True)

    assert await verify() != []


async def test_a_changed_event_is_named(tamper, verify):
    tamper("UPDATE event SET text = 'Throw it away'")

    assert await verify() != []


TAKEN_OUT = """
    CREATE TEMP TABLE dog AS SELECT seq FROM memory WHERE text LIKE '%dog%';
    INSERT INTO keyword (keyword, rowid, head, body, context)
        SELECT 'delete', passage, head, body, context FROM passage WHERE passage >> 6 IN dog;
    DELETE FROM passage WHERE passage >> 6 IN dog;
    DELETE FROM version WHERE seq IN dog;
    DELETE FROM memory WHERE seq IN dog;
"""


@pytest.mark.promise(
    "soundness",
    "`verify` names a memory whose text was changed, with a fitting hash or without, and "
    "one that was taken out with all its traces.",
)
async def test_a_memory_that_was_taken_out_with_all_its_traces_is_named(kept, tamper, verify):
    tamper(TAKEN_OUT)

    assert any(kept["dog"] in finding.what for finding in await verify())


JOURNAL = {
    "an entry is gone": "DELETE FROM journal WHERE n = 2",
    "the first entry is gone": "DELETE FROM journal WHERE n = 1",
    "the last entries are cut": "DELETE FROM journal WHERE n > 3",
    "all entries are gone": "DELETE FROM journal",
    "an entry says another act": "UPDATE journal SET action = 'patch' WHERE n = 2",
    "an entry says another time": "UPDATE journal SET at_us = at_us + 1 WHERE n = 2",
    "an entry says another actor": "UPDATE actor SET name = 'default/user/bob'",
    "an entry says another memory": "UPDATE journal SET target = (SELECT target FROM journal "
    "WHERE n = 1) WHERE n = 3",
    "an entry says another text": "UPDATE journal SET keyed_hash = zeroblob(16) WHERE n = 1",
    "two entries have changed places": "UPDATE journal SET n = -n WHERE n IN (4, 5); "
    "UPDATE journal SET n = 9 + n WHERE n < 0",
    "an entry was added": "INSERT INTO journal SELECT n + 1, at_us, actor, action, target, "
    "keyed_hash, mac FROM journal ORDER BY n DESC LIMIT 1",
}


@pytest.mark.promise(
    "soundness",
    "`verify` names a journal in which an entry was changed, taken, added, moved or cut off.",
)
@pytest.mark.parametrize("sql", JOURNAL.values(), ids=JOURNAL)
async def test_a_journal_that_was_changed_is_named(tamper, verify, sql):
    tamper(sql)

    assert any("journal" in finding.what for finding in await verify())


async def test_a_changed_journal_is_not_taken_for_mended(tamper, verify):
    tamper("DELETE FROM journal WHERE n = 2")
    await verify(fix=True)

    assert await verify() != []
