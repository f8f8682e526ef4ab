"""What a long text says in short: made when it is kept, covered or moved, read in contexts."""

import json

import pytest

from pinyon.domain.draft import Draft
from pinyon.domain.memory import Summary
from pinyon.moving.jsonl import row_of
from pinyon.text.summarising import LEFT_OUT, RULES, SUMMARISED_CHARS, SUMMARY_CHARS, summary_of

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True

WALK = " ".join(f"On day {n} we walked by a river and had bread with cheese." for n in range(40))
SAFE = "The safe opens with 4711."
LONG = f"Notes of our holiday. {SAFE} {WALK}"


async def summary_in(client, memory_id):
    return (await client.show(memory_id)).summary


# ── when it is kept ──────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("summaries", "A long text has a summary as soon as it is kept.")
async def test_a_long_message_and_a_long_fact_have_a_summary(client):
    said = await client.remember(LONG, session="s1")
    fact = await client.write(LONG)

    for one in (said, fact):
        summary = await summary_in(client, one.id)
        assert (summary.text, summary.made_by) == (summary_of(LONG), RULES)
        assert len(summary.text) <= SUMMARY_CHARS
        assert (await client.show(one.id)).text == LONG


async def test_what_is_short_and_what_is_a_part_of_a_document_have_none(client):
    said = await client.remember(LONG[:SUMMARISED_CHARS], session="s1")
    (chunk,) = await client.write_many([Draft(text=LONG, kind="catalog", document="a.md")])

    assert await summary_in(client, said.id) is None
    assert await summary_in(client, chunk.id) is None


async def test_what_is_taken_out_of_a_text_is_in_no_summary_of_it(client):
    said = await client.remember(f"password: hunter2-and-more\n{LONG}", session="s1")

    assert "hunter2" not in (await summary_in(client, said.id)).text
    assert "[redacted:secret]" in (await summary_in(client, said.id)).text


async def test_a_summary_is_nothing_that_a_memory_is_found_by(client, ask):
    """Its words stand in the text, once: a second time they would weigh twice."""
    said = await client.remember(LONG, session="s1")
    (hit,) = (await client.recall("safe 4711")).hits

    assert hit.memory.id == said.id
    assert SAFE in LONG[hit.why.passage.start : hit.why.passage.end]


# ── covered, moved ───────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "summaries", "Where a part of a text is covered, its summary is made anew without that part."
)
async def test_the_summary_of_a_covered_message_is_made_anew(client, store):
    said = await client.remember(LONG, session="s1")
    fact = await client.write(SAFE, session="s1")
    assert SAFE in (await summary_in(client, said.id)).text
    await client.forget(fact.id)

    covered = await client.show(said.id)
    assert covered.text == LONG.replace(SAFE, "█" * len(SAFE))
    assert covered.summary.text == summary_of(covered.text)
    versions = (await client.history(said.id)).versions
    assert not any("4711" in one.summary.text for one in versions)


async def test_what_had_no_summary_has_none_when_it_is_covered(client):
    said = await client.remember(f"{SAFE} The bulbs are white since then.", session="s1")
    fact = await client.write(SAFE, session="s1")
    await client.forget(fact.id)

    assert await summary_in(client, said.id) is None


@pytest.mark.promise(
    "summaries",
    "An import takes from a file only a summary that its text bears out, and makes others anew.",
)
@pytest.mark.parametrize(
    "summary",
    [
        {"text": "Ann owes Bob a car.", "made_by": "summarise@1 some:model"},
        {"text": "Notes of our holiday.", "made_by": RULES},
        None,
    ],
)
async def test_an_import_makes_a_summary_anew_that_its_text_does_not_bear_out(
    client, client_of, summary
):
    said = await client.remember(LONG, session="s1")
    (row,) = [json.loads(json.dumps(row_of(one))) async for one in client.export()]
    row["memory"]["summary"] = summary
    if summary is None:
        del row["memory"]["summary"]
    other = client_of("bob")
    await other.import_rows([row])

    (memory,) = (await other.list()).memories
    assert memory.summary == await summary_in(client, said.id)


async def test_an_import_keeps_a_models_summary_that_its_text_bears_out(client, client_of):
    await client.remember(LONG, session="s1")
    (row,) = [json.loads(json.dumps(row_of(one))) async for one in client.export()]
    made = {"text": "The safe of our holiday opens with 4711.", "made_by": "summarise@1 some:model"}
    row["memory"]["summary"] = made
    other = client_of("bob")
    await other.import_rows([row])

    (memory,) = (await other.list()).memories
    assert memory.summary == Summary(**made)


# ── in a context ─────────────────────────────────────────────────────────────────────────────


def entries_of(context):
    return [entry for section in context.sections for entry in section.entries]


async def test_what_does_not_fit_whole_is_in_with_its_passage_and_in_short(client):
    said = await client.remember(f"{LONG} The key is with Tom. {WALK} {WALK}", session="before")
    context = await client.build_context("Who has the key, Tom?", budget_tokens=420)

    (entry,) = entries_of(context)
    head, _, body = entry.text.partition("] ")
    assert head.startswith(f"[{said.id}, ")
    assert head.endswith(", shortened")
    assert body.startswith("In short: Notes of our holiday. The safe opens with 4711.")
    assert "The key is with Tom." in body.partition("\n")[2]
    assert context.tokens <= 420
    assert [(one.id, one.because) for one in context.cut] == [(said.id, "shortened")]


async def test_what_fits_whole_is_neither_marked_nor_told_in_short(client):
    await client.remember(LONG, session="before")
    context = await client.build_context("What opens the safe?", budget_tokens=2_000)

    (entry,) = entries_of(context)
    assert entry.text.endswith(LONG)
    assert "shortened" not in entry.text


async def test_where_there_is_no_room_for_it_the_passage_goes_first(client):
    await client.remember(f"{LONG} The key is with Tom. {WALK} {WALK}", session="before")
    context = await client.build_context("Who has the key, Tom?", budget_tokens=250)

    (entry,) = entries_of(context)
    assert "The key is with Tom." in entry.text
    assert "In short" not in entry.text


async def test_nothing_is_in_short_that_the_passage_shows(client):
    await client.remember(LONG, session="before")
    context = await client.build_context("What opens the safe of our holiday?", budget_tokens=400)

    assert context.text.count(SAFE) == 1


@pytest.mark.promise(
    "summaries", "A long result of a tool is told in short where it does not fit whole."
)
async def test_a_long_result_of_a_tool_is_in_short_in_working_memory(client):
    rows = [f"12:{n % 60:02d} INFO worker {n} answered /v1/items/{n * 7}" for n in range(200)]
    rows[150] = "KeyError: 'E-41'"
    await client.remember("\n".join(rows), role="tool", speaker="shell", session="now")
    context = await client.build_context("Why did it stop?", session="now", budget_tokens=1_000)

    (entry,) = entries_of(context)
    assert ", a tool answered (shell), shortened] In short: " in entry.text
    assert "KeyError: 'E-41'" in entry.text
    assert LEFT_OUT in entry.text
    assert not entry.is_whole
