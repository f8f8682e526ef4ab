"""A deadline: what is late is left out, the answer says so, and what there is by then comes."""

import anyio
import pytest

from pinyon.domain.question import DEADLINE_MS_MAX
from pinyon.errors import InvalidValue
from pinyon.ports.models import Models
from pinyon.recall.recaller import Recaller
from pinyon.testing.embedder import HashEmbedder, HashReranker

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

LONG_S = 60
SOON_MS = 150
CUT, PASSED = (
    f"cut at the deadline of {SOON_MS} ms",
    f"the deadline of {SOON_MS} ms had passed",
)


class SlowEmbedder(HashEmbedder):
    async def embed_question(self, question):
        await anyio.sleep(LONG_S)


class SlowReranker(HashReranker):
    async def score(self, question, texts):
        await anyio.sleep(LONG_S)


class Hanging:
    """A search of which one leg never answers."""

    def __init__(self, search, leg):
        self._search, self._leg = search, leg

    def __getattr__(self, name):
        return self._hang if name == self._leg else getattr(self._search, name)

    async def _hang(self, *args, **options):
        await anyio.sleep(LONG_S)


@pytest.fixture
def hanging(client_of, store):
    """Return a maker of clients with an embedder, of whose search one leg hangs."""

    def make(leg):
        models = Models(embedder=HashEmbedder())
        search = Hanging(store.search, leg)
        return client_of(
            models=models, recaller=Recaller(store.records, search, store.sessions, models)
        )

    return make


async def asked(client, question="zigbee hub", *, deadline_ms=SOON_MS, **narrowing):
    with anyio.fail_after(LONG_S / 4):
        return await client.recall(question, deadline_ms=deadline_ms, **narrowing)


def notes(answer):
    return {stage.stage: stage.note for stage in answer.trace.stages}


def texts(answer):
    return [hit.memory.text for hit in answer.hits]


@pytest.mark.parametrize("deadline_ms", [0, -5, DEADLINE_MS_MAX + 1, True, 1.5, "100"])
async def test_a_deadline_is_a_whole_number_within_its_range(client, deadline_ms):
    with pytest.raises(InvalidValue) as error:
        await client.recall("hub", deadline_ms=deadline_ms)

    assert error.value.field == "deadline_ms"


async def test_with_a_slow_model_the_answer_comes_from_words(client_of):
    client = client_of(models=Models(embedder=SlowEmbedder()))
    await client.write("zigbee hub")

    answer = await asked(client)

    assert texts(answer) == ["zigbee hub"]
    assert (answer.degraded, answer.degraded_because) == (("vectors",), CUT)


async def test_a_model_that_is_late_is_cut_and_the_answer_says_so(client_of):
    client = client_of(models=Models(embedder=SlowEmbedder()))
    await client.write("zigbee hub")

    answer = await asked(client)

    assert answer.degraded[0] == "vectors"
    assert f"the deadline of {SOON_MS} ms" in answer.degraded_because
    assert notes(answer)["encode"] == CUT


async def test_a_slow_reranker_leaves_the_order_as_it_is(client_of):
    client = client_of(models=Models(reranker=SlowReranker()))
    for text in ("zigbee hub", "the zigbee hub stands in the hall"):
        await client.write(text)
    plain = texts(await client.recall("zigbee hub"))

    answer = await asked(client, quality="best")

    assert texts(answer) == plain
    assert (answer.degraded, answer.degraded_because) == (("reranker",), CUT)
    assert notes(answer)["rerank"] == CUT
    assert "rerank" not in answer.hits[0].why.scores


@pytest.mark.parametrize(
    ("leg", "stage", "part"),
    [("dense", "vector", "vectors"), ("followers", "turns", "turns")],
)
@pytest.mark.looks_inside
async def test_a_leg_that_hangs_leaves_the_answer_to_the_others(hanging, leg, stage, part):
    client = hanging(leg)
    await client.write("zigbee hub")

    answer = await asked(client)

    assert texts(answer) == ["zigbee hub"]
    assert (answer.degraded, answer.degraded_because) == ((part,), CUT)
    assert notes(answer)[stage] == CUT


@pytest.mark.looks_inside
async def test_where_nothing_could_be_asked_the_memory_is_not_said_to_be_empty(hanging):
    client = hanging("keyword")
    await client.write("zigbee hub")

    answer = await asked(client)

    assert (answer.hits, answer.empty_because) == ((), "degraded")
    assert notes(answer)["keyword"] == CUT


@pytest.mark.looks_inside
async def test_past_the_deadline_what_can_be_spared_is_not_begun(hanging):
    client = hanging("dense")
    await client.remember("zigbee hub", occurred_at="2025-04-14T09:00:00+00:00")

    answer = await asked(client, "the zigbee hub in April 2025")

    assert notes(answer)["vector"] == CUT
    assert notes(answer)["dated"] == PASSED
    assert answer.degraded == ("vectors", "dated")
    assert answer.degraded_because == PASSED
    assert {"check", "weigh", "select"} <= notes(answer).keys()


async def test_past_the_deadline_a_hit_comes_without_what_stands_beside_it(client_of):
    client = client_of(models=Models(reranker=SlowReranker()))
    for text in ("which hub?", "it speaks zigbee"):
        await client.remember(text, session="s1")

    answer = await asked(client, "zigbee", quality="best")

    assert [hit.neighbours for hit in answer.hits] == [()]
    assert answer.degraded == ("reranker", "neighbours")
    assert notes(answer)["beside"] == PASSED


async def test_a_deadline_that_is_far_changes_nothing(client_of):
    client = client_of(models=Models(embedder=HashEmbedder(), reranker=HashReranker()))
    for text in ("which hub?", "it speaks zigbee"):
        await client.remember(text, session="s1")
    question = "what did it speak in March 2026, zigbee?"

    plain = await client.recall(question, quality="best")
    answer = await asked(client, question, quality="best", deadline_ms=DEADLINE_MS_MAX)

    assert answer.hits == plain.hits != ()
    assert (answer.degraded, answer.degraded_because) == ((), "")
    assert notes(answer) == notes(plain)
