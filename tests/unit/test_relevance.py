"""How much of what a question asks for a text holds."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.ranking.relevance import CONTEXT_SHARE, affordable, matched_share, word_weights

WORDS = st.sampled_from(["hub", "zigbee", "reset", "dog", "v2.3.1", "unknown"])
COUNTS = st.dictionaries(WORDS, st.integers(0, 10_000))


@given(COUNTS, st.integers(0, 10_000))
def test_every_word_weighs_something(df, more):
    passages = max(df.values(), default=0) + more

    assert all(weight > 0 for weight in word_weights(df, passages).values())


def test_a_weight_is_the_idf_of_lucene_with_fifty_passages_behind_every_space():
    weights = word_weights({"hub": 3}, 50)

    assert weights["hub"] == pytest.approx(log(1 + (100 - 3 + 0.5) / (3 + 0.5)))


def test_a_rare_word_weighs_more_than_a_common_one():
    weights = word_weights({"rare": 1, "common": 90}, 100)

    assert weights["rare"] > weights["common"]


def test_a_word_that_occurs_nowhere_weighs_as_one_that_occurs_once():
    weights = word_weights({"nowhere": 0, "once": 1}, 100)

    assert weights["nowhere"] == weights["once"]


@given(
    st.dictionaries(WORDS, st.floats(0, 100)),
    st.sets(WORDS),
    st.sets(WORDS),
)
def test_a_share_lies_between_0_and_1(weights, matched, context_matched):
    assert 0 <= matched_share(weights, matched, context_matched) <= 1


def test_a_text_that_holds_every_word_has_the_whole_share():
    assert matched_share({"hub": 2.0, "reset": 1.0}, {"hub", "reset"}) == 1


def test_a_word_of_the_turn_before_counts_for_less():
    assert matched_share({"hub": 1.0}, (), {"hub"}) == CONTEXT_SHARE


def test_a_question_without_words_is_held_by_nothing():
    assert matched_share({}, {"hub"}) == 0


@given(st.lists(WORDS, unique=True), COUNTS, st.integers(0, 10_000), st.integers(0, 4))
def test_affordable_words_are_a_part_of_the_question_in_its_order(words, df, rows, always):
    kept = affordable(words, df, rows=rows, always=always)

    assert kept == [word for word in words if word in kept]
    assert all(df[word] for word in kept)


@given(st.lists(WORDS, unique=True), COUNTS, st.integers(0, 10_000), st.integers(0, 4))
def test_affordable_words_cost_no_more_than_allowed(words, df, rows, always):
    kept = affordable(words, df, rows=rows, always=always)

    assert len(kept) <= always or sum(df[word] for word in kept) <= rows


def test_the_rarest_words_are_kept_whatever_they_cost():
    df = {"hub": 900, "reset": 800, "dog": 700}

    assert affordable(["hub", "reset", "dog"], df, rows=10) == ["reset", "dog"]
