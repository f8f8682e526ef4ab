"""A word that nobody ever wrote: the nearest spelling that somebody did write is looked for."""

import pytest

from pinyon.domain.synonyms import synonyms_of
from pinyon.errors import InvalidValue
from pinyon.recall.recaller import Tuning
from pinyon.recall.rewording import RESPELT_MAX

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

BULBS = "Sarah's bulbs show only white since last week"


@pytest.mark.parametrize(
    ("question", "read_as"),
    [
        ("bulps", {"bulps": "bulbs"}),
        ("Which Bulbbs are there?", {"Bulbbs": "bulbs"}),
        ("sarrah", {"sarrah": "sarah"}),
        ("whtie", {"whtie": "white"}),
    ],
)
async def test_a_misspelt_word_finds_what_is_spelt_right(client, story, question, read_as):
    answer = await client.recall(question)

    assert BULBS in [hit.memory.text for hit in answer.hits]
    assert answer.trace.read_as == read_as
    assert answer.trace.unknown_terms == ()


async def test_it_counts_half(client, story):
    right, misspelt = await client.recall("bulbs"), await client.recall("bulps")

    assert misspelt.hits[0].why.relevance == right.hits[0].why.relevance / 2


async def test_what_came_by_another_spelling_is_not_said_to_be_near_in_meaning(client, story):
    (hit,) = (await client.recall("bulps")).hits

    assert "meaning" not in hit.why.summary


async def test_the_stage_of_the_words_says_how_one_was_read(client, story):
    stages = {stage.stage: stage.note for stage in (await client.recall("bulps")).trace.stages}

    assert stages["words"] == "“bulps” read as “bulbs” too"


async def test_of_several_spellings_the_most_common_one_is_taken(client):
    for text in ["the staple", "the stable opens", "the stable shuts"]:
        await client.write(text)

    assert (await client.recall("stabple")).trace.read_as == {"stabple": "stable"}


@pytest.mark.parametrize("question", ["v2.3.2", "db-confg.json", "createdByAgnet", "0x80070058"])
async def test_an_identifier_is_never_respelt(client, story, question):
    answer = await client.recall(question)

    assert answer.trace.read_as == {}
    assert question.lower() in answer.trace.unknown_terms


@pytest.mark.parametrize("question", ["dgo", "BULPS", "灯泡", "zyxwvut"])
async def test_neither_are_short_words_capitals_other_scripts_or_what_is_far_from_all(
    client, story, question
):
    answer = await client.recall(question)

    assert (answer.hits, dict(answer.trace.read_as)) == ((), {})


async def test_nothing_is_respelt_that_is_known(client):
    for text in ["a bull", "the bulls", "one bulb"]:
        await client.write(text)

    answer = await client.recall("bulb")

    assert [hit.memory.text for hit in answer.hits] == ["one bulb"]
    assert answer.trace.read_as == {}


async def test_nothing_is_respelt_that_is_called_otherwise(client_of, story):
    tuning = Tuning(synonyms=synonyms_of([["bulps", "sensor"]]))

    answer = await client_of(tuning=tuning).recall("bulps")

    assert answer.trace.read_as == {"bulps": "sensor"}


@pytest.mark.parametrize("name", ["Thea", "Andy", "Hans"])
async def test_a_name_is_not_read_as_a_word_that_carries_only_grammar(client, story, name):
    await client.write("the dog and the cat")

    answer = await client.recall(f"Where is {name}?")

    assert (answer.hits, dict(answer.trace.read_as)) == ((), {})


async def test_who_mistypes_more_than_a_little_is_not_understood(client, story):
    answer = await client.recall("sensro cabels pairign")

    assert len(answer.trace.read_as) == RESPELT_MAX
    assert answer.trace.unknown_terms == ("pairign",)


async def test_in_an_empty_memory_nothing_is_read_otherwise(client):
    answer = await client.recall("bulps")

    assert (answer.trace.unknown_terms, dict(answer.trace.read_as)) == (("bulp",), {})


async def test_it_can_be_switched_off(client_of, story):
    answer = await client_of(tuning=Tuning(without=("spelling",))).recall("bulps")

    assert (answer.hits, dict(answer.trace.read_as)) == ((), {})


def test_what_cannot_be_left_out_is_told_with_what_can(client_of):
    with pytest.raises(InvalidValue, match="spelling"):
        client_of(tuning=Tuning(without=("spellings",)))
