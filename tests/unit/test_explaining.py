"""Why a memory came, and how an answer came about."""

from dataclasses import replace

import pytest

from pinyon.domain.answers import LegPlace
from pinyon.domain.memory import Passage
from pinyon.testing.makers import ANN, memory_of, put

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True


async def test_a_hit_says_which_leg_found_it_and_by_which_words(client, story):
    hit = (await client.recall("Does the DOG chew Xyzzy?")).hits[0]

    assert set(hit.why.matched) == {"DOG", "chew"}
    assert hit.why.legs["keyword"].rank == 1
    assert hit.why.summary.startswith("holds “")


async def test_a_hit_of_the_newest_says_so(client, story):
    hit = (await client.recall("what is it?")).hits[1]

    assert hit.why.summary == "number 2 of what was kept last"
    assert hit.why.legs == {"recent": LegPlace(rank=2, score=0.5)}


async def test_relevance_is_the_share_of_the_question_that_a_memory_holds(client, story):
    whole, part = [
        (await client.recall(question)).hits[0].why.relevance
        for question in ["dog chews", "dog chews xyzzy"]
    ]

    assert whole == 1
    assert 0 < part < 1


async def test_scores_lie_between_0_and_1_and_never_rise(client, story):
    scores = [hit.score for hit in (await client.recall("sarah hub reset bulbs zigbee")).hits]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_a_hit_names_the_passage_by_which_it_was_found(client):
    text = (
        "Nothing happened that day. " * 40 + "Then the dog chewed a cable. " + "All was well. " * 40
    )
    await client.write(text)

    (hit,) = (await client.recall("dog cable")).hits

    assert "the dog chewed" in text[hit.why.passage.start : hit.why.passage.end]


async def test_a_memory_without_passages_is_shown_whole(client, store, by):
    whole = replace(memory_of(1, "Sarah has a dog"), passages=())
    await store.records.apply(ANN, [put(whole)], by=by)

    (hit,) = (await client.recall("what is it?")).hits

    assert hit.why.passage == Passage(0, 0, len("Sarah has a dog"))


# ── the trace ────────────────────────────────────────────────────────────────────────────────


async def test_the_trace_names_the_stages_that_ran(client, story):
    trace = (await client.recall("bulbs")).trace

    assert [stage.stage for stage in trace.stages] == [
        "plan", "words", "keyword", "score", "check", "weigh", "select",
    ]  # fmt: skip
    assert all(stage.wall_ms >= 0 for stage in trace.stages)


async def test_a_stage_with_nothing_to_do_does_not_run(client, story):
    unknown = (await client.recall("zzqq")).trace
    newest = (await client.recall("what is it?")).trace

    assert [stage.stage for stage in unknown.stages] == ["plan", "words"]
    assert [stage.stage for stage in newest.stages] == [
        "plan",
        "recent",
        "score",
        "check",
        "weigh",
        "select",
    ]


async def test_the_trace_counts_the_candidates_that_each_stage_left(client, story):
    trace = (await client.recall("sarah hub", k=2)).trace
    left = {stage.stage: stage.candidates for stage in trace.stages}

    assert (left["plan"], left["select"]) == (0, 2)
    assert left["keyword"] == left["score"] == left["check"] > 2


async def test_the_trace_says_what_was_looked_for_and_where(client, story):
    trace = (await client.recall("the bulbs of the hub")).trace

    assert trace.terms == ("bulb", "hub")
    assert trace.spaces == client.principal.reads
    assert trace.tokens > 0


async def test_the_trace_says_how_many_words_nobody_knows(client, story):
    answer = await client.recall("zzqq bulbs")
    notes = {stage.stage: stage.note for stage in answer.trace.stages}

    assert notes["words"].startswith("1 of 2 ")


async def test_a_word_that_nobody_knows_is_not_one_that_is_too_common(client, story):
    assert (await client.recall("zzqq bulbs")).trace.dropped_terms == ()
