"""The floor: how much of a question the best hit must hold to be an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.domain.calibration import Calibration
from pinyon.recall.planning import KEYWORD_FLOOR, KEYWORD_FLOOR_WORDS, keyword_floor
from pinyon.text.content import content_spans


@given(st.integers(0, 10_000))
def test_a_floor_lies_within_its_range(words):
    assert 0 < keyword_floor(words) <= KEYWORD_FLOOR


@given(st.integers(0, 1_000))
def test_a_longer_question_never_has_a_higher_floor(words):
    assert keyword_floor(words + 1) <= keyword_floor(words)


@pytest.mark.parametrize("words", [0, 1, KEYWORD_FLOOR_WORDS])
def test_a_short_question_has_the_whole_floor(words):
    assert keyword_floor(words) == KEYWORD_FLOOR


def test_twice_as_many_words_have_half_the_floor():
    assert keyword_floor(2 * KEYWORD_FLOOR_WORDS) == KEYWORD_FLOOR / 2


@pytest.mark.anyio
async def test_a_question_at_the_end_of_much_rambling_is_answered(ask, story):
    rambling = " ".join(f"word{number}" for number in range(40))

    assert await ask(f"{rambling} and whose dog chews cables") == [
        "Sarah's dog chews sensor cables"
    ]


# ── how surely a candidate answers ───────────────────────────────────────────────────────────


TOLD_APART = Calibration(nothing=0.7, everything=0.9, floor=0.1, unknown=0.2, content=(0.6, 1.0))


def test_half_of_certainty_is_what_the_question_is_about():
    assert TOLD_APART.certainty(0.8, 0.8) == pytest.approx(0.5)
    assert TOLD_APART.certainty(0.9, 0.5) == pytest.approx(0.5)
    assert TOLD_APART.certainty(0.6, 1.2) == pytest.approx(0.5)


def test_a_model_that_tells_no_words_apart_is_as_sure_as_it_is_relevant():
    plain = Calibration(nothing=0.7, everything=0.9, floor=0.1)

    assert plain.certainty(0.8, 0.0) == plain.relevance(0.8) == pytest.approx(0.5)


def test_a_logit_reads_by_the_logistic_function():
    read = Calibration(nothing=-6.0, everything=12.0, floor=0.0, is_logit=True)

    assert read.relevance(3.0) == pytest.approx(0.5)
    assert (read.relevance(-6.0), read.relevance(12.0)) == pytest.approx((0.05, 0.95))
    assert 0 < read.relevance(-1e9) < read.relevance(1e9) < 1


@pytest.mark.parametrize(("unknown", "floor"), [(0.0, 0.1), (0.5, 0.2), (1.0, 0.3)])
def test_the_floor_rises_with_the_share_of_words_that_no_memory_holds(unknown, floor):
    assert TOLD_APART.floor_for(unknown) == pytest.approx(floor)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When is the party?", ["party"]),
        ("What's her dog’s name?", ["dog’s", "name"]),
        ("who am I?", []),
        ("E-41 again", ["E", "41", "again"]),
        ("", []),
    ],
)
def test_the_words_that_a_question_is_about_are_told_from_its_grammar(question, words):
    assert [question[start:end] for start, end in content_spans(question)] == words
