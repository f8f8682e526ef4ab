"""What measures how fast: texts, models with one thing changed, time, and all of it once."""

import json
import sys
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.calibration import Calibration
from pinyon.errors import InvalidValue
from pinyon.evaluation.embedders import Calibrated, Recycling, Remembering, WithoutTokens
from pinyon.evaluation.speed import meaning
from pinyon.evaluation.speed.babble import TURNS, Babble, words_of
from pinyon.evaluation.timing import Run, figures, quantile
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder, HashReranker
from pinyon.wiring import open_parts

pytestmark = pytest.mark.anyio


# ── texts ────────────────────────────────────────────────────────────────────────────────────


def test_no_two_texts_are_equal_and_they_come_again():
    made = [[babble.text(n) for n in range(200)] for babble in (Babble(), Babble())]

    assert made[0] == made[1]
    assert len(set(made[0])) == 200


def test_turns_follow_each_other_in_sessions_of_two_people():
    turns = list(Babble(vocabulary=["oak", "elm", "ash"], words=10).turns(TURNS + 1))

    assert len({turn.session for turn in turns}) == 2
    assert [turn.speaker for turn in turns[:3]] == ["Ann", "Ben", "Ann"]
    assert turns[1].occurred_at - turns[0].occurred_at == timedelta(minutes=1)


def test_the_words_of_a_tokenizer_are_whole_and_plain(tmp_path):
    vocabulary = ["##ing", "garden", "of", "Summer", "étude", "x1", "understandings", "tea"]
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"model": {"vocab": dict.fromkeys(vocabulary, 0)}}), "utf-8")

    assert words_of(file) == ["garden", "tea"]


# ── models with one thing changed ────────────────────────────────────────────────────────────


async def test_recycled_vectors_have_the_form_of_real_ones_and_no_two_are_equal():
    model = HashEmbedder()
    texts = [f"the {word} of number {n}" for n, word in enumerate(["oak", "elm", "ash"] * 4)]
    recycling = Recycling(model, samples=3)

    embedded = [*await recycling.embed(texts[:2]), *await recycling.embed(texts[2:])]

    real = await model.embed(texts)
    assert embedded[:3] == real[:3]
    assert len({one.dense for one in embedded}) == len(texts)
    assert len({one.tokens for one in embedded}) == len(texts)
    assert [len(one.tokens) for one in embedded[3:6]] == [len(one.tokens) for one in real[:3]]
    lengths = [np.linalg.norm(np.frombuffer(one.dense, np.float32)) for one in embedded]
    assert lengths == pytest.approx([1.0] * len(texts), abs=1e-5)


async def test_a_recycling_model_reads_no_text_twice_and_every_question():
    model = HashEmbedder()
    recycling = Recycling(model, samples=2)

    for _ in range(3):
        await recycling.embed(["oak tree", "elm tree"])

    assert model.calls == 1
    assert await recycling.embed_question("oak?") == await model.embed_question("oak?")
    assert recycling.fingerprint == model.fingerprint


async def test_a_remembering_model_reads_each_text_once_and_answers_in_order():
    model = HashEmbedder()
    remembering = Remembering(model)

    first = await remembering.embed(["oak tree", "elm tree", "oak tree"])
    again = await remembering.embed(["elm tree", "oak tree"])

    assert model.calls == 1
    assert first == await model.embed(["oak tree", "elm tree", "oak tree"])
    assert again == [first[1], first[0]]
    assert await remembering.embed_question("oak?") == await model.embed_question("oak?")


async def test_a_model_without_tokens_has_none_anywhere():
    model = WithoutTokens(HashEmbedder())

    (embedded,) = await model.embed(["oak"])
    asked = await model.embed_question("oak?")

    assert (model.token_dim, embedded.tokens, asked.tokens) == (0, b"", b"")
    assert len(embedded.dense) == 4 * model.dim


def test_a_model_calibrated_anew_is_the_same_model_otherwise():
    read = Calibration(nothing=0.5, everything=0.6, floor=0.1)
    model = HashEmbedder()
    changed = Calibrated(model, read)

    assert changed.calibration_of("oak?") == read
    assert (changed.fingerprint, changed.dim) == (model.fingerprint, model.dim)
    assert changed.knows("oak") and not changed.knows("橡树")


# ── time ─────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_quantile_is_one_of_its_values_and_grows_with_its_share(values, share):
    found = quantile(values, share)

    assert found in values
    assert quantile(values, 0) == min(values) <= found <= quantile(values, 1) == max(values)


def test_figures_tell_the_middle_and_the_slow_end():
    found = figures([Run(cpu_ms=n, wall_ms=10 * n) for n in range(1, 101)])

    assert (found.runs, found.cpu_p50, found.cpu_p95) == (100, 50.5, 96)
    assert (found.wall_p50, found.wall_p95, found.wall_p99) == (505, 960, 1000)


def test_no_run_has_no_figures():
    with pytest.raises(InvalidValue):
        figures([])


# ── speed ────────────────────────────────────────────────────────────────────────────────────


async def test_everything_that_takes_a_model_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(meaning, "WEIGHED", 30)
    monkeypatch.setattr(meaning, "IMPORTED", 10)
    told = []

    found = await meaning.meaning_of(
        open_parts,
        tmp_path,
        Models(embedder=HashEmbedder(), reranker=HashReranker()),
        sizes=[40],
        vocabulary=["oak", "elm", "ash", "yew", "fir", "bay", "fig", "lime"],
        command=[sys.executable, "-c", "print(3)"],
        tell=told.append,
    )

    (space,) = found.spaces
    assert space.memories == 40
    assert {"encode", "vector", "score"} <= space.stages_ms.keys()
    assert "rerank" in space.best_stages_ms
    assert all(weight.dense_bytes < weight.whole_bytes for weight in found.weights)
    assert found.starting.loop_blocked_ms == 3.0
    assert found.import_per_s > 0
    assert "asking 40 memories by meaning" in told
