"""BM25 over fields."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.ranking.bm25 import Fields, bm25, inverse_frequency, weighted_frequency

FREQUENCIES = st.dictionaries(st.text(max_size=3), st.floats(0.5, 1_000), max_size=5)


@given(st.integers(0, 100_000), st.integers(0, 100_000))
def test_an_idf_never_counts_against_a_text(df, others):
    assert inverse_frequency(df, df + others) >= 1e-6


@given(st.integers(0, 1_000), st.integers(1, 1_000))
def test_a_rarer_term_never_has_a_lower_idf(df, passages):
    rarer, commoner = min(df, passages), min(df + 1, passages)

    assert inverse_frequency(rarer, passages) >= inverse_frequency(commoner, passages)


@given(FREQUENCIES, st.floats(0, 1_000))
def test_a_score_is_never_below_0(frequencies, relative_length):
    assert bm25(frequencies, dict.fromkeys(frequencies, 1.0), relative_length) >= 0


@pytest.mark.parametrize(
    ("frequency", "relative_length", "score"),
    [(1, 1, 1.0), (2, 2, 2 * 2.2 / 4.1), (1, 0, 2.2 / 1.3)],
)
def test_a_score_saturates_with_frequency_and_falls_with_length(frequency, relative_length, score):
    assert bm25({"hub": frequency}, {"hub": 1}, relative_length) == pytest.approx(score)


def test_an_idf_is_that_of_robertson_and_sparck_jones():
    assert inverse_frequency(1, 100) == pytest.approx(log(99.5 / 1.5))


def test_the_shorter_of_two_texts_with_a_word_scores_higher():
    assert bm25({"hub": 1}, {"hub": 1}, 0.5) > bm25({"hub": 1}, {"hub": 1}, 2)


def test_a_title_counts_twice_and_the_turn_before_half():
    fields = Fields(head=["hub"], body=["hub", "hub"], context=["hub"])

    assert weighted_frequency(("hub",), fields) == 2 + 2 + 0.5
    assert fields.length == 4


@pytest.mark.parametrize(
    ("phrase", "times"),
    [(("exit", "code"), 1), (("code", "exit"), 0), (("exit", "code", "2"), 1), (("a",) * 9, 0)],
)
def test_a_phrase_occurs_where_its_words_stand_in_a_row(phrase, times):
    fields = Fields(head=[], body=["the", "exit", "code", "2"], context=[])

    assert weighted_frequency(phrase, fields) == times
