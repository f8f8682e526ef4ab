"""The default model, with its real weights: it understands, and keeps what embedders promise."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pinyon
from pinyon.models.cross_encoder import CrossEncoder
from pinyon.models.late_interaction import LateInteractionModel
from pinyon.models.locate import find_cross_encoder, find_late_interaction
from pinyon.testing.model_contract import EmbedderContract, RerankerContract


@pytest.fixture(scope="module")
def weights():
    found = find_late_interaction(None)
    assert found is not None, "the models are not installed; `make test` does"
    return found


class TestLateInteraction(EmbedderContract):
    @pytest.fixture
    def embedder(self, weights):
        return LateInteractionModel(weights)


class TestCrossEncoder(RerankerContract):
    @pytest.fixture
    def reranker(self):
        found = find_cross_encoder()
        assert found is not None, "the models are not installed; `make test` does"
        return CrossEncoder(found)


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("PINYON_MODELS", "auto")
    with pinyon.open(tmp_path / "home", user="sarah") as opened:
        yield opened


STORY = [
    "Since the power cut my bulbs only show white",
    "Sarah's dog Pickle chews sensor cables",
    "Sarah has a Lumio Hub v2",
    "Sarah's phone runs iOS 17.4",
    "Sarah works from home on Mondays",
]


def test_a_question_in_other_words_is_answered(memory):
    for text in STORY:
        memory.write(text)

    hits = memory.recall("which pet damages wires?").hits

    assert hits[0].memory.text == STORY[1]
    assert hits[0].why.summary.startswith("near in meaning")


def test_a_version_is_not_lost_to_a_vague_neighbour(memory):
    for text in [*STORY, "Tom has a Lumio Hub v3", "The hub needs firmware v2.3.1"]:
        memory.write(text)

    assert memory.recall("firmware v2.3.1").hits[0].memory.text == "The hub needs firmware v2.3.1"


def test_nonsense_is_answered_with_nothing(memory):
    for text in STORY:
        memory.write(text)

    answer = memory.recall("zzqq flurble 9999")

    assert (answer.hits, answer.empty_because) == ((), "below_floor")


def test_a_memory_has_its_vectors_when_it_is_written(memory):
    written = memory.write(STORY[0])

    assert written.degraded == ()
    assert "vectors" not in memory.show(written.id).awaits


def test_a_script_that_the_model_does_not_know_goes_by_words(memory):
    memory.write("记得设置止损")

    answer = memory.recall("止损")

    assert answer.hits[0].memory.text == "记得设置止损"
    assert [stage.stage for stage in answer.trace.stages if stage.stage == "encode"] == []


def test_a_model_file_that_is_cut_short_leaves_recall_to_its_words(tmp_path, weights):
    folder = tmp_path / "models" / weights.model.parent.name
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(weights.model.read_bytes()[:1_000_000])
    (folder / "tokenizer.json").write_bytes(weights.tokenizer.read_bytes())
    home = tmp_path / "home"
    environ = {
        **os.environ,
        "PINYON_MODELS": str(folder.parent),
        "PINYON_HOME": str(home),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }

    def pinyon_command(*args):
        command = [sys.executable, "-m", "pinyon", *args, "--user", "sarah", "--json"]
        said = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
        return json.loads(said.stdout)

    written = pinyon_command("write", STORY[2])
    answer = pinyon_command("recall", "which hub does she have?")

    assert (written["created"], written["degraded"]) == (True, ["vectors"])
    assert answer["hits"][0]["text"] == STORY[2]


def test_the_build_of_the_weights_is_given_what_it_runs():
    package = Path(__file__).parents[2] / "packages" / "pinyon-models"
    needed = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["build-system"]
    run = re.findall(r'"-m", "(\w+)"', (package / "fetch.py").read_text("utf-8"))

    # Built by itself, it sees nothing of the environment that it is installed into.
    assert run
    assert {*run} <= {re.match(r"\w+", one)[0] for one in needed["requires"]}


@pytest.mark.anyio
async def test_a_question_says_which_of_its_tokens_it_is_about(weights):
    model = LateInteractionModel(weights)
    question = await model.embed_question("When is the party?")

    assert len(question.content) == len(question.tokens) // (model.token_dim * 4)
    assert sum(question.content) == 1


def test_grammar_alone_makes_no_answer(memory):
    for text in ("Sarah lives in Leeds.", "Sarah is vegan.", "Sarah trains at the gym."):
        memory.write(text)

    assert memory.recall("When is the party?").empty_because == "below_floor"
    assert memory.recall("where does she live?").hits
