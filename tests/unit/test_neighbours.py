"""What stands beside a hit in its document comes along, within a budget, and is no hit."""

from dataclasses import replace

import pytest

from pinyon.domain.change import Erase, Link
from pinyon.domain.question import AsOf
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.errors import ForeignHit
from pinyon.recall.neighbours import HITS_WITH_NEIGHBOURS, NEIGHBOUR_TOKENS_MAX, Neighbours
from pinyon.text.counting import estimated_tokens

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

SHARED = Space.shared("acme")
PARTS = ("The first part\nof it", "Zigbee is\nspoken here", "The last part\nof it")


@pytest.fixture
def tell(client, tmp_path):
    """Return a function that imports a document of one section a text, and gives its ids."""

    async def document(*texts, name="hub"):
        file = tmp_path / f"{name}.md"
        sections = (f"# {name} {number}\n\n{text}" for number, text in enumerate(texts))
        file.write_text("\n\n".join(sections), "utf-8")
        await client.import_catalog(file)
        listed = await client.list(scope="shared", filters={"document": file.name})
        chunks = sorted(listed.memories, key=lambda one: one.catalog.position)
        return [one.id for one in chunks]

    return document


def beside(hit):
    return [one.text for one in hit.neighbours]


def stages(answer):
    return [stage.stage for stage in answer.trace.stages]


async def test_the_chunks_before_and_after_come_along(client, tell):
    await tell(*PARTS)

    answer = await client.recall("zigbee", k=1)

    (hit,) = answer.hits
    assert beside(hit) == [PARTS[0], PARTS[2]]
    assert answer.trace.stages[-1].note == "2 beside them"
    assert answer.trace.stages[-1].candidates == 1


async def test_they_count_in_the_tokens_of_the_trace(client, tell):
    await tell(*PARTS)

    answer = await client.recall("zigbee")

    assert answer.trace.tokens == sum(map(estimated_tokens, PARTS))


async def test_the_first_and_the_last_chunk_have_one_neighbour(client, tell):
    await tell("Zigbee is\nspoken here", "The end\nof it")

    assert beside((await client.recall("zigbee")).hits[0]) == ["The end\nof it"]


async def test_a_hit_is_no_neighbour(client, tell):
    await tell("Zigbee one\nhere", "Zigbee two\nhere", "Another\nthing")

    answer = await client.recall("zigbee")

    assert len(answer.hits) == 2
    assert sorted(text for hit in answer.hits for text in beside(hit)) == ["Another\nthing"]


async def test_what_stands_beside_two_hits_comes_once(client, tell):
    await tell("Zigbee one\nhere", "Between\nthem", "Zigbee two\nhere")

    answer = await client.recall("zigbee")

    assert [beside(hit) for hit in answer.hits] == [["Between\nthem"], []]


async def test_only_the_first_chunks_get_neighbours(client, tell):
    for number in range(HITS_WITH_NEIGHBOURS + 2):
        await tell(f"Zigbee number\n{number}", f"Beside it\nnumber {number}", name=f"d{number}")

    answer = await client.recall("zigbee")

    assert [len(hit.neighbours) for hit in answer.hits] == [1] * HITS_WITH_NEIGHBOURS + [0, 0]


async def test_what_does_not_fit_into_the_budget_stays_away(client, tell):
    long = "```\n" + "a word of it " * 150 + "\n```"
    assert NEIGHBOUR_TOKENS_MAX / 2 < estimated_tokens(long) < NEIGHBOUR_TOKENS_MAX
    await tell(long, "Zigbee is\nspoken here", long + "\n\nand more", name="a")
    await tell("Zigbee\nagain", "Short enough\nto fit", name="b")

    answer = await client.recall("zigbee")

    given = [text for hit in answer.hits for text in beside(hit)]
    assert "Short enough\nto fit" in given
    assert sum(map(estimated_tokens, given)) <= NEIGHBOUR_TOKENS_MAX
    assert len(given) == 2


async def test_memories_of_other_kinds_have_none_and_cost_nothing(client, story):
    answer = await client.recall("bulbs")

    assert answer.hits[0].neighbours == ()
    assert stages(answer)[-1] == "select"


async def test_a_chunk_alone_costs_nothing(client, tell):
    await tell("Zigbee is\nspoken here")

    assert stages(await client.recall("zigbee"))[-1] == "select"


async def test_an_entry_written_by_hand_has_none(client):
    await client.write("Zigbee is spoken here", kind="catalog", scope="shared")

    assert stages(await client.recall("zigbee"))[-1] == "select"


async def test_what_is_asked_for_holds_for_neighbours_too(client, tell, store, by):
    before, hit, after = await tell(*PARTS)
    await store.records.apply(SHARED, [Link(id=before, shelf="hidden")], by=by)
    assert beside((await client.recall("zigbee")).hits[0]) == [PARTS[2]]

    only = {"id": hit}
    assert beside((await client.recall("zigbee", filters=only)).hits[0]) == []
    await store.records.apply(SHARED, [Erase(after)], by=by)
    assert beside((await client.recall("zigbee")).hits[0]) == []


async def test_they_are_read_as_they_were_known(client, tell, clock):
    await tell(*PARTS)
    then = show_instant(clock.now_us())
    clock.forward(3_600)
    await tell("The first part\nanew", *PARTS[1:])

    answer = await client.recall("zigbee", as_of=AsOf(known=then))

    # What was erased is gone from every time; what is new was not known then.
    assert beside(answer.hits[0]) == [PARTS[2]]


async def test_a_memory_of_another_space_ends_the_recall(client, tell, store, monkeypatch):
    await tell(*PARTS)
    fetch = store.records.get

    async def foreign(space, ids, **known):
        found = await fetch(space, ids, **known)
        stranger = Space.of_user("acme", "bob")
        return [replace(one, space=stranger) if "part" in one.text else one for one in found]

    monkeypatch.setattr(store.records, "get", foreign)

    with pytest.raises(ForeignHit):
        await client.recall("zigbee")


async def test_why_not_says_the_same_of_a_neighbour(client, tell):
    before, *_ = await tell(*PARTS)

    assert not (await client.why_not(before, "zigbee")).came


def test_the_stage_has_a_name(store):
    assert Neighbours(store.records).name == "beside"
