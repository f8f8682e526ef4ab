"""The floor: how much of a question the best hit must hold to be an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.recall.planning import KEYWORD_FLOOR, KEYWORD_FLOOR_WORDS, keyword_floor


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
