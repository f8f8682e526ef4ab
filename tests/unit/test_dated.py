"""What is of a time that a question names comes, however many others match better."""

import pytest

from pinyon.domain.draft import Draft
from pinyon.domain.question import K_MAX, AsOf
from pinyon.domain.times import show_instant
from pinyon.ports.models import Models
from pinyon.recall.legs.dated import CANDIDATES
from pinyon.recall.planning import CANDIDATES_PER_LEG
from pinyon.recall.recaller import Tuning
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

QUESTION = "which build of the hub broke in April 2025?"
THEN = "it broke when the cable was moved"
NOW = "the build of the hub of April 2025 broke, ticket {}"
MODELS = {"by words": None, "by meaning": HashEmbedder()}


def april(text, **details):
    return Draft(
        text=text, kind="episodic", role="user", occurred_at="2025-04-14T09:00:00Z", **details
    )


@pytest.fixture(params=MODELS)
def asking(request, client_of):
    """Return a maker of clients by words and by meaning."""

    def make(*without):
        models = Models(embedder=MODELS[request.param])
        return client_of(models=models, tuning=Tuning(without=without))

    return make


async def tell(client, *of_then):
    """Write what is of then, and more that matches better and is of today than a leg brings."""
    today = [
        Draft(text=NOW.format(number), kind="episodic", role="user")
        for number in range(CANDIDATES_PER_LEG + 10)
    ]
    return [one.id for one in await client.write_many([*of_then, *today])]


async def texts(client, question=QUESTION, **narrowing):
    answer = await client.recall(question, k=K_MAX, **narrowing)
    return [hit.memory.text for hit in answer.hits]


async def test_what_is_of_the_time_comes_although_others_match_better(asking):
    client = asking()
    then, *_ = await tell(client, april(THEN))

    hits = {hit.memory.id: hit for hit in (await client.recall(QUESTION, k=K_MAX)).hits}

    assert "dated" in hits[then].why.legs
    assert hits[then].why.factors["when"] == pytest.approx(1.3)


async def test_by_words_it_comes_among_the_first(client):
    await tell(client, april(THEN))

    assert THEN in [hit.memory.text for hit in (await client.recall(QUESTION, k=3)).hits]


async def test_without_its_leg_it_is_lost(asking):
    client = asking("dated")
    await tell(client, april(THEN))

    assert THEN not in await texts(client)


async def test_where_no_time_is_named_the_leg_is_not_asked(asking):
    client = asking()
    await tell(client, april(THEN))

    answer = await client.recall("which build of the hub broke?")

    assert "dated" not in [stage.stage for stage in answer.trace.stages]


async def test_what_is_of_another_time_is_not_kept_out(asking):
    client = asking()
    await tell(client, april(THEN))

    others = [text for text in await texts(client) if text != THEN]

    assert len(others) >= CANDIDATES_PER_LEG


async def test_by_words_only_so_many_of_a_time_come(client):
    await tell(client, *[april(f"{THEN}, {number}") for number in range(CANDIDATES + 10)])

    hits = (await client.recall(QUESTION, k=K_MAX)).hits

    assert len([hit for hit in hits if "dated" in hit.why.legs]) == CANDIDATES


@pytest.mark.parametrize(
    "narrowing", [{"filters": {"not": {"tags": "rumour"}}}, {"intent": "solution"}], ids=str
)
async def test_what_is_asked_for_holds_for_it(asking, narrowing):
    client = asking()
    fact = Draft(text=THEN, occurred_at="2025-04-14T09:00:00Z", tags=["rumour"])
    await tell(client, fact)
    assert THEN in await texts(client)

    assert THEN not in await texts(client, **narrowing)


async def test_a_filter_holds_before_the_cut(asking):
    client = asking()
    rumours = [april(f"{QUESTION} {n}", tags=["rumour"]) for n in range(2 * CANDIDATES)]
    await tell(client, april(THEN), *rumours)

    assert THEN in await texts(client, filters={"not": {"tags": "rumour"}})


@pytest.mark.parametrize("act", ["retract", "hide", "forget"])
async def test_what_no_longer_stands_is_not_brought(asking, act):
    client = asking()
    then, *_ = await tell(client, april(THEN))
    await getattr(client, act)(then)

    assert THEN not in await texts(client)


async def test_what_was_not_known_then_is_not_brought(asking, clock):
    client = asking()
    await tell(client)
    before = show_instant(clock.now_us())
    clock.forward(60)
    await client.write_many([april(THEN)])

    assert THEN not in await texts(client, as_of=AsOf(known=before))
    assert THEN in await texts(client)


async def test_what_came_to_be_known_later_takes_no_place(asking, clock):
    client = asking()
    await tell(client, april(THEN))
    before = show_instant(clock.now_us())
    clock.forward(60)
    await client.write_many([april(f"{QUESTION} {n}") for n in range(2 * CANDIDATES)])

    assert THEN in await texts(client, as_of=AsOf(known=before))


async def test_each_of_two_times_is_asked_for(asking):
    client = asking()
    may = Draft(text="it broke in the heat", kind="episodic", occurred_at="2025-05-20T09:00:00Z")
    await tell(client, april(THEN), may)

    question = "which build of the hub broke in April 2025 or in May 2025?"

    assert {THEN, may.text} <= set(await texts(client, question))


async def test_another_users_time_is_not_ones_own(asking):
    client = asking()
    await tell(client)
    await client.acting_for("bob").write_many([april(THEN)])

    assert THEN not in await texts(client)
