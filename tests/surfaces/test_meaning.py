"""The program with its models: quality, what is missing, what is broken, and setting it right."""

import sys

import pytest

from pinyon.models.locate import LATE_INTERACTION, find_cross_encoder, find_late_interaction
from pinyon.surfaces.cli import models as models_command
from pinyon.testing.scripted_model import Reply, ScriptedModel

AUTO = {"PINYON_MODELS": "auto"}
STORY = ("The bulbs only show white", "Sarah's dog Pickle chews sensor cables", "The hub is a v2")


@pytest.fixture(scope="module")
def weights():
    found = find_late_interaction()
    assert found is not None, "the models are not installed; `make test` does"
    return found


@pytest.fixture
def told(pinyon):
    for text in STORY:
        pinyon("write", text, **AUTO)


@pytest.fixture
def cut_short(tmp_path, weights):
    """A folder of models whose first one was not copied to its end."""
    folder = tmp_path / "models" / LATE_INTERACTION
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(weights.model.read_bytes()[:1_000_000])
    (folder / "tokenizer.json").write_bytes(weights.tokenizer.read_bytes())
    return {"PINYON_MODELS": str(tmp_path / "models")}


def test_a_question_in_other_words_is_explained(pinyon, told):
    said = pinyon("recall", "which pet damages wires?", "--explain", **AUTO)

    assert "near in meaning; vector 1" in said.out
    assert "vector 1: late 0." in said.out
    for stage in ("plan", "encode", "vector", "score", "check", "weigh", "select"):
        assert f"├── {stage} " in said.out


@pytest.mark.parametrize("quality", ["default", "best"])
def test_the_quality_is_chosen(pinyon, told, quality):
    hit = pinyon("recall", "which pet damages wires?", "--quality", quality, "--json", **AUTO).json[
        "hits"
    ][0]

    assert hit["text"] == STORY[1]
    assert ("rerank" in hit["why"]["scores"]) == (quality == "best")


def test_why_not_takes_the_quality_too(pinyon, told):
    listed = pinyon("list", "--json", **AUTO).json["memories"]

    said = pinyon("why-not", listed[0]["id"], "which pet?", "--quality", "best", "--json", **AUTO)

    assert said.exit == 0


def test_an_unknown_quality_is_refused(pinyon, told):
    said = pinyon("recall", "bulbs", "--quality", "perfect", "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_value")


def test_best_without_a_cross_encoder_says_what_to_do(pinyon, told):
    said = pinyon("recall", "white bulbs", "--quality", "best")

    assert said.exit == 0
    assert "without reranker: " in said.err
    assert "pinyon models install" in said.err


def test_warming_says_how_long_it_took(pinyon, told):
    said = pinyon("warm", **AUTO)

    assert "3 memories are ready after" in said.out


# ── a model that is broken ───────────────────────────────────────────────────────────────────


def test_a_broken_model_fails_no_command_and_is_named(pinyon, cut_short):
    written = pinyon("write", STORY[2], **cut_short)
    asked = pinyon("recall", "which hub?", **cut_short)
    warmed = pinyon("warm", **cut_short)

    assert (written.exit, asked.exit, warmed.exit) == (0, 0, 0)
    assert "kept without its vectors" in written.err
    assert STORY[2] in asked.out
    assert "without vectors: " in asked.err
    assert "pinyon models doctor" in warmed.err


def test_doctor_of_models_finds_it(pinyon, cut_short):
    said = pinyon("models", "doctor", **cut_short)
    answer = pinyon("models", "doctor", "--json", **cut_short)

    assert said.exit == answer.exit == 1
    assert "cannot be used" in said.out
    assert not answer.json["ok"]


def test_files_of_ones_own_are_as_good(pinyon, tmp_path, weights):
    folder = tmp_path / "models" / LATE_INTERACTION
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(weights.model.read_bytes())
    tokenizer = weights.tokenizer.read_text("utf-8") + "\n"
    (folder / "tokenizer.json").write_text(tokenizer, "utf-8")

    answer = pinyon("models", "doctor", "--json", PINYON_MODELS=str(tmp_path / "models")).json

    (trial,) = [one for one in answer["models"] if one["name"] == LATE_INTERACTION]
    assert trial["ok"]
    assert trial["fingerprint"] != weights.fingerprint()


def test_files_of_the_package_must_be_those_that_we_know(pinyon, monkeypatch):
    model = models_command.KNOWN[0]
    monkeypatch.setitem(model.hashes, "model.onnx", "0" * 64)

    said = pinyon("models", "doctor", **AUTO)

    assert said.exit == 1
    assert "not the files that we know" in " ".join(said.out.split())


def test_a_model_that_was_made_for_something_else_is_found(pinyon, tmp_path, weights):
    folder = tmp_path / "models" / LATE_INTERACTION
    folder.mkdir(parents=True)
    reranker = find_cross_encoder()
    (folder / "model.onnx").write_bytes(reranker.model.read_bytes())
    (folder / "tokenizer.json").write_bytes(reranker.tokenizer.read_bytes())

    said = pinyon("models", "doctor", PINYON_MODELS=str(tmp_path / "models"))

    assert said.exit == 1


def test_reembedding_gives_what_was_missed(pinyon, cut_short):
    pinyon("write", STORY[1], **cut_short)
    pinyon("remember", STORY[2], user="tom", PINYON_MODELS="off")

    said = pinyon("reembed", **AUTO)
    again = pinyon("reembed", **AUTO)
    found = pinyon("recall", "which pet damages wires?", "--json", **AUTO)

    assert said.out.count("1 of 1 memories") == 2
    assert again.out.count("nothing was lacking") == 2
    assert found.json["hits"][0]["text"] == STORY[1]


