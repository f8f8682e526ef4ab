"""Where words find little, what shares a rare word with the best hits comes behind them."""

import pytest

from pinyon.domain.question import AsOf
from pinyon.domain.times import show_instant
from pinyon.ports.models import Models
from pinyon.recall.expanding import LITTLE, PASSAGES_MIN
from pinyon.recall.recaller import Tuning
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

QUESTION = "why did the bulb not pair?"
DIRECT = "The bulb does not pair since Tuesday, it says ZX81"
BEHIND = "ZX81 means that the channel is taken"


async def tell(client, *texts, up_to=PASSAGES_MIN):
    """Write memories among others that share no word with them, `up_to` in all."""
    for number in range(up_to - len(texts)):
        await client.write(f"ticket {number} is about invoices")
    return [(await client.write(text)).id for text in texts]


def stage_of(answer):
    return next((stage for stage in answer.trace.stages if stage.stage == "expand"), None)


async def test_what_shares_a_rare_word_with_the_best_hit_comes_behind_it(client):
    await tell(client, DIRECT, BEHIND)

    answer = await client.recall(QUESTION)
    first, second = answer.hits

    assert (first.memory.text, second.memory.text) == (DIRECT, BEHIND)
    assert set(second.why.legs) == {"expand"}
    assert set(second.why.scores) == {"expanded"}
    assert second.score < first.score / 2 + 0.01
    assert stage_of(answer).note.startswith("1 by ")


async def test_a_hit_that_comes_so_matches_no_word_of_the_question(client):
    await tell(client, DIRECT, BEHIND)

    second = (await client.recall(QUESTION)).hits[1]

    assert (second.why.matched, second.why.context_matched) == ((), ())


async def test_it_can_be_left_out(client_of):
    client = client_of(tuning=Tuning(without=("expand",)))
    await tell(client, DIRECT, BEHIND)

    assert [hit.memory.text for hit in (await client.recall(QUESTION)).hits] == [DIRECT]


async def test_a_word_of_a_title_or_a_keyword_leads_on_too(client, ask):
    await tell(client, up_to=PASSAGES_MIN - 2)
    await client.write("The bulb does not pair", title="Zigbee", keywords=["attic"])
    await client.write("zigbee is a radio")
    await client.write("the attic is cold")

    assert set(await ask(QUESTION)) == {
        "The bulb does not pair",
        "zigbee is a radio",
        "the attic is cold",
    }


async def test_of_several_the_nearer_one_comes_first(client, ask):
    near = "ZX81 on Tuesday: the channel is taken"
    await tell(client, DIRECT, BEHIND, near)

    assert await ask(QUESTION) == [DIRECT, near, BEHIND]


async def test_it_never_lifts_an_answer_over_the_floor(client):
    await tell(client, DIRECT, BEHIND)

    answer = await client.recall("flurble xyzzy quux plugh garply waldo and a bulb")

    assert (answer.hits, answer.empty_because) == ((), "below_floor")
    assert 0 < answer.trace.best < answer.trace.floor
    assert stage_of(answer) is None


async def test_it_changes_nothing_about_how_surely_something_answers(client, client_of):
    await tell(client, DIRECT, BEHIND)
    without = client_of(tuning=Tuning(without=("expand",)))

    answer, plain = await client.recall(QUESTION), await without.recall(QUESTION)

    assert (answer.trace.best, answer.hits[0]) == (plain.trace.best, plain.hits[0])


# ── where it is not done ─────────────────────────────────────────────────────────────────────


async def test_in_a_small_space_no_word_is_rare(client, ask):
    await tell(client, DIRECT, BEHIND, up_to=PASSAGES_MIN - 1)

    assert await ask(QUESTION) == [DIRECT]


async def test_where_enough_is_found_nothing_is_added(client):
    direct = [f"The bulb number {number} does not pair: ZX81" for number in range(LITTLE)]
    await tell(client, *direct, BEHIND, up_to=5 * PASSAGES_MIN)

    answer = await client.recall(QUESTION, k=20)

    assert BEHIND not in [hit.memory.text for hit in answer.hits]
    assert stage_of(answer) is None


async def test_where_no_more_is_wanted_nothing_is_added(client):
    await tell(client, DIRECT, BEHIND)

    answer = await client.recall(QUESTION, k=1)

    assert [hit.memory.text for hit in answer.hits] == [DIRECT]
    assert stage_of(answer) is None


async def test_where_meaning_is_compared_nothing_is_added(client_of):
    client = client_of(models=Models(embedder=HashEmbedder()))
    await tell(client, DIRECT, BEHIND)

    assert stage_of(await client.recall(QUESTION)) is None


async def test_a_question_without_words_is_not_expanded(client):
    await tell(client, DIRECT, BEHIND)

    assert stage_of(await client.recall("what is it?")) is None


async def test_a_word_that_many_hold_leads_nowhere(client):
    await tell(client, "The bulb does not pair, see the invoices")

    answer = await client.recall(QUESTION)

    assert len(answer.hits) == 1
    assert stage_of(answer).note == "no rare word to go on with"


# ── what holds for it ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "narrowing", [{"filters": {"not": {"tags": "manual"}}}, {"kinds": ["semantic"]}]
)
async def test_what_is_asked_for_holds_for_it(client, ask, narrowing):
    await tell(client, DIRECT)
    await client.write(BEHIND, kind="procedural", tags=["manual"])
    assert await ask(QUESTION) == [DIRECT, BEHIND]

    assert await ask(QUESTION, **narrowing) == [DIRECT]


NEARER = tuple(f"ZX81 since Tuesday, ticket {number}" for number in range(4))
"""More than the places there are, and each shares two rare words with the best hit."""


async def test_a_filter_holds_before_the_cut(client, ask):
    await tell(client, DIRECT, BEHIND, up_to=3 * PASSAGES_MIN)
    for text in NEARER:
        await client.write(text, tags=["manual"])

    assert await ask(QUESTION, k=3, filters={"not": {"tags": "manual"}}) == [DIRECT, BEHIND]


async def test_what_came_to_be_known_later_takes_no_place(client, clock, ask):
    await tell(client, DIRECT, BEHIND, up_to=3 * PASSAGES_MIN)
    then = AsOf(known=show_instant(clock.now_us()))
    clock.forward(60)
    for text in NEARER:
        await client.write(text)

    assert await ask(QUESTION, k=3, as_of=then) == [DIRECT, BEHIND]


@pytest.mark.parametrize("act", ["retract", "hide", "forget"])
async def test_what_no_longer_stands_is_not_added(client, ask, act):
    *_, behind = await tell(client, DIRECT, BEHIND)
    await getattr(client, act)(behind)

    assert await ask(QUESTION) == [DIRECT]


async def test_what_was_not_known_then_is_not_added(client, clock, ask):
    await tell(client, DIRECT, "ZX81 is an error")
    then = show_instant(clock.now_us())
    clock.forward(60)
    await client.write(BEHIND)

    assert BEHIND not in await ask(QUESTION, as_of=AsOf(known=then))
    assert BEHIND in await ask(QUESTION)


async def test_another_user_has_no_part_in_it(client, client_of, ask):
    await tell(client, DIRECT)
    await client_of("bob").write(BEHIND)

    assert await ask(QUESTION) == [DIRECT]
