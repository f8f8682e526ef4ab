"""Stages that can be left out, to see what each is worth; and times that a question names."""

import pytest

from pinyon.errors import InvalidValue
from pinyon.ports.models import Models
from pinyon.recall.recaller import STAGES_TO_SPARE, Tuning, left_out
from pinyon.testing.embedder import HashEmbedder, HashReranker

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True


@pytest.fixture
def client_without(client_of):
    def make(*names):
        models = Models(embedder=HashEmbedder(), reranker=HashReranker())
        return client_of(models=models, tuning=Tuning(without=names))

    return make


@pytest.mark.parametrize("name", STAGES_TO_SPARE)
async def test_a_recall_answers_without_any_stage_that_can_be_spared(client_without, name):
    client = client_without(name)
    await client.write("the heron nests by the mill")
    await client.write("violin strings are kept in the tin")

    answer = await client.recall("where does the heron nest?", quality="best")

    assert answer.hits[0].memory.text == "the heron nests by the mill"
    assert name not in {stage.stage for stage in answer.trace.stages}


async def test_another_user_on_the_same_home_is_asked_in_the_same_way(client_without):
    client = client_without("keyword", "weigh")
    other = client.acting_for("bob")
    await other.write("the heron nests by the mill")

    stages = {one.stage for one in (await other.recall("heron")).trace.stages}
    assert not stages & {"keyword", "weigh"}


@pytest.mark.parametrize("name", ["plan", "check", "select", "words", "nothing"])
def test_what_a_recall_cannot_do_without_is_no_stage_to_spare(client_of, name):
    with pytest.raises(InvalidValue, match="encode, keyword, turns"):
        client_of(tuning=Tuning(without=[name]))


def test_parts_of_the_bus_are_told_from_factors():
    assert left_out(["keyword", "age", "parts"]) == (("keyword", "parts"), ("age",))
    with pytest.raises(InvalidValue, match="encode, keyword, turns"):
        left_out(["plan"])


async def test_what_is_of_a_time_that_is_named_comes_first_and_the_trace_says_so(client):
    for month in ("03", "04", "05"):
        await client.remember(
            f"the build broke, ticket {month}",
            session=month,
            occurred_at=f"2025-{month}-14T09:00:00+00:00",
        )

    answer = await client.recall("which build broke in April 2025?")

    assert answer.hits[0].memory.text.endswith("04")
    assert answer.hits[0].why.factors["when"] == pytest.approx(1.3)
    assert "looks at “in April 2025”" in answer.trace.stages[0].note
