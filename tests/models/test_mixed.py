"""Two models in one: each text goes to the one that was made for its script."""

import numpy as np
import pytest

from pinyon.domain.calibration import Calibration
from pinyon.errors import ModelUnavailable
from pinyon.models.mixed import REST, MixedModel
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.model_contract import EmbedderContract
from pinyon.wiring import open_parts

pytestmark = pytest.mark.anyio

ENGLISH, CHINESE = "a hub", "一个网关"


class Everything(HashEmbedder):
    """A model of another making, for every script, without tokens."""

    def __init__(self, **given):
        super().__init__(name="other@1", has_tokens=False, **given)

    def knows(self, text):
        return True


def mixed(**rest):
    return MixedModel(HashEmbedder(), Everything(**rest))


class TestMixed(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return mixed()


async def test_each_text_is_encoded_by_the_model_for_its_script():
    first, rest = HashEmbedder(), Everything()
    alone = [(await first.embed([ENGLISH]))[0], (await rest.embed([CHINESE]))[0]]

    together = await MixedModel(first, rest).embed([CHINESE, ENGLISH, CHINESE])

    assert together == [alone[1], alone[0], alone[1]]


async def test_a_question_is_compared_token_by_token_where_its_model_has_tokens():
    model = mixed()

    assert (await model.embed_question(ENGLISH)).tokens
    assert not (await model.embed_question(CHINESE)).tokens
    assert model.calibration_of(ENGLISH) == HashEmbedder().calibration_of(ENGLISH)
    assert model.calibration_of(CHINESE) == REST != Calibration(nothing=0, everything=1, floor=0.1)


async def test_another_model_beside_the_first_makes_other_vectors():
    other = MixedModel(HashEmbedder(), HashEmbedder(name="third@1"))

    assert mixed().fingerprint != other.fingerprint != HashEmbedder().fingerprint


async def test_two_models_of_different_length_are_refused():
    with pytest.raises(ModelUnavailable, match="64 and 32 long"):
        _ = mixed(dim=32).dim


async def test_people_who_write_in_two_scripts_are_answered_in_both(tmp_path):
    _, client = open_parts(tmp_path / "home", models=Models(embedder=mixed()))
    async with client:
        for text in (ENGLISH, CHINESE, "the kitchen lamp", "厨房的灯"):
            await client.write(text)

        english = await client.recall("kitchen lamp")
        chinese = await client.recall("厨房")

    assert english.hits[0].memory.text == "the kitchen lamp"
    assert chinese.hits[0].memory.text == "厨房的灯"
    assert "late" in english.hits[0].why.scores
    assert "cosine" in chinese.hits[0].why.scores


async def test_what_the_other_model_made_lies_near_nothing():
    model = mixed()
    question = np.frombuffer((await model.embed_question(ENGLISH)).dense, np.float32)
    (other,) = await model.embed([CHINESE])

    assert abs(float(np.frombuffer(other.dense, np.float32) @ question)) < REST.nothing
