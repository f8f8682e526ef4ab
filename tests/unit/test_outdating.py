"""A message that says what no longer holds: marked, behind what replaced it, never alone."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.question import AsOf
from pinyon.errors import ForeignHit
from pinyon.recall.recaller import Recaller
from pinyon.testing.makers import ANN

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

SAID, BRISTOL, EDINBURGH = (
    "I live in Bristol, in an old Victorian flat",
    "Sarah lives in Bristol",
    "Sarah's home is Edinburgh",
)


@pytest.fixture
async def moved(client, clock):
    said = await client.remember(SAID, session="s1")
    old = await client.write(BRISTOL, session="s1")
    clock.forward(60)
    new = await client.write(EDINBURGH, supersedes=[old.id])
    return {"said": said.id, "old": old.id, "new": new.id}


@pytest.mark.promise(
    "standing",
    "A message that says what no longer holds comes behind what replaced that, and brings "
    "it along.",
)
async def test_it_brings_along_what_replaced_it(client, moved):
    """No word of the question stands in the fact; the message alone would answer Bristol."""
    hits = (await client.recall("the old Victorian flat in Bristol")).hits

    assert [hit.memory.text for hit in hits] == [EDINBURGH, SAID]
    assert hits[0].score >= hits[1].score
    assert hits[0].why.legs == {}
    assert "replaces" in hits[0].why.summary
    assert hits[1].memory.links.outdated_by == moved["new"]


async def test_it_ranks_behind_however_well_it_matches(client, moved):
    hits = (await client.recall("I live in an old Victorian flat: Bristol or home?")).hits

    assert [hit.memory.text for hit in hits][:2] == [EDINBURGH, SAID]
    weighed = hits[0].why.relevance
    for factor in hits[0].why.factors.values():
        weighed *= factor
    # Where only words were compared, each place costs one per cent.
    assert weighed == pytest.approx(hits[0].score, rel=0.02)


async def test_with_one_place_the_answer_is_what_holds(client, moved):
    hits = (await client.recall("Victorian flat in Bristol", k=1)).hits

    assert [hit.memory.text for hit in hits] == [EDINBURGH]


async def test_who_asks_for_another_time_gets_it_as_it_was(client, moved, clock):
    answer = await client.recall(
        "Victorian flat in Bristol", as_of=AsOf(valid="2026-03-02T09:00:30Z")
    )

    assert [hit.memory.text for hit in answer.hits] == [SAID, BRISTOL]
    assert "outdate" not in {stage.stage for stage in answer.trace.stages}


async def test_what_the_asker_keeps_out_is_not_brought_along(client, moved):
    hits = (await client.recall("Victorian flat in Bristol", kinds=["episodic"])).hits

    assert [hit.memory.text for hit in hits] == [SAID]


async def test_what_replaced_it_and_holds_no_more_is_not_brought_along(client, moved):
    await client.retract(moved["new"])
    hits = (await client.recall("Victorian flat in Bristol")).hits

    assert [hit.memory.text for hit in hits] == [SAID]


async def test_a_mark_that_leads_nowhere_is_no_trouble(client, moved, store, by):
    link = Link(id=moved["said"], outdated_by="mem_" + "f" * 32)
    await store.records.apply(ANN, [link], by=by)
    hits = (await client.recall("Victorian flat in Bristol")).hits

    assert [hit.memory.text for hit in hits] == [SAID]


async def test_nothing_is_looked_up_where_nothing_is_outdated(client):
    await client.write(BRISTOL)
    answer = await client.recall("Bristol")

    assert "outdate" not in {stage.stage for stage in answer.trace.stages}


async def test_what_is_already_behind_stays_where_it_is(client, moved):
    answer = await client.recall("Sarah's home is Edinburgh, or an old flat?")
    (stage,) = [stage for stage in answer.trace.stages if stage.stage == "outdate"]

    assert [hit.memory.text for hit in answer.hits][:2] == [EDINBURGH, SAID]
    assert stage.note == ""


@pytest.mark.promise(
    "isolation",
    "A store that answers with another's memory is stopped.",
)
@pytest.mark.looks_inside
async def test_a_store_that_answers_with_anothers_memory_is_stopped(
    client, client_of, store, moved
):
    foreign = await client_of("bob").write("Bob's secret")
    (memory,) = await store.records.get(client_of("bob").principal.reads[0], [foreign.id])

    class Leaking:
        def __getattr__(self, name):
            return getattr(store.records, name)

        async def get(self, space, ids, **options):
            if ids == [moved["new"]]:
                return [memory]
            return await store.records.get(space, ids, **options)

    client._recaller = Recaller(Leaking(), store.search, store.sessions)

    with pytest.raises(ForeignHit):
        await client.recall("the Victorian flat")