def test_reembedding_an_empty_home_says_how_to_begin(pinyon):
    assert "Begin with" in pinyon("reembed", **AUTO).out


def test_reembedding_without_a_model_is_refused(pinyon, told):
    said = pinyon("reembed", "--json", PINYON_MODELS="off")

    assert (said.exit, said.error["code"]) == (8, "model_unavailable")


# ── which there are ──────────────────────────────────────────────────────────────────────────


def test_the_models_that_are_here_work(pinyon):
    said = pinyon("models", "doctor", **AUTO)
    answer = pinyon("models", "doctor", "--json", **AUTO).json

    assert said.exit == 0
    assert "loaded in" in said.out
    assert answer["ok"]
    assert all(one["fingerprint"] for one in answer["models"])


def test_the_list_says_what_is_in_use(pinyon):
    states = {
        one["name"]: one["state"]
        for one in pinyon("models", "list", "--json", **AUTO).json["models"]
    }

    assert states[LATE_INTERACTION] == "in use"
    assert states["endpoint"] == "here"


def test_without_models_the_list_says_how_to_get_them(pinyon, tmp_path):
    nowhere = {"PINYON_MODELS": str(tmp_path)}

    assert "pinyon models install" in pinyon("models", "list", **nowhere).out
    assert pinyon("models", "doctor", **nowhere).exit == 0


def test_with_models_off_nothing_is_in_use(pinyon):
    states = {one["state"] for one in pinyon("models", "list", "--json").json["models"]}

    assert states <= {"off", "missing"}
    assert pinyon("models", "doctor").exit == 1


# ── bringing them here ───────────────────────────────────────────────────────────────────────


@pytest.fixture
def installed(monkeypatch):
    """Instead of running pip, note what it would be given."""
    asked = []

    def run(command, *, check):
        asked.append(command)
        return type("Ended", (), {"returncode": 1 if "broken.whl" in command[-1] else 0})

    monkeypatch.setattr(models_command.subprocess, "run", run)
    return asked


def test_models_are_installed_into_this_environment(pinyon, installed):
    said = pinyon("models", "install", "--json")

    (command,) = installed
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert command[-1].endswith("pinyon-models")
    assert said.json["model"] == LATE_INTERACTION
    assert "is here" in pinyon("models", "install", "multilingual").out


def test_models_are_installed_from_a_file(pinyon, installed):
    pinyon("models", "install", "--from", "models.whl")

    assert installed[0][-1] == "models.whl"


def test_an_install_that_fails_says_what_to_do(pinyon, installed):
    said = pinyon("models", "install", "--from", "broken.whl", "--json")

    assert (said.exit, said.error["code"]) == (8, "model_unavailable")
    assert "packages/pinyon-models" in said.error["message"]


def test_an_environment_without_pip_says_what_to_type(pinyon, installed, monkeypatch):
    monkeypatch.setattr(models_command, "find_spec", lambda _name: None)

    said = pinyon("models", "install", "endpoint", "--json")

    assert "uv pip install --python" in said.error["message"]
    assert installed == []


def test_a_model_that_nobody_knows_is_refused(pinyon, installed):
    assert pinyon("models", "install", "huge", "--json").error["code"] == "invalid_value"


# ── an endpoint ──────────────────────────────────────────────────────────────────────────────


def test_an_endpoint_needs_an_address(pinyon):
    said = pinyon("recall", "bulbs", "--json", PINYON_EMBEDDER="endpoint", **AUTO)

    assert (said.exit, said.error["code"]) == (2, "invalid_setting")
    assert "PINYON_EMBEDDINGS_URL" in said.error["message"]


def test_an_endpoint_that_is_not_there_is_named_and_its_key_is_not(pinyon):
    endpoint = {
        "PINYON_EMBEDDER": "endpoint",
        "PINYON_EMBEDDINGS_URL": "http://127.0.0.1:9/v1",
        "PINYON_EMBEDDINGS_MODEL": "none",
        "PINYON_EMBEDDINGS_KEY": "sk-secret-key",
        **AUTO,
    }
    pinyon("write", STORY[2], **endpoint)

    asked = pinyon("recall", "which hub?", **endpoint)
    tried = pinyon("models", "doctor", **endpoint)

    assert STORY[2] in asked.out
    assert "without vectors: " in asked.err
    assert tried.exit == 1
    assert "sk-secret" not in asked.err + asked.out + tried.out + tried.err


# ── a chat model ─────────────────────────────────────────────────────────────────────────────


def test_doctor_of_models_asks_the_chat_model(pinyon):
    pytest.importorskip("openai")
    with ScriptedModel(lambda _: Reply('{"number": 7}')) as model:
        chat = {"PINYON_CHAT": "openai:words", "PINYON_CHAT_URL": model.url + "/v1"}
        tried = pinyon("models", "doctor", "--json", PINYON_MODELS="off", **chat)

    last = tried.json["models"][-1]
    assert (last["name"], last["ok"], last["fingerprint"]) == ("openai:words", True, "openai:words")


def test_a_chat_model_that_is_not_there_is_named_and_its_key_is_not(pinyon):
    pytest.importorskip("anthropic")
    chat = {"PINYON_CHAT": "anthropic:words", "PINYON_CHAT_URL": "http://127.0.0.1:9"}
    key = {"PINYON_CHAT_KEY": "sk-secret-key"}

    tried = pinyon("models", "doctor", PINYON_MODELS="off", **chat, **key)

    assert tried.exit == 1
    assert "anthropic:words" in tried.out
    assert "sk-secret" not in tried.out + tried.err


def test_a_chat_model_of_no_vendor_is_refused(pinyon):
    said = pinyon("models", "doctor", "--json", PINYON_CHAT="words")

    assert (said.exit, said.error["code"]) == (2, "invalid_setting")
