"""What measures: reading data, marks, texts, and models with one thing changed."""

import json
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.calibration import Calibration
from pinyon.errors import InvalidFile, InvalidValue
from pinyon.evaluation.quality.datasets import halved, read_folder, text_of, time_of
from pinyon.evaluation.quality.marks import CUTOFFS, Marks, marks_of, mean_marks
from pinyon.evaluation.speed import meaning
from pinyon.evaluation.speed.babble import TURNS, Babble, words_of
from pinyon.evaluation.embedders import Calibrated, Recycling, WithoutTokens
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder, HashReranker
from pinyon.text.passages import TEXT_CHARS_MAX
from pinyon.wiring import open_parts

pytestmark = pytest.mark.anyio


# ── data ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path):
    def write(memories, questions=()):
        for name, rows in (("memories", memories), ("questions", questions)):
            lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
            (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return tmp_path

    return write


def row(number, tenant="t", **fields):
    return {"tenant": tenant, "id": f"r{number}", "text": f"text {number}", **fields}


@pytest.mark.parametrize(
    ("told", "instant"),
    [
        ("2023-05-08T13:56:00", "2023-05-08T13:56:00+00:00"),
        ("2023-05-08T13:56:00+02:00", "2023-05-08T13:56:00+02:00"),
        ("2024年04月01日 周一 08:30", "2024-04-01T08:30:00+08:00"),
    ],
)
def test_a_time_is_read_as_its_writer_meant_it(told, instant):
    assert time_of({"time": told}, 0) == datetime.fromisoformat(instant)


@pytest.mark.parametrize("told", ["yesterday", "2024年13月01日 周一 08:30", ""])
def test_a_time_that_does_not_read_is_left_out(told):
    assert time_of({"time": told}, 0) is None


def test_rows_without_times_keep_their_order():
    times = [time_of({}, place) for place in range(3)]

    assert times == sorted(set(times))


def test_what_a_picture_shows_belongs_to_the_text():
    assert text_of({"text": "Look!", "caption": "a kite"}) == "Look! (shared a photo: a kite)"
    assert text_of({"text": "Look!", "caption": None}) == "Look!"


def test_every_row_becomes_an_episode_of_its_tenant(folder):
    place = folder([row(1, speaker="Ann", session=3), row(2, tenant="u"), row(3)])

    first, second = read_folder(place)

    assert [(one.id, one.draft.kind) for one in first.rows] == [
        ("r1", "episodic"),
        ("r3", "episodic"),
    ]
    assert (first.rows[0].draft.speaker, first.rows[0].draft.session) == ("Ann", "3")
    assert (second.name, second.rows[0].draft.session) == ("u", "")


def test_only_questions_that_can_be_scored_are_asked(folder):
    asked = {"tenant": "t", "question": "which?", "evidence": ["r1"]}
    questions = [
        {**asked, "category": 4, "category_name": "single"},
        {**asked, "evidence": []},
        {**asked, "scorable": False},
    ]

    (tenant,) = read_folder(folder([row(1)], questions))

    assert [(one.text, one.category) for one in tenant.questions] == [("which?", "single")]


def test_questions_are_asked_an_hour_after_the_last_row(folder):
    place = folder([row(1, time="2023-05-08T13:00:00"), row(2, time="one day")])

    (tenant,) = read_folder(place)

    at = datetime.fromtimestamp(tenant.asked_at_us / 1e6, UTC)
    assert at == datetime(2023, 5, 8, 14, tzinfo=UTC)


def test_a_text_longer_than_a_memory_is_cut_and_counted(folder):
    (tenant,) = read_folder(folder([row(1, text="x" * (TEXT_CHARS_MAX + 1)), row(2)]))

    assert (len(tenant.rows[0].draft.text), tenant.shortened) == (TEXT_CHARS_MAX, 1)


@pytest.mark.parametrize(
    ("memories", "why"),
    [
        (["no json"], "memories.jsonl, line 1: it is no JSON"),
        ([row(1), {"tenant": "t", "id": "r2"}], "memories.jsonl, line 2: it has no 'text'"),
        ([row(1, text=" ")], "memories.jsonl, line 1: its text is empty"),
    ],
)
def test_data_of_another_form_is_refused_with_its_line(folder, memories, why):
    with pytest.raises(InvalidFile, match=why):
        read_folder(folder(memories))


def test_halves_are_asked_only_what_they_answer(folder):
    questions = [
        {"tenant": "t", "question": name, "evidence": evidence}
        for name, evidence in (("one", ["r1"]), ("two", ["r2"]), ("both", ["r1", "r2"]))
    ]
    (tenant,) = read_folder(folder([row(1), row(2)], questions))

    parts = halved(tenant)

    assert [[one.text for one in part.questions] for part in parts] == [["one"], ["two"]]
    assert [[one.id for one in part.rows] for part in parts] == [["r1"], ["r2"]]


# ── marks ────────────────────────────────────────────────────────────────────────────────────


def test_a_perfect_answer_has_full_marks():
    marks = marks_of(["a", "b"], ["b", "a", "c"])

    assert marks == Marks({1: 0.5, 5: 1.0, 10: 1.0, 20: 1.0}, 1.0, 1.0)


def test_the_place_of_what_answers_counts():
    marks = marks_of(["a"], ["x", "y", "a"])

    assert (marks.recall[1], marks.recall[5]) == (0.0, 1.0)
    assert marks.reciprocal_rank == pytest.approx(1 / 3)
    assert marks.ndcg == pytest.approx(0.5)


def test_nothing_has_no_marks():
    assert marks_of(["a"], []) == Marks(dict.fromkeys(CUTOFFS, 0.0), 0.0, 0.0)


def test_what_says_the_same_is_found_together_and_counts_once_in_order():
    marks = marks_of(["a", "a", "b"], ["a"])

    assert marks.recall[1] == pytest.approx(2 / 3)
    assert marks.ndcg == pytest.approx(1 / (1 + 1 / np.log2(3)))


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1),
    st.lists(st.sampled_from("abcdefxyz"), unique=True),
)
def test_marks_lie_between_nothing_and_all(evidence, came):
    marks = marks_of(evidence, came)

    values = [*marks.recall.values(), marks.reciprocal_rank, marks.ndcg]
    assert all(0 <= value <= 1 + 1e-9 for value in values)
    assert list(marks.recall.values()) == sorted(marks.recall.values())


def test_means_are_over_questions():
    whole, none = marks_of(["a"], ["a"]), marks_of(["a"], [])

    assert mean_marks([whole, none]) == Marks(dict.fromkeys(CUTOFFS, 0.5), 0.5, 0.5)
    with pytest.raises(InvalidValue):
        mean_marks([])


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

    assert changed.calibration == read
    assert (changed.fingerprint, changed.dim) == (model.fingerprint, model.dim)
    assert changed.knows("oak") and not changed.knows("橡树")


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
